package handler_test

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
)

// packHostile are values that are hostile to MessagePack in particular.
func packHostile() []hostile {
	anyOf := func(name string, v any) hostile { return hostile{name, slog.AnyValue(v), "?"} }
	self := map[string]any{}
	self["list"] = []any{1, self}
	list := make([]any, 2)
	list[0], list[1] = []string{"a"}, list
	return []hostile{
		anyOf("MarshalMsgpack of nothing", packsItself{}), anyOf("of two objects", packsItself{[]byte{1, 2}}), anyOf("of half a string", packsItself{[]byte{0xa5, 'a'}}),
		anyOf("of a map without end", packsItself{[]byte{0xdf, 0xff, 0xff, 0xff, 0xff}}), anyOf("of a long bin", packsItself{[]byte{0xc6, 0xff, 0xff, 0xff, 0xff, 1}}),
		anyOf("of c1", packsItself{[]byte{0xc1}}), anyOf("of deep arrays", packsItself{[]byte(strings.Repeat("\x91", 100000) + "\x01")}), anyOf("of deep maps", packsItself{[]byte(strings.Repeat("\x81\xa0", 511) + "\x01")}),
		anyOf("of bad text", packsItself{[]byte("\xa2a\xff")}), anyOf("of a bad key", packsItself{[]byte("\x81\xa1\xff\x01")}), anyOf("of container keys", packsItself{[]byte("\x81\x90\x01")}),
		anyOf("of nan", packsItself{[]byte{0xcb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 1}}), anyOf("of an ext", packsItself{[]byte{0xc7, 2, 77, 1, 2}}), anyOf("of wide headers", packsItself{[]byte("\xdf\x00\x00\x00\x01\xdb\x00\x00\x00\x01a\xdd\x00\x00\x00\x00")}),
		anyOf("MarshalMsgpack fails", packsBadly{err: errors.New("bad\nluck")}), anyOf("panics", packsBadly{with: "boom"}), anyOf("panics with panics", packsBadly{with: panicsTwice{}}),
		anyOf("on a nil pointer", (*packsBadly)(nil)), anyOf("in a slice", []any{packsBadly{with: 1}, packsItself{[]byte{5}}, packsBadly{err: errors.New("x")}}),
		anyOf("in a map", map[string]any{"a": packsBadly{with: 1}, "b": packsItself{[]byte{1, 1}}}),
		anyOf("cyclic map and slice", self), anyOf("cyclic slice with a typed one", list), anyOf("cyclic in a cycle", []any{1, self, "x", list}),
		anyOf("many deep", []any{nested(90), nested(99), nested(100), nested(101), nested(300), 7}), anyOf("nan inside", map[string]any{"n": math.NaN(), "l": []any{math.Inf(1)}}),
		anyOf("odd times", []time.Time{{}, time.Unix(1<<62, 0), time.Unix(-1<<62, 999999999)}), anyOf("panics inside", []any{1, panicMarshaler{"x"}, panicError{"y"}, []any{nilDeref{}}}),
		anyOf("bad UTF-8 everywhere", map[string]any{"\xff": []string{"\xfe"}, "a": map[string]string{"\xfd": "\xfc"}}), anyOf("channels", []any{make(chan int), func() {}, complex(1, 1)}),
		{"a huge string", slog.StringValue(strings.Repeat("\xff", 20000)), "?"}, {"a year", slog.TimeValue(time.Unix(1<<60, 0)), "?"},
	}
}

type packsBadly struct {
	err  error
	with any
}

func (p packsBadly) MarshalMsgpack() ([]byte, error) {
	if p.with != nil {
		panic(p.with)
	}
	return []byte("\xc4"), p.err
}
func (p packsBadly) MarshalJSON() ([]byte, error) {
	if p.with != nil {
		panic(p.with)
	}
	return []byte("x"), p.err
}

// A hostile value costs at most its own field, in every format and profile,
// and MessagePack has for it what JSON has.
func TestHostileFormats(t *testing.T) {
	values := append(hostileValues(), packHostile()...)
	for i, v := range values {
		if raceEnabled && i%4 > 0 {
			continue
		}
		for j, p := range namedProfiles() {
			for k, s := range settings() {
				if j > 0 && k != (i+j)%len(settings()) {
					continue // each setting in some profile; the first has them all
				}
				within(t, func() { checkHostileFormats(t, i+k, p, s, v) })
				if t.Failed() {
					break
				}
			}
		}
	}
}

