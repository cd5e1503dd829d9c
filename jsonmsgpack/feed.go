package jsonmsgpack

import (
	"bytes"
	"errors"
)

// A feed is a stream of documents under conversion, whoever brings the bytes:
// a reader (Convert, ConvertAt) or the calls of Write. What is converted
// collects in out; out[:whole] are whole documents.
type feed struct {
	c     *Converter
	out   []byte
	whole int

	inDoc    bool
	docStart int64 // where in the input the document begins
	started  bool  // behind the byte order mark, or known to have none
	skip     bool  // the rest of a line is given up
	pend     pending
	lineEnd  int // bytes of an unfinished line known to hold no newline

	// Where src[0] is in the input.
	base      int64
	line      int64 // newlines before it
	lineStart int64 // offset of the line it is in
}

// used notes that the first n bytes of src are done with.
func (f *feed) used(src []byte, n int) {
	head := src[:n]
	if k := bytes.Count(head, newline); k > 0 {
		f.line += int64(k)
		f.lineStart = f.base + int64(bytes.LastIndexByte(head, '\n')) + 1
	}
	f.base += int64(n)
}

var newline = []byte{'\n'}

// take converts as many documents of src as there are and returns how many
// bytes it used; the others must come again, with more behind them. With an
// error, which is a *SyntaxError, all of src up to the error is used, and the
// rest of its line is skipped by the next call, should there be one. final
// says that nothing follows src.
func (f *feed) take(src []byte, final bool) (int, error) {
	total := 0
	for {
		n, again, err := f.step(src[total:], final)
		f.used(src[total:], n)
		total += n
		if err != nil || !again {
			return total, err
		}
	}
}

// step does one thing: skip, or convert at most one document.
func (f *feed) step(src []byte, final bool) (n int, again bool, err error) {
	if !f.started {
		if n, f.started = f.bom(src, final); n > 0 || !f.started {
			return n, f.started, nil
		}
	}
	if f.skip {
		n = bytes.IndexByte(src, '\n')
		if n < 0 {
			return len(src), false, nil
		}
		f.skip = false
		return n + 1, true, nil
	}
	if f.c.cfg.lines {
		return f.oneLine(src, final)
	}
	return f.document(src, final)
}

// bom skips a byte order mark, where that is allowed. false says that src is
// too short to tell. A first byte that begins no JSON, but may begin a mark or
// another encoding, has it wait for four.
func (f *feed) bom(src []byte, final bool) (int, bool) {
	if len(src) == 0 {
		return 0, final
	}
	switch src[0] {
	case 0, 0xef, 0xfe, 0xff:
		if len(src) < 4 && !final {
			return 0, false
		}
	}
	if f.c.cfg.streamBOM && hasBOM(src) {
		return len(bom), true
	}
	return 0, true
}

// document goes on with the document that src is in, or with the next.
func (f *feed) document(src []byte, final bool) (int, bool, error) {
	c := f.c
	i := 0
	if !f.inDoc {
		if i = skipSpace(src, 0); i == len(src) {
			return i, false, nil
		}
		f.inDoc = true
		f.docStart = f.base + int64(i)
		c.reset()
	} else if f.pend.active && !final && !f.pend.ready(src) {
		return 0, false, f.bound(0, src)
	}
	f.pend.active = false
	out, i, st := c.run(f.out, src, i, final)
	f.out = out
	switch st {
	case statDone:
		if err := f.bound(i, src[:i]); err != nil {
			return i, false, err
		}
		f.out = c.finish(f.out)
		f.whole = len(f.out)
		f.inDoc = false
		c.stats.Documents++
		return i, true, nil
	case statMore:
		if err := f.bound(i, src); err != nil {
			return len(src), false, err
		}
		if i < len(src) {
			f.pend.ready(src[i:])
		}
		return i, false, nil
	}
	return i, false, f.failed(src)
}

