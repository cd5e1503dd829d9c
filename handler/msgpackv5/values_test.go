package msgpackv5_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/msgpackv5"
)

// point is a CustomEncoder.
type point struct {
	X, Y int
}

func (p point) EncodeMsgpack(e *msgpack.Encoder) error {
	return errors.Join(e.EncodeMapLen(2), e.EncodeString("X"), e.EncodeInt(int64(p.X)), e.EncodeString("Y"), e.EncodeInt(int64(p.Y)))
}

// encodeFunc is one as well; it has a JSON form for the formats without.
type encodeFunc func(*msgpack.Encoder) error

func (f encodeFunc) EncodeMsgpack(e *msgpack.Encoder) error { return f(e) }
func (f encodeFunc) MarshalJSON() ([]byte, error)           { return []byte(`"json"`), nil }

type marshalFunc func() ([]byte, error)

func (f marshalFunc) MarshalMsgpack() ([]byte, error) { return f() }

// ptr is a CustomEncoder by its pointer.
type ptr struct{ n int }

func (p *ptr) EncodeMsgpack(e *msgpack.Encoder) error { return e.EncodeInt(int64(p.n)) }

// both is a CustomEncoder and a Marshaler.
type both struct{}

func (both) EncodeMsgpack(e *msgpack.Encoder) error { return e.EncodeString("encode") }
func (both) MarshalMsgpack() ([]byte, error)        { return []byte{1}, nil }

type errorEncoder struct{ error }

func (errorEncoder) EncodeMsgpack(e *msgpack.Encoder) error { return e.EncodeString("encode") }

// emit returns the record with v as its attr k, decoded.
func emit(t *testing.T, v any, opts ...handler.Option) any {
	t.Helper()
	var buf bytes.Buffer
	h := handler.New(&buf, append(opts, handler.WithFormat(handler.MessagePack), handler.WithValues(msgpackv5.Values()))...)
	r := slog.NewRecord(time.Time{}, slog.LevelInfo, "m", 0)
	r.AddAttrs(slog.Int("a", 1), slog.Any("k", v), slog.Int("b", 2))
	if err := h.Handle(context.Background(), r); err != nil {
		t.Error(err)
	}
	dec := msgpack.NewDecoder(&buf)
	m, err := dec.DecodeMap()
	if err != nil {
		t.Error(err)
	}
	if _, err := dec.DecodeInterface(); err != io.EOF {
		t.Errorf("after the record: %v", err)
	}
	if got := fmt.Sprintf("%v %v %v", m["a"], m["b"], m["msg"]); got != "1 2 m" {
		t.Errorf("got %v", m)
	}
	return m["k"]
}

func TestValues(t *testing.T) {
	when := time.Unix(1, 500).UTC()
	for _, c := range []struct {
		name string
		v    any
		want string
	}{
		{"struct", point{1, -2}, "map[X:1 Y:-2]"},
		{"pointer to it", &point{1, -2}, "map[X:1 Y:-2]"},
		{"pointer", &ptr{7}, "7"},
		{"nil pointer", (*ptr)(nil), "<nil>"},
		{"nil pointer to a value receiver", (*point)(nil), "<nil>"},
		{"nil func", encodeFunc(nil), "<nil>"},
		{"nil marshaler", marshalFunc(nil), "<nil>"},
		{"both", both{}, "encode"},
		{"an error", errorEncoder{errors.New("text")}, "encode"},
		{"time", encodeFunc(func(e *msgpack.Encoder) error { return e.EncodeTime(when) }), fmt.Sprint(when.Local())},
		{"array", encodeFunc(func(e *msgpack.Encoder) error { return e.Encode([]any{1, "x", nil, 2.5}) }), "[1 x <nil> 2.5]"},
		{"marshaler", marshalFunc(func() ([]byte, error) { return []byte{0x92, 1, 2}, nil }), "[1 2]"},
		{"nothing", encodeFunc(func(*msgpack.Encoder) error { return nil }),
			"!ERROR:msgpackv5.values appended no single MessagePack object for a msgpackv5_test.encodeFunc"},
		{"two", encodeFunc(func(e *msgpack.Encoder) error { return e.EncodeMulti(1, 2) }),
			"!ERROR:msgpackv5.values appended no single MessagePack object for a msgpackv5_test.encodeFunc"},
		{"half", encodeFunc(func(e *msgpack.Encoder) error { return e.EncodeMapLen(3) }),
			"!ERROR:msgpackv5.values appended no single MessagePack object for a msgpackv5_test.encodeFunc"},
		{"elsewhere", encodeFunc(func(e *msgpack.Encoder) error { e.Reset(io.Discard); return e.EncodeInt(1) }),
			"!ERROR:msgpackv5.values appended no single MessagePack object for a msgpackv5_test.encodeFunc"},
		{"marshaler, broken", marshalFunc(func() ([]byte, error) { return []byte{0xc1}, nil }),
			"!ERROR:msgpackv5.values appended no single MessagePack object for a msgpackv5_test.marshalFunc"},
		{"error", encodeFunc(func(e *msgpack.Encoder) error { return errors.Join(e.EncodeInt(1), errors.New("bad")) }), "!ERROR:bad"},
		{"marshaler, error", marshalFunc(func() ([]byte, error) { return []byte{1}, errors.New("bad") }), "!ERROR:bad"},
		{"panic", encodeFunc(func(e *msgpack.Encoder) error { _ = e.EncodeInt(1); panic("ouch") }), "!PANIC: ouch"},
		{"marshaler, panic", marshalFunc(func() ([]byte, error) { panic("ouch") }), "!PANIC: ouch"},
	} {
		if got := fmt.Sprint(emit(t, c.v)); got != c.want {
			t.Errorf("%s: got %s want %s", c.name, got, c.want)
		}
	}
}

