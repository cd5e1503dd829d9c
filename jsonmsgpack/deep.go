package jsonmsgpack

import "math"

// deep does with the container at src[i], which lies deeper than the limit,
// what the options say: an error, or its JSON as a str. It returns as str
// does.
func (c *Converter) deep(dst []byte, o int, src []byte, i int, final bool) ([]byte, int, int, status) {
	if !c.cfg.deepText {
		c.fail(i, "", ErrDepth)
		return dst, o, i, statBad
	}
	// Another converter, of the same mind but without the limit, says where
	// the container ends and that it is valid. What it writes is not used.
	if c.inner == nil {
		cfg := c.cfg
		cfg.maxDepth, cfg.deepText = math.MaxInt32, false
		c.inner = &Converter{cfg: cfg}
		c.inner.prepare()
	}
	in := c.inner
	in.reset()
	scratch, next, st := in.run(in.scratch[:0], src, i, final)
	in.scratch = scratch[:0]
	if st != statDone {
		c.bad = in.bad
		return dst, o, i, st
	}
	raw := src[i:next]
	if uint64(len(raw)) > maxLen {
		c.fail(i, "", ErrTooLarge)
		return dst, o, i, statBad
	}
	if invalidUTF8(raw) >= 0 {
		raw = c.repairText(raw)
	}
	if len(dst)-o < len(raw)+room {
		dst = growTo(dst, o, len(raw)+room)
	}
	o += putStrHeader(dst[o:], len(raw))
	o += copy(dst[o:], raw)
	return dst, o, next, statDone
}