// bound is an error if the document, of which src is the last that is known,
// is longer than it may be. Where documents may be of any length, as in
// ConvertAt, that goes for the token src[i:] that is not whole.
func (f *feed) bound(i int, src []byte) error {
	start, limit := f.docStart, f.c.cfg.maxDocument
	huge := errHuge
	if f.c.unbounded && !f.c.cfg.lines {
		start, huge = f.base+int64(i), errHugeToken
	}
	if f.base+int64(len(src))-start <= limit {
		return nil
	}
	f.c.fail(0, "", huge)
	f.c.bad.Offset = start - f.base
	return f.failed(src)
}

// failed gives up the document and returns the error that c.bad is, with the
// place in the whole input.
func (f *feed) failed(src []byte) error {
	e := f.c.bad
	if f.base == 0 {
		explainStart(&e, src)
	}
	f.place(&e, src)
	f.out = f.out[:f.whole]
	f.inDoc, f.skip, f.pend.active = false, true, false
	f.lineEnd = 0
	f.c.reset()
	f.c.stats.Failed++
	return &e
}

// place makes e's offset one in the whole input, with its line and column.
func (f *feed) place(e *SyntaxError, src []byte) {
	at := int(max(0, min(e.Offset, int64(len(src)))))
	line, lineStart := f.line, f.lineStart
	if k := bytes.Count(src[:at], newline); k > 0 {
		line += int64(k)
		lineStart = f.base + int64(bytes.LastIndexByte(src[:at], '\n')) + 1
	}
	e.Offset += f.base
	e.Line = int(line) + 1
	e.Column = int(max(0, e.Offset-lineStart)) + 1
}

// oneLine converts the line at the beginning of src, once it is whole.
func (f *feed) oneLine(src []byte, final bool) (int, bool, error) {
	c := f.c
	n := bytes.IndexByte(src[f.lineEnd:], '\n')
	if n < 0 {
		if int64(len(src)) > c.cfg.maxDocument {
			f.docStart = f.base
			return len(src), false, f.report(f.bound(0, src))
		}
		if !final {
			f.lineEnd = len(src)
			return 0, false, nil
		}
		n = len(src)
	} else {
		n += f.lineEnd
	}
	f.lineEnd = 0
	line, next := src[:n], min(n+1, len(src))
	i := skipSpace(line, 0)
	if i == n {
		return next, next < len(src), nil
	}
	f.docStart = f.base
	if err := f.bound(0, line); err != nil {
		f.skip = false
		return next, next < len(src), f.report(err)
	}
	c.reset()
	replaced, lossy := c.stats.Replaced, c.stats.Lossy
	out, i, st := c.run(f.out, line, i, true)
	if st == statDone && i < n {
		if i = skipSpace(line, i); i < n {
			c.fail(i, "the end of the line", ErrTrailing)
			st = statBad
		}
	}
	if st != statDone {
		c.stats.Replaced, c.stats.Lossy = replaced, lossy
		err := f.failed(line)
		f.skip = false
		return next, next < len(src), f.report(err)
	}
	f.out = c.finish(out)
	f.whole = len(f.out)
	c.stats.Documents++
	return next, next < len(src), nil
}

// report gives the error of a line to OnError and returns it if that wants no
// more. Without OnError the first one is kept for the end.
func (f *feed) report(err error) error {
	c := f.c
	if c.cfg.onError == nil {
		if c.first == nil {
			c.first = err
		}
		return nil
	}
	var e *SyntaxError
	if errors.As(err, &e) && c.cfg.onError(int64(e.Line), err) {
		return nil
	}
	return err
}

// drop forgets the first n bytes of out, which have been written.
func (f *feed) drop(n int) {
	f.out = f.out[:copy(f.out, f.out[n:])]
	f.whole -= n
	c := f.c
	for i := range c.nodes {
		if c.nodes[i].state != nodeOut {
			c.nodes[i].pos -= int64(n)
		}
	}
	if c.watch {
		c.keys.move(n)
	}
}
