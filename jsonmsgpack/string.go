package jsonmsgpack

import (
	"io"
	"unicode/utf8"
)

// growTo returns dst with room for at least need bytes behind o, and with its
// whole capacity as its length.
func growTo(dst []byte, o, need int) []byte {
	dst = append(dst[:o], make([]byte, need)...)
	return dst[:cap(dst)]
}

// str converts the string whose opening quote is src[i], of which k bytes are
// known to be plain, to dst[o:]. It returns dst, the offset behind the str,
// and the index behind the closing quote.
//
// The end is looked for first: then the header is known before anything is
// written, and a string that does not end in src has written nothing.
func (c *Converter) str(dst []byte, o int, src []byte, i, k int) ([]byte, int, int, status) {
	j := i + 1 + k
	ascii := true
	escapes := false
	for {
		// Words, then bytes: the first until something is met.
		if ascii {
			for j+8 <= len(src) {
				m := special(load8(src, j))
				if m != 0 {
					j += first(m)
					break
				}
				j += 8
			}
		} else {
			for j+8 <= len(src) {
				m := ending(load8(src, j))
				if m != 0 {
					j += first(m)
					break
				}
				j += 8
			}
		}
		if j >= len(src) {
			c.fail(len(src), `'"'`, io.ErrUnexpectedEOF)
			return dst, o, i, statMore
		}
		switch ch := src[j]; {
		case ch == '"':
			goto found
		case ch == '\\':
			escapes = true
			if j += 2; j > len(src) {
				j = len(src)
			}
		case ch >= utf8.RuneSelf:
			ascii = false
			j++
		case ch < ' ' && !c.cfg.controls:
			c.fail(j, "an escape", errControl)
			return dst, o, i, statBad
		default:
			j++
		}
	}
found:
	raw := src[i+1 : j]
	if uint64(len(raw)) > maxLen {
		c.fail(i, "", ErrTooLarge)
		return dst, o, i, statBad
	}
	if !ascii {
		if bad := invalidUTF8(raw); bad >= 0 {
			if !c.replace {
				c.fail(i+1+bad, "", errUTF8)
				return dst, o, i, statBad
			}
			dst, o, escapes = c.repair(dst, o, raw, i+1)
			if !escapes {
				return dst, o, i, statBad
			}
			return dst, o, j + 1, statDone
		}
	}
	if escapes {
		var ok bool
		dst, o, ok = c.unescape(dst, o, raw, i+1)
		if !ok {
			return dst, o, i, statBad
		}
		return dst, o, j + 1, statDone
	}
	if len(dst)-o < len(raw)+room {
		dst = growTo(dst, o, room+len(src)-i)
	}
	o += putStrHeader(dst[o:], len(raw))
	o += copy(dst[o:], raw)
	return dst, o, j + 1, statDone
}
