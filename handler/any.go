package handler

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"unicode/utf8"

	"github.com/slogpack/slogpack/internal/jsonwire"
)

// jsonAny appends an attr of kind Any.
func (p *pair) jsonAny(dst []byte, a slog.Attr) []byte {
	any := a.Value.Any()
	if any == nil {
		if a.Key == "" {
			return dst // the zero Attr
		}
		return append(appendKey(dst, a.Key, p.c.dialect), "null,"...)
	}
	if s, ok := any.(*slog.Source); ok {
		return p.group(dst, a.Key, sourceAttrs(s))
	}
	return append(p.jsonAnyValue(appendKey(dst, a.Key, p.c.dialect), any), ',')
}

// jsonAnyValue appends v, which is not nil.
func (p *pair) jsonAnyValue(dst []byte, v any) []byte {
	if p.c.values != nil {
		if b, done := p.encodeValue(JSON, v); done {
			return append(dst, b...)
		}
	}
	switch v := v.(type) {
	case slog.Level:
		return jsonwire.AppendString(dst, v.String(), p.c.dialect)
	case []byte:
		return p.jsonBytes(dst, v)
	case []error:
		if p.c.profile.Errors == ErrorText && v != nil {
			return p.jsonErrors(dst, v)
		}
	case error:
		if p.c.profile.Errors == ErrorText || !marshalsJSON(v) {
			return jsonwire.AppendString(dst, p.errorText(v), p.c.dialect)
		}
	}
	mark := len(dst)
	if out, ok := p.jsonCommon(dst, v, 0); ok {
		return out
	} else {
		dst = out[:mark]
	}
	dst, failure := p.marshal(dst, v)
	if failure != "" {
		return jsonwire.AppendString(dst, failure, p.c.dialect)
	}
	return dst
}

func marshalsJSON(v any) bool {
	_, ok := v.(json.Marshaler)
	return ok
}

func (p *pair) jsonBytes(dst, b []byte) []byte {
	switch {
	case p.c.profile.Bytes == BytesText:
		return jsonwire.AppendString(dst, b, p.c.dialect)
	case p.c.profile.Bytes == BytesHex:
		return append(hex.AppendEncode(append(dst, '"'), b), '"')
	case b == nil:
		return append(dst, "null"...)
	}
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), b), '"')
}

func (p *pair) jsonErrors(dst []byte, errs []error) []byte {
	dst = append(dst, '[')
	for i, err := range errs {
		if i > 0 {
			dst = append(dst, ',')
		}
		if err == nil {
			dst = append(dst, "null"...)
		} else {
			dst = jsonwire.AppendString(dst, p.errorText(err), p.c.dialect)
		}
	}
	return append(dst, ']')
}

// marshal appends what encoding/json makes of v. What it cannot encode, and
// what panics on the way, is a failure, the text to be written instead.
func (p *pair) marshal(dst []byte, v any) (out []byte, failure string) {
	mark := len(dst)
	if p.user.refused() {
		return dst, goexitText
	}
	returned := false
	defer func() {
		if !returned {
			r := recover()
			p.user.caught(r)
			p.encoded = nil
			out, failure = dst[:mark], p.user.panicField(v, r)
		}
	}()
	if p.enc == nil {
		p.enc = json.NewEncoder((*encoded)(p))
		p.enc.SetEscapeHTML(false)
	}
	p.encoded = dst
	if err := p.enc.Encode(v); err != nil {
		// Its text may come from the value as well; fmt words a panic in it as
		// it does for log/slog.
		failure = fmt.Sprintf("%s%v", p.c.profile.FailurePrefix, err)
		if failure == "" {
			failure = "!ERROR" // "" would say that all went well
		}
	} else {
		dst = p.encoded
		if n := len(dst) - 1; dst[n] == '\n' {
			dst = dst[:n]
		}
		dst = p.cleanJSON(dst, mark)
	}
	p.encoded = nil
	if len(dst)-mark > maxScratch {
		p.enc = nil // it may have a buffer of its own, of that size
	}
	returned = true
	return dst, failure
}

// cleanJSON makes the valid JSON in dst[mark:] a part of a record: in UTF-8,
// which marshalers' own JSON is not checked for, and without secrets.
func (p *pair) cleanJSON(dst []byte, mark int) []byte {
	if !utf8.Valid(dst[mark:]) {
		dst = append(dst[:mark], validUTF8(dst[mark:])...)
	}
	if len(p.c.redacted.keys) > 0 {
		dst = p.redactJSON(dst, mark)
	}
	return dst
}

// encoded is a pair as the writer of its json.Encoder, which writes each value
// whole, and only when it could encode it.
type encoded pair

func (e *encoded) Write(b []byte) (int, error) {
	e.encoded = append(e.encoded, b...)
	return len(b), nil
}

// validUTF8 returns a copy of JSON with each invalid byte, which can only be
// inside a string, replaced as in other strings.
func validUTF8(b []byte) []byte {
	out := make([]byte, 0, len(b)+16)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			out = jsonwire.AppendEscaped(out, b[:1], jsonwire.JSON)
		} else {
			out = append(out, b[:n]...)
		}
		b = b[n:]
	}
	return out
}
