package convert

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"

	"github.com/bytedance/sonic/ast"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tinylib/msgp/msgp"
	"github.com/valyala/fastjson"
)

// Fastjson is valyala/fastjson's tree, written by tinylib/msgp.
type Fastjson struct{ p fastjson.Parser }

// Append implements Converter.
func (f *Fastjson) Append(dst, src []byte) ([]byte, error) {
	v, err := f.p.ParseBytes(src)
	if err != nil {
		return dst, err
	}
	return appendFastjson(dst, v)
}

func appendFastjson(dst []byte, v *fastjson.Value) ([]byte, error) {
	switch v.Type() {
	case fastjson.TypeObject:
		o := v.GetObject()
		dst = msgp.AppendMapHeader(dst, uint32(o.Len()))
		var err error
		o.Visit(func(key []byte, v *fastjson.Value) {
			if err == nil {
				dst, err = appendFastjson(msgp.AppendStringFromBytes(dst, key), v)
			}
		})
		return dst, err
	case fastjson.TypeArray:
		a := v.GetArray()
		dst = msgp.AppendArrayHeader(dst, uint32(len(a)))
		for _, e := range a {
			var err error
			if dst, err = appendFastjson(dst, e); err != nil {
				return dst, err
			}
		}
		return dst, nil
	case fastjson.TypeString:
		return msgp.AppendStringFromBytes(dst, v.GetStringBytes()), nil
	case fastjson.TypeNumber:
		if i, err := v.Int64(); err == nil {
			return msgp.AppendInt64(dst, i), nil
		}
		f, err := v.Float64()
		return msgp.AppendFloat64(dst, f), err
	case fastjson.TypeTrue, fastjson.TypeFalse:
		return msgp.AppendBool(dst, v.Type() == fastjson.TypeTrue), nil
	}
	return msgp.AppendNil(dst), nil
}

// Sonic is bytedance/sonic's visitor, with counts patched in five bytes, as it
// gives them only at a container's end.
type Sonic struct {
	dst  []byte
	open []patch
}

// Append implements Converter.
func (s *Sonic) Append(dst, src []byte) ([]byte, error) {
	s.dst, s.open = dst, s.open[:0]
	err := ast.Preorder(string(src), s, nil)
	return s.dst, err
}

func (s *Sonic) count() {
	if len(s.open) > 0 {
		s.open[len(s.open)-1].n++
	}
}

func (s *Sonic) begin(object bool) error {
	s.count()
	s.open = append(s.open, patch{pos: len(s.dst), object: object})
	s.dst = append(s.dst, 0xdd, 0, 0, 0, 0)
	return nil
}

func (s *Sonic) end() error {
	p := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	if p.object {
		s.dst[p.pos] = 0xdf
	}
	n := uint32(p.n)
	s.dst[p.pos+1], s.dst[p.pos+2], s.dst[p.pos+3], s.dst[p.pos+4] = byte(n>>24), byte(n>>16), byte(n>>8), byte(n)
	return nil
}

// The methods of ast.Visitor.

// OnNull appends nil.
func (s *Sonic) OnNull() error { s.count(); s.dst = msgp.AppendNil(s.dst); return nil }

// OnBool appends a bool.
func (s *Sonic) OnBool(v bool) error { s.count(); s.dst = msgp.AppendBool(s.dst, v); return nil }

// OnString appends a string.
func (s *Sonic) OnString(v string) error { s.count(); s.dst = msgp.AppendString(s.dst, v); return nil }

// OnInt64 appends an integer.
func (s *Sonic) OnInt64(v int64, _ json.Number) error {
	s.count()
	s.dst = msgp.AppendInt64(s.dst, v)
	return nil
}

// OnFloat64 appends a float.
func (s *Sonic) OnFloat64(v float64, _ json.Number) error {
	s.count()
	s.dst = msgp.AppendFloat64(s.dst, v)
	return nil
}

// OnObjectBegin opens a map.
func (s *Sonic) OnObjectBegin(int) error { return s.begin(true) }

// OnObjectKey appends a key, which is not counted: the value is.
func (s *Sonic) OnObjectKey(k string) error { s.dst = msgp.AppendString(s.dst, k); return nil }

// OnObjectEnd closes a map.
func (s *Sonic) OnObjectEnd() error { return s.end() }

// OnArrayBegin opens an array.
func (s *Sonic) OnArrayBegin(int) error { return s.begin(false) }

// OnArrayEnd closes an array.
func (s *Sonic) OnArrayEnd() error { return s.end() }

// Jsontext is the token reader of the coming encoding/json, with counts patched
// in five bytes.
type Jsontext struct {
	dec  *jsontext.Decoder
	in   bytes.Reader
	open []patch
}

// Append implements Converter.
func (j *Jsontext) Append(dst, src []byte) ([]byte, error) {
	j.in.Reset(src)
	if j.dec == nil {
		j.dec = jsontext.NewDecoder(&j.in)
	} else {
		j.dec.Reset(&j.in)
	}
	s := Sonic{dst: dst, open: j.open[:0]}
	defer func() { j.open = s.open }()
	for {
		tok, err := j.dec.ReadToken()
		if err == io.EOF {
			return s.dst, nil
		}
		if err != nil {
			return dst, err
		}
		switch tok.Kind() {
		case '{':
			_ = s.begin(true)
		case '[':
			_ = s.begin(false)
		case '}', ']':
			// Keys were counted as well.
			if p := &s.open[len(s.open)-1]; p.object {
				p.n /= 2
			}
			_ = s.end()
		case '"':
			_ = s.OnString(tok.String())
		case '0':
			text := tok.String()
			if i, err := strconv.ParseInt(text, 10, 64); err == nil {
				_ = s.OnInt64(i, "")
				break
			}
			f, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return dst, err
			}
			_ = s.OnFloat64(f, "")
		case 't', 'f':
			_ = s.OnBool(tok.Kind() == 't')
		default:
			_ = s.OnNull()
		}
	}
}
