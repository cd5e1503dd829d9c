package jsonwire

import (
	"encoding/binary"
	"encoding/json"
	"math/bits"
)

// Text in which something is to be escaped, or may be.

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
