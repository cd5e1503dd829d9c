package jsonmsgpack

import (
	"math"
	"math/bits"
)

// float10 holds the powers of ten that float64 holds exactly.
var float10 = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// eiselLemire returns the float64 nearest to mant * 10^exp, or false where
// the 128 bits of the power that it multiplies with do not decide it.
//
// The method is Eisel's and Lemire's ("Number Parsing at a Gigabyte per
// Second", 2021): the product of the 64-bit mantissa, shifted up, and the
// first bits of the power of ten is off by less than one unit of its lower
// word, which nearly always leaves the 54 bits that rounding needs beyond
// doubt.
func eiselLemire(mant uint64, exp int) (float64, bool) {
	if mant == 0 {
		return 0, true
	}
	if uint(exp-minPow) > maxPow-minPow {
		return 0, false
	}
	p := &pow128[exp-minPow]
	shift := bits.LeadingZeros64(mant)
	mant <<= uint(shift) & 63
	hi, lo := bits.Mul64(mant, p[0])
	// Nine bits below the ones that matter all set: what was cut off the
	// power could carry into them. Multiply with its next 64 bits too.
	if hi&0x1ff == 0x1ff && lo+mant < lo {
		mid, low := bits.Mul64(mant, p[1])
		var carry uint64
		lo, carry = bits.Add64(lo, mid, 0)
		hi += carry
		if hi&0x1ff == 0x1ff && lo+1 == 0 && low+mant < low {
			return 0, false
		}
	}
	top := hi >> 63
	m := hi >> ((top + 9) & 63)
	// Exactly between two floats, as far as these bits tell.
	if lo == 0 && hi&0x1ff == 0 && m&3 == 1 {
		return 0, false
	}
	m = (m + m&1) >> 1
	// floor(exp * log2(10)) by a fraction that is right in this range.
	e := uint64(217706*exp>>16+1023+64-shift) - (1 ^ top)
	if m>>53 != 0 {
		m >>= 1
		e++
	}
	return math.Float64frombits(e<<52 | m&(1<<52-1)), true
}

// keepsDigits reports whether f, the float64 nearest to mant * 10^exp, surely
// survives in the sense of survives: it lies closer to that number than half
// a unit of the last digit. It needs only the first 64 bits of the product,
// and says false where they leave a doubt. f is not 0.
func keepsDigits(mant uint64, exp int, f float64) bool {
	if uint(exp-minPow) > maxPow-minPow || mant%10 == 0 {
		return false
	}
	power := pow128[exp-minPow][0]
	shift := uint(bits.LeadingZeros64(mant))
	hi, _ := bits.Mul64(mant<<(shift&63), power)
	// f's 53 bits, moved to where hi has them. Were they rounded up to a power
	// of two, the difference is large, which is a doubt.
	m := math.Float64bits(f)&(1<<52-1) | 1<<52
	d := int64(hi - m<<(10+hi>>63))
	d = max(d, -d)
	// A unit of the last digit in the same scale.
	unit := power >> (64 - shift)
	return d < 1<<61 && uint64(d)*2+4 < unit
}
