package handler

import (
	"reflect"
	"slices"
	"time"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// anyID tells whether two slices or maps are the same memory.
type anyID struct {
	first *any    // of a slice; reflect would have to allocate
	m     uintptr // a map
	n     int
}

// packCommon appends values of the common slice and map types, with their
// numbers' types as they are, which JSON would lose. It reports false, having
// appended what does not count, for other types, for values that contain
// themselves, and for what nests too deep: encoding/json knows what to say of
// these.
func (p *pair) packCommon(dst []byte, v any) (out []byte, ok bool) {
	if p.roomBelow() == 0 {
		_, isBytes := v.([]byte)
		if !isBytes {
			return dst, false
		}
	}
	switch v := v.(type) {
	case []byte:
		return p.packBytes(dst, v), true
	case []string:
		return packSlice(dst, v, func(dst []byte, s string) []byte { return appendText(dst, s) }), true
	case []int:
		return packSlice(dst, v, func(dst []byte, n int) []byte { return jsonmsgpack.AppendInt(dst, int64(n)) }), true
	case []int64:
		return packSlice(dst, v, jsonmsgpack.AppendInt), true
	case []float64:
		return packSlice(dst, v, p.packFloat), true
	case []bool:
		return packSlice(dst, v, jsonmsgpack.AppendBool), true
	case []time.Duration:
		return packSlice(dst, v, func(dst []byte, d time.Duration) []byte { return jsonmsgpack.AppendInt(dst, int64(d)) }), true
	case []time.Time:
		return packSlice(dst, v, func(dst []byte, t time.Time) []byte { return p.packTimeValue(dst, t, false) }), true
	case map[string]string:
		return p.packStrings(dst, v), true
	case []any:
		return p.packSliceAny(dst, v)
	case map[string]any:
		return p.packMapAny(dst, v)
	}
	return dst, false
}

func packSlice[E any](dst []byte, v []E, f func([]byte, E) []byte) []byte {
	if v == nil {
		return jsonmsgpack.AppendNil(dst)
	}
	dst = appendContainer(dst, docArray, len(v))
	for _, e := range v {
		dst = f(dst, e)
	}
	return dst
}

func (p *pair) packStrings(dst []byte, m map[string]string) []byte {
	if m == nil {
		return jsonmsgpack.AppendNil(dst)
	}
	dst = appendContainer(dst, docObject, len(m))
	base := pushKeys(p, m)
	for _, k := range p.mapKeys[base:] {
		v := m[k]
		if p.c.secretKey(k) {
			v = redactedText
		}
		dst = appendText(appendText(dst, k), v)
	}
	p.popKeys(base)
	return dst
}

func (p *pair) packSliceAny(dst []byte, v []any) (out []byte, ok bool) {
	if v == nil {
		return jsonmsgpack.AppendNil(dst), true
	}
	if len(v) == 0 {
		return appendContainer(dst, docArray, 0), true
	}
	if !p.enterAny(anyID{first: &v[0], n: len(v)}) {
		return dst, false
	}
	dst = appendContainer(dst, docArray, len(v))
	ok = true
	for _, e := range v {
		if dst, ok = p.packElement(dst, e); !ok {
			break
		}
	}
	p.leaveAny()
	return dst, ok
}

func (p *pair) packMapAny(dst []byte, m map[string]any) (out []byte, ok bool) {
	if m == nil {
		return jsonmsgpack.AppendNil(dst), true
	}
	if !p.enterAny(anyID{m: reflect.ValueOf(m).Pointer(), n: len(m)}) {
		return dst, false
	}
	dst = appendContainer(dst, docObject, len(m))
	ok = true
	base := pushKeys(p, m)
	for i := base; i < len(p.mapKeys); i++ {
		k := p.mapKeys[i]
		dst = appendText(dst, k)
		if p.c.secretKey(k) {
			dst = jsonmsgpack.AppendString(dst, redactedText)
		} else if dst, ok = p.packElement(dst, m[k]); !ok {
			break
		}
	}
	p.popKeys(base)
	p.leaveAny()
	return dst, ok
}

func (p *pair) enterAny(id anyID) bool {
	if id.n > 0 && slices.Contains(p.anyPath, id) {
		return false
	}
	p.anyPath = append(p.anyPath, id)
	return true
}

func (p *pair) leaveAny() {
	last := len(p.anyPath) - 1
	p.anyPath[last] = anyID{} // a pooled pair keeps no memory of values
	p.anyPath = p.anyPath[:last]
}

// packElement appends what is inside a []any or map[string]any: the types that
// attrs have kinds for as these, others as encoding/json has them. The profile's
// forms for durations and bytes are for attrs, in JSON too.
func (p *pair) packElement(dst []byte, v any) (out []byte, ok bool) {
	switch v := v.(type) {
	case nil:
		return jsonmsgpack.AppendNil(dst), true
	case string:
		return appendText(dst, v), true
	case bool:
		return jsonmsgpack.AppendBool(dst, v), true
	case int:
		return jsonmsgpack.AppendInt(dst, int64(v)), true
	case int64:
		return jsonmsgpack.AppendInt(dst, v), true
	case uint64:
		return p.packUint(dst, v), true
	case float64:
		return p.packFloat(dst, v), true
	case time.Time:
		return p.packTimeValue(dst, v, false), true
	case time.Duration:
		return jsonmsgpack.AppendInt(dst, int64(v)), true
	case []byte:
		if v == nil || p.c.format == Forward {
			return p.packJSON(dst, v), true
		}
		return jsonmsgpack.AppendBinary(dst, v), true
	case []any, map[string]any:
		return p.packCommon(dst, v)
	}
	if m, isPack := v.(msgpackMarshaler); isPack && p.c.format == MessagePack {
		return append(dst, p.marshalMsgpack(m)...), true
	}
	mark := len(dst)
	if out, ok := p.packCommon(dst, v); ok {
		return out, true
	} else {
		dst = out[:mark]
	}
	return p.packJSON(dst, v), true
}
