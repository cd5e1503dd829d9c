package jsonmsgpack

import (
	"encoding/binary"
	"math"
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

// fraction converts the rest of a number, from the point or e at src[i], of
// which mant and digits say what stands before. It writes a float64 to out and
// returns the index behind the number, which lies in src. It returns 0, and
// out is of no matter, when the number is wrong, may go on behind src or is
// more than this way can do: number does it then.
func (c *Converter) fraction(out *[9]byte, src []byte, i int, mant uint64, digits int, neg bool) int {
	exp := 0
	ch := src[i]
	if ch == '.' {
		i++
		exp = i
		for {
			if i+8 > len(src) {
				return 0
			}
			w := load8(src, i)
			k := first(nonDigit(w))
			if k == 0 {
				break
			}
			mant = mant*pow10[k] + digits8(w<<((64-8*uint(k))&63))
			i += k
			if k < 8 {
				break
			}
		}
		exp -= i
		digits -= exp
		// Nineteen digits always fit into mant.
		if exp == 0 || digits > 19 || i >= len(src) {
			return 0
		}
		ch = src[i]
	}
	if ch|0x20 == 'e' {
		e := 0
		i, e = exponent(src, i+1)
		if i == 0 {
			return 0
		}
		exp += e
	}
	var f float64
	if mant < 1<<53 && uint(exp+22) <= 44 {
		// Both are exact, and so one operation rounds right.
		f = float64(mant)
		if exp < 0 {
			f /= float10[-exp]
		} else {
			f *= float10[exp]
		}
	} else {
		var ok bool
		if f, ok = eiselLemire(mant, exp); !ok {
			return 0
		}
	}
	if digits > 15 && c.count && !keepsDigits(mant, exp, f) {
		return 0
	}
	if neg {
		f = -f
	}
	out[0] = f64
	binary.BigEndian.PutUint64(out[1:], math.Float64bits(f))
	return i
}

// exponent reads what follows an e, at most three digits, and returns the
// index behind it, which lies in src, or 0 when it is anything else.
func exponent(src []byte, i int) (int, int) {
	neg := false
	if i < len(src) && (src[i] == '-' || src[i] == '+') {
		neg = src[i] == '-'
		i++
	}
	start, e := i, 0
	for i < len(src) && src[i]-'0' < 10 {
		e = e*10 + int(src[i]-'0')
		if i++; i > start+3 {
			return 0, 0
		}
	}
	if i == start || i == len(src) {
		return 0, 0
	}
	if neg {
		e = -e
	}
	return i, e
}
