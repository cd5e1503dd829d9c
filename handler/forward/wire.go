package forward

import "encoding/binary"

// The kinds of MessagePack objects, as far as this package tells them apart.
type kind uint8

const (
	kindNil kind = iota
	kindBool
	kindInt   // the value is in num, as int64
	kindUint  // in num
	kindFloat // its bits are in num, those of a float64
	kindStr
	kindBin
	kindArray
	kindMap
	kindExt // its type is in num
)

// object is what the first bytes of an object say.
type object struct {
	kind    kind
	header  int    // bytes before the payload
	payload int    // bytes of text, binary or ext data
	count   int64  // elements of an array, pairs of a map
	num     uint64 // see kind
}

// state is how reading an object went.
type state uint8

const (
	good  state = iota
	short       // src ends within the object
	wrong       // the byte that the format does not use
)

// head reads the head of the object at src[i], and reports whether that and
// its payload are there. Of a container only the header is looked at.
func head(src []byte, i int) (o object, st state) {
	if i >= len(src) {
		return o, short
	}
	b := src[i]
	o.header = 1
	switch {
	case b < 0x80:
		o.kind, o.num = kindUint, uint64(b)
		return o, good
	case b < 0x90:
		o.kind, o.count = kindMap, int64(b&15)
		return o, good
	case b < 0xa0:
		o.kind, o.count = kindArray, int64(b&15)
		return o, good
	case b < 0xc0:
		o.kind, o.payload = kindStr, int(b&31)
		return o, o.whole(src, i)
	case b >= 0xe0:
		o.kind, o.num = kindInt, uint64(int64(int8(b)))
		return o, good
	}
	return longHead(src, i)
}

// whole reports whether the payload of o, at src[i], is there.
func (o *object) whole(src []byte, i int) state {
	if len(src)-i-o.header < o.payload {
		return short
	}
	return good
}

// longHead reads the heads that have more than one byte, or none but that.
func longHead(src []byte, i int) (o object, st state) {
	b := src[i]
	width := 0 // of what follows the first byte
	switch b {
	case 0xc0:
		return object{kind: kindNil, header: 1}, good
	case 0xc1:
		return o, wrong
	case 0xc2, 0xc3:
		return object{kind: kindBool, header: 1, num: uint64(b & 1)}, good
	case 0xc4, 0xc5, 0xc6:
		o.kind, width = kindBin, 1<<(b-0xc4)
	case 0xc7, 0xc8, 0xc9:
		o.kind, width = kindExt, 1<<(b-0xc7)
	case 0xca, 0xcb:
		o.kind, width = kindFloat, 4<<(b-0xca)
	case 0xcc, 0xcd, 0xce, 0xcf:
		o.kind, width = kindUint, 1<<(b-0xcc)
	case 0xd0, 0xd1, 0xd2, 0xd3:
		o.kind, width = kindInt, 1<<(b-0xd0)
	case 0xd4, 0xd5, 0xd6, 0xd7, 0xd8:
		o.kind, o.payload = kindExt, 1<<(b-0xd4)
	case 0xd9, 0xda, 0xdb:
		o.kind, width = kindStr, 1<<(b-0xd9)
	case 0xdc, 0xdd:
		o.kind, width = kindArray, 2<<(b-0xdc)
	default:
		o.kind, width = kindMap, 2<<(b-0xde)
	}
	if len(src)-i-1 < width {
		return o, short
	}
	n := bigEndian(src[i+1 : i+1+width])
	o.header = 1 + width
	switch o.kind {
	case kindBin, kindStr, kindExt:
		if width > 0 {
			if int64(n) > int64(len(src)) {
				return o, short
			}
			o.payload = int(n)
		}
		if o.kind == kindExt {
			if i+o.header >= len(src) {
				return o, short
			}
			o.num = uint64(src[i+o.header])
			o.header++
		}
		return o, o.whole(src, i)
	case kindArray, kindMap:
		o.count = int64(n)
	case kindInt:
		shift := 64 - 8*width
		o.num = uint64(int64(n<<shift) >> shift)
	case kindFloat:
		o.num = floatBits(n, width)
	default:
		o.num = n
	}
	return o, good
}

func bigEndian(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.BigEndian.Uint16(b))
	case 4:
		return uint64(binary.BigEndian.Uint32(b))
	case 8:
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// skip returns the end of the object at src[i]. It counts what is still to come
// instead of keeping a stack, so that no depth is too deep for it.
func skip(src []byte, i int) (end int, st state) {
	for left := int64(1); left > 0; left-- {
		o, st := head(src, i)
		if st != good {
			return i, st
		}
		i += o.header + o.payload
		switch o.kind {
		case kindArray:
			left += o.count
		case kindMap:
			left += 2 * o.count
		}
		if left-1 > int64(len(src)-i) {
			return i, short // each object has at least one byte
		}
	}
	return i, good
}

// text returns the bytes of the str or bin at src[i], and its end.
func text(src []byte, i int) (b []byte, end int, ok bool) {
	o, st := head(src, i)
	if st != good || o.kind != kindStr && o.kind != kindBin {
		return nil, i, false
	}
	end = i + o.header + o.payload
	return src[i+o.header : end], end, true
}
