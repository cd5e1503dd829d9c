package jsonwire

import "math/bits"

// A word is eight bytes of a string, the first in the lowest byte. The marks
// below set the high bit of each byte that matches; above the first match in a
// word others may match falsely (borrows and carries run upwards), so only the
// lowest mark is to be trusted.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// load8 reads s[i:i+8]. The compiler makes one load of it, for strings too,
// which encoding/binary cannot read.
func load8[S string | []byte](s S, i int) uint64 {
	_ = s[i+7]
	return uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
		uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
}

// load4 reads s[i:i+4].
func load4[S string | []byte](s S, i int) uint32 {
	_ = s[i+3]
	return uint32(s[i]) | uint32(s[i+1])<<8 | uint32(s[i+2])<<16 | uint32(s[i+3])<<24
}

// special marks the bytes of w that are not copied as they are: those below
// 0x20, the quote, the backslash, all above 0x7f, and 0x7f if del is ones
// (del 0: not).
//
// The quote needs no test of its own: flipping bit 1 moves it to 0x20 and maps
// the control bytes among themselves, so that one subtraction finds both.
func special(w, del uint64) uint64 { return marks(w, del) & highs }

// marks is special before the high bits are taken out, which need be done only
// once for several words.
func marks(w, del uint64) uint64 {
	return ((w ^ 0x02*ones) - 0x21*ones) | ((w ^ 0x5c*ones) - ones) | (w + del)
}

// specialAll is special with every mark true, for a walk over all of them. It
// costs three more steps.
func specialAll(w, del uint64) uint64 {
	const low = 0x7f * ones
	x := w & low
	return (^(((x ^ 0x02*ones) + (0x80-0x21)*ones) & ((x ^ 0x5c*ones) + low)) | (x + del) | w) & highs
}

// loadTail reads the less than eight bytes from s[i] on, with spaces behind, and
// says how many these are.
func loadTail[S string | []byte](s S, i int) (w uint64, n int) {
	n = len(s) - i
	switch {
	case len(s) >= 8:
		w = load8(s, len(s)-8) >> (64 - 8*n&63)
	case len(s) >= 4:
		w = (uint64(load4(s, 0)) | uint64(load4(s, len(s)-4))<<(8*len(s)-32&63)) >> (8 * i & 63)
	default:
		for j := len(s) - 1; j >= i; j-- {
			w = w<<8 | uint64(s[j])
		}
	}
	return w | 0x20*ones<<(8*n&63), n
}

// firstMark returns the index of the first marked byte; m must not be 0.
func firstMark(m uint64) int { return bits.TrailingZeros64(m) >> 3 }

// delMask is special's del for a dialect.
func delMask(d Dialect) uint64 {
	if d == Zerolog {
		return ones
	}
	return 0
}

// plainPrefix returns the length of a prefix of s without special bytes:
// len(s) if there are none, else at most a turn of the loop short of the first.
// s must be at least eight bytes long.
func plainPrefix[S string | []byte](s S, del uint64) int {
	i := 0
	for ; i <= len(s)-32; i += 32 {
		m := special(load8(s, i), del) | special(load8(s, i+8), del) |
			special(load8(s, i+16), del) | special(load8(s, i+24), del)
		if m != 0 {
			return i
		}
	}
	for ; i <= len(s)-8; i += 8 {
		if special(load8(s, i), del) != 0 {
			return i
		}
	}
	// The last word overlaps the one before: cheaper than single bytes.
	if special(load8(s, len(s)-8), del) != 0 {
		return i
	}
	return len(s)
}

// textSpan returns the end of the run of s from i on that is valid UTF-8 and
// needs no escape in the dialect. It is for text with runes above 0x7f in it;
// plainPrefix is faster for the rest.
func textSpan[S string | []byte](s S, i int, d Dialect) int {
	del := delMask(d)
	for i < len(s) {
		c := s[i]
		if c >= 0x80 {
			// Most runes of two and three bytes need no second look.
			if c >= 0xc2 && c < 0xe0 && len(s)-i >= 2 && s[i+1]&0xc0 == 0x80 {
				i += 2
				continue
			}
			if c > 0xe2 && c < 0xed && len(s)-i >= 3 && s[i+1]&0xc0 == 0x80 && s[i+2]&0xc0 == 0x80 {
				i += 3
				continue
			}
			n := runeLen(s, i)
			if n == 0 || n == 3 && d != Zerolog && isLineSeparator(s, i) {
				return i
			}
			i += n
			continue
		}
		if len(s)-i < 8 {
			if escapes[d&3][c]>>56 != 1 {
				return i
			}
			i++
			continue
		}
		m := special(load8(s, i), del)
		if m == 0 {
			i += 8
			continue
		}
		i += firstMark(m)
		if s[i] < 0x80 {
			return i
		}
	}
	return i
}

// runeLen returns the length of the valid rune of two to four bytes at s[i], or
// 0 if there is none. It tells no more than utf8.DecodeRune, but that exists for
// string and []byte apart and takes twice as long.
func runeLen[S string | []byte](s S, i int) int {
	c := s[i]
	switch left := len(s) - i; {
	case c < 0xc2 || left < 2 || s[i+1]&0xc0 != 0x80:
		return 0
	case c < 0xe0:
		return 2
	case left < 3 || s[i+2]&0xc0 != 0x80:
		return 0
	case c < 0xf0:
		// Too short a value for three bytes, or half of a surrogate pair.
		if c == 0xe0 && s[i+1] < 0xa0 || c == 0xed && s[i+1] >= 0xa0 {
			return 0
		}
		return 3
	case c > 0xf4 || left < 4 || s[i+3]&0xc0 != 0x80:
		return 0
	// Too short a value for four bytes, or above U+10FFFF.
	case c == 0xf0 && s[i+1] < 0x90 || c == 0xf4 && s[i+1] >= 0x90:
		return 0
	}
	return 4
}

// isLineSeparator reports whether the three bytes at s[i] are U+2028 or U+2029.
func isLineSeparator[S string | []byte](s S, i int) bool {
	_ = s[i+2]
	return s[i] == 0xe2 && s[i+1] == 0x80 && s[i+2]&^1 == 0xa8
}
