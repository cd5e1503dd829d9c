package jsonmsgpack

import (
	"encoding/binary"
	"io"
	"math"
	"strconv"
)

// number converts the number (or -Infinity) at src[i] with all care: it may
// end with the input, be wrong, or be more than the fast way in run holds. It
// returns as str does.
func (c *Converter) number(dst []byte, o int, src []byte, i int, final bool, depth int) ([]byte, int, int, status) {
	j, st := c.numberEnd(src, i)
	if st != statDone {
		if c.cfg.nanTokens && j < len(src) && src[j] == 'I' {
			return c.literal(dst, o, src, i, final)
		}
		return dst, o, i, st
	}
	if j == len(src) && !final {
		return dst, o, i, statMore
	}
	if depth == 0 && j < len(src) && isWord(src[j]) {
		c.fail(j, "the end of the number", errNumber)
		return dst, o, i, statBad
	}
	tok := src[i:j]
	neg := tok[0] == '-'
	d := parseDecimal(tok)
	if d.integer && d.exp == 0 && !d.cut {
		switch {
		case neg && d.mant == 0:
			if !c.cfg.negZero {
				dst[o] = 0
				return dst, o + 1, j, statDone
			}
			return c.float(dst, o, math.Copysign(0, -1), j)
		case neg && d.mant <= 1<<63:
			return dst, o + putNegative(dst[o:], d.mant), j, statDone
		case !neg && d.mant <= c.maxUint:
			return dst, o + putUint(dst[o:], d.mant), j, statDone
		}
	}
	if d.integer && c.cfg.bigNumbers != Float {
		err := errBigInteger
		if c.cfg.int64Only {
			err = errInt64
		}
		return c.bigNumber(dst, o, src, i, j, err)
	}
	f := d.float(tok)
	if math.IsInf(f, 0) {
		return c.bigNumber(dst, o, src, i, j, errRange)
	}
	if c.count && !survives(tok, f) {
		// What underflows to zero is the nearest there is, by every policy.
		if c.cfg.exact && f != 0 {
			c.fail(i, "a number that float64 holds", errInexact)
			return dst, o, i, statBad
		}
		c.stats.Lossy++
	}
	return c.float(dst, o, f, j)
}

func (c *Converter) float(dst []byte, o int, f float64, next int) ([]byte, int, int, status) {
	dst[o] = f64
	binary.BigEndian.PutUint64(dst[o+1:], math.Float64bits(f))
	return dst, o + 9, next, statDone
}

// bigNumber does with the number src[i:j], which no form holds, what the
// policy says.
func (c *Converter) bigNumber(dst []byte, o int, src []byte, i, j int, err error) ([]byte, int, int, status) {
	if c.cfg.bigNumbers != Text {
		c.fail(i, "", err)
		return dst, o, i, statBad
	}
	tok := src[i:j]
	if len(dst)-o < len(tok)+room {
		dst = growTo(dst, o, len(tok)+room)
	}
	o += putStrHeader(dst[o:], len(tok))
	o += copy(dst[o:], tok)
	return dst, o, j, statDone
}

// numberEnd returns the index behind the number at src[i]. What is wrong with
// it is reported, with the index of the byte that is.
func (c *Converter) numberEnd(src []byte, i int) (int, status) {
	j := i
	if src[j] == '-' {
		j++
	}
	k := j
	j = skipDigits(src, j)
	if j == k {
		return c.noDigit(src, j)
	}
	if src[k] == '0' && j > k+1 {
		c.fail(k, "no zero in front of a number", errNumber)
		return k, statBad
	}
	if j < len(src) && src[j] == '.' {
		k = j + 1
		if j = skipDigits(src, k); j == k {
			return c.noDigit(src, j)
		}
	}
	if j < len(src) && src[j]|0x20 == 'e' {
		j++
		if j < len(src) && (src[j] == '+' || src[j] == '-') {
			j++
		}
		k = j
		if j = skipDigits(src, k); j == k {
			return c.noDigit(src, j)
		}
	}
	return j, statDone
}

