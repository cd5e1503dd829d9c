package handler

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// highs has the bit of each of eight bytes that is not ASCII.
const highs = 0x8080808080808080

// maxByWords is the length up to which texts are copied by words.
const maxByWords = 80

// appendText appends s as str, U+FFFD in place of each byte that is not UTF-8.
//
// Nearly all keys and most values are short and ASCII: these are copied by the
// words that are looked at, since a call of memmove costs more than they do.
func appendText(dst []byte, s string) []byte {
	n, at := len(s), len(dst)
	if n > maxByWords {
		if !ascii(s) && !utf8.ValidString(s) {
			return appendRepaired(dst, s)
		}
		return jsonmsgpack.AppendString(dst, s)
	}
	if cap(dst)-at < n+2 {
		dst = slices.Grow(dst, n+2)
	}
	end := at + 1 + n
	body := dst[at+1 : end+1]
	if n < 32 {
		dst[:at+1][at] = 0xa0 | byte(n)
	} else {
		dst[:at+1][at] = 0xd9
		body[0] = byte(n)
		body = body[1:]
		end++
	}
	var high uint64
	switch {
	case n >= 8:
		for i := 0; i <= n-8; i += 8 {
			w := load8(s, i)
			high |= w
			binary.LittleEndian.PutUint64(body[i:], w)
		}
		w := load8(s, n-8)
		high |= w
		binary.LittleEndian.PutUint64(body[n-8:], w)
	case n >= 4:
		a, b := load4(s, 0), load4(s, n-4)
		high = uint64(a | b)
		// The high bits of four bytes are where those of eight are.
		binary.LittleEndian.PutUint32(body, a)
		binary.LittleEndian.PutUint32(body[n-4:], b)
	case n > 0:
		// First, middle and last are all there is of one to three bytes.
		a, b, c := s[0], s[n/2], s[n-1]
		high = uint64(a | b | c)
		body[0], body[n/2], body[n-1] = a, b, c
	}
	if high&highs != 0 && !utf8.ValidString(s) {
		return appendRepaired(dst, s)
	}
	return dst[:end]
}

func appendRepaired(dst []byte, s string) []byte {
	// A string's runes have U+FFFD for bytes that are none.
	return jsonmsgpack.AppendString(dst, string([]rune(s)))
}

// ascii reports whether s, of at least eight bytes, is all ASCII.
func ascii(s string) bool {
	var high uint64
	i := 0
	for ; i <= len(s)-32; i += 32 {
		high = load8(s, i) | load8(s, i+8) | load8(s, i+16) | load8(s, i+24)
		if high&highs != 0 {
			return false
		}
	}
	for ; i <= len(s)-8; i += 8 {
		high |= load8(s, i)
	}
	return (high|load8(s, len(s)-8))&highs == 0
}

// load8 reads s[i:i+8]; the compiler makes one load of it.
func load8(s string, i int) uint64 {
	_ = s[i+7]
	return uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
		uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
}

// load4 reads s[i:i+4].
func load4(s string, i int) uint32 {
	_ = s[i+3]
	return uint32(s[i]) | uint32(s[i+1])<<8 | uint32(s[i+2])<<16 | uint32(s[i+3])<<24
}
