package jsonmsgpack

import (
	"encoding/binary"
	"math/bits"
)

// pow10 holds the powers of ten up to eight digits.
var pow10 = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

// An intForm is how an integer of some number of bits is written: the first
// byte, and how far its bits are shifted up to have the significant bytes of
// a big-endian word in front.
type intForm struct{ head, size, shift uint8 }

// uintForms is indexed by bits.Len64 of the value, intForms by that of its
// complement. A lookup and one store do what a chain of comparisons would,
// and data with integers of all sizes cannot make them go wrong.
var (
	uintForms = [65]intForm{}
	negForms  = [65]intForm{}
)

func init() {
	for i := range uintForms {
		switch {
		case i <= 8:
			uintForms[i] = intForm{u8, 2, 56}
		case i <= 16:
			uintForms[i] = intForm{u16, 3, 48}
		case i <= 32:
			uintForms[i] = intForm{u32, 5, 32}
		default:
			uintForms[i] = intForm{u64, 9, 0}
		}
		switch {
		case i <= 7:
			negForms[i] = intForm{i8, 2, 56}
		case i <= 15:
			negForms[i] = intForm{i16, 3, 48}
		case i <= 31:
			negForms[i] = intForm{i32, 5, 32}
		default:
			negForms[i] = intForm{i64, 9, 0}
		}
	}
}

// putUint writes v to b, which has nine bytes, and returns how many it took.
func putUint(b []byte, v uint64) int {
	if v < 0x80 {
		b[0] = byte(v)
		return 1
	}
	f := uintForms[bits.Len64(v)]
	b[0] = f.head
	binary.BigEndian.PutUint64(b[1:], v<<(f.shift&63))
	return int(f.size)
}

// putNegative writes -v, v in 1..2^63, to b, which has nine bytes.
func putNegative(b []byte, v uint64) int {
	if v <= 32 {
		b[0] = byte(-v)
		return 1
	}
	f := negForms[bits.Len64(v-1)]
	b[0] = f.head
	binary.BigEndian.PutUint64(b[1:], -v<<(f.shift&63))
	return int(f.size)
}
