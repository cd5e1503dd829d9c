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

// appendRest appends s[i:] and the quote that closes it, where i is at a rune
// border or s[:i] is plain.
//
//go:noinline
func appendRest[S string | []byte](dst []byte, s S, i int, d Dialect) []byte {
	if rest := s[i:]; len(rest) <= medium && cap(dst)-len(dst) >= 6*len(rest)+textRoom {
		return append(appendBytes(dst, rest, d), '"')
	}
	return append(appendText(dst, s, i, d), '"')
}

// appendBytes appends s escaped. There is room for six bytes for each of s and
// eight more.
//
// What is written for a byte is looked up, without a branch on what it is: in
// short texts that costs less than finding those that need it.
func appendBytes[S string | []byte](dst []byte, s S, d Dialect) []byte {
	table := &escapes[d&3]
	i := 0
	for ; i <= len(s)-8; i += 8 {
		w := load8(s, i)
		if w&highs != 0 {
			break
		}
		dst = appendWord(dst, w, table)
	}
	n := len(dst)
	out := dst[:cap(dst)]
	for i < len(s) {
		c := s[i]
		if c < 0x80 {
			e := table[c]
			binary.LittleEndian.PutUint64(out[n:n+8:n+8], e)
			n += int(e >> 56)
			i++
			continue
		}
		// Most runes of two and three bytes need no second look.
		if c >= 0xc2 && c < 0xe0 && len(s)-i >= 2 && s[i+1]&0xc0 == 0x80 {
			out[n], out[n+1] = c, s[i+1]
			n += 2
			i += 2
			continue
		}
		if c > 0xe2 && c < 0xed && len(s)-i >= 3 && s[i+1]&0xc0 == 0x80 && s[i+2]&0xc0 == 0x80 {
			out[n], out[n+1], out[n+2] = c, s[i+1], s[i+2]
			n += 3
			i += 3
			continue
		}
		dst, i = appendRunes(dst[:n], s, i, d)
		n = len(dst)
	}
	return dst[:n]
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

// appendText appends s[i:] escaped, whatever it holds.
func appendText[S string | []byte](dst []byte, s S, i int, d Dialect) []byte {
	del := delMask(d)
	for rest := s[i:]; len(rest) > 0; {
		left := 8 // bytes of w that are in s
		var w uint64
		if len(rest) >= 8 {
			w = load8(rest, 0)
		} else {
			w, left = loadTail(s, len(s)-len(rest))
		}
		n := len(dst)
		if cap(dst)-n < textRoom {
			dst = grow(dst, len(rest)+textRoom)
		}
		switch {
		case special(w, del) == 0:
			binary.LittleEndian.PutUint64(dst[n:n+8], w)
			dst = dst[:n+left]
		case w&highs == 0:
			dst = appendWord(dst, w, &escapes[d&3])
			dst = dst[:len(dst)-(8-left)] // the spaces behind a tail do not count
		default:
			var done int
			if dst, done = appendMixed(dst, w, left, d); done < left {
				dst, i = appendRunes(dst, s, len(s)-len(rest)+done, d)
				rest = s[i:]
				continue
			}
		}
		rest = rest[left:]
	}
	return dst
}

// appendWord appends the bytes of w, all ASCII, escaped. There is room for
// textRoom.
//
// What is written for a byte is looked up, without a branch on what it is: where
// there is one to escape, that costs less than finding it.
func appendWord(dst []byte, w uint64, table *[256]uint64) []byte {
	n := len(dst)
	out := (*[textRoom]byte)(dst[n : n+textRoom])
	e := table[byte(w)]
	binary.LittleEndian.PutUint64(out[:], e)
	k := int(e >> 56)
	e = table[byte(w>>8)]
	binary.LittleEndian.PutUint64(out[k&63:k&63+8], e)
	k += int(e >> 56)
	e = table[byte(w>>16)]
	binary.LittleEndian.PutUint64(out[k&63:k&63+8], e)
	k += int(e >> 56)
	e = table[byte(w>>24)]
	binary.LittleEndian.PutUint64(out[k&63:k&63+8], e)
	k += int(e >> 56)
	e = table[byte(w>>32)]
	binary.LittleEndian.PutUint64(out[k&63:k&63+8], e)
	k += int(e >> 56)
	e = table[byte(w>>40)]
	binary.LittleEndian.PutUint64(out[k&63:k&63+8], e)
	k += int(e >> 56)
	e = table[byte(w>>48)]
	binary.LittleEndian.PutUint64(out[k&63:k&63+8], e)
	k += int(e >> 56)
	e = table[byte(w>>56)]
	binary.LittleEndian.PutUint64(out[k&63:k&63+8], e)
	k += int(e >> 56)
	return dst[:n+k]
}

// appendMixed appends the left first bytes of w, among which are some above 0x7f,
// up to what needs appendRunes, and returns how many it appended. A lone rune of
// two bytes, as in most of Europe's languages, does not: denser text does. There
// is room for textRoom.
//
// The word is stored whole and what is left of it again behind each escape: that
// costs less than cutting it, and no step waits for memory.
func appendMixed(dst []byte, w uint64, left int, d Dialect) ([]byte, int) {
	table := &escapes[d&3]
	n := len(dst)
	out := (*[textRoom]byte)(dst[n : n+textRoom])
	at, all := 0, left
	m := specialAll(w, delMask(d))
	for m != 0 {
		binary.LittleEndian.PutUint64(out[at&63:at&63+8], w)
		k := bits.TrailingZeros64(m) // 7 above the bits before the mark
		at += k >> 3
		left -= k >> 3
		w >>= k & 56
		if c := byte(w); c >= 0x80 {
			if c >= 0xc2 && c < 0xe0 && w&0x80c000 == 0x008000 {
				at += 2
				left -= 2
				w >>= 16
				m = m >> (k & 63) >> 9
				continue
			}
			return dst[:n+at], all - left
		}
		e := table[byte(w)]
		binary.LittleEndian.PutUint64(out[at&63:at&63+8], e)
		at += int(e >> 56)
		left--
		w >>= 8
		m = m >> (k & 63) >> 1
	}
	binary.LittleEndian.PutUint64(out[at&63:at&63+8], w)
	return dst[:n+at+left], all
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
// range), what is written for each byte: its text from the lowest byte up and
// its length in the highest. Bytes above 0x7f have no text of their own and are
// marked by a length above one, as all are that are not copied.
var escapes = makeEscapes()

func makeEscapes() (t [4][256]uint64) {
	for d := range t {
		for c := range 256 {
			switch {
			case c >= 0x80:
				t[d][c] = 2 << 56
			case c < 0x20 || c == '"' || c == '\\' || c == 0x7f && Dialect(d) == Zerolog:
				e := escape(byte(c), Dialect(d))
				w := uint64(len(e)) << 56
				for i := range len(e) {
					w |= uint64(e[i]) << (8 * i)
				}
				t[d][c] = w
			default:
				t[d][c] = 1<<56 | uint64(c)
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
