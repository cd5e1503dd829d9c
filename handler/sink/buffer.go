package sink

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/slogpack/slogpack/handler"
)

var (
	// ErrClosed is the error of writes after Close. It is an [os.ErrClosed].
	ErrClosed = fmt.Errorf("slogpack: sink: write after Close: %w", os.ErrClosed)

	// ErrFull is told to the error handler when records are dropped because the
	// buffer is full. Write does not return it: a dropped record is counted and
	// told of, and must not keep an io.MultiWriter from its further writers.
	ErrFull = errors.New("buffer full")

	// ErrTooLarge is the error of a record of 2 GiB or more.
	ErrTooLarge = errors.New("slogpack: sink: record of 2 GiB or more")
)

var errForeign = errors.New("slogpack: sink: Commit of a buffer that Reserve did not return, or that was filled beyond its capacity")

// Buffer collects records and has them written many at a time, in a goroutine
// of its own. See the package's documentation for what it promises. It is a
// [handler.StreamWriter], a [handler.LevelWriter] and a [handler.FormatWriter],
// and safe for concurrent use. [NewBuffer] makes it.
type Buffer struct {
	c         *config
	w         io.Writer
	flusher   func() error // of w, if it buffers too
	blockSize int
	reports   reports

	mu      sync.Mutex
	waiters waiters // who waits for something to change

	cur    *block   // where records go, or nil
	queue  []*block // full ones, the oldest first
	head   *block   // the one that is being written, or tried again
	free   []*block
	spare  *block // a large one, empty
	used   int    // bytes of capacity in cur, queue and head
	beyond bool   // a large record went beyond the size
	lost   Dropped
	form   form // of the last block

	entered uint64 // records that were put into blocks: the number of the last
	sealed  uint64 // number of the last that is not in cur
	want    uint64 // up to which records are to be written now

	lostAll int64 // records dropped that the stream is to be told of
	toldAll int64 // of these, those it was told of

	stats Stats // but for Pending and Allocated

	writing
	closing
}

// NewBuffer returns a Buffer before w. It does not own w: close that, if it
// needs closing, after the Buffer. A nil w discards. NewBuffer never fails, and
// starts no goroutine before there is something to write.
//
// w needs not be safe for concurrent use, but nobody else may use it unless it
// is. If w has a method Flush, with or without an error as its result, that is
// called after every write that was made for time, level, Flush or Close.
func NewBuffer(w io.Writer, opts ...Option) *Buffer {
	c := newConfig(opts)
	if w == nil {
		w = io.Discard
	}
	b := &Buffer{c: c, w: w, blockSize: c.size / numBlocks}
	b.start = b.run
	b.reports.init(w, c.onError)
	switch f := w.(type) {
	case interface{ Flush() error }:
		b.flusher = f.Flush
	case interface{ Flush() }:
		b.flusher = func() error { f.Flush(); return nil }
	}
	if fw, ok := w.(handler.FormatWriter); ok && !c.formatSet {
		c.format, c.profile = fw.LogFormat()
		c.formatSet = true
	}
	if !c.formatSet {
		c.profile = handler.Slog()
	}
	return b
}

// LogFormat returns what [WithFormat] said, or what the writer says, or JSON
// and [handler.Slog]. It implements [handler.FormatWriter].
func (b *Buffer) LogFormat() (handler.Format, handler.Profile) { return b.c.format, b.c.profile }

// CheckFormat asks the writer, if that cannot take every format. It implements
// [handler.FormatChecker].
func (b *Buffer) CheckFormat(f handler.Format) error {
	if ck, ok := b.w.(handler.FormatChecker); ok {
		return ck.CheckFormat(f)
	}
	return nil
}

// Write takes p, which is one record, whatever it holds; it is copied. The
// error is [ErrClosed] after Close, or [ErrTooLarge]. A record that is dropped
// for want of room is no error, see [ErrFull]. An empty p is no record.
func (b *Buffer) Write(p []byte) (int, error) { return b.put(p, 0, false) }

// WriteLevel is Write for a record whose level is known. From the flush level
// up it returns when the record has been written, see [WithFlushLevel]. It
// implements [handler.LevelWriter].
func (b *Buffer) WriteLevel(l slog.Level, p []byte) (int, error) { return b.put(p, l, true) }

func (b *Buffer) put(p []byte, l slog.Level, leveled bool) (int, error) {
	n := len(p)
	if n == 0 {
		return 0, nil
	}
	b.mu.Lock()
	k, err := b.place(n)
	if err != nil {
		return b.refuse(n, err)
	}
	if k == nil {
		return b.drop(n)
	}
	k.buf = append(k.buf, p...)
	b.enter(k, n)
	if leveled && l >= b.c.flushLevel {
		b.flushLevel()
	}
	b.mu.Unlock()
	return n, nil
}

// refuse counts a record that is not taken and gives back the lock.
func (b *Buffer) refuse(n int, err error) (int, error) {
	b.stats.Accepted++
	b.stats.AcceptedBytes += int64(n)
	b.stats.Refused++
	b.stats.RefusedBytes += int64(n)
	b.mu.Unlock()
	return 0, err
}

// enter notes that a record of n bytes was appended to k.
func (b *Buffer) enter(k *block, n int) {
	k.ends = append(k.ends, uint32(len(k.buf)))
	b.entered++
	b.stats.Accepted++
	b.stats.AcceptedBytes += int64(n)
	if k.large {
		b.seal()
	}
	if !b.armed {
		b.arm()
	}
}

// Reserve lends room for n bytes in the Buffer itself, with its lock, or
// returns false where others have the lock or there is no room. It implements
// [handler.StreamWriter].
func (b *Buffer) Reserve(n int) ([]byte, bool) {
	if n > b.blockSize || !b.mu.TryLock() {
		return nil, false
	}
	if b.closed || b.full(n) {
		b.mu.Unlock() // by Write it is refused, or waits
		return nil, false
	}
	return b.cur.buf, true
}

// full reports whether there is no block that n bytes can be appended to.
func (b *Buffer) full(n int) bool {
	k := b.cur
	if k != nil && k.fits(n) {
		return false
	}
	return b.fit(n) == nil
}

// Commit takes the record that was appended to what Reserve lent, and gives the
// lock back. For records from the flush level up it then waits as WriteLevel
// does. It implements [handler.StreamWriter].
func (b *Buffer) Commit(buf []byte, l slog.Level) (int, error) {
	k := b.cur
	n := len(buf) - len(k.buf)
	if buf == nil || n == 0 {
		b.mu.Unlock()
		return 0, nil
	}
	if n < 0 || cap(buf) != cap(k.buf) || &buf[:1][0] != &k.buf[:1][0] {
		b.mu.Unlock()
		return 0, errForeign
	}
	k.buf = buf
	b.enter(k, n)
	if l >= b.c.flushLevel {
		b.flushLevel()
	}
	b.mu.Unlock()
	return n, nil
}

// flushLevel has everything so far written, and waits for that as long as a
// caller may be held. b.mu is held, but for the waiting.
func (b *Buffer) flushLevel() {
	goal := b.request()
	if b.streak > 0 {
		return // writing fails: it is tried again, but not on the caller's time
	}
	fails := b.fails
	b.waitUntil(time.Now(), b.c.blockTimeout, func() bool { return b.reached(goal) || b.fails > fails || b.gone })
}