// TestSettings: what one value does to its encoder is not seen by the next.
func TestSettings(t *testing.T) {
	type tagged struct {
		A int `json:"a"`
		B int
	}
	encode := func(e *msgpack.Encoder) error { return e.Encode(tagged{}) }
	for range 20 { // the pool may hand out another one
		set := encodeFunc(func(e *msgpack.Encoder) error {
			e.SetOmitEmpty(true)
			e.SetCustomStructTag("json")
			e.UseArrayEncodedStructs(true)
			e.UseInternedStrings(true)
			return e.EncodeInt(1)
		})
		if got := fmt.Sprint(emit(t, set)); got != "1" {
			t.Fatalf("got %s", got)
		}
		if got := fmt.Sprint(emit(t, encodeFunc(encode))); got != "map[A:0 B:0]" {
			t.Fatalf("got %s", got)
		}
	}
}

// TestAfterPanic: the encoder of a value that panicked may still be in use by
// it, and serves no other value.
func TestAfterPanic(t *testing.T) {
	var kept *msgpack.Encoder
	for range 20 {
		emit(t, encodeFunc(func(e *msgpack.Encoder) error { kept = e; panic("ouch") }))
		emit(t, encodeFunc(func(e *msgpack.Encoder) error {
			if e == kept {
				t.Error("the encoder is used again")
			}
			return e.EncodeNil()
		}))
	}
}

// TestOtherFormats: there the value is written as without this package.
func TestOtherFormats(t *testing.T) {
	v := encodeFunc(func(e *msgpack.Encoder) error { return e.EncodeInt(1) })
	for _, f := range []handler.Format{handler.JSON, handler.Forward} {
		var with, without bytes.Buffer
		r := slog.NewRecord(time.Unix(1, 0), slog.LevelInfo, "m", 0)
		r.AddAttrs(slog.Any("k", v))
		_ = handler.New(&with, handler.WithFormat(f), handler.WithValues(msgpackv5.Values())).Handle(t.Context(), r)
		_ = handler.New(&without, handler.WithFormat(f)).Handle(t.Context(), r)
		if with.String() != without.String() || !strings.Contains(with.String(), "json") {
			t.Errorf("%s: got %q want %q", f, with.String(), without.String())
		}
		if b, ok, err := msgpackv5.Values().AppendValue(nil, f, v); b != nil || ok || err != nil {
			t.Errorf("%s: got %q %v %v", f, b, ok, err)
		}
	}
	for _, v := range []any{1, "x", struct{}{}, ptr{}, errors.New("x"), []point{{}}} {
		if b, ok, err := msgpackv5.Values().AppendValue(nil, handler.MessagePack, v); b != nil || ok || err != nil {
			t.Errorf("%T: got %q %v %v", v, b, ok, err)
		}
	}
}

// TestAppend: what is in dst stays.
func TestAppend(t *testing.T) {
	for _, v := range []any{&ptr{7}, marshalFunc(func() ([]byte, error) { return []byte{7}, nil })} {
		b, ok, err := msgpackv5.Values().AppendValue([]byte("x"), handler.MessagePack, v)
		if string(b) != "x\x07" || !ok || err != nil {
			t.Errorf("got %q %v %v", b, ok, err)
		}
	}
}

// TestRace: values in many goroutines, some of which log themselves.
func TestRace(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 100 {
				v := encodeFunc(func(e *msgpack.Encoder) error {
					inner := emit(t, encodeFunc(func(e *msgpack.Encoder) error { return e.EncodeInt(int64(i)) }))
					return e.EncodeString(fmt.Sprint(g, inner))
				})
				if got := emit(t, v); got != fmt.Sprint(g, i) {
					t.Errorf("got %v want %d %d", got, g, i)
				}
			}
		}()
	}
	wg.Wait()
}

func TestAllocs(t *testing.T) {
	if raceEnabled {
		t.Skip("sync.Pool drops objects at random under the race detector")
	}
	h := handler.New(io.Discard, handler.WithFormat(handler.MessagePack), handler.WithValues(msgpackv5.Values()))
	r := slog.NewRecord(time.Now(), slog.LevelInfo, "m", 0)
	r.AddAttrs(slog.Any("k", &ptr{7}))
	if n := testing.AllocsPerRun(200, func() { _ = h.Handle(context.Background(), r) }); n != 0 {
		t.Errorf("%v allocations a record", n)
	}
}
