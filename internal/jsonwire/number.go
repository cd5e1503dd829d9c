package jsonwire

import (
	"math"
	"strconv"
)

// AppendInt appends v in decimal.
func AppendInt(dst []byte, v int64) []byte { return strconv.AppendInt(dst, v, 10) }

// AppendUint appends v in decimal.
func AppendUint(dst []byte, v uint64) []byte { return strconv.AppendUint(dst, v, 10) }

// AppendFloat appends f in encoding/json's form: the shortest digits that read
// back as f in a float of the given bits (32 or 64), with an exponent below
// 1e-6 and from 1e21 up. f must be finite: JSON has no other floats.
func AppendFloat(dst []byte, f float64, bits int) []byte {
	abs := math.Abs(f)
	form := byte('f')
	if abs != 0 {
		if bits == 64 && (abs < 1e-6 || abs >= 1e21) || bits == 32 && (float32(abs) < 1e-6 || float32(abs) >= 1e21) {
			form = 'e'
		}
	}
	dst = strconv.AppendFloat(dst, f, form, -1, bits)
	if form == 'e' {
		// strconv pads exponents to two digits, JavaScript and so encoding/json do not.
		if n := len(dst); n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
			dst[n-2] = dst[n-1]
			dst = dst[:n-1]
		}
	}
	return dst
}
