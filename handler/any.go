package handler

import (
	"encoding/json"
	"log/slog"
	"unicode/utf8"

	"github.com/slogpack/slogpack/internal/jsonwire"
)

// any appends an attr of kind Any.
func (p *pair) any(dst []byte, a slog.Attr) []byte {
	switch v := a.Value.Any().(type) {
	case nil:
		if a.Key == "" {
			return dst // the zero Attr
		}
		return append(appendKey(dst, a.Key), "null,"...)
	case *slog.Source:
		return p.group(dst, a.Key, sourceAttrs(v))
	case slog.Level:
		return p.text(dst, a.Key, v.String())
	case json.Marshaler:
		return p.marshal(dst, a.Key, v)
	case error:
		return p.text(dst, a.Key, p.errorText(v))
	default:
		return p.marshal(dst, a.Key, v)
	}
}

// marshal appends what encoding/json makes of v. What it cannot encode, and
// what panics on the way, is told in the field's place.
func (p *pair) marshal(dst []byte, key string, v any) (out []byte) {
	dst = appendKey(dst, key)
	mark := len(dst)
	if p.user.refused() {
		return append(dst, `"`+goexitText+`",`...)
	}
	returned := false
	defer func() {
		if !returned {
			r := recover()
			p.user.caught(r)
			p.encoded = nil
			out = append(jsonwire.AppendString(dst[:mark], panicField(v, r), jsonwire.Slog), ',')
		}
	}()
	if p.enc == nil {
		p.enc = json.NewEncoder((*encoded)(p))
		p.enc.SetEscapeHTML(false)
	}
	p.encoded = dst
	err := p.enc.Encode(v)
	if err != nil {
		// Its text may come from the value as well.
		dst = jsonwire.AppendString(dst, "!ERROR:"+err.Error(), jsonwire.Slog)
	} else {
		dst = p.encoded
		if n := len(dst) - 1; dst[n] == '\n' {
			dst = dst[:n]
		}
		// A marshaler's own JSON is checked for syntax, not for encoding.
		if !utf8.Valid(dst[mark:]) {
			dst = append(dst[:mark], validUTF8(dst[mark:])...)
		}
	}
	p.encoded = nil
	returned = true
	return append(dst, ',')
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
