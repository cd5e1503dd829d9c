package main

import (
	"fmt"
	"io"
	"os"
	"unicode"
	"unicode/utf8"
)

// isTerminal says whether f is a terminal. The null device is a character
// device too.
func isTerminal(f *os.File) bool {
	st, err := f.Stat()
	if err != nil || st.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(st, null)
}

// safe says what appendSafe escapes beside what no terminal may get.
type safe uint8

const (
	safeText  safe = iota // a line of text: tabs stay, backslashes are not escaped
	safeQuote             // within quotes: quotes and backslashes are escaped
	safeJSON              // within JSON: only what JSON leaves raw, as \u escapes
)

// appendSafe appends s with everything escaped that a terminal would act on
// instead of showing it: control characters (C0, DEL and C1, as bytes or as
// UTF-8), marks that change the direction of text or take no room, characters
// that Unicode does not assign. Invalid UTF-8 becomes U+FFFD.
func appendSafe(dst, s []byte, how safe) []byte {
	for i := 0; i < len(s); {
		start := i
		for i < len(s) && s[i] >= ' ' && s[i] < 0x7f && (how != safeQuote || s[i] != '"' && s[i] != '\\') {
			i++
		}
		if dst = append(dst, s[start:i]...); i == len(s) {
			break
		}
		if b := s[i]; b == '"' || b == '\\' {
			dst = append(dst, '\\', b)
			i++
			continue
		}
		r, n := utf8.DecodeRune(s[i:])
		i += n
		switch {
		case printable(r), how == safeText && r == '\t':
			dst = utf8.AppendRune(dst, r)
		case how == safeJSON:
			dst = appendEscapeJSON(dst, r)
		case r == '\n':
			dst = append(dst, '\\', 'n')
		case r == '\r':
			dst = append(dst, '\\', 'r')
		case r == '\t':
			dst = append(dst, '\\', 't')
		case r > 0xffff:
			dst = fmt.Appendf(dst, `\U%08x`, r)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
	}
	return dst
}

// appendEscapeJSON appends r as JSON can: beyond U+FFFF as a pair.
func appendEscapeJSON(dst []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		return fmt.Appendf(dst, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
	}
	return fmt.Appendf(dst, `\u%04x`, r)
}

// printable says that r takes room on a terminal and does nothing else there.
// The two joiners do neither, but whole scripts, and emoji, need them.
func printable(r rune) bool {
	return unicode.IsPrint(r) || unicode.Is(unicode.Zs, r) || r == '\u200c' || r == '\u200d'
}

// clean says whether s, as far as it goes, is text that a program writes for
// people: valid UTF-8 with no control characters but those of tabs, line ends
// and colours.
func clean(s []byte) bool {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRune(s[i:])
		if r == utf8.RuneError && n == 1 {
			// The last one may go on behind s.
			return len(s)-i < utf8.UTFMax && !utf8.FullRune(s[i:])
		}
		if r < ' ' && r != '\t' && r != '\r' && r != '\n' && r != '\x1b' || r >= 0x7f && r < 0xa0 {
			return false
		}
		i += n
	}
	return true
}

// A safeJSONWriter makes JSON safe for a terminal and leaves it the JSON that
// it was. Its input comes in any pieces.
type safeJSONWriter struct {
	w    io.Writer
	tail []byte // of a rune that is not whole yet
	buf  []byte
}

func (s *safeJSONWriter) Write(p []byte) (int, error) {
	s.buf = s.buf[:0]
	src := p
	if len(s.tail) > 0 {
		src = append(s.tail, p...)
	}
	end := len(src)
	for k := 1; k < utf8.UTFMax && k <= len(src); k++ {
		if b := src[len(src)-k]; utf8.RuneStart(b) {
			if b >= utf8.RuneSelf && !utf8.FullRune(src[len(src)-k:]) {
				end = len(src) - k
			}
			break
		}
	}
	for len(src[:end]) > 0 {
		// Line ends stand between documents, never inside.
		i := 0
		for i < end && src[i] != '\n' {
			i++
		}
		s.buf = appendSafe(s.buf, src[:i], safeJSON)
		if i < end {
			s.buf = append(s.buf, '\n')
			i++
		}
		src, end = src[i:], end-i
	}
	s.tail = append([]byte(nil), src...)
	if _, err := s.w.Write(s.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}
