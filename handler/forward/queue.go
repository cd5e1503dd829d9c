package forward

import (
	"crypto/rand"
	"encoding/base64"
	"log/slog"
	"slices"
	"time"
)

// The queue is a list of chunks, each a batch of entries that becomes one
// frame: cur is being filled, ready wait in the order they are to be sent,
// inflight have been handed to a connection. A chunk's bytes lie in a block
// that has room for the frame's head in front and for its end behind, so that
// a frame is what the records were appended to, and costs no copy. What blocks
// there are, in use or kept for reuse, is what bounds the memory.

// block is memory for one batch.
type block struct {
	b    []byte
	size int // capacity, counted in Writer.allocated
	refs int // chunks that lie in it
}

// chunk is a batch on its way.
type chunk struct {
	blk      *block
	from, to int    // its entries are blk.b[from:to]
	n        int    // records, without the note
	note     int64  // if not 0, the first entry is ours and tells of so many drops
	seq      uint64 // chunks begun before it have lower ones
	born     time.Time
	id       [chunkIDLen]byte
	named    bool // id is set

	writes int       // how often it was handed to a connection
	sentAt time.Time // when that was the last time
	busy   bool      // it is being written at this moment
	acked  bool      // it was acknowledged meanwhile

	// Of chunks that may hold a record that the receiver does not take.

	suspect bool
	part    bool  // it is a part of one that was refused
	proven  bool  // and the receiver took others meanwhile
	retried bool  // it is a record that gets another chance for that
	strikes int   // refusals of it alone
	hangups int   // those of them that were not silence
	mark    int64 // Writer.acks at the first of them
	refusal error // the last of them
	refuser string
}

const chunkIDLen = 24 // base64 of 128 bits

// entries is the number of entries in c's frame.
func (c *chunk) entries() int {
	if c.note > 0 {
		return c.n + 1
	}
	return c.n
}

// name gives c its chunk id, which it keeps when it is sent again.
func (c *chunk) name() {
	if c.named {
		return
	}
	var bits [16]byte
	_, _ = rand.Read(bits[:]) // never fails
	base64.StdEncoding.Encode(c.id[:], bits[:])
	c.named = true
}

// The methods below are called with w.mu held.

// blockSize is the capacity of an ordinary block.
func (w *Writer) blockSize() int { return w.c.prefix + w.c.batchBytes + trailerRoom }

// space is how many bytes can be appended to the batch being filled.
func (w *Writer) space() int { return w.cur.blk.size - trailerRoom - len(w.cur.blk.b) }

// prepare sees to it that the batch being filled has room for n bytes, without
// waiting; false means that the queue is full.
func (w *Writer) prepare(n int) bool {
	if w.cur != nil && w.space() >= n {
		return true
	}
	return w.begin(n)
}

// begin begins a new batch with room for n bytes.
func (w *Writer) begin(n int) bool {
	if w.unreported > 0 {
		n += noteRoom
	}
	b := w.take(max(w.blockSize(), w.c.prefix+n+trailerRoom))
	if b == nil {
		w.due = w.cur != nil && w.cur.entries() > 0
		return false
	}
	if w.cur != nil {
		w.seal()
	}
	b.b = b.b[:w.c.prefix]
	b.refs = 1
	w.seq++
	w.cur = &chunk{blk: b, from: len(b.b), seq: w.seq}
	if w.unreported > 0 {
		w.addNote()
	}
	return true
}

// take returns a block, or nil where that would be too much memory.
func (w *Writer) take(size int) *block {
	ordinary := w.blockSize()
	if n := len(w.free); size == ordinary && n > 0 {
		b := w.free[n-1]
		w.free = w.free[:n-1]
		return b
	}
	for w.allocated+size > w.c.bufferBytes && len(w.free) > 0 {
		w.free = w.free[:len(w.free)-1]
		w.allocated -= ordinary
	}
	if w.allocated+size > w.c.bufferBytes {
		return nil
	}
	w.allocated += size
	return &block{b: make([]byte, 0, size), size: size}
}

// seal closes the batch being filled.
func (w *Writer) seal() {
	c := w.cur
	w.cur, w.due = nil, false
	c.to = len(c.blk.b)
	if c.entries() == 0 {
		w.release(c)
		return
	}
	w.ready = append(w.ready, c)
}

// took notes that a record was appended to the batch being filled.
func (w *Writer) took(l slog.Level) (wake bool) {
	c := w.cur
	c.n++
	w.stats.Accepted++
	if c.n == 1 {
		c.born = time.Now()
		wake = true // for the sender to know when the batch is due
	}
	if l >= slog.LevelError && !w.due {
		w.due, wake = true, true
	}
	if w.space() < w.c.batchBytes/16 {
		w.seal()
		wake = true
	}
	return wake
}

// release gives back what c holds. Its records must have been counted.
func (w *Writer) release(c *chunk) {
	b := c.blk
	c.blk = nil
	if b.refs--; b.refs > 0 {
		return
	}
	// A few are kept; more only while somebody waits for one.
	if b.size == w.blockSize() && (len(w.free) < w.c.window+2 || w.waiters > 0) {
		w.free = append(w.free, b)
	} else {
		w.allocated -= b.size
	}
	w.fullSince = time.Time{}
	w.wakeWaiters()
}

// acknowledge counts c, which is in no list any more, as delivered.
func (w *Writer) acknowledge(c *chunk) {
	w.stats.Acknowledged += int64(c.n)
	w.acks++
	w.progress = true
	if c.suspect {
		w.suspects--
	}
	w.release(c)
	w.settled()
}

// drop counts c, which is in no list any more, as dropped.
func (w *Writer) drop(c *chunk) {
	w.stats.Dropped += int64(c.n)
	w.unreported += int64(c.n) + c.note
	if c.suspect {
		w.suspects--
	}
	w.release(c)
	w.settled()
}

// dropOldest makes room, or returns false where nothing can be dropped.
func (w *Writer) dropOldest() bool {
	if len(w.ready) == 0 {
		return false
	}
	c := w.ready[0]
	w.ready = slices.Delete(w.ready, 0, 1)
	w.reportDrops(int64(c.n))
	since := w.fullSince
	w.drop(c)
	w.fullSince = since // nothing has moved: the next one is not to wait either
	return true
}

// pending is how many records, in how many bytes, are neither acknowledged nor
// given up.
func (w *Writer) pending() (records, bytes int64) {
	add := func(c *chunk) {
		records += int64(c.n)
		bytes += int64(c.to - c.from)
	}
	for _, c := range w.ready {
		add(c)
	}
	for _, c := range w.inflight {
		add(c)
	}
	if c := w.cur; c != nil {
		records += int64(c.n)
		bytes += int64(len(c.blk.b) - c.from)
	}
	return records, bytes
}

// idle reports whether nothing is left to be sent or acknowledged.
func (w *Writer) idle() bool {
	return len(w.ready) == 0 && len(w.inflight) == 0 && (w.cur == nil || w.cur.entries() == 0)
}

// settled tells those who flush, after chunks have left the queue.
func (w *Writer) settled() {
	if len(w.flushes) == 0 {
		return
	}
	oldest := w.seq + 1
	if w.cur != nil && w.cur.entries() > 0 {
		oldest = w.cur.seq
	}
	for _, c := range w.ready {
		oldest = min(oldest, c.seq)
	}
	for _, c := range w.inflight {
		oldest = min(oldest, c.seq)
	}
	w.flushes = slices.DeleteFunc(w.flushes, func(f flush) bool {
		if f.seq >= oldest {
			return false
		}
		close(f.done)
		return true
	})
}
