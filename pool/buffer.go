package pool

const (
	initialCap = 1 << 10  // most records fit
	smallCap   = 64 << 10 // not worth giving back
)

// Buffer is a byte slice to append to that is reused from record to record.
// The zero value is ready.
type Buffer struct {
	// B is what has been appended so far. Replace it freely by what append
	// returns.
	B []byte
}

// Reset ends a use: it empties B and reports whether the buffer is worth
// keeping. Call it from a pool's reset.
func (b *Buffer) Reset() bool {
	if b.B == nil {
		b.B = make([]byte, 0, initialCap)
	}
	b.B = b.B[:0]
	return cap(b.B) <= smallCap
}
