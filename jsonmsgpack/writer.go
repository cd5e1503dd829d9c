package jsonmsgpack

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// A Writer, which NewWriter makes, converts the JSON written to it and writes MessagePack on: any
// logger that writes JSON becomes one that writes MessagePack. It is safe for
// concurrent use; loggers that write one record with one call, as they do, do
// not mix theirs.
type Writer struct {
	mu     sync.Mutex
	w      io.Writer
	f      feed
	hold   []byte // what has been written and not used yet
	closed bool
}

// NewWriter returns a Writer onto w that converts as opts say. Each call of
// Write makes at most one call of w.Write, with whole documents.
func NewWriter(w io.Writer, opts ...Option) *Writer {
	c := NewConverter(opts...)
	return &Writer{w: w, f: feed{c: c}}
}

// Write converts p and writes the documents that are whole now to the writer
// below. A value may begin in one call and end in another; with Lines, it ends
// with its line.
//
// After an error in the JSON, a *SyntaxError whose offset counts from the
// first Write, the rest of its line is skipped and what follows converted: all
// of p is taken and the first error returned. OnError gets each of them
// instead; when it returns false, that error is returned. If the writer below
// fails, Write returns 0 and its error; the documents are lost.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return 0, fmt.Errorf("jsonmsgpack: write to a closed Writer: %w", os.ErrClosed)
	}
	src := p
	if len(w.hold) > 0 {
		w.hold = append(w.hold, p...)
		src = w.hold
	}
	rest, err := w.convert(src, false)
	// rest may lie in hold; it is moved to its front. Where it is all of hold, it
	// stays: to move it at each Write of a long token would cost its square.
	if len(w.hold) == 0 || len(rest) < len(w.hold) {
		w.hold = append(w.hold[:0], rest...)
	}
	if len(rest) == 0 {
		w.hold = keep(w.hold)
	}
	if werr := w.flush(); werr != nil {
		return 0, werr
	}
	return len(p), err
}

// convert has src converted and returns what it did not use, and the first
// error.
func (w *Writer) convert(src []byte, final bool) (rest []byte, err error) {
	w.f.c.first = nil
	for {
		n, e := w.f.take(src, final)
		src = src[n:]
		if err == nil {
			err = e
		}
		if e == nil || len(src) == 0 {
			break
		}
	}
	if err == nil {
		err = w.f.c.first
	}
	return src, err
}

// flush writes what is whole.
func (w *Writer) flush() error {
	n := w.f.whole
	if n == 0 {
		return nil
	}
	m, err := w.w.Write(w.f.out[:n])
	if err == nil && m < n {
		err = io.ErrShortWrite
	}
	w.f.c.stats.Out += int64(m)
	w.f.drop(n)
	if len(w.f.out) == 0 {
		w.f.out = keep(w.f.out)
	}
	return err
}

// Close converts what ends only with the input (a number, with Lines a line
// without newline) and reports a document that is not whole: a *SyntaxError
// that is ErrUnfinished. It does not close the writer below. Writes after
// Close fail; closing again does nothing.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	_, err := w.convert(w.hold, true)
	w.hold = nil
	if werr := w.flush(); werr != nil {
		return werr
	}
	return unfinished(err)
}
