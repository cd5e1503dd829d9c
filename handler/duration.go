package handler

import (
	"time"

	"github.com/slogpack/slogpack/internal/jsonwire"
	"github.com/slogpack/slogpack/jsonmsgpack"
)

func (p *pair) jsonDuration(dst []byte, d time.Duration) []byte {
	switch p.c.profile.Duration {
	case DurationMillisFloat:
		return appendFraction(dst, d, time.Millisecond, 6)
	case DurationSecondsFloat:
		return appendFraction(dst, d, time.Second, 9)
	case DurationText:
		return append(append(append(dst, '"'), d.String()...), '"')
	}
	return jsonwire.AppendInt(dst, int64(d))
}

func (p *pair) packDuration(dst []byte, d time.Duration) []byte {
	switch p.c.profile.Duration {
	case DurationMillisFloat:
		return jsonmsgpack.AppendFloat64(dst, float64(d)/float64(time.Millisecond))
	case DurationSecondsFloat:
		return jsonmsgpack.AppendFloat64(dst, float64(d)/float64(time.Second))
	case DurationText:
		return jsonmsgpack.AppendString(dst, d.String())
	}
	return jsonmsgpack.AppendInt(dst, int64(d))
}

// maxExact bounds the durations that a float64 has in full: no two decimals of
// 15 digits are the same float64, so that the digits there are are the
// shortest that name it.
const maxExact = 999_999_999_999_999

// appendFraction appends d/unit as float64 is written, where unit is 10 to the
// power of digits.
func appendFraction(dst []byte, d, unit time.Duration, digits int) []byte {
	if d < -maxExact || d > maxExact {
		return jsonwire.AppendFloat(dst, float64(d)/float64(unit), 64)
	}
	if d < 0 {
		dst = append(dst, '-')
		d = -d
	}
	dst = jsonwire.AppendInt(dst, int64(d/unit))
	rest := d % unit
	if rest == 0 {
		return dst
	}
	if rest < 1000 && digits == 9 {
		// Less than 0.000001 has an exponent, if nothing is in front of it.
		if d == rest {
			return jsonwire.AppendFloat(dst[:len(dst)-1], float64(d)/float64(unit), 64)
		}
	}
	var text [10]byte
	text[0] = '.'
	end := 0
	for i := digits; i > 0; i-- {
		c := byte('0' + rest%10)
		rest /= 10
		if end == 0 && c != '0' {
			end = i
		}
		text[i] = c
	}
	return append(dst, text[:end+1]...)
}
