package handler

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"sync"
	"sync/atomic"
)

// A LevelWriter is a writer that wants to know the level of what it is given.
// The handler calls WriteLevel instead of Write, under the same lock and with
// the same rules: one call a record, p is only lent for the call.
type LevelWriter interface {
	io.Writer
	WriteLevel(l slog.Level, p []byte) (int, error)
}

// A FormatWriter is a writer that knows what it wants to be given. [New] asks
// it once and takes what no option says otherwise.
type FormatWriter interface {
	io.Writer
	LogFormat() (Format, Profile)
}

// A FormatChecker is a writer that cannot take every format. [New] asks it once
// about the format that it is going to use; an error goes to the error handler,
// and JSON is written instead.
type FormatChecker interface {
	io.Writer
	CheckFormat(f Format) error
}

// output is the way to the caller's writer, shared by all handlers derived from
// one New. What the writer can do is found once, by newOutput.
type output struct {
	w       io.Writer
	levels  LevelWriter   // w, if it takes levels
	buffer  *bytes.Buffer // w, if it is exactly that
	bufio   *bufio.Writer // w, if it is exactly that
	lender  StreamWriter  // w, if it lends its buffer
	free    bool          // w needs no lock
	quick   bool          // w is given records by Write, under the lock
	streams bool          // records may be formatted in the buffer of w
	json    bool          // a newline separates what is torn from what follows
	cool    atomic.Int32  // records to come before streaming is tried again
	long    atomic.Bool   // the last record was, and the next may be
	split   atomic.Bool   // free writers only: the last record is torn

	mu   sync.Mutex
	torn torn // guarded by mu

	reports
}

func newOutput(w io.Writer, c *config) *output {
	o := &output{w: w, json: c.format == JSON}
	o.reports.init(w, c.onError)
	switch b := w.(type) {
	case nil:
		o.w = io.Discard
	case *bytes.Buffer:
		if b == nil {
			o.w = io.Discard
		} else if !c.concurrent {
			o.buffer = b
		}
	case *bufio.Writer:
		if b == nil {
			o.w = io.Discard
		} else if !c.concurrent {
			o.bufio = b
		}
	}
	o.levels, _ = w.(LevelWriter)
	o.lender, _ = w.(StreamWriter)
	o.free = c.concurrent || o.lender != nil
	if c.concurrent {
		o.lender = nil
	}
	o.quick = o.levels == nil && !o.free
	o.streams = o.buffer != nil || o.bufio != nil || o.lender != nil
	if o.levels == nil && w != nil {
		o.adviseLevels()
	}
	return o
}

// adviseLevels tells once of a writer whose levels are of a type that the
// handler does not know, since its records would all come without a level.
func (o *output) adviseLevels() {
	t := reflect.TypeOf(o.w)
	m, ok := t.MethodByName("WriteLevel")
	if !ok || m.Type.NumIn() != 3 || m.Type.In(2) != reflect.TypeFor[[]byte]() {
		return
	}
	o.report(fmt.Errorf("slogpack: %v has WriteLevel(%v, []byte), whose levels are not slog's; it gets records by Write, without levels (for zerolog's writers use zerologsink.New)", t, m.Type.In(1)))
}

// call makes the one call that gives b to the writer. n is within b, and err
// not nil where it is less.
func (o *output) call(b []byte, l slog.Level) (n int, err error) {
	n, err = o.callOnce(b, l)
	return o.counted(b, n, err)
}

func (o *output) callOnce(b []byte, l slog.Level) (n int, err error) {
	if o.levels != nil {
		return o.levels.WriteLevel(l, b)
	}
	return o.w.Write(b)
}

// counted sees to it that n and err mean what io.Writer says.
func (o *output) counted(b []byte, n int, err error) (int, error) {
	if uint(n) > uint(len(b)) {
		count := fmt.Errorf("slogpack: %T returned the count %d for %d bytes", o.w, n, len(b))
		return 0, errors.Join(count, err)
	}
	if n < len(b) && err == nil {
		err = io.ErrShortWrite
	}
	return n, err
}

// write gives a record to the writer and reports what goes wrong.
func (o *output) write(b []byte, l slog.Level) (err error) {
	if o.free {
		err = o.writeFree(b, l)
	} else {
		err = o.writeLocked(b, l)
	}
	if err != nil {
		o.report(err)
	}
	return err
}

func (o *output) writeFree(b []byte, l slog.Level) error {
	lead := 0
	if o.split.Load() && o.split.CompareAndSwap(true, false) {
		lead = 1
		b = append([]byte{'\n'}, b...)
	}
	n, err := o.call(b, l)
	if n < len(b) && (n > lead || lead == 1 && n == 0) && o.json && o.lender == nil {
		o.split.Store(true)
	}
	return err
}

func (o *output) writeLocked(b []byte, l slog.Level) error {
	o.lock()
	defer o.mu.Unlock() // also when the writer panics
	if o.streams {
		o.notStreamed(b)
	}
	return o.put(b, l)
}

