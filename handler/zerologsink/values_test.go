package zerologsink_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"
	"github.com/vmihailenco/msgpack/v5"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/zerologsink"
)

// object and objectFunc are LogObjectMarshalers, arrayFunc a LogArrayMarshaler.
type object struct {
	Name string `json:"-"`
	N    int
}

func (o object) MarshalZerologObject(e *zerolog.Event) { e.Str("name", o.Name).Int("n", o.N) }

type objectFunc func(*zerolog.Event)

func (f objectFunc) MarshalZerologObject(e *zerolog.Event) { f(e) }

type arrayFunc func(*zerolog.Array)

func (f arrayFunc) MarshalZerologArray(a *zerolog.Array) { f(a) }

// nilObject has a method that does not expect a nil receiver.
type nilObject struct{ n int }

func (o *nilObject) MarshalZerologObject(e *zerolog.Event) { e.Int("n", o.n) }

// nilArray has one that does.
type nilArray struct{}

func (a *nilArray) MarshalZerologArray(arr *zerolog.Array) {
	if a != nil {
		arr.Int(1)
	}
}

type both struct{}

func (both) MarshalZerologObject(e *zerolog.Event) { e.Bool("object", true) }
func (both) MarshalZerologArray(a *zerolog.Array)  { a.Str("array") }

type badError struct{ object }

func (badError) Error() string { return "text" }

var valueCases = []struct {
	name string
	v    any
	want string
}{
	{"object", object{"x\x7f\"", 3}, `{"name":"x\u007f\"","n":3}`},
	{"pointer", &object{"x", 3}, `{"name":"x","n":3}`},
	{"empty object", objectFunc(func(*zerolog.Event) {}), `{}`},
	{"nested", objectFunc(func(e *zerolog.Event) { e.Object("o", object{"x", 3}).Dict("d", zerolog.Dict().Int("i", 1)) }),
		`{"o":{"name":"x","n":3},"d":{"i":1}}`},
	{"array", arrayFunc(func(a *zerolog.Array) { a.Int(1).Str("x").Object(object{"x", 3}) }), `[1,"x",{"name":"x","n":3}]`},
	{"empty array", arrayFunc(func(*zerolog.Array) {}), `[]`},
	{"Arr", nil, `[1,0.5]`}, // zerolog takes it back when it is written: the test makes it
	{"both", both{}, `{"object":true}`},
	{"error", badError{object{"x", 3}}, `{"name":"x","n":3}`},
	{"nil object", (*nilObject)(nil), `"<nil>"`},
	{"nil array", (*nilArray)(nil), `[]`},
	{"panic", objectFunc(func(e *zerolog.Event) { e.Int("n", 1); panic("ouch") }), `"!PANIC: ouch"`},
	{"panic in array", arrayFunc(func(a *zerolog.Array) { a.Int(1); panic("ouch") }), `"!PANIC: ouch"`},
	{"raw", objectFunc(func(e *zerolog.Event) { e.RawJSON("r", []byte(" [1,\n\t\"a \\\" b\" ] ")) }), `{"r":[1,"a \" b"]}`},
	{"raw with spaces", objectFunc(func(e *zerolog.Event) { e.RawJSON("r", []byte(`{ "a" : " \" " , "b":1 }`)) }), `{"r":{"a":" \" ","b":1}}`},
	{"invalid raw", objectFunc(func(e *zerolog.Event) { e.RawJSON("r", []byte("{")) }),
		`"marshaling error: the zerolog marshaler wrote no single JSON value"`},
	{"raw that breaks out", objectFunc(func(e *zerolog.Event) { e.RawJSON("r", []byte(`1},"level":{"x":2`)) }),
		`"marshaling error: the zerolog marshaler wrote no single JSON value"`},
	{"raw with a newline", objectFunc(func(e *zerolog.Event) { e.RawJSON("r", []byte("1}}\n{\"v\":{\"r\":2")) }),
		`"marshaling error: the zerolog marshaler wrote no single JSON value"`},
	{"raw not UTF-8", objectFunc(func(e *zerolog.Event) { e.RawJSON("r", []byte("\"\xff\"")) }), `{"r":"` + "\ufffd" + `"}`},
	{"bytes", objectFunc(func(e *zerolog.Event) { e.Bytes("b", []byte("\xff")) }), `{"b":"\ufffd"}`},
	{"interface", objectFunc(func(e *zerolog.Event) { e.Interface("c", make(chan int)) }), `{"c":"marshaling error: json: unsupported type: chan int"}`},
}

func TestValues(t *testing.T) {
	for _, c := range valueCases {
		if c.name == "Arr" {
			c.v = zerolog.Arr().Int(1).Float64(0.5)
		}
		t.Run(c.name, func(t *testing.T) {
			var buf bytes.Buffer
			h := zerologsink.New(zerolog.SyncWriter(&buf))
			log(t, h, slog.LevelInfo, "m", slog.Int("a", 1), slog.Any("k", c.v), slog.Int("b", 2))
			lines(t, buf.String())
			want := `{"level":"info","a":1,"k":` + c.want + `,"b":2,"time":"2026-03-04T05:06:07Z","message":"m"}` + "\n"
			// encoding/json has U+FFFD in either form, by version.
			if got := strings.ReplaceAll(buf.String(), `"`+"\ufffd", `"\ufffd`); got != strings.ReplaceAll(want, `"`+"\ufffd", `"\ufffd`) {
				t.Errorf("got  %s\nwant %s", buf.String(), want)
			}
		})
	}
}

