package pool

import "slices"

const (
	// initialCap is the capacity of a new buffer: most log records fit.
	initialCap = 1 << 10

	// smallCap is the capacity up to which a buffer is kept whatever its use:
	// one per processor is nothing, and the test is all the hot path pays.
	smallCap = 64 << 10

	// wellUsed is the share of its capacity, one in wellUsed, a use must need
	// for a larger buffer to count as the right size.
	wellUsed = 4

	// idleBudget is how many bytes of capacity a larger buffer may carry past
	// uses that did not need it, summed over these uses, before it is let go.
	// 10 MB last 4 records, 100 KB last 320. A mixed load therefore pays for
	// reallocation at most its outliers' size in idleBudget bytes carried,
	// however the two mix.
	idleBudget = 32 << 20

	// maxCap is the capacity above which a buffer is not kept at all: it would
	// use up the budget at once.
	maxCap = idleBudget
)

// Buffer is a byte slice to append to that is used again and again and keeps the
// capacity recent uses needed. The zero value is ready. It is not safe for
// concurrent use, and must not be copied while both copies are used.
//
// Call Reset at the end of each use, normally from the reset function of the
// pool the Buffer lives in, alone or as a field:
//
//	pool.New(pool.NewBuffer, (*pool.Buffer).Reset)
type Buffer struct {
	// B is what has been appended since the last Reset. Append to it and store
	// the result; replacing it by another slice gives that one to the Buffer.
	B []byte

	idle int // capacity carried past uses that did not need it
	need int // the longest of these uses
}

// NewBuffer returns a Buffer with a capacity of 1 KiB.
func NewBuffer() *Buffer {
	return &Buffer{B: make([]byte, 0, initialCap)}
}

// Reset ends a use: it empties B and reports whether the Buffer, with whatever
// it is part of, is worth keeping. Whoever holds the bytes of B must be done with
// them: the next use overwrites them.
//
// A capacity up to 64 KiB is always kept, one above 32 MiB never. In between it
// is kept as long as uses need a quarter of it now and then; otherwise B is
// replaced by a slice of the size recent uses needed. Replacing makes less
// garbage than reporting false, which costs the owner the rest of the object too.
func (b *Buffer) Reset() bool {
	if cap(b.B) <= smallCap {
		b.B = b.B[:0]
		return true
	}
	return b.resetLarge()
}

// resetLarge is kept out of line so that Reset can be inlined.
//
//go:noinline
func (b *Buffer) resetLarge() bool {
	used, size := len(b.B), cap(b.B)
	if size > maxCap {
		*b = Buffer{}
		return false
	}
	b.B = b.B[:0]
	if used >= size/wellUsed {
		b.idle, b.need = 0, 0
		return true
	}
	b.need = max(b.need, used)
	b.idle += size
	if b.idle >= idleBudget {
		// A quarter more, so that records of about one size do not outgrow
		// it at once.
		*b = Buffer{B: make([]byte, 0, max(b.need+b.need/4, initialCap))}
	}
	return true
}

// Grow makes room for n more bytes in B, at least 1 KiB in all, so that up to n
// bytes can be appended without another allocation. A zero Buffer used as a field
// gets its first slice by Grow(0). A negative n counts as 0.
func (b *Buffer) Grow(n int) {
	if cap(b.B) == 0 {
		b.B = make([]byte, 0, max(n, initialCap))
		return
	}
	b.B = slices.Grow(b.B, max(n, 0))
}
