package jsonmsgpack

import (
	"encoding/binary"
	"math"
	"unicode/utf8"
)

// unescape writes raw, the inside of a string that is valid UTF-8, to dst[o:]
// as a str. off is where raw is in the input. It returns dst, the offset
// behind the str, and false when an escape is wrong, which it has reported.
func (c *Converter) unescape(dst []byte, o int, raw []byte, off int) ([]byte, int, bool) {
	// No escape is shorter than what it stands for; only the replacement of a
	// lone surrogate is as long as half of it.
	if len(dst)-o < len(raw)+room {
		dst = growTo(dst, o, len(raw)+room)
	}
	head := strHeaderLen(len(raw))
	body := o + head
	at := body
	for j := 0; j < len(raw); {
		if raw[j] != '\\' {
			// Words are stored whole, and what follows the plain part in the
			// last of them is written over.
			for j+8 <= len(raw) {
				w := load8(raw, j)
				binary.LittleEndian.PutUint64(dst[at:], w)
				w ^= '\\' * ones
				m := (w - ones) & ^w & highs
				k := first(m)
				j += k
				at += k
				if m != 0 {
					break
				}
			}
			for j < len(raw) && raw[j] != '\\' {
				dst[at] = raw[j]
				j++
				at++
			}
			continue
		}
		var r byte
		if j+1 < len(raw) {
			r = escapes[raw[j+1]]
		}
		if r != 0 {
			dst[at] = r
			at++
			j += 2
			continue
		}
		n, u := c.unicodeEscape(raw[j:], off+j)
		if n == 0 {
			return dst, o, false
		}
		at += utf8.EncodeRune(dst[at:at+utf8.UTFMax], u)
		j += n
	}
	n := at - body
	if h := strHeaderLen(n); h != head {
		copy(dst[o+h:], dst[body:at])
		head = h
	}
	putStrHeader(dst[o:], n)
	return dst, o + head + n, true
}

// escapes maps the byte behind a backslash to what it stands for; 0 for u and
// for all that is wrong.
var escapes = [256]byte{
	'"': '"', '\\': '\\', '/': '/',
	'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// unicodeEscape reads the \u escape, or the pair of them, at the beginning of
// raw and returns its length and rune. 0 says that it is wrong, and reported.
func (c *Converter) unicodeEscape(raw []byte, off int) (int, rune) {
	if len(raw) < 2 || raw[1] != 'u' {
		c.fail(off, `one of \" \\ \/ \b \f \n \r \t \u`, errEscape)
		return 0, 0
	}
	u := hex4(raw[2:])
	if u < 0 {
		c.fail(off, `four hexadecimal digits after \u`, errEscape)
		return 0, 0
	}
	if u&^0x7ff != 0xd800 {
		return 6, u
	}
	if u < 0xdc00 && len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' {
		if low := hex4(raw[8:]); low&^0x3ff == 0xdc00 {
			return 12, (u-0xd800)<<10 + (low - 0xdc00) + 0x10000
		}
	}
	if !c.replace {
		c.fail(off, "", errSurrogate)
		return 0, 0
	}
	c.stats.Replaced++
	return 6, utf8.RuneError
}

// hex4 returns the number that four hexadecimal digits make, -1 for others.
func hex4(b []byte) rune {
	if len(b) < 4 {
		return -1
	}
	var u rune
	for _, ch := range b[:4] {
		switch {
		case ch-'0' < 10:
			ch -= '0'
		case ch|0x20-'a' < 6:
			ch = ch | 0x20 - 'a' + 10
		default:
			return -1
		}
		u = u<<4 | rune(ch)
	}
	return u
}

// repair is unescape for a string with invalid UTF-8: each byte that belongs
// to no rune becomes U+FFFD and is counted.
func (c *Converter) repair(dst []byte, o int, raw []byte, off int) ([]byte, int, bool) {
	dst, o, ok := c.unescape(dst, o, c.repairText(raw), 0)
	if !ok {
		c.bad.Offset = int64(off + dirtyOffset(raw, int(c.bad.Offset)))
	}
	return dst, o, ok
}

// repairText returns raw with U+FFFD for each byte that belongs to no rune.
// The slice is the Converter's and good until the next call.
func (c *Converter) repairText(raw []byte) []byte {
	clean := c.scratch[:0]
	for j := 0; j < len(raw); {
		r, n := utf8.DecodeRune(raw[j:])
		if r == utf8.RuneError && n == 1 {
			c.stats.Replaced++
			clean = append(clean, "\uFFFD"...)
		} else {
			clean = append(clean, raw[j:j+n]...)
		}
		j += n
	}
	c.scratch = clean[:0]
	return clean
}

// dirtyOffset returns the index in raw of what is at index i of its repaired
// form.
func dirtyOffset(raw []byte, i int) int {
	j := 0
	for at := 0; at < i && j < len(raw); {
		r, n := utf8.DecodeRune(raw[j:])
		if at += n; r == utf8.RuneError && n == 1 {
			at += 2
		}
		j += n
	}
	return j
}

// putStrHeader writes the header of a str of n bytes to b, which has room for
// five, and returns its length.
func putStrHeader(b []byte, n int) int {
	switch {
	case n < 32:
		b[0] = fixStr | byte(n)
		return 1
	case n <= math.MaxUint8:
		b[0], b[1] = str8, byte(n)
		return 2
	case n <= math.MaxUint16:
		b[0] = str16
		binary.BigEndian.PutUint16(b[1:], uint16(n))
		return 3
	}
	b[0] = str32
	binary.BigEndian.PutUint32(b[1:], uint32(n))
	return 5
}
