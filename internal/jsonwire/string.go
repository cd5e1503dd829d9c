package jsonwire

import (
	"encoding/binary"
	"encoding/json"
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
func appendText[S string | []byte](dst []byte, s S, i int, d Dialect) []byte {
	// Room for a word copied ahead and the word of an escape.
	const ahead = 16
	table := &escapes[d&3]
	del := delMask(d)
	for i < len(s) {
		n := len(dst)
		if cap(dst)-n < ahead {
			dst = grow(dst, len(s)-i+ahead)
		}
		if len(s)-i >= 8 {
			w := load8(s, i)
			binary.LittleEndian.PutUint64(dst[n:n+8], w)
			m := special(w, del)
			if m == 0 {
				dst = dst[:n+8]
				i += 8
				continue
			}
			k := firstMark(m)
			i += k
			n += k
		}
		c := s[i]
		e := table[c]
		switch {
		case e == 0:
			dst = append(dst[:n], c)
			i++
		case c < 0x80:
			binary.LittleEndian.PutUint64(dst[n:n+8], e)
			dst = dst[:n+int(e>>56)]
			i++
		default:
			end := textSpan(s, i, d)
			dst = append(dst[:n], s[i:end]...)
			i = end
			if i == len(s) || s[i] < 0x80 {
				continue
			}
			if runeLen(s, i) == 0 {
				dst = append(dst, replacement(d)...)
				i++
				continue
			}
			dst = append(dst, '\\', 'u', '2', '0', '2', hexDigits[s[i+2]&0xf])
			i += 3
		}
	}
	return dst
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
