package handler

import (
	"slices"
	"time"

	"github.com/slogpack/slogpack/internal/jsonwire"
)

// Values of the common slice and map types in JSON: the bytes of encoding/json,
// which needs reflection for them, and runs no user code for them either.

// maxCommonDepth is how deep []any and map[string]any are followed. Beyond that,
// and so for all that contain themselves, encoding/json has its own answer.
const maxCommonDepth = 8

// jsonCommon appends v. It reports false, having appended what does not count,
// for other types, for what is inside a []any or map[string]any that is of
// another type, and for what JSON has no form for.
func (p *pair) jsonCommon(dst []byte, v any, depth int) (out []byte, ok bool) {
	switch v := v.(type) {
	case []string:
		return jsonStrings(dst, v), true
	case []int:
		return jsonInts(dst, v), true
	case []int64:
		return jsonInts(dst, v), true
	case []time.Duration:
		return jsonInts(dst, v), true
	case []float64:
		return jsonFloats(dst, v)
	case []bool:
		return jsonBools(dst, v), true
	case map[string]string:
		return p.jsonStringMap(dst, v), true
	case []any:
		return p.jsonSliceAny(dst, v, depth)
	case map[string]any:
		return p.jsonMapAny(dst, v, depth)
	}
	return dst, false
}

// closeWith ends what was opened at dst[mark] and whose elements have their
// commas.
func closeWith(dst []byte, mark int, c byte) []byte {
	if last := len(dst) - 1; last > mark {
		dst[last] = c
		return dst
	}
	return append(dst, c)
}

func appendNull(dst []byte) []byte { return append(dst, "null"...) }

func jsonInts[E int | int64 | time.Duration](dst []byte, v []E) []byte {
	if v == nil {
		return appendNull(dst)
	}
	mark := len(dst)
	dst = append(dst, '[')
	for _, n := range v {
		dst = append(jsonwire.AppendInt(dst, int64(n)), ',')
	}
	return closeWith(dst, mark, ']')
}

func jsonStrings(dst []byte, v []string) []byte {
	if v == nil {
		return appendNull(dst)
	}
	mark := len(dst)
	dst = append(dst, '[')
	for _, s := range v {
		dst = append(jsonwire.AppendString(dst, s, jsonwire.JSON), ',')
	}
	return closeWith(dst, mark, ']')
}

func jsonBools(dst []byte, v []bool) []byte {
	if v == nil {
		return appendNull(dst)
	}
	mark := len(dst)
	dst = append(dst, '[')
	for _, b := range v {
		dst = append(appendBool(dst, b), ',')
	}
	return closeWith(dst, mark, ']')
}

func jsonFloats(dst []byte, v []float64) (out []byte, ok bool) {
	if v == nil {
		return appendNull(dst), true
	}
	mark := len(dst)
	dst = append(dst, '[')
	for _, f := range v {
		if f-f != 0 {
			return dst, false
		}
		dst = append(jsonwire.AppendFloat(dst, f, 64), ',')
	}
	return closeWith(dst, mark, ']'), true
}

func (p *pair) jsonStringMap(dst []byte, m map[string]string) []byte {
	if m == nil {
		return appendNull(dst)
	}
	mark := len(dst)
	dst = append(dst, '{')
	base := pushKeys(p, m)
	for _, k := range p.mapKeys[base:] {
		dst = appendKey(dst, k, jsonwire.JSON)
		if p.c.secretKey(k) {
			dst = append(dst, `"`+redactedText+`"`...)
		} else {
			dst = jsonwire.AppendString(dst, m[k], jsonwire.JSON)
		}
		dst = append(dst, ',')
	}
	p.popKeys(base)
	return closeWith(dst, mark, '}')
}

func (p *pair) jsonSliceAny(dst []byte, v []any, depth int) (out []byte, ok bool) {
	if v == nil {
		return appendNull(dst), true
	}
	if depth == maxCommonDepth {
		return dst, false
	}
	mark := len(dst)
	dst = append(dst, '[')
	for _, e := range v {
		if dst, ok = p.jsonElement(dst, e, depth); !ok {
			return dst, false
		}
		dst = append(dst, ',')
	}
	return closeWith(dst, mark, ']'), true
}

func (p *pair) jsonMapAny(dst []byte, m map[string]any, depth int) (out []byte, ok bool) {
	if m == nil {
		return appendNull(dst), true
	}
	if depth == maxCommonDepth {
		return dst, false
	}
	mark := len(dst)
	dst = append(dst, '{')
	base := pushKeys(p, m)
	ok = true
	for i := base; i < len(p.mapKeys) && ok; i++ {
		k := p.mapKeys[i]
		dst = appendKey(dst, k, jsonwire.JSON)
		if p.c.secretKey(k) {
			dst = append(dst, `"`+redactedText+`"`...)
		} else {
			dst, ok = p.jsonElement(dst, m[k], depth)
		}
		dst = append(dst, ',')
	}
	p.popKeys(base)
	return closeWith(dst, mark, '}'), ok
}

// jsonElement appends what is inside a []any or map[string]any.
func (p *pair) jsonElement(dst []byte, v any, depth int) (out []byte, ok bool) {
	switch v := v.(type) {
	case nil:
		return appendNull(dst), true
	case string:
		return jsonwire.AppendString(dst, v, jsonwire.JSON), true
	case bool:
		return appendBool(dst, v), true
	case int:
		return jsonwire.AppendInt(dst, int64(v)), true
	case int64:
		return jsonwire.AppendInt(dst, v), true
	case uint64:
		return jsonwire.AppendUint(dst, v), true
	case float64:
		if f := v - v; f != 0 {
			return dst, false
		}
		return jsonwire.AppendFloat(dst, v, 64), true
	case time.Duration:
		return jsonwire.AppendInt(dst, int64(v)), true
	}
	return p.jsonCommon(dst, v, depth+1)
}

// maxMapKeys is how much room for the keys of maps is kept.
const maxMapKeys = 1024

// pushKeys puts the keys of m, in encoding/json's order, behind those that maps
// around it have put there, and returns where they begin.
func pushKeys[V any](p *pair, m map[string]V) (base int) {
	base = len(p.mapKeys)
	for k := range m {
		p.mapKeys = append(p.mapKeys, k)
	}
	slices.Sort(p.mapKeys[base:])
	return base
}

// popKeys takes them away: a pooled pair keeps no memory of values.
func (p *pair) popKeys(base int) {
	clear(p.mapKeys[base:])
	// Not before the outermost map is done: its room is still needed.
	if p.mapKeys = p.mapKeys[:base]; base == 0 && cap(p.mapKeys) > maxMapKeys {
		p.mapKeys = nil
	}
}