func checkHostileFormats(t *testing.T, n int, p namedProfile, s setting, v hostile) {
	var json object
	for _, f := range formats {
		where := v.name + " in " + f.String() + " " + p.name + " " + s.name
		for i := range 2 {
			wname, w, out := diffWriter(n + i)
			h := newHandler(w, wireOptions(f, p.Profile)...)
			s.log(t, h, slog.String("before", "b"), slog.Attr{Key: "h", Value: v.value}, slog.Int("after", 2))
			handle(t, h, record(0, "later", slog.Int("a", 1)))
			os := decodeRecords(t, f, out())
			if len(os) != 2 {
				t.Fatalf("%s by %s: %d records", where, wname, len(os))
			}
			o, ok := os[0].at(s.path...)
			if !ok {
				t.Fatalf("%s by %s: nothing at %v: %s", where, wname, s.path, brief(os[0]))
			}
			checkAround(t, where+" by "+wname, o.(object), v.want == "")
			if f == handler.JSON {
				json = o.(object)
			}
			js, _ := json.at("h")
			m, has := o.(object).at("h")
			if _, packs := v.value.Any().(packsItself); has && !packs && !strings.Contains(show(m), "MarshalMsgpack") {
				if d := (agreement{f, p.Profile}).differ(js, m); d != "" && !strings.HasPrefix(v.name, "in a ") && v.name != "on a nil pointer" {
					t.Errorf("%s by %s: JSON and it have %s", where, wname, d)
				}
			}
			if a, _ := os[1].at("a"); a != int64(1) {
				t.Errorf("%s by %s: the record after it is %s", where, wname, brief(os[1]))
			}
			if f == handler.JSON {
				break
			}
		}
	}
}

func checkAround(t *testing.T, where string, o object, gone bool) {
	t.Helper()
	want := "before h after"
	if gone {
		want = "before after"
	}
	if !strings.Contains(o.keys(), want) {
		t.Errorf("%s: keys %q, want %q in it", where, o.keys(), want)
	}
	if b, _ := o.at("before"); b != "b" {
		t.Errorf("%s: the attr before is %s", where, brief(b))
	}
	if a, _ := o.at("after"); a != int64(2) {
		t.Errorf("%s: the attr after is %s", where, brief(a))
	}
}

// What the values of MarshalMsgpack become.
func TestMarshalMsgpack(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{packsItself{[]byte{5}}, `5`},
		{packsItself{[]byte("\x81\xa1a\x92\x01\xa1b")}, `{"a":[1,"b"]}`},
		{packsItself{[]byte("\xa2a\xff")}, `"a` + "\ufffd" + `"`},
		{packsItself{}, `"!ERROR:MarshalMsgpack returned no single MessagePack object"`},
		{packsItself{[]byte{1, 2}}, `"!ERROR:MarshalMsgpack returned no single MessagePack object"`},
		{packsItself{[]byte("\x81\x90\x01")}, `"!ERROR:MarshalMsgpack returned no single MessagePack object"`},
		{packsItself{[]byte("\x81\x80\x01")}, `"!ERROR:MarshalMsgpack returned no single MessagePack object"`},
		{packsBadly{err: errors.New("bad")}, `"!ERROR:MarshalMsgpack: bad"`},
		{packsBadly{with: "boom"}, `"!PANIC: boom"`},
		{(*packsBadly)(nil), "\"\\u003cnil\\u003e\""},
		{[]any{1, packsBadly{with: "boom"}, packsItself{[]byte{5}}}, `[1,"!PANIC: boom",5]`},
	} {
		o := loggedOne(t, handler.MessagePack, handler.Slog(), record(0, "m", slog.Any("v", c.v)))
		if v, _ := o.at("v"); show(v) != c.want {
			t.Errorf("%T: got %s, want %s", c.v, show(v), c.want)
		}
	}
}

// Values that end the goroutine, in With and in records.
func TestGoexitFormats(t *testing.T) {
	exit := exits{}
	forEachWire(t, func(t *testing.T, f handler.Format, p namedProfile) {
		for n := range 4 {
			_, w, out := diffWriter(n)
			h := newHandler(w, wireOptions(f, p.Profile)...).WithAttrs([]slog.Attr{slog.Int("w", 1)}).WithGroup("g")
			done := make(chan bool)
			go func() {
				defer close(done)
				_ = h.Handle(context.Background(), record(0, "m", slog.Int("a", 1), slog.Any("v", exit), slog.Group("x", slog.Any("e", exit)), slog.Any("in", []any{exit}), slog.Int("b", 2)))
			}()
			<-done
			handle(t, h, record(0, "m", slog.Int("a", 1)))
			os := decodeRecords(t, f, out())
			if len(os) != 2 {
				t.Fatalf("%d records", len(os))
			}
			g, _ := os[0].at("g")
			if got := g.(object).keys(); got != "a v x in b" {
				t.Errorf("keys %q", got)
			}
			if v, _ := os[0].at("g", "v"); v != "!PANIC: runtime.Goexit" {
				t.Errorf("got %s", show(v))
			}
		}
	})
}

type exits struct{}

func (exits) MarshalJSON() ([]byte, error)    { runtime.Goexit(); return nil, nil }
func (exits) MarshalMsgpack() ([]byte, error) { runtime.Goexit(); return nil, nil }
