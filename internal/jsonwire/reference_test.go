package jsonwire

import (
	"fmt"
	"unicode/utf8"
)

// refString is the plainest form of each dialect: rune by rune, by the table in
// Dialect's documentation. The zerolog row is zerolog's documented behaviour.
func refString(s string, d Dialect) string {
	out := `"`
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1 && d == Zerolog:
			out += `\ufffd`
		case r == utf8.RuneError && n == 1:
			out += toolchainReplacement
		case r == '"' || r == '\\':
			out += `\` + string(r)
		case r == '\n':
			out += `\n`
		case r == '\r':
			out += `\r`
		case r == '\t':
			out += `\t`
		case r == '\b' && d != Slog:
			out += `\b`
		case r == '\f' && d != Slog:
			out += `\f`
		case r < 0x20, r == 0x7f && d == Zerolog, (r == 0x2028 || r == 0x2029) && d != Zerolog:
			out += fmt.Sprintf(`\u%04x`, r)
		default:
			out += s[i : i+n]
		}
		i += n
	}
	return out + `"`
}

// byteLoop is how log/slog and encoding/json look for escapes: byte by byte
// through a table, runes decoded. It is what AppendString is measured against.
func byteLoop(dst []byte, s string, d Dialect) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			e := escapes[d][c]
			if e>>56 == 1 {
				i++
				continue
			}
			dst = append(dst, s[start:i]...)
			for range e >> 56 {
				dst = append(dst, byte(e))
				e >>= 8
			}
			i++
			start = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			dst = append(dst, s[start:i]...)
			dst = append(dst, replacement(d)...)
			start = i + n
		} else if (r == 0x2028 || r == 0x2029) && d != Zerolog {
			dst = append(dst, s[start:i]...)
			dst = append(dst, '\\', 'u', '2', '0', '2', hexDigits[r&0xf])
			start = i + n
		}
		i += n
	}
	return append(append(dst, s[start:]...), '"')
}