// TestValuesMessagePack: the same values, with zerolog's integers as integers.
func TestValuesMessagePack(t *testing.T) {
	for _, c := range valueCases {
		if c.name == "Arr" {
			c.v = zerolog.Arr().Int(1).Float64(0.5)
		}
		t.Run(c.name, func(t *testing.T) {
			var buf bytes.Buffer
			h := zerologsink.New(&buf, handler.WithFormat(handler.MessagePack), handler.WithProfile(handler.Zerolog()))
			log(t, h, slog.LevelInfo, "m", slog.Any("k", c.v))
			var got, want map[string]any
			if err := msgpack.Unmarshal(buf.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			dec := fromJSON(t, c.want)
			want = map[string]any{"k": dec}
			if fmt.Sprint(got["k"]) != fmt.Sprint(want["k"]) {
				t.Errorf("got %v want %v", got["k"], want["k"])
			}
		})
	}
	b, ok, err := zerologsink.Values().AppendValue([]byte("x"), handler.MessagePack, object{"a", 3})
	if want := "x\x82\xa4name\xa1a\xa1n\x03"; string(b) != want || !ok || err != nil {
		t.Errorf("got %q %v %v", b, ok, err)
	}
}

// TestValuesForward: the handler asks for JSON then, and converts it.
func TestValuesForward(t *testing.T) {
	var buf bytes.Buffer
	log(t, zerologsink.New(&buf, handler.WithFormat(handler.Forward)), slog.LevelInfo, "m", slog.Any("k", object{"a", 3}))
	if want := "\xa1k\x82\xa4name\xa1a\xa1n\x03"; !strings.Contains(buf.String(), want) {
		t.Errorf("got %q", buf.String())
	}
}

// TestValuesOthers: what is no marshaler is left to others.
func TestValuesOthers(t *testing.T) {
	for _, v := range []any{1, "x", struct{}{}, fmt.Errorf("x"), nil, []object{{}}} {
		if b, ok, err := zerologsink.Values().AppendValue(nil, handler.JSON, v); ok || err != nil || len(b) > 0 {
			t.Errorf("%T: got %q %v %v", v, b, ok, err)
		}
	}
}

// TestValuesNothing: where zerolog writes nothing, the value's JSON stands in.
func TestValuesNothing(t *testing.T) {
	one := func(name string, v any, want string) {
		for _, f := range []handler.Format{handler.JSON, handler.MessagePack} {
			if b, ok, err := zerologsink.Values().AppendValue(nil, f, v); ok || err != nil || len(b) > 0 {
				t.Errorf("%s: %s: got %q %v %v", name, f, b, ok, err)
			}
		}
		var buf bytes.Buffer
		log(t, zerologsink.New(zerolog.SyncWriter(&buf)), slog.LevelInfo, "m", slog.Any("k", v))
		want = `{"level":"info","k":` + want + `,"time":"2026-03-04T05:06:07Z","message":"m"}` + "\n"
		if buf.String() != want {
			t.Errorf("%s: got %s want %s", name, buf.String(), want)
		}
	}
	one("Discard", discards{1}, `{"N":1}`)
	before := zerolog.GlobalLevel()
	defer zerolog.SetGlobalLevel(before)
	zerolog.SetGlobalLevel(zerolog.Disabled)
	one("Disabled", object{"x", 3}, `{"N":3}`)
	one("Disabled", badError{}, `"text"`)
	zerolog.SetGlobalLevel(zerolog.PanicLevel) // the internal logger's events have no level
	if b, _, _ := zerologsink.Values().AppendValue(nil, handler.JSON, object{"x", 3}); string(b) != `{"name":"x","n":3}` {
		t.Errorf("global level panic: got %q", b)
	}
}

type discards struct{ N int }

func (discards) MarshalZerologObject(e *zerolog.Event) { e.Int("n", 1).Discard() }

// TestValuesRace: each call has a logger of its own, also when one marshaler
// logs or has panicked.
func TestValuesRace(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var buf bytes.Buffer
			h := zerologsink.New(zerolog.SyncWriter(&buf))
			for i := range 200 {
				buf.Reset()
				v := objectFunc(func(e *zerolog.Event) {
					_ = zerologsink.New(nil).Handle(context.Background(), record(slog.Any("inner", object{"y", i})))
					if i%7 == 0 {
						panic("ouch")
					}
					e.Int("g", g).Object("o", object{"x", i})
				})
				want := fmt.Sprintf(`{"g":%d,"o":{"name":"x","n":%d}}`, g, i)
				if i%7 == 0 {
					want = `"!PANIC: ouch"`
				}
				_ = h.Handle(context.Background(), record(slog.Any("k", v)))
				if want = `{"level":"info","k":` + want + "}\n"; buf.String() != want {
					t.Errorf("got %s want %s", buf.String(), want)
					return
				}
			}
		}()
	}
	wg.Wait()
}

func record(attrs ...slog.Attr) slog.Record {
	var r slog.Record
	r.AddAttrs(attrs...)
	return r
}
