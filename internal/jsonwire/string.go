package jsonwire

import (
	"encoding/binary"
	"encoding/json"
	"math/bits"
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
func AppendString[S string | []byte](dst []byte, s S, d Dialect) []byte {
	del := delMask(d)
	if len(s) >= long {
		k := plainPrefix(s, del)
		dst = append(append(dst, '"'), s[:k]...)
		if k < len(s) {
			dst = appendText(dst, s, k, d)
		}
		return append(dst, '"')
	}
	n := len(dst)
	if cap(dst)-n < len(s)+2 {
		dst = grow(dst, len(s)+2)
	}
	// Short strings are copied while they are scanned: all keys and most
	// values are short, and a memmove costs more than the few words.
	out := dst[n : n+len(s)+2]
	out[0] = '"'
	body := out[1:]
	i := 0
	switch {
	case len(s) >= 8:
		for ; i <= len(s)-8; i += 8 {
			w := load8(s, i)
			if special(w, del) != 0 {
				goto slow
			}
			binary.LittleEndian.PutUint64(body[i:], w)
		}
		w := load8(s, len(s)-8)
		if special(w, del) != 0 {
			goto slow
		}
		binary.LittleEndian.PutUint64(body[len(s)-8:], w)
	case len(s) >= 4:
		a, b := load4(s, 0), load4(s, len(s)-4)
		if special(uint64(a)|uint64(b)<<32, del) != 0 {
			goto slow
		}
		binary.LittleEndian.PutUint32(body, a)
		binary.LittleEndian.PutUint32(body[len(s)-4:], b)
	case len(s) > 0:
		// First, middle and last are all there is of one to three bytes.
		a, b, c := s[0], s[len(s)/2], s[len(s)-1]
		if special(uint64(a)|uint64(b)<<8|uint64(c)<<16|0x2020202020<<24, del) != 0 {
			goto slow
		}
		body[0], body[len(s)/2], body[len(s)-1] = a, b, c
	}
	body[len(body)-1] = '"'
	return dst[:n+len(s)+2]
slow:
	return append(appendText(dst[:n+1+i], s, i, d), '"')
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

// appendText appends s[i:] escaped, whatever it holds.
//
// A word is stored whole and what is left of it again behind each escape: that
// costs less than cutting it, and no step waits for memory. Going back to the
// long scan after some words without an escape was tried and gained nothing.
func appendText[S string | []byte](dst []byte, s S, i int, d Dialect) []byte {
	table := &escapes[d&3]
	for i < len(s) {
		n := len(dst)
		if cap(dst)-n < textRoom {
			dst = grow(dst, len(s)-i+textRoom)
		}
		out := (*[textRoom]byte)(dst[n : n+textRoom])
		left := 8 // bytes of w not yet done
		var w uint64
		if len(s)-i >= 8 {
			w = load8(s, i)
		} else {
			w, left = loadTail(s, i)
		}
		i += left
		at := 0
		m := specialAll(w, delMask(d))
		for m != 0 {
			binary.LittleEndian.PutUint64(out[at&63:at&63+8], w)
			k := bits.TrailingZeros64(m) // 7 above the bits before the mark
			at += k >> 3
			left -= k >> 3
			w >>= k & 56
			if c := byte(w); c >= 0x80 {
				// A lone rune of two bytes, as in most of Europe's
				// languages, is already copied with its word. Denser
				// text is for appendRunes.
				if c >= 0xc2 && c < 0xe0 && w&0x80c000 == 0x008000 {
					at += 2
					left -= 2
					w >>= 16
					m = m >> (k & 63) >> 9
					continue
				}
				break
			}
			e := table[byte(w)]
			binary.LittleEndian.PutUint64(out[at&63:at&63+8], e)
			at += int(e >> 56)
			left--
			w >>= 8
			m = m >> (k & 63) >> 1
		}
		if m == 0 {
			binary.LittleEndian.PutUint64(out[at&63:at&63+8], w)
			dst = dst[:n+at+left]
			continue
		}
		dst, i = appendRunes(dst[:n+at], s, i-left, d)
	}
	return dst
}

// textRoom is what appendText may touch for one word: eight escapes of six bytes
// and a store of eight behind, rounded up so that an index cut to 0..63 is
// provably inside.
const textRoom = 72

// appendRunes appends the run of text that begins with the rune above 0x7f, or
// the broken one, at s[i], and returns where it goes on.
func appendRunes[S string | []byte](dst []byte, s S, i int, d Dialect) ([]byte, int) {
	end := textSpan(s, i, d)
	dst = append(dst, s[i:end]...)
	switch {
	case end == len(s) || s[end] < 0x80:
		return dst, end
	case runeLen(s, end) == 0:
		return append(dst, replacement(d)...), end + 1
	}
	return append(dst, '\\', 'u', '2', '0', '2', hexDigits[s[end+2]&0xf]), end + 3
}

// grow makes room for n more bytes. It is kept out of line because it rarely
// runs and would crowd the registers of the loops.
//
//go:noinline
func grow(dst []byte, n int) []byte { return slices.Grow(dst, n) }

const hexDigits = "0123456789abcdef"

// escapes holds, for each dialect (and once more, so that d&3 is always in
// range), the escape of each byte: its text from the lowest byte up and its
// length in the highest; 0 for a byte that is copied. Bytes above 0x7f are only
// marked as not copied.
var escapes = makeEscapes()

func makeEscapes() (t [4][256]uint64) {
	for d := range t {
		for c := range 256 {
			switch {
			case c >= 0x80:
				t[d][c] = 1
			case c < 0x20 || c == '"' || c == '\\' || c == 0x7f && Dialect(d) == Zerolog:
				e := escape(byte(c), Dialect(d))
				w := uint64(len(e)) << 56
				for i := range len(e) {
					w |= uint64(e[i]) << (8 * i)
				}
				t[d][c] = w
			}
		}
	}
	return t
}

// escape returns the escape of an ASCII byte that needs one.
func escape(c byte, d Dialect) string {
	switch c {
	case '"', '\\':
		return string([]byte{'\\', c})
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	if d == JSON || d == Zerolog {
		switch c {
		case '\b':
			return `\b`
		case '\f':
			return `\f`
		}
	}
	return string([]byte{'\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf]})
}

// toolchainReplacement is what encoding/json of the running toolchain writes for
// a byte that is not UTF-8. It is asked, not derived from the version, because
// GOEXPERIMENT decides it too; log/slog follows the same switch.
var toolchainReplacement = probeReplacement()

func probeReplacement() string {
	b, err := json.Marshal("\xff")
	if err != nil || len(b) < 3 {
		return `\ufffd`
	}
	return string(b[1 : len(b)-1])
}

// replacement is what the dialect writes for a byte that is not UTF-8.
func replacement(d Dialect) string {
	if d == Zerolog {
		return `\ufffd`
	}
	return toolchainReplacement
}
