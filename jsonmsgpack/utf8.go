package jsonmsgpack

import (
	"encoding/binary"
	"unicode/utf8"
)

// invalidUTF8 returns the index of the first byte of b that belongs to no
// valid rune, or -1. It does what utf8.Valid does, with one load for a rune:
// text that is not ASCII mostly is runes of one length in a row.
func invalidUTF8(b []byte) int {
	i := 0
	for i+4 <= len(b) {
		w := binary.LittleEndian.Uint32(b[i:])
		switch {
		case w&0xc0c0f0 == 0x8080e0:
			// Three bytes: e0 needs a second of a0 and up, and ed (the
			// surrogates) one below that.
			if t := w & 0x200f; t == 0 || t == 0x200d {
				return i
			}
			i += 3
		case w&0x80 == 0:
			if i+8 <= len(b) {
				i += first(load8(b, i) & highs)
			} else {
				i++
			}
		case w&0xc0e0 == 0x80c0:
			if w&0x1e == 0 { // c0, c1: too long for what it says
				return i
			}
			i += 2
		case w&0xc0c0c0f8 == 0x808080f0:
			// Four bytes, from U+10000 (f0 90) to U+10FFFF (f4 8f).
			lead, second := w&7, w&0x3000
			if lead == 0 && second == 0 || lead == 4 && second != 0 || lead > 4 {
				return i
			}
			i += 4
		default:
			return i
		}
	}
	for i < len(b) {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}
