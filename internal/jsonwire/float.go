package jsonwire

import (
	"encoding/binary"
	"math"
	"strconv"
)

// AppendFloat appends f in encoding/json's form and returns the extended slice:
// the shortest digits that read back as f in a float of size bits (32 or
// 64), with an exponent below 1e-6 and from 1e21 up. f must be finite, since JSON
// has no other floats; with size 32 it must be the value of a float32.
func AppendFloat(dst []byte, f float64, size int) []byte {
	if size == 64 {
		if n, k, ok := decimal64(math.Abs(f)); ok {
			return appendDecimal(dst, math.Signbit(f), n, k)
		}
	} else if n, k, ok := decimal32(math.Abs(f)); ok {
		return appendDecimal(dst, math.Signbit(f), n, k)
	}
	return appendShortest(dst, f, size)
}

// decimal64 looks for n and k with f = n/10^k as a float64, n below 1e15 and k
// at most 9. Two decimals of at most 15 digits never share a float64, so these
// are the shortest digits, once trailing zeros are gone.
//
// The search is one multiplication: its error is below a quarter of a unit of n,
// so that rounding finds n if there is one, and the division, which is exact up
// to one rounding because both sides are exact floats, tells whether there is.
func decimal64(f float64) (n uint64, k int, ok bool) {
	switch {
	case f < 1e-6:
		return 0, 0, f == 0
	case f < 1e6:
		n = uint64(f*1e9 + 0.5)
		return n, 9, float64(n)/1e9 == f
	case f < 1e9:
		n = uint64(f*1e6 + 0.5)
		return n, 6, float64(n)/1e6 == f
	case f < 1e12:
		n = uint64(f*1e3 + 0.5)
		return n, 3, float64(n)/1e3 == f
	case f <= 1<<53:
		// Beyond 15 digits: integers are exact up to here, and no shorter
		// number is nearer than one.
		n = uint64(f)
		return n, 0, float64(n) == f
	}
	return 0, 0, false
}

// decimal32 is decimal64 for float32. The bounds leave n six digits, which never
// collide there. The division in 64 bits, rounded again, is the one in 32 bits,
// since 53 bits are more than twice 24.
func decimal32(f float64) (n uint64, k int, ok bool) {
	switch {
	case float32(f) < 1e-6:
		return 0, 0, f == 0
	case f < 10:
		n = uint64(f*1e5 + 0.5)
		return n, 5, float32(float64(n)/1e5) == float32(f)
	case f < 1e3:
		n = uint64(f*1e3 + 0.5)
		return n, 3, float32(float64(n)/1e3) == float32(f)
	case f <= 1<<24:
		n = uint64(f)
		return n, 0, float64(n) == f
	}
	return 0, 0, false
}

// appendDecimal appends n/10^k, k at most 9, without trailing zeros behind the
// point.
func appendDecimal(dst []byte, neg bool, n uint64, k int) []byte {
	if neg {
		dst = append(dst, '-')
	}
	scale := powersOf10[k]
	whole, frac := n/scale, uint32(n%scale)
	dst = AppendUint(dst, whole)
	if frac == 0 {
		return dst
	}
	// Nine digits, the first apart, the others as one word.
	frac *= uint32(powersOf10[9-k])
	w := digits8(frac % 1e8)
	var buf [16]byte
	buf[0] = '.'
	buf[1] = '0' + byte(frac/1e8)
	binary.LittleEndian.PutUint64(buf[2:], w)
	length := 2
	if w != asciiZeros {
		length = 10 - trailingZeroDigits(w)
	}
	// All sixteen at once: a copy of known size needs no call.
	end := len(dst) + length
	return append(dst, buf[:]...)[:end]
}

// powersOf10 are the scales of decimals. There is one for every index of four bits.
var powersOf10 = [16]uint64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
}

// appendShortest leaves the search for the shortest digits to strconv.
func appendShortest(dst []byte, f float64, size int) []byte {
	form := byte('f')
	abs := math.Abs(f)
	if abs != 0 {
		if size == 64 && (abs < 1e-6 || abs >= 1e21) || size == 32 && (float32(abs) < 1e-6 || float32(abs) >= 1e21) {
			form = 'e'
		}
	}
	dst = strconv.AppendFloat(dst, f, form, -1, size)
	if form == 'e' {
		// strconv pads exponents to two digits, JavaScript and so encoding/json do not.
		if n := len(dst); n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
			dst[n-2] = dst[n-1]
			dst = dst[:n-1]
		}
	}
	return dst
}
