package handler

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// highs has the bit of each of eight bytes that is not ASCII.
const highs = 0x8080808080808080

const (
	// shortText is the length that fits into the first byte with its mark.
	shortText = 31
	// mediumText is the length up to which texts are copied by words.
	mediumText = 64

	shortTextRoom  = 1 + 16 + 32 // for an index cut to 0..15 or 0..31, and words
	mediumTextRoom = 2 + 64 + 16
)

// appendText appends s as str, U+FFFD in place of each byte that is not UTF-8.
//
// Nearly all keys and most values are short and ASCII: these are copied by the
// words that are looked at, two or four of which cover them, since a call of
// memmove costs more than they do.
func appendText(dst []byte, s string) []byte {
	n, at := len(s), len(dst)
	if n > shortText || cap(dst)-at < shortTextRoom {
		return appendLongText(dst, s)
	}
	out := (*[shortTextRoom]byte)(dst[at : at+shortTextRoom])
	out[0] = 0xa0 | byte(n)
	var high uint64
	switch {
	case n >= 16:
		a, b := load8(s, 0), load8(s, 8)
		t := s[n-16:]
		c, d := load8(t, 0), load8(t, 8)
		high = a | b | c | d
		k := (n - 15) & 31
		binary.LittleEndian.PutUint64(out[1:], a)
		binary.LittleEndian.PutUint64(out[9:], b)
		binary.LittleEndian.PutUint64(out[k:k+8], c)
		binary.LittleEndian.PutUint64(out[k+8:k+16], d)
	case n >= 8:
		a, b := load8(s, 0), load8(s, n-8)
		high = a | b
		k := (n - 7) & 15
		binary.LittleEndian.PutUint64(out[1:], a)
		binary.LittleEndian.PutUint64(out[k:k+8], b)
	case n >= 4:
		a, b := load4(s, 0), load4(s, n-4)
		// The high bits of four bytes are where those of eight are.
		high = uint64(a | b)
		k := (n - 3) & 15
		binary.LittleEndian.PutUint32(out[1:], a)
		binary.LittleEndian.PutUint32(out[k:k+4], b)
	case n > 0:
		// First, middle and last are all there is of one to three bytes.
		a, b, c := s[0], s[n/2], s[n-1]
		high = uint64(a | b | c)
		out[1], out[(n/2+1)&3], out[n&3] = a, b, c
	}
	if high&highs != 0 && !utf8.ValidString(s) {
		return appendRepaired(dst, s)
	}
	return dst[:at+1+n]
}

// appendLongText is appendText where s is longer or room is scarce.
//
//go:noinline
func appendLongText(dst []byte, s string) []byte {
	n, at := len(s), len(dst)
	if n <= shortText || n > mediumText || cap(dst)-at < mediumTextRoom {
		if (n < 8 || !ascii(s)) && !utf8.ValidString(s) {
			return appendRepaired(dst, s)
		}
		return jsonmsgpack.AppendString(dst, s)
	}
	out := (*[mediumTextRoom]byte)(dst[at : at+mediumTextRoom])
	out[0], out[1] = 0xd9, byte(n)
	a, b := load8(s, 0), load8(s, 8)
	binary.LittleEndian.PutUint64(out[2:], a)
	binary.LittleEndian.PutUint64(out[10:], b)
	high := a | b
	a, b = load8(s, 16), load8(s, 24)
	binary.LittleEndian.PutUint64(out[18:], a)
	binary.LittleEndian.PutUint64(out[26:], b)
	high |= a | b
	if n > 48 {
		a, b = load8(s, 32), load8(s, 40)
		binary.LittleEndian.PutUint64(out[34:], a)
		binary.LittleEndian.PutUint64(out[42:], b)
		high |= a | b
	}
	if n > 32 {
		t := s[n-16:]
		a, b = load8(t, 0), load8(t, 8)
		k := (n - 14) & 63
		binary.LittleEndian.PutUint64(out[k:k+8], a)
		binary.LittleEndian.PutUint64(out[k+8:k+16], b)
		high |= a | b
	}
	if high&highs != 0 && !utf8.ValidString(s) {
		return appendRepaired(dst, s)
	}
	return dst[:at+2+n]
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
