package jsonmsgpack

import (
	"encoding/binary"
	"math/bits"
)

// Eight bytes at a time, in one uint64, the first byte lowest. A mask has the
// high bit of each byte set that it is about. Only the lowest set bit of a
// mask can be trusted where its arithmetic may borrow from or carry into the
// next byte; it is always the first hit, which is all that is asked for.

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// load8 returns the eight bytes at b[i:]; i+8 must not exceed len(b).
func load8(b []byte, i int) uint64 {
	return binary.LittleEndian.Uint64(b[i:])
}

// special marks the bytes that end the plain part of a JSON string: quote,
// backslash, control characters and everything that is not ASCII.
func special(w uint64) uint64 {
	return (((w ^ '"'*ones) - ones) | ((w ^ '\\'*ones) - ones) | (w - ' '*ones) | w) & highs
}

// ending is special without the bytes that are not ASCII.
func ending(w uint64) uint64 {
	return (((w ^ '"'*ones) - ones) | ((w ^ '\\'*ones) - ones) | (w - ' '*ones)) & ^w & highs
}

// nonDigit marks the bytes that are not '0' to '9'.
func nonDigit(w uint64) uint64 {
	w ^= '0' * ones
	return (w + 0x76*ones | w) & highs
}

// digits8 returns the number that eight digits make; bytes of zero count as
// the digit 0. Three multiplications add up pairs, fours, eights.
func digits8(w uint64) uint64 {
	w = (w & (0x0f * ones)) * (10<<8 + 1) >> 8
	w = (w & 0x00ff00ff00ff00ff) * (100<<16 + 1) >> 16
	return (w & 0x0000ffff0000ffff) * (10000<<32 + 1) >> 32
}

// first returns the index of the first marked byte of a mask, 8 for none.
func first(mask uint64) int { return bits.TrailingZeros64(mask) >> 3 }

// skipSpace returns the index of the first byte at or after i that is not
// white space, or len(b). Pretty-printed input is mostly a newline and spaces,
// and there the first bit that differs from eight spaces is all it takes.
func skipSpace(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && spaceBits>>b[i]&1 != 0 {
		i++
		for i+8 <= len(b) {
			k := first(load8(b, i) ^ ' '*ones)
			if i += k; k < 8 {
				break
			}
		}
	}
	return i
}

// spaceBits has the bit of each byte set that is white space in JSON.
const spaceBits uint64 = 1<<' ' | 1<<'\t' | 1<<'\n' | 1<<'\r'

// indented reports whether b is a newline and spaces, at least eight of them.
func indented(b []byte) bool {
	if len(b) < 9 || b[0] != '\n' {
		return false
	}
	w := load8(b, len(b)-8) ^ ' '*ones
	for i := 1; i+8 < len(b); i += 8 {
		w |= load8(b, i) ^ ' '*ones
	}
	return w == 0
}
