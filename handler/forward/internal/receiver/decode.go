package receiver

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"unicode/utf8"
)

// Ext is an object of an extension type.
type Ext struct {
	Type int8
	Data []byte
}

// Pair is a field of a map, and Map a map in the order it was sent.
type (
	Pair struct{ Key, Value any }
	Map  []Pair
)

// Get returns the value of the first field with this key, or nil.
func (m Map) Get(key string) any {
	for _, p := range m {
		if p.Key == key {
			return p.Value
		}
	}
	return nil
}

// decoder reads MessagePack into Go values: nil, bool, int64, uint64 (where
// int64 cannot hold it), float64, string, []byte for bin, []any, Map, Ext.
type decoder struct {
	r     *bufio.Reader
	n     int // bytes read
	limit int // of strings
}

func (d *decoder) byte() (byte, error) {
	b, err := d.r.ReadByte()
	if err == nil {
		d.n++
	}
	return b, err
}

func (d *decoder) bytes(n uint64) ([]byte, error) {
	if n > uint64(d.limit) {
		return nil, ruleLength.broken("an object of %d bytes", n)
	}
	b := make([]byte, n)
	m, err := io.ReadFull(d.r, b)
	d.n += m
	return b, err
}

func (d *decoder) uint(width int) (uint64, error) {
	var b [8]byte
	m, err := io.ReadFull(d.r, b[8-width:])
	d.n += m
	return binary.BigEndian.Uint64(b[:]), err
}

// value reads one object.
func (d *decoder) value(depth int) (any, error) {
	b, err := d.byte()
	if err != nil {
		return nil, err
	}
	return d.rest(b, depth)
}

// rest reads the rest of an object that begins with b.
func (d *decoder) rest(b byte, depth int) (any, error) {
	switch {
	case b < 0x80:
		return int64(b), nil
	case b < 0x90:
		return d.pairs(uint64(b&15), depth)
	case b < 0xa0:
		return d.array(uint64(b&15), depth)
	case b < 0xc0:
		return d.str(uint64(b & 31))
	case b >= 0xe0:
		return int64(int8(b)), nil
	case b == 0xc0:
		return nil, nil
	case b == 0xc1:
		return nil, ruleSyntax.broken("the byte c1")
	case b < 0xc4:
		return b == 0xc3, nil
	case b >= 0xd4 && b <= 0xd8:
		return d.ext(1 << (b - 0xd4))
	}
	widths := [...]int{0xc4: 1, 2, 4, 1, 2, 4, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 0xd9: 1, 2, 4, 2, 4, 2, 4}
	n, err := d.uint(widths[b])
	if err != nil {
		return nil, err
	}
	switch b {
	case 0xc4, 0xc5, 0xc6:
		return d.bytes(n)
	case 0xc7, 0xc8, 0xc9:
		return d.ext(n)
	case 0xca:
		return float64(math.Float32frombits(uint32(n))), nil
	case 0xcb:
		return math.Float64frombits(n), nil
	case 0xd0:
		return int64(int8(n)), nil
	case 0xd1:
		return int64(int16(n)), nil
	case 0xd2:
		return int64(int32(n)), nil
	case 0xd3:
		return int64(n), nil
	case 0xd9, 0xda, 0xdb:
		return d.str(n)
	case 0xdc, 0xdd:
		return d.array(n, depth)
	case 0xde, 0xdf:
		return d.pairs(n, depth)
	}
	if n <= math.MaxInt64 {
		return int64(n), nil
	}
	return n, nil
}

func (d *decoder) str(n uint64) (any, error) {
	b, err := d.bytes(n)
	return string(b), err
}

func (d *decoder) ext(n uint64) (any, error) {
	t, err := d.byte()
	if err != nil {
		return nil, err
	}
	b, err := d.bytes(n)
	return Ext{int8(t), b}, err
}

func (d *decoder) array(n uint64, depth int) (any, error) {
	if depth > maxDepth+2 {
		return nil, ruleDepth.broken("an array deeper than that")
	}
	out := []any{}
	for ; n > 0; n-- {
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func (d *decoder) pairs(n uint64, depth int) (any, error) {
	if depth > maxDepth+2 {
		return nil, ruleDepth.broken("a map deeper than that")
	}
	out := Map{}
	for ; n > 0; n-- {
		k, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out = append(out, Pair{k, v})
	}
	return out, nil
}

// checkValue applies the rules of a record's values. depth counts the
// containers that are open around v.
func checkValue(v any, depth int) error {
	switch v := v.(type) {
	case string:
		if !utf8.ValidString(v) {
			return ruleUTF8.broken("a text is not")
		}
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return ruleFinite.broken("%v", v)
		}
	case uint64:
		return ruleInteger.broken("%d", v)
	case Ext:
		return ruleExt.broken("type %d", v.Type)
	case []any:
		if depth >= maxDepth {
			return ruleDepth.broken("an array at depth %d", depth+1)
		}
		for _, e := range v {
			if err := checkValue(e, depth+1); err != nil {
				return err
			}
		}
	case Map:
		if depth >= maxDepth {
			return ruleDepth.broken("a map at depth %d", depth+1)
		}
		for _, p := range v {
			k, ok := p.Key.(string)
			if !ok {
				return ruleKey.broken("%T", p.Key)
			}
			if !utf8.ValidString(k) {
				return ruleUTF8.broken("a key is not")
			}
			if err := checkValue(p.Value, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}
