package handler

import (
	"encoding/binary"
	"slices"
)

// Maps whose counts are patched when they close: one byte is reserved for the
// header, which is enough for 15 fields. A map that turns out larger is moved
// up by the two or four bytes that its header lacks; so a byte moves at most
// once for every map around it, of which there are few. jsonmsgpack.Packer
// settles documents of any depth in one sweep, but costs three times as much
// where maps are small, and a record has one map at least.

// openMap is a group of With that is still open.
type openMap struct {
	pos   int // of its header
	outer int // fields in the map around it so far
}

// mapOpen opens a group of With. dst ends with its key.
func (p *pair) mapOpen(dst []byte) []byte {
	p.open = append(p.open, openMap{len(dst), p.fields})
	p.maps++
	p.fields = 0
	return append(dst, 0x80)
}

// mapPop forgets the innermost group of With.
func (p *pair) mapPop() openMap {
	last := len(p.open) - 1
	m := p.open[last]
	p.open = p.open[:last]
	p.maps--
	return m
}

// closeMap gives the map at pos, in which n fields were written, its count.
func closeMap(dst []byte, pos, n int) []byte {
	if n <= 15 {
		dst[pos] = 0x80 | byte(n)
		return dst
	}
	return widenMap(dst, pos, n)
}

// widenMap gives the map at pos, whose header is one byte, a header for n.
func widenMap(dst []byte, pos, n int) []byte {
	more := 2
	if n > 0xffff {
		more = 4
	}
	end := len(dst)
	dst = slices.Grow(dst, more)[:end+more]
	copy(dst[pos+1+more:], dst[pos+1:end])
	if more == 2 {
		dst[pos] = 0xde
		binary.BigEndian.PutUint16(dst[pos+1:], uint16(n))
	} else {
		dst[pos] = 0xdf
		binary.BigEndian.PutUint32(dst[pos+1:], uint32(n))
	}
	return dst
}

// packPrefix is what a handler's With attrs are packed to.
type packPrefix struct {
	buf    []byte
	open   []openMap // the groups left open; positions are in buf
	fields int       // in the innermost of them, or in the record's map
}

// resume appends f, and has its groups open.
func (p *pair) resume(dst []byte, f *packPrefix) []byte {
	base := len(dst)
	dst = append(dst, f.buf...)
	for i, m := range f.open {
		m.pos += base
		if i == 0 {
			m.outer += p.fields
			p.fields = 0
		}
		p.open = append(p.open, m)
		p.maps++
	}
	p.fields += f.fields
	return dst
}

// suspend returns what was appended behind base, with the groups that are
// open there.
func (p *pair) suspend(dst []byte, base int) packPrefix {
	f := packPrefix{buf: slices.Clone(dst[base:]), open: slices.Clone(p.open), fields: p.fields}
	for i := range f.open {
		f.open[i].pos -= base
	}
	p.open = p.open[:0]
	return f
}
