package handler

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"log/slog"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// msgpackMarshaler is what values that know MessagePack have.
type msgpackMarshaler interface{ MarshalMsgpack() ([]byte, error) }

// packAny appends the value of an attr of kind Any behind its key, which begins at
// mark.
func (p *pair) packAny(mark, n int, a *slog.Attr) int {
	v := a.Value.Any()
	if v == nil && a.Key == "" {
		return mark // the zero Attr
	}
	if s, ok := v.(*slog.Source); ok {
		return p.keep(p.group(p.out[:mark], a.Key, sourceAttrs(s)))
	}
	p.fields++
	return p.keep(p.packAnyValue(p.out[:n], v))
}

// packAnyValue appends v, which may be nil.
func (p *pair) packAnyValue(dst []byte, v any) []byte {
	if v == nil {
		return jsonmsgpack.AppendNil(dst)
	}
	if p.c.values != nil {
		if p.c.format == Forward {
			if b, done := p.encodeValue(JSON, v); done {
				return p.convert(dst, b)
			}
		} else if b, done := p.encodeValue(MessagePack, v); done {
			return append(dst, b...)
		}
	}
	if m, ok := v.(msgpackMarshaler); ok && p.c.format == MessagePack {
		return append(dst, p.marshalMsgpack(m)...)
	}
	switch v := v.(type) {
	case slog.Level:
		return appendText(dst, v.String())
	case []error:
		if p.c.profile.Errors == ErrorText && v != nil {
			if p.c.format == Forward && p.roomBelow() == 0 {
				return p.convert(dst, p.jsonErrors(nil, v))
			}
			return p.packErrors(dst, v)
		}
	case error:
		if p.c.profile.Errors == ErrorText || !marshalsJSON(v) {
			return appendText(dst, p.errorText(v))
		}
	}
	mark := len(dst)
	out, ok := p.packCommon(dst, v)
	if !ok {
		return p.packJSON(out[:mark], v)
	}
	return out
}

// packJSON appends v by way of its JSON.
func (p *pair) packJSON(dst []byte, v any) []byte {
	b, failure := p.marshal(p.scratch[:0], v)
	if cap(b) > 0 {
		p.scratch = b[:0]
	}
	if failure != "" {
		return appendText(dst, failure)
	}
	return p.convert(dst, b)
}

// convert appends valid JSON as MessagePack.
func (p *pair) convert(dst, json []byte) []byte {
	if p.c.format == Forward && p.roomBelow() == 0 {
		// The converter takes no such limit.
		if json = bytes.TrimSpace(json); json[0] == '{' || json[0] == '[' {
			return appendText(dst, string(json))
		}
	}
	out, err := p.converter().Append(dst, json)
	if err != nil {
		return appendText(dst, p.c.profile.FailurePrefix+err.Error())
	}
	return out
}

// converter returns the converter for values at the present depth.
func (p *pair) converter() *jsonmsgpack.Converter {
	if p.c.format != Forward {
		if p.conv == nil {
			p.conv = jsonmsgpack.NewConverter(convertOptions(maxDepth)...)
		}
		return p.conv
	}
	room := p.roomBelow()
	if p.convForward == nil || p.convRoom != room {
		p.convForward = jsonmsgpack.NewConverter(append(convertOptions(room), jsonmsgpack.Int64Only())...)
		p.convRoom = room
	}
	return p.convForward
}

func convertOptions(depth int) []jsonmsgpack.Option {
	return []jsonmsgpack.Option{
		jsonmsgpack.Lax(),
		jsonmsgpack.BigNumbers(jsonmsgpack.Text),
		jsonmsgpack.MaxDepth(depth),
		jsonmsgpack.DeepText(),
	}
}

// marshalMsgpack returns what m makes of itself, if that is one object.
func (p *pair) marshalMsgpack(m msgpackMarshaler) (b []byte) {
	if p.user.refused() {
		return appendText(nil, goexitText)
	}
	returned := false
	defer func() {
		if !returned {
			r := recover()
			p.user.caught(r)
			b = appendText(nil, p.user.panicField(m, r))
		}
	}()
	b, err := m.MarshalMsgpack()
	failure := ""
	if err != nil {
		failure = "MarshalMsgpack: " + err.Error()
	} else if out, ok := p.cleanPack(b); ok {
		b = out
	} else {
		failure = "MarshalMsgpack returned no single MessagePack object"
	}
	returned = true
	if failure != "" {
		return appendText(nil, p.c.profile.FailurePrefix+failure)
	}
	return b
}

func (p *pair) packErrors(dst []byte, errs []error) []byte {
	dst = appendContainer(dst, docArray, len(errs))
	for _, err := range errs {
		if err == nil {
			dst = jsonmsgpack.AppendNil(dst)
		} else {
			dst = appendText(dst, p.errorText(err))
		}
	}
	return dst
}

func (p *pair) packBytes(dst, b []byte) []byte {
	switch {
	case b == nil && p.c.profile.Bytes == BytesBase64:
		return jsonmsgpack.AppendNil(dst)
	case p.c.format != Forward:
		return jsonmsgpack.AppendBinary(dst, b)
	case p.c.profile.Bytes == BytesText:
		return appendText(dst, string(b))
	case p.c.profile.Bytes == BytesHex:
		return jsonmsgpack.AppendString(dst, hex.EncodeToString(b))
	}
	return jsonmsgpack.AppendString(dst, base64.StdEncoding.EncodeToString(b))
}
