package msgpackv5

import (
	"reflect"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/pool"
)

// Values returns a value encoder, for [handler.WithValues], for values that
// implement msgpack.CustomEncoder or msgpack.Marshaler; the former wins, as in
// msgpack/v5. A nil pointer, map, slice or function of such a type is nil, and
// its method is not called. Other values, and every value in a format that is
// not MessagePack, are left to others. The encoder is safe for concurrent use.
//
// EncodeMsgpack gets an encoder with msgpack/v5's defaults. It must not keep
// it: the encoder is used again once the method has returned, but not if it
// panicked.
func Values() handler.ValueEncoder { return values{} }

type values struct{}

// AppendValue implements handler.ValueEncoder.
func (values) AppendValue(dst []byte, f handler.Format, v any) ([]byte, bool, error) {
	if f != handler.MessagePack {
		return dst, false, nil
	}
	switch v := v.(type) {
	case msgpack.CustomEncoder:
		if isNil(v) {
			return append(dst, wireNil), true, nil
		}
		return custom(dst, v)
	case msgpack.Marshaler:
		if isNil(v) {
			return append(dst, wireNil), true, nil
		}
		b, err := v.MarshalMsgpack()
		return append(dst, b...), true, err
	}
	return dst, false, nil
}

const wireNil = 0xc0

// isNil reports whether msgpack/v5 writes v as nil without asking it.
func isNil(v any) bool {
	switch rv := reflect.ValueOf(v); rv.Kind() {
	case reflect.Chan, reflect.Func, reflect.Map, reflect.Pointer, reflect.Slice:
		return rv.IsNil()
	}
	return false
}

// custom appends what v writes.
func custom(dst []byte, v msgpack.CustomEncoder) ([]byte, bool, error) {
	e := encoders.Get()
	e.out = dst
	e.enc.Reset(e) // the last value may have changed its settings
	err := v.EncodeMsgpack(e.enc)
	out := e.out
	e.out = nil
	encoders.Put(e) // after a panic it never gets here
	return out, true, err
}

var encoders = pool.New(newEncoder, nil)

// encoder is an Encoder and what it writes to.
type encoder struct {
	enc *msgpack.Encoder
	out []byte
}

func newEncoder() *encoder {
	e := &encoder{}
	e.enc = msgpack.NewEncoder(e)
	return e
}

// Write implements io.Writer.
func (e *encoder) Write(b []byte) (int, error) {
	e.out = append(e.out, b...)
	return len(b), nil
}

// WriteByte implements io.ByteWriter, without which the Encoder would put
// something of its own in between.
func (e *encoder) WriteByte(c byte) error {
	e.out = append(e.out, c)
	return nil
}
