package sink

import (
	"math"
)

// A block is a run of whole records that is given to the writer in one call.
type block struct {
	buf   []byte   // the records; filled, never grown
	ends  []uint32 // where each of them ends
	off   int      // bytes written so far
	done  int      // records written whole
	first uint64   // number of the first record
	lost  Dropped  // what was dropped directly before it
	large bool     // one record, longer than a block
	note  bool     // one record of the Buffer's own
}

// maxRecord is the longest record that a block can tell the end of.
const maxRecord = math.MaxInt32

// bytesPerEnd is how many bytes of a block come with room for one more end.
const bytesPerEnd = 32

func newBlock(size int) *block {
	return &block{
		buf:  make([]byte, 0, size),
		ends: make([]uint32, 0, max(size/bytesPerEnd, 4)),
	}
}

func (k *block) fits(n int) bool {
	return len(k.buf)+n <= cap(k.buf) && len(k.ends) < cap(k.ends)
}

// wrote notes that n bytes more were written, and returns how many records
// these completed.
func (k *block) wrote(n int) (records int64) {
	k.off += n
	for k.done < len(k.ends) && int(k.ends[k.done]) <= k.off {
		k.done++
		records++
	}
	return records
}

// left is what has not been written.
func (k *block) left() (records, bytes int64) {
	if k == nil || k.note {
		return 0, 0
	}
	return int64(len(k.ends) - k.done), int64(len(k.buf) - k.off)
}

func (k *block) reset() {
	*k = block{buf: k.buf[:0], ends: k.ends[:0]}
}

// fit returns the block that the next record, of n bytes, goes into, or nil if
// the buffer is full. b.mu is held.
func (b *Buffer) fit(n int) *block {
	if n > b.blockSize {
		return b.fitLarge(n)
	}
	if b.cur != nil && b.cur.fits(n) {
		return b.cur
	}
	k := b.take()
	if k != nil {
		b.seal()
		b.open(k)
	}
	return k
}

// take returns an empty block, if there may be one more.
func (b *Buffer) take() *block {
	if n := len(b.free); n > 0 && b.used+b.blockSize <= b.c.size {
		// The last one put back is the likeliest to be in a cache.
		k := b.free[n-1]
		b.free = b.free[:n-1]
		b.used += b.blockSize
		return k
	}
	if !b.admit(b.blockSize) {
		return nil
	}
	return newBlock(b.blockSize)
}

// admit counts n bytes more as used if the size allows them, and lets unused
// memory go where both do not fit.
func (b *Buffer) admit(n int) bool {
	if b.used+n > b.c.size {
		return false
	}
	b.used += n
	b.trim()
	return true
}

// trim keeps what is used and what is kept for later within the size.
func (b *Buffer) trim() {
	for len(b.free) > 0 && b.used+len(b.free)*b.blockSize > b.c.size {
		last := len(b.free) - 1
		b.free[last] = nil
		b.free = b.free[:last]
	}
	if b.spare != nil && b.used+len(b.free)*b.blockSize+cap(b.spare.buf) > b.c.size {
		b.spare = nil
	}
}

// open makes k the block that records go into.
func (b *Buffer) open(k *block) {
	k.lost, b.lost = b.lost, Dropped{}
	k.first = b.entered + 1
	b.cur = k
}

// fitLarge is fit for a record longer than a block.
func (b *Buffer) fitLarge(n int) *block {
	k := b.spare
	if k != nil && cap(k.buf) >= n {
		b.spare = nil
		n = cap(k.buf)
	} else {
		k = nil
	}
	switch {
	case b.admit(n):
	case !b.beyond: // one at a time passes all the same
		b.beyond = true
		b.used += n
		b.trim()
	default:
		return nil
	}
	if k == nil {
		k = &block{buf: make([]byte, 0, n), ends: make([]uint32, 0, 1)}
	}
	k.large = true
	b.seal()
	b.open(k)
	return k
}

// seal puts the block that records go into into the queue.
func (b *Buffer) seal() {
	k := b.cur
	if k == nil {
		return
	}
	b.cur = nil
	if len(k.ends) == 0 { // opened for a record that was then not committed
		b.lost.add(k.lost)
		b.release(k)
		return
	}
	b.sealed = b.entered
	b.queue = append(b.queue, k)
	b.form = formOf(k.buf)
	// To start the goroutine for every block costs as much as to write it.
	if len(b.queue) >= numBlocks/2 {
		b.kick()
	}
}

// release takes a block back whose records are all written or dropped.
func (b *Buffer) release(k *block) {
	switch {
	case k.note:
		return
	case !k.large:
		b.used -= b.blockSize
		k.reset()
		b.free = append(b.free, k)
	default:
		b.used -= cap(k.buf)
		k.reset()
		b.spare = k
	}
	if b.used <= b.c.size {
		b.beyond = false
	}
	b.trim()
}
