package handler

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/slogpack/slogpack/internal/jsonwire"
)

// A ValueEncoder encodes values of kind Any that it knows, in place of the
// handler's own ways. It must be safe for concurrent use.
type ValueEncoder interface {
	// AppendValue appends v, which is not nil, to dst and returns the extended
	// slice and true, or false if it leaves v to others. f is [JSON] (one JSON
	// value is to be appended) or [MessagePack] (one object); in the Forward
	// format JSON is asked for and converted, since receivers take fewer types.
	// What is appended is checked and copied; dst is not to be kept. An error, or
	// anything that is not one whole value, costs the field, whose text is then the
	// error; so does a panic.
	AppendValue(dst []byte, f Format, v any) (out []byte, ok bool, err error)
}

// WithValues has encoders asked, in order, for values of kind Any before the
// built-in ways. Several WithValues add up; nil encoders are skipped.
func WithValues(e ...ValueEncoder) Option {
	return optionFunc(func(c *config) {
		for _, e := range e {
			if e != nil {
				c.values = append(c.values, e)
			}
		}
	})
}

// encodeValue asks the encoders for v in format f and returns its bytes, valid
// until the next value, or what stands for it after a failure. It reports false
// if no encoder knows v.
func (p *pair) encodeValue(f Format, v any) (b []byte, done bool) {
	for _, e := range p.c.values {
		b, ok, failure := p.callValue(e, f, v)
		if !ok && failure == "" {
			continue
		}
		if failure == "" {
			b, failure = p.checkValue(e, f, v, b)
		}
		if failure != "" {
			b = p.failureIn(f, failure)
		}
		return b, true
	}
	return nil, false
}

// failureIn is a failure's text as a value of format f.
func (p *pair) failureIn(f Format, failure string) []byte {
	if f == JSON {
		p.scratch = jsonwire.AppendString(p.scratch[:0], failure, p.c.dialect)
	} else {
		p.scratch = appendText(p.scratch[:0], failure)
	}
	return p.scratch
}

// callValue lets e append to memory of its own, so that nothing it does with
// what it is given can harm the record.
func (p *pair) callValue(e ValueEncoder, f Format, v any) (b []byte, ok bool, failure string) {
	if p.user.refused() {
		return nil, true, goexitText
	}
	returned := false
	defer func() {
		if !returned {
			r := recover()
			p.user.caught(r)
			b, ok, failure = nil, true, p.user.panicField(v, r)
		}
	}()
	b, ok, err := e.AppendValue(p.scratch[:0], f, v)
	if err != nil {
		b, ok, failure = nil, true, p.c.profile.FailurePrefix+err.Error()
	}
	returned = true
	return b, ok, failure
}

// checkValue returns b made fit for a record, or why it is not.
func (p *pair) checkValue(e ValueEncoder, f Format, v any, b []byte) (out []byte, failure string) {
	b = p.adopt(b)
	if f == JSON {
		if !json.Valid(b) {
			return nil, fmt.Sprintf("%s%T appended no valid JSON for a %T", p.c.profile.FailurePrefix, e, v)
		}
		return p.cleanJSON(oneLine(b), 0), ""
	}
	out, ok := p.cleanPack(b)
	if !ok {
		return nil, fmt.Sprintf("%s%T appended no single MessagePack object for a %T", p.c.profile.FailurePrefix, e, v)
	}
	return out, ""
}

// adopt returns what an encoder returned in memory that is the pair's: b may be
// a table of the encoder's own, which is not to be written to.
func (p *pair) adopt(b []byte) []byte {
	if cap(b) == 0 || cap(p.scratch) == 0 || &b[:1][0] != &p.scratch[:1][0] {
		b = append(p.scratch[:0], b...)
	}
	p.scratch = b[:0]
	return b
}

// oneLine returns valid JSON without line breaks, which can only be between
// its tokens.
func oneLine(b []byte) []byte {
	for _, c := range b {
		if c < ' ' {
			var out bytes.Buffer
			if json.Compact(&out, b) != nil {
				return []byte("null") // it was valid before
			}
			return out.Bytes()
		}
	}
	return b
}