func (c *Converter) noDigit(src []byte, j int) (int, status) {
	if j == len(src) {
		c.fail(j, "a digit", io.ErrUnexpectedEOF)
		return j, statMore
	}
	c.fail(j, "a digit", errNumber)
	return j, statBad
}

func skipDigits(b []byte, i int) int {
	for i < len(b) && b[i]-'0' < 10 {
		i++
	}
	return i
}

// isWord reports whether ch right behind a number makes it another token, or
// none: 1true, 1.5.3.
func isWord(ch byte) bool {
	return ch-'0' < 10 || ch|0x20-'a' < 26 || ch == '.' || ch == '+' || ch == '-' || ch == '_'
}

// A decimal is a number in parts: mant * 10^exp, or a little more than that
// when digits were cut off behind mant.
type decimal struct {
	mant    uint64
	exp     int
	cut     bool
	integer bool // written without point and exponent
}

// parseDecimal takes a valid number apart.
func parseDecimal(tok []byte) decimal {
	d := decimal{integer: true}
	point := false
	j := 0
	if tok[0] == '-' {
		j = 1
	}
	for ; j < len(tok); j++ {
		ch := tok[j]
		if ch == '.' {
			point, d.integer = true, false
			continue
		}
		if ch-'0' >= 10 {
			break // e or E
		}
		digit := uint64(ch - '0')
		// As long as it fits, which is 20 digits for some.
		if !d.cut && (d.mant < math.MaxUint64/10 || d.mant == math.MaxUint64/10 && digit <= math.MaxUint64%10) {
			if d.mant = d.mant*10 + digit; point {
				d.exp--
			}
			continue
		}
		// Digits behind the first that did not fit only shift.
		d.cut = true
		if !point {
			d.exp++
		}
	}
	if j == len(tok) {
		return d
	}
	d.integer = false
	j++
	neg := tok[j] == '-'
	if neg || tok[j] == '+' {
		j++
	}
	e := 0
	for ; j < len(tok); j++ {
		// No exponent is given by more digits than fit into memory, so that
		// this bound is beyond what the fraction could make up for.
		if e < 1<<30/10-10 {
			e = e*10 + int(tok[j]-'0')
		}
	}
	if neg {
		e = -e
	}
	d.exp += e
	return d
}

// float returns the nearest float64, an infinity when that is beyond. tok is
// the number that d was made of.
func (d decimal) float(tok []byte) float64 {
	f, ok := eiselLemire(d.mant, d.exp)
	if ok && d.cut {
		// Both bounds of what was cut off must round to the same.
		var g float64
		g, ok = eiselLemire(d.mant+1, d.exp)
		ok = ok && f == g && d.mant != math.MaxUint64
	}
	if !ok {
		f, _ = strconv.ParseFloat(string(tok), 64)
		return f
	}
	if tok[0] == '-' {
		f = -f
	}
	return f
}

// survives reports whether f, the float64 nearest to the number tok, gives it
// back: written with as many significant digits as tok has, it has the same
// digits. So what a program wrote with %.17g survives, as does 0.1, and an
// integer of 16 digits that f rounds does not.
func survives(tok []byte, f float64) bool {
	var digits [770]byte
	n := 0
	for _, ch := range tok {
		if ch|0x20 == 'e' {
			break
		}
		if ch-'0' < 10 && (n > 0 || ch != '0') {
			// No float64 has more digits than this, not counting zeros behind.
			if n == len(digits) {
				if ch != '0' {
					return false
				}
				continue
			}
			digits[n] = ch
			n++
		}
	}
	for n > 0 && digits[n-1] == '0' {
		n--
	}
	if n == 0 {
		return true
	}
	if n <= 15 && math.Abs(f) >= 0x1p-1022 {
		return true
	}
	var buf [800]byte
	e := strconv.AppendFloat(buf[:0], math.Abs(f), 'e', n-1, 64)
	if e[0] != digits[0] {
		return false
	}
	return n == 1 || string(e[2:n+1]) == string(digits[1:n])
}
