package jsonmsgpack

import (
	"bytes"
	"math"

	"github.com/slogpack/slogpack/pool"
)

// Stats counts what a conversion of a stream did.
type Stats struct {
	Documents int64 // documents converted
	Failed    int64 // documents, or lines, given up
	Replaced  int64 // U+FFFD put in the place of invalid UTF-8 and lone surrogates
	Lossy     int64 // numbers that did not survive exactly
	In, Out   int64 // bytes read and written
}

// A Converter converts JSON to MessagePack and back. Make one with NewConverter:
// the zero value is not ready. It keeps its memory from
// one call to the next and is not safe for concurrent use. A Converter that
// returned an error is ready for the next call.
type Converter struct {
	cfg config

	// Of cfg, in the form that run asks for.
	reserve int    // header bytes of a container when it opens
	maxUint uint64 // the largest integer that has an unsigned form
	watch   bool   // keys are looked at
	replace bool   // invalid UTF-8 is replaced
	count   bool   // lossy numbers are counted or refused

	// The state machine between two runs.
	nodes   []node // containers open or outgrown, in the order of their offsets
	n       int64  // elements of the innermost open container
	top     int32  // index+1 in nodes of the innermost open container
	depth   int
	place   place
	stamp   bool
	buried  int    // settled containers in nodes
	patches []node // closed after their headers were written out
	keys    keySet

	bad     SyntaxError // what is wrong; its Offset is in the src of the run
	stats   Stats
	inner   *Converter // for DeepText
	scratch []byte

	// Of streams.
	buf, out  []byte
	first     error // of the lines that failed
	window    int   // of input to begin with, 0 for the default
	unbounded bool  // documents may be longer than MaxDocument
}

// NewConverter returns a Converter that works as opts say.
func NewConverter(opts ...Option) *Converter {
	c := &Converter{cfg: newConfig(opts)}
	c.prepare()
	return c
}

// prepare derives from cfg what run asks for.
func (c *Converter) prepare() {
	c.reserve, c.maxUint = 1, math.MaxUint64
	if c.cfg.wide {
		c.reserve = 5
	}
	if c.cfg.int64Only {
		c.maxUint = math.MaxInt64
	}
	c.watch = c.cfg.duplicates != Keep || len(c.cfg.timeFields) > 0
	c.replace = c.cfg.utf8 == Replace
	c.count = c.cfg.exact
	// A pooled Converter may have been left with keys by other options.
	c.keys.reset()
}

// reset makes the state machine ready for a document.
func (c *Converter) reset() {
	c.nodes = c.nodes[:0]
	c.n, c.top, c.depth, c.buried = 0, 0, 0, 0
	c.place, c.stamp = placeValue, false
	if c.watch {
		c.keys.reset()
	}
}

// finish settles the headers of a whole document, the last thing in dst.
func (c *Converter) finish(dst []byte) []byte {
	if len(c.keys.cuts) > 0 {
		dst, c.nodes = c.keys.cut(dst, c.nodes)
	}
	if len(c.nodes) > 0 {
		dst = sweep(dst, c.nodes)
		c.nodes = c.nodes[:0]
	}
	c.buried = 0
	return dst
}

// fail notes what is wrong at index off of src.
func (c *Converter) fail(off int, expected string, err error) {
	c.bad = SyntaxError{Offset: int64(off), Expected: expected, Err: err}
}

// Append appends the MessagePack of src, which is exactly one JSON value and
// white space, to dst and returns the extended slice. On an error, which is a
// *SyntaxError, it returns dst[:len(dst)] with its bytes as they were. The
// spare room of dst is scratch. src is not kept.
func (c *Converter) Append(dst, src []byte) ([]byte, error) {
	c.reset()
	i := 0
	if c.cfg.appendBOM && hasBOM(src) {
		i = len(bom)
	}
	out, i, st := c.run(dst, src, i, true)
	if st != statDone {
		return dst, c.syntaxError(src)
	}
	if i < len(src) {
		if i = skipSpace(src, i); i < len(src) {
			c.fail(i, "the end of the input", ErrTrailing)
			return dst, c.syntaxError(src)
		}
	}
	return c.finish(out), nil
}

// syntaxError returns what is wrong with src, the whole input, as an error of
// its own.
func (c *Converter) syntaxError(src []byte) error {
	e := c.bad
	explainStart(&e, src)
	e.locate(src)
	return &e
}

const bom = "\xef\xbb\xbf"

func hasBOM(src []byte) bool { return bytes.HasPrefix(src, []byte(bom)) }

// explainStart replaces e, an error in the first bytes of an input, by what
// is more likely wrong with it as a whole: another encoding.
func explainStart(e *SyntaxError, src []byte) {
	if e.Offset > 3 || len(src) < 2 {
		return
	}
	switch {
	case hasBOM(src) && e.Offset == 0:
		e.Expected, e.Err = "a value", errBOM
	case bytes.HasPrefix(src, []byte("\xff\xfe\x00\x00")), bytes.HasPrefix(src, []byte("\x00\x00")):
		e.Offset, e.Expected, e.Err = 0, "UTF-8", errUTF32
	case bytes.HasPrefix(src, []byte("\xff\xfe")), bytes.HasPrefix(src, []byte("\xfe\xff")),
		src[0] == 0, src[1] == 0:
		e.Offset, e.Expected, e.Err = 0, "UTF-8", errUTF16
	}
}

// Two pools, so that the common call without options has none to apply.
var (
	plain = pool.New(func() *Converter { return NewConverter() }, (*Converter).ordinary)
	other = pool.New(func() *Converter { return new(Converter) }, (*Converter).forget)
)

// ordinary reports whether c is worth to be kept: not after one huge document
// has made it large.
func (c *Converter) ordinary() bool {
	return cap(c.nodes) <= keepNodes && cap(c.keys.entries) <= keepNodes && cap(c.scratch) <= keepBuffer
}

// forget drops what belongs to the caller's options.
func (c *Converter) forget() bool {
	c.cfg, c.inner = config{}, nil
	return c.ordinary()
}

// Append converts one JSON value as Converter.Append does, with a pooled
// Converter. It is safe for concurrent use and allocates nothing but the room
// that dst lacks.
func Append(dst, src []byte, opts ...Option) ([]byte, error) {
	p := plain
	if len(opts) > 0 {
		p = other
	}
	c := p.Get()
	if len(opts) > 0 {
		c.cfg = newConfig(opts)
		c.prepare()
	}
	dst, err := c.Append(dst, src)
	p.Put(c)
	return dst, err
}