// writeQuick is write for most writers. A panic of the writer finds p.locked set,
// which costs less than a deferred call.
func (o *output) writeQuick(p *pair, b []byte, l slog.Level) error {
	if !o.mu.TryLock() {
		o.wait()
	}
	p.locked = true
	if o.streams {
		o.notStreamed(b)
	}
	var n int
	var err error
	if o.torn.any {
		err = o.putTorn(b, l)
	} else {
		if o.bufio != nil {
			o.makeRoom(b)
		}
		if n, err = o.w.Write(b); n != len(b) || err != nil {
			err = o.check(b, l, n, err)
		}
	}
	p.locked = false
	o.mu.Unlock()
	if err != nil {
		o.report(err)
	}
	return err
}

// put writes b under the lock.
func (o *output) put(b []byte, l slog.Level) error {
	if o.torn.any {
		return o.putTorn(b, l)
	}
	if o.bufio != nil {
		o.makeRoom(b)
	}
	n, err := o.callOnce(b, l)
	return o.check(b, l, n, err)
}

// makeRoom flushes a bufio.Writer whose cut would fall within b. Its error
// sticks, and is returned by Write.
func (o *output) makeRoom(b []byte) {
	if len(b) > o.bufio.Available() && o.bufio.Buffered() > 0 {
		_ = o.bufio.Flush()
	}
}

// check looks at what the writer said of b, and keeps what it did not take.
func (o *output) check(b []byte, l slog.Level, n int, err error) error {
	n, err = o.counted(b, n, err)
	if err != nil && n > 0 && n < len(b) {
		o.torn.keep(b[n:], l)
	}
	return err
}

// lock takes the lock, and notes when it had to be waited for.
func (o *output) lock() {
	if !o.mu.TryLock() {
		o.wait()
	}
}

func (o *output) wait() {
	o.cool.Store(coolRecords)
	o.mu.Lock()
}

// torn is the rest of a record that the writer took in part. It is written
// ahead of the next record, so that a disk that was full for a while leaves no
// broken line.
type torn struct {
	any     bool // tail or newline is set
	tail    []byte
	level   slog.Level
	strikes int
	newline bool // a tail was given up: the next record starts a new line
}

// maxStrikes is how many records a tail may fail to be written ahead of.
const maxStrikes = 3

// tornError is what happened to the rest of an earlier record. Its text, of
// which the writer's own error is a part, is made when it is asked for: that is
// user code, and errors are made under the lock.
type tornError struct {
	dropped bool // the record in hand was not tried
	bytes   int  // given up
	err     error
}

func (e *tornError) Error() string {
	text := "slogpack: the rest of an earlier record could not be written"
	if e.bytes > 0 {
		text += fmt.Sprintf(", its last %d bytes were given up after %d attempts", e.bytes, maxStrikes)
	}
	if e.dropped {
		text += ", nor was this one"
	}
	return text + ": " + e.err.Error()
}

func (e *tornError) Unwrap() error { return e.err }

func (t *torn) keep(tail []byte, l slog.Level) {
	*t = torn{any: true, tail: append(t.tail[:0], tail...), level: l}
}

// putTorn writes what is left of an earlier record, and then b.
func (o *output) putTorn(b []byte, l slog.Level) error {
	t := &o.torn
	var tailErr error
	if len(t.tail) > 0 {
		if tailErr = o.putTail(); len(t.tail) > 0 {
			e := &tornError{dropped: true, err: tailErr}
			if t.strikes++; t.strikes >= maxStrikes {
				e.bytes = len(t.tail)
				*t = torn{any: o.json, newline: o.json, tail: t.tail[:0]}
			}
			return e
		}
		t.any = t.newline
	}
	lead := 0
	if t.newline {
		lead = 1
		b = append([]byte{'\n'}, b...)
	}
	n, err := o.call(b, l)
	switch {
	case n == len(b):
		*t = torn{tail: t.tail[:0]}
	case n > lead:
		t.keep(b[n:], l)
	case n == 1: // the newline alone
		*t = torn{tail: t.tail[:0]}
	}
	if tailErr != nil { // it was written all the same
		err = errors.Join(tailErr, err)
	}
	return err
}

// putTail writes the tail, or a part of it.
func (o *output) putTail() error {
	t := &o.torn
	n, err := o.call(t.tail, t.level)
	t.tail = t.tail[:copy(t.tail, t.tail[n:])]
	return err
}

// flush is Handler.Flush.
func (o *output) flush() error {
	if o.free {
		return flushWriter(o.w)
	}
	o.lock()
	defer o.mu.Unlock()
	if t := &o.torn; len(t.tail) > 0 {
		err := o.putTail()
		if len(t.tail) > 0 {
			return &tornError{err: err}
		}
		t.any, t.strikes = t.newline, 0
		if err != nil {
			return err
		}
	}
	return flushWriter(o.w)
}

func flushWriter(w io.Writer) error {
	switch f := w.(type) {
	case interface{ Flush() error }:
		return f.Flush()
	case interface{ Flush() }:
		f.Flush()
	}
	return nil
}
