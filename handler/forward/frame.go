package forward

import (
	"compress/gzip"
	"encoding/binary"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// A frame is what one Write sends: [tag, entries as one bin, options]. The
// array's header is one byte, which OpenTelemetry's receiver insists on.

const (
	trailerRoom = 64 // options: size, chunk, compressed
	noteRoom    = 160
)

// appendFrameHead appends what comes before n bytes of entries.
func appendFrameHead(dst []byte, tag string, n int) []byte {
	dst = append(dst, 0x93)
	dst = jsonmsgpack.AppendString(dst, tag)
	switch {
	case n <= 0xff:
		return append(dst, 0xc4, byte(n))
	case n <= 0xffff:
		return append(dst, 0xc5, byte(n>>8), byte(n))
	}
	return binary.BigEndian.AppendUint32(append(dst, 0xc6), uint32(n))
}

// appendFrameTail appends the options.
func (f *framer) appendFrameTail(dst []byte, c *chunk) []byte {
	n := byte(0x81)
	if !f.c.noAcks {
		n++
	}
	if f.c.gzip {
		n++
	}
	dst = append(dst, n)
	dst = jsonmsgpack.AppendString(dst, "size")
	dst = jsonmsgpack.AppendInt(dst, int64(c.entries()))
	if !f.c.noAcks {
		dst = jsonmsgpack.AppendString(dst, "chunk")
		dst = jsonmsgpack.AppendString(dst, c.id[:])
	}
	if f.c.gzip {
		dst = jsonmsgpack.AppendString(dst, "compressed")
		dst = jsonmsgpack.AppendString(dst, "gzip")
	}
	return dst
}

// framer makes frames. It belongs to the sender alone.
type framer struct {
	c   *config
	zip *gzip.Writer
	out []byte // compressed frames, and those of parts of a block
}

// frame returns c's frame, which is valid until the next call and as long as
// c's block is. The same chunk makes the same frame.
func (f *framer) frame(c *chunk) []byte {
	b := c.blk.b
	room := f.c.prefix
	if f.c.gzip {
		return f.zipped(c)
	}
	if c.from != room || c.to != len(b) {
		// Its neighbours in the block are in the way.
		f.out = appendFrameHead(f.out[:0], f.c.tag, c.to-c.from)
		f.out = append(f.out, b[c.from:c.to]...)
		f.out = f.appendFrameTail(f.out, c)
		return f.out
	}
	var buf [64]byte
	h := appendFrameHead(buf[:0], f.c.tag, c.to-c.from)
	start := room - len(h)
	copy(b[start:], h)
	return f.appendFrameTail(b, c)[start:]
}

// zipped returns the frame with c's entries compressed. The head is written
// last, in front, when the length is known.
func (f *framer) zipped(c *chunk) []byte {
	room := f.c.prefix
	if f.zip == nil {
		f.zip, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed)
	}
	f.out = append(f.out[:0], make([]byte, room)...)
	f.zip.Reset((*sliceWriter)(&f.out))
	_, _ = f.zip.Write(c.blk.b[c.from:c.to]) // a slice takes everything
	_ = f.zip.Close()
	h := appendFrameHead(make([]byte, 0, 64), f.c.tag, len(f.out)-room)
	start := room - len(h)
	copy(f.out[start:], h)
	f.out = f.appendFrameTail(f.out, c)
	return f.out[start:]
}

// sliceWriter appends to a slice.
type sliceWriter []byte

func (s *sliceWriter) Write(p []byte) (int, error) {
	*s = append(*s, p...)
	return len(p), nil
}
