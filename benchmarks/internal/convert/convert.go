// Package convert has the ways from JSON to MessagePack that are compared.
package convert

import (
	"bytes"
	"encoding/json"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// A Converter appends the MessagePack of one JSON document to dst. It is used
// by one goroutine.
type Converter interface {
	Append(dst, src []byte) ([]byte, error)
}

// Ours is slogpack's converter.
func Ours(opts ...jsonmsgpack.Option) Converter { return jsonmsgpack.NewConverter(opts...) }

// Std is encoding/json into values and msgpack/v5 out of them: what a program
// does that knows neither format. Numbers become float64, as encoding/json has
// them by default.
type Std struct{}

// Append implements Converter.
func (Std) Append(dst, src []byte) ([]byte, error) {
	var v any
	if err := json.Unmarshal(src, &v); err != nil {
		return dst, err
	}
	buf := bytes.NewBuffer(dst)
	err := msgpack.NewEncoder(buf).Encode(v)
	return buf.Bytes(), err
}

// Named is a converter with its name.
type Named struct {
	Name string
	Converter
}

// All returns every contender, ours first, the published algorithms next.
func All() []Named {
	return []Named{
		{"slogpack", Ours()},
		{"slogpack wide", Ours(jsonmsgpack.Wide())},
		{"tree", Tree{}},
		{"nested buffers", Nested{}},
		{"published two-pass", TwoPass{}},
		{"fastjson+msgp", &Fastjson{}},
		{"sonic visitor", &Sonic{}},
		{"jsontext tokens", &Jsontext{}},
		{"encoding/json+msgpack/v5", Std{}},
	}
}

// Doc converts each document in data, which is one, or one a line.
func Doc(dst []byte, c Converter, data []byte, lines bool) ([]byte, error) {
	if !lines {
		return c.Append(dst, data)
	}
	var err error
	for line := range bytes.Lines(data) {
		if dst, err = c.Append(dst, line); err != nil {
			return dst, err
		}
	}
	return dst, nil
}
