package sink

import (
	"bytes"
	"encoding/binary"
)

// isPack reports whether a record that begins with c is MessagePack: a map or
// an array. No text in ASCII begins so, and JSON does not.
func isPack(c byte) bool {
	return c >= 0x80 && c <= 0x9f || c >= 0xdc && c <= 0xdf
}

// A skipper finds where records end in MessagePack that comes in pieces. It
// needs no stack: it counts the objects that are still to come, which a
// container adds its own to.
type skipper struct {
	at      int64  // offset of what comes next
	whole   int64  // offset behind the last whole record
	records int64  // whole records
	left    uint64 // objects of the record to come, 0 between records
	raw     uint64 // bytes of a string to pass over
	head    [9]byte
	nHead   int  // bytes of a header that are in head
	bad     bool // not MessagePack, or not maps and arrays one after the other
}

// skip passes over p.
func (s *skipper) skip(p []byte) {
	for len(p) > 0 && !s.bad {
		if s.raw > 0 {
			n := min(s.raw, uint64(len(p)))
			p = p[n:]
			s.at += int64(n)
			s.raw -= n
			s.ended()
			continue
		}
		if s.nHead == 0 && s.left == 0 {
			if !isPack(p[0]) {
				s.bad = true
				return
			}
			s.left = 1
		}
		// A header may be split between two pieces.
		if s.nHead == 0 {
			s.head[0], s.nHead = p[0], 1
			p = p[1:]
			s.at++
		}
		need := 1 + lengthBytes(s.head[0])
		n := copy(s.head[s.nHead:need], p)
		s.nHead += n
		p = p[n:]
		s.at += int64(n)
		if s.nHead < need {
			return
		}
		s.nHead = 0
		s.header()
	}
}

// header takes the whole header that is in s.head.
func (s *skipper) header() {
	c := s.head[0]
	var n uint64 // what the length field says
	switch lengthBytes(c) {
	case 1:
		n = uint64(s.head[1])
	case 2:
		n = uint64(binary.BigEndian.Uint16(s.head[1:]))
	case 4:
		n = uint64(binary.BigEndian.Uint32(s.head[1:]))
	}
	s.left--
	switch {
	case c < 0x80 || c >= 0xe0 || c == 0xc0 || c == 0xc2 || c == 0xc3: // one byte
	case c < 0x90:
		s.left += 2 * uint64(c&15)
	case c < 0xa0:
		s.left += uint64(c & 15)
	case c < 0xc0:
		s.raw = uint64(c & 31)
	case c == 0xc1:
		s.bad = true
		return
	case c <= 0xc6, c >= 0xd9 && c <= 0xdb: // bin, str
		s.raw = n
	case c <= 0xc9: // ext, with its type
		s.raw = n + 1
	case c <= 0xcb:
		s.raw = 4 << (c - 0xca)
	case c <= 0xcf:
		s.raw = 1 << (c - 0xcc)
	case c <= 0xd3:
		s.raw = 1 << (c - 0xd0)
	case c <= 0xd8: // fixext
		s.raw = 1 + 1<<(c-0xd4)
	case c <= 0xdd:
		s.left += n
	default:
		s.left += 2 * n
	}
	s.ended()
}

// ended notes the end of an object, if there it is.
func (s *skipper) ended() {
	if s.raw == 0 && s.left == 0 {
		s.whole = s.at
		s.records++
	}
}

// lengthBytes is how many bytes of length follow the first byte of an object.
func lengthBytes(c byte) int {
	switch c {
	case 0xc4, 0xc7, 0xd9:
		return 1
	case 0xc5, 0xc8, 0xda, 0xdc, 0xde:
		return 2
	case 0xc6, 0xc9, 0xdb, 0xdd, 0xdf:
		return 4
	}
	return 0
}

// skipRecords returns how many bytes of p are whole records, and how many
// records.
func skipRecords(p []byte) (bytes int, records int64) {
	var s skipper
	s.skip(p)
	return int(s.whole), s.records
}

// lastLine returns how many bytes of p are whole lines.
func lastLine(p []byte) int { return bytes.LastIndexByte(p, '\n') + 1 }
