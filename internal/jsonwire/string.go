package jsonwire

import (
	"encoding/binary"
	"slices"
)

// Dialect says which of the valid ways to escape a JSON string is used.
//
// All three escape the quote, the backslash and what is below 0x20, with \n \r
// \t for these. They differ in the rest:
//
//	             Slog     JSON     Zerolog
//	0x08, 0x0c   \u0008   \b \f    \b \f
//	0x7f         raw      raw      \u007f
//	U+2028, 2029 \u2028   \u2028   raw
//	not UTF-8    as the toolchain  \ufffd
//
// Up to Go 1.26 the toolchain's encoding/json and log/slog write \ufffd for each
// byte that is not UTF-8, from Go 1.27 on the rune U+FFFD itself.
type Dialect uint8

const (
	// Slog is what log/slog's JSONHandler of the running toolchain writes for
	// keys, messages and string values.
	Slog Dialect = iota
	// JSON is what encoding/json of the running toolchain writes with
	// SetEscapeHTML(false).
	JSON
	// Zerolog is what github.com/rs/zerolog writes.
	Zerolog
)

// AppendString appends s to dst as a JSON string with its quotes and returns
// the extended slice. s need not be valid UTF-8. An unknown dialect counts as
// Slog.
//
// Keys and most values are short: those are copied by the words that are looked
// at, two of which cover them.
func AppendString[S string | []byte](dst []byte, s S, d Dialect) []byte {
	n := len(dst)
	if len(s) > short || cap(dst)-n < shortRoom {
		if len(s) <= medium && cap(dst)-n >= mediumRoom {
			return appendMedium(dst, s, d)
		}
		return appendLong(dst, s, d)
	}
	out := (*[shortRoom]byte)(dst[n : n+shortRoom])
	out[0] = '"'
	del := delMask(d)
	switch {
	case len(s) >= 8:
		a, b := load8(s, 0), load8(s, len(s)-8)
		if special(a, del)|special(b, del) != 0 {
			goto slow
		}
		k := (len(s) - 7) & 15
		binary.LittleEndian.PutUint64(out[1:], a)
		binary.LittleEndian.PutUint64(out[k:k+8], b)
	case len(s) >= 4:
		a, b := load4(s, 0), load4(s, len(s)-4)
		if special(uint64(a)|uint64(b)<<32, del) != 0 {
			goto slow
		}
		k := (len(s) - 3) & 15
		binary.LittleEndian.PutUint32(out[1:], a)
		binary.LittleEndian.PutUint32(out[k:k+4], b)
	case len(s) > 0:
		// First, middle and last are all there is of one to three bytes.
		k := len(s)
		a, b, c := s[0], s[k/2], s[k-1]
		if special(uint64(a)|uint64(b)<<8|uint64(c)<<16|0x2020202020<<24, del) != 0 {
			goto slow
		}
		out[1], out[(k/2+1)&3], out[k&3] = a, b, c
	}
	out[(len(s)+1)&31] = '"'
	return dst[:n+len(s)+2]
slow:
	return appendRest(dst[:n+1], s, 0, d)
}

const (
	// short is the length up to which two words cover a string.
	short     = 16
	shortRoom = 32

	// medium is the length up to which eight words do.
	medium     = 64
	mediumRoom = 80
)

// appendMedium is AppendString where short < len(s) <= medium and there is room:
// up to four pairs of words cover the string.
//
//go:noinline
func appendMedium[S string | []byte](dst []byte, s S, d Dialect) []byte {
	n := len(dst)
	out := (*[mediumRoom]byte)(dst[n : n+mediumRoom])
	out[0] = '"'
	del := delMask(d)
	a, b := load8(s, 0), load8(s, 8)
	if (marks(a, del)|marks(b, del))&highs != 0 {
		return appendRest(dst[:n+1], s, 0, d)
	}
	binary.LittleEndian.PutUint64(out[1:], a)
	binary.LittleEndian.PutUint64(out[9:], b)
	if len(s) > 32 {
		a, b = load8(s, 16), load8(s, 24)
		if (marks(a, del)|marks(b, del))&highs != 0 {
			return appendRest(dst[:n+17], s, 16, d)
		}
		binary.LittleEndian.PutUint64(out[17:], a)
		binary.LittleEndian.PutUint64(out[25:], b)
		if len(s) > 48 {
			a, b = load8(s, 32), load8(s, 40)
			if (marks(a, del)|marks(b, del))&highs != 0 {
				return appendRest(dst[:n+33], s, 32, d)
			}
			binary.LittleEndian.PutUint64(out[33:], a)
			binary.LittleEndian.PutUint64(out[41:], b)
		}
	}
	t := s[len(s)-16:]
	a, b = load8(t, 0), load8(t, 8)
	if (marks(a, del)|marks(b, del))&highs != 0 {
		i := (len(s) - 1) &^ 15 // what is before it has been copied
		return appendRest(dst[:n+1+i], s, i, d)
	}
	k := (len(s) - 15) & 63
	binary.LittleEndian.PutUint64(out[k:k+8], a)
	binary.LittleEndian.PutUint64(out[k+8:k+16], b)
	out[k+16] = '"'
	return dst[:n+len(s)+2]
}

// appendLong is AppendString where s is long or room is scarce.
//
//go:noinline
func appendLong[S string | []byte](dst []byte, s S, d Dialect) []byte {
	if cap(dst)-len(dst) < len(s)+2 {
		dst = grow(dst, len(s)+2)
	}
	k := 0
	if len(s) >= 8 {
		k = plainPrefix(s, delMask(d))
	}
	dst = append(append(dst, '"'), s[:k]...)
	if k < len(s) {
		dst = appendText(dst, s, k, d)
	}
	return append(dst, '"')
}

// AppendEscaped appends s to dst as the inside of a JSON string, without quotes,
// and returns the extended slice. Pieces of one string may be appended one after
// the other if they are cut at rune borders.
func AppendEscaped[S string | []byte](dst []byte, s S, d Dialect) []byte {
	i := 0
	if len(s) >= 8 {
		i = plainPrefix(s, delMask(d))
		dst = append(dst, s[:i]...)
		if i == len(s) {
			return dst
		}
	}
	return appendText(dst, s, i, d)
}

// grow makes room for n more bytes. It is kept out of line because it rarely
// runs and would crowd the registers of the loops.
//
//go:noinline
func grow(dst []byte, n int) []byte { return slices.Grow(dst, n) }
