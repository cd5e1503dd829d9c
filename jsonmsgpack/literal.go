package jsonmsgpack

import (
	"io"
	"math"
)

// literal converts what run found to be no string, number or container at
// src[i]: a word that may not be whole yet, one that only Lax takes, or
// something that is no value. It returns as str does.
func (c *Converter) literal(dst []byte, o int, src []byte, i int, final bool) ([]byte, int, int, status) {
	rest := src[i:]
	for _, word := range [...]string{"true", "false", "null", "NaN", "Infinity", "-Infinity"} {
		switch word {
		case "NaN", "Infinity", "-Infinity":
			if !c.cfg.nanTokens {
				continue
			}
		}
		n := min(len(word), len(rest))
		if string(rest[:n]) != word[:n] {
			continue
		}
		if n < len(word) {
			c.fail(len(src), word, io.ErrUnexpectedEOF)
			return dst, o, i, statMore
		}
		switch word {
		case "true":
			dst[o] = wireT
		case "false":
			dst[o] = wireF
		case "null":
			dst[o] = wireNil
		case "NaN":
			// The quiet NaN without payload, as other encoders write it.
			return c.float(dst, o, math.Float64frombits(0x7ff8<<48), i+n)
		case "Infinity":
			return c.float(dst, o, math.Inf(1), i+n)
		default:
			return c.float(dst, o, math.Inf(-1), i+n)
		}
		return dst, o + 1, i + n, statDone
	}
	c.fail(i, "a value", errSyntax)
	return dst, o, i, statBad
}
