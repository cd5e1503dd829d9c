package jsonmsgpack

import (
	"encoding/base64"
	"math"
	"unicode/utf8"

	"github.com/slogpack/slogpack/internal/jsonwire"
)

// key appends ob, found at src[i], as the key of an object, which is always a
// string in JSON. next is the index behind ob; of a container key returns the
// index behind all that it holds.
func (u *unpacker) key(dst, src []byte, i int, ob object, next int) ([]byte, int, status) {
	var st status
	switch ob.head {
	case objStr:
		dst, st = u.str(dst, i, ob.data)
		return dst, next, st
	case f64, f32:
		f := math.Float64frombits(ob.num)
		if ob.head == f32 {
			f = float64(math.Float32frombits(uint32(ob.num)))
		}
		// A key null would say nothing; null, too, is only text here.
		if (math.IsNaN(f) || math.IsInf(f, 0)) && u.cfg.nonFinite != Fail {
			return append(append(append(dst, '"'), nonFiniteText(f)...), '"'), next, statDone
		}
	case objExt:
		if t, ok := timestamp(ob); ok {
			return append(jsonwire.AppendTime(append(dst, '"'), t, -1), '"'), next, statDone
		}
		if u.cfg.badKeys != Text {
			return dst, i, u.fail(i, "a key with a plain text", errBadKey)
		}
		u.scratch = u.ext(u.scratch[:0], ob)
		return jsonwire.AppendString(dst, u.scratch, jsonwire.JSON), next, statDone
	case objBin:
		if u.cfg.badKeys != Text {
			return dst, i, u.fail(i, "a key with a plain text", errBadKey)
		}
		dst = base64.StdEncoding.AppendEncode(append(dst, '"'), ob.data)
		return append(dst, '"'), next, statDone
	case objArr, objMap:
		if u.cfg.badKeys != Text {
			return dst, i, u.fail(i, "a key with a plain text", errBadKey)
		}
		return u.containerKey(dst, src, i)
	}
	// Numbers, booleans and nil: their text in quotes.
	dst, st = u.value(append(dst, '"'), i, ob)
	return append(dst, '"'), next, st
}

// containerKey appends the container at src[i] as a string that holds its
// JSON. A container as a key inside of it is an error: each level would double
// the backslashes of those inside.
func (u *unpacker) containerKey(dst, src []byte, i int) ([]byte, int, status) {
	if u.inner == nil {
		u.inner = new(unpacker)
	}
	in := u.inner
	in.cfg = u.cfg
	in.cfg.badKeys = Fail
	in.cfg.maxDepth = max(0, u.cfg.maxDepth-len(u.frames))
	in.reset()
	text, next, st := in.run(in.scratch[:0], src, i)
	in.scratch = text[:0]
	u.replaced += in.replaced
	in.replaced = 0
	if st != statDone {
		u.bad = in.bad
		// All of the key is tried again with more behind it: a long one only
		// when there is twice as much, or it would take a square of its length.
		if u.need = next - i + in.need; next-i >= defaultWindow {
			u.need = max(u.need, 2*(len(src)-i))
		}
		return dst, i, st
	}
	return jsonwire.AppendString(dst, text, jsonwire.JSON), next, st
}

// countInvalid returns how many bytes of b belong to no rune.
func countInvalid(b []byte) int {
	n := 0
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			n++
		}
		i += size
	}
	return n
}
