package jsonwire

import (
	"encoding/json"
	"unicode/utf8"
)

// Dialect says which of the valid ways to escape a JSON string is used.
type Dialect uint8

const (
	// Slog is what log/slog's JSONHandler writes for keys, messages and
	// string values.
	Slog Dialect = iota
	// JSON is what encoding/json writes with SetEscapeHTML(false).
	JSON
	// Zerolog is what github.com/rs/zerolog writes.
	Zerolog
)

const hexDigits = "0123456789abcdef"

// invalidUTF8 is what encoding/json of the running toolchain writes for a byte
// that is not UTF-8: six characters up to Go 1.26, the rune itself from Go 1.27.
var invalidUTF8 = probeInvalidUTF8()

func probeInvalidUTF8() string {
	b, err := json.Marshal("\xff")
	if err != nil || len(b) < 2 {
		return `\ufffd`
	}
	return string(b[1 : len(b)-1])
}

// AppendString appends s to dst as a JSON string with its quotes.
func AppendString[S string | []byte](dst []byte, s S, d Dialect) []byte {
	dst = append(dst, '"')
	dst = AppendEscaped(dst, s, d)
	return append(dst, '"')
}

// AppendEscaped appends s to dst as the inside of a JSON string, without quotes.
func AppendEscaped[S string | []byte](dst []byte, s S, d Dialect) []byte {
	start := 0
	for i := 0; i < len(s); {
		b := s[i]
		if b < utf8.RuneSelf {
			if b >= 0x20 && b != '"' && b != '\\' && (b != 0x7f || d != Zerolog) {
				i++
				continue
			}
			dst = append(dst, s[start:i]...)
			dst = appendEscape(dst, b, d)
			i++
			start = i
			continue
		}
		c, size := utf8.DecodeRuneInString(string(s[i:min(len(s), i+utf8.UTFMax)]))
		switch {
		case c == utf8.RuneError && size == 1:
			dst = append(dst, s[start:i]...)
			if d == Zerolog {
				dst = append(dst, `\ufffd`...)
			} else {
				dst = append(dst, invalidUTF8...)
			}
			start = i + size
		case (c == '\u2028' || c == '\u2029') && d != Zerolog:
			dst = append(dst, s[start:i]...)
			dst = append(dst, '\\', 'u', '2', '0', '2', hexDigits[c&0xF])
			start = i + size
		}
		i += size
	}
	return append(dst, s[start:]...)
}

func appendEscape(dst []byte, b byte, d Dialect) []byte {
	switch b {
	case '"', '\\':
		return append(dst, '\\', b)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case '\b':
		if d != Slog {
			return append(dst, '\\', 'b')
		}
	case '\f':
		if d != Slog {
			return append(dst, '\\', 'f')
		}
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[b>>4], hexDigits[b&0xF])
}
