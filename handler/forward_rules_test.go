package handler_test

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/jsonmsgpack"
)

// forwardHostile are values whose ordinary MessagePack some receiver refuses.
func forwardHostile() []slog.Attr {
	deepMap := map[string]any{"leaf": 1.5}
	for range 40 {
		deepMap = map[string]any{"m": deepMap}
	}
	return []slog.Attr{
		slog.Any("bytes", []byte("a\xffb")), slog.Any("bytes inside", []any{[]byte{0}, map[string]any{"b": []byte{1}}}),
		slog.Time("t", time.Unix(0, 0)), slog.Any("ts", []time.Time{time.Unix(1, 2)}), slog.Any("t inside", []any{time.Unix(3, 4)}),
		slog.Float64("nan", math.NaN()), slog.Any("nans", []float64{math.NaN(), math.Inf(-1), 1}), slog.Any("inf inside", []any{math.Inf(1)}), slog.Any("inf in a map", map[string]any{"x": math.Inf(1)}),
		slog.Uint64("big", math.MaxUint64), slog.Any("bigs", []uint64{math.MaxUint64}), slog.Any("big inside", []any{uint64(1 << 63)}), slog.Any("big in a map", map[string]uint64{"x": 1 << 63}),
		slog.String("bad\xffkey", "bad\xc3text"), slog.Any("texts", []string{"\xff"}), slog.Any("text map", map[string]string{"\xff": "\xfe"}),
		slog.Any("any map", map[string]any{"\xff": "\xfe"}), slog.Any("int keys", map[int]string{-1: "a"}), slog.Any("raw", rawMarshaler("{\"k\xff\":\"\\ud800\"}")),
		slog.Any("packer", packsItself{[]byte{0xd6, 0xff, 0, 0, 0, 1}}), slog.Any("packer inside", []any{packsItself{[]byte{0xc4, 1, 0}}}),
		slog.Any("deep", nested(100)), slog.Any("deep map", deepMap), slog.Any("deep JSON", rawMarshaler(strings.Repeat(`{"a":[`, 50)+strings.Repeat(`]}`, 50))),
		slog.Any("errors", []error{errors.New("\xff"), nil}), slog.Any("error", errors.New("\xff")),
		{Key: "group", Value: deepGroup(60)}, {Key: "group of kinds", Value: slog.GroupValue(slog.Group("g", slog.Any("b", []byte{1}), slog.Uint64("u", 1<<63)))},
	}
}

// packsItself knows MessagePack, which Forward does not ask it for.
type packsItself struct{ b []byte }

func (p packsItself) MarshalMsgpack() ([]byte, error) { return p.b, nil }
func (p packsItself) MarshalJSON() ([]byte, error)    { return []byte(`"as JSON"`), nil }

// Whatever a value is, its entry is one that every receiver takes: decodeRecords
// runs checkEntry. Each value stands at each depth up to one too deep, in
// groups of the record and in those of the handler.
func TestForwardHostile(t *testing.T) {
	for _, p := range namedProfiles() {
		if p.name == "GoogleCloud" || p.name == "ECS" {
			continue // as OTel in all that matters here
		}
		for _, a := range forwardHostile() {
			for _, depth := range []int{0, 1, 29, 30, 31, 32, 33, 34, 60} {
				if raceEnabled && depth != 31 {
					continue
				}
				os := logged(t, handler.Forward, p.Profile, func(h slog.Handler) {
					deep := h
					for range depth {
						deep = deep.WithGroup("w")
					}
					v := slog.GroupValue(slog.Int("before", 1), a, slog.Int("after", 2))
					handle(t, deep, record(0, "in WithGroup", v.Group()...))
					with := deep.WithAttrs(v.Group())
					handle(t, with, record(0, "in With"))
					handle(t, with.WithGroup("x").WithAttrs(v.Group()), record(0, "in both", v.Group()...))
					handle(t, with, record(0, "in With again"))
					handle(t, with.WithGroup("x"), record(0, "in With still", slog.Group("none", slog.Attr{})))
					for range depth {
						v = slog.GroupValue(slog.Attr{Key: "w", Value: v})
					}
					handle(t, h, record(0, "in groups", v.Group()...))
					handle(t, h.WithAttrs(v.Group()), record(0, "in With groups", slog.Int("last", 1)))
				})
				for _, o := range os {
					if msg, _ := o.at("message"); p.name != "Slog" && msg == nil {
						t.Errorf("%s: no message: %s", p.name, brief(o))
					}
					checkDeep(t, p.name+" "+a.Key, o, depth)
				}
				if t.Failed() {
					t.Fatalf("%s at depth %d in profile %s", a.Key, depth, p.name)
				}
			}
		}
	}
}

// checkDeep finds the fields around the hostile one, wherever the text begins.
func checkDeep(t *testing.T, what string, o object, depth int) {
	t.Helper()
	v := any(o)
	for d := range depth {
		m, ok := v.(object)
		if !ok {
			t.Errorf("%s: no object at depth %d: %s", what, d, brief(v))
			return
		}
		w, _ := m.at("w")
		if s, isText := w.(string); isText {
			if d < 31 {
				t.Errorf("%s: text at depth %d already: %s", what, d, s)
			}
			var err error
			if w, err = decodeJSON([]byte(s)); err != nil {
				t.Errorf("%s: text at depth %d is no JSON: %v: %s", what, d, err, s)
			}
		}
		v = w
	}
	m, _ := v.(object)
	before, _ := m.at("before")
	after, _ := m.at("after")
	if before != int64(1) || after != int64(2) {
		t.Errorf("%s: fields around it are %v and %v in %s", what, before, after, brief(v))
	}
}

func TestForwardValues(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{[]byte("a\xffb"), `"Yf9i"`},
		{math.NaN(), `"NaN"`},
		{math.Inf(-1), `"-Inf"`},
		{[]float64{math.Inf(1), 1}, `["+Inf",1.0]`},
		{uint64(math.MaxUint64), `"18446744073709551615"`},
		{uint64(math.MaxInt64), `9223372036854775807`},
		{[]uint64{1 << 63, 1}, `["9223372036854775808",1]`},
		{[]any{uint64(1 << 63)}, `["9223372036854775808"]`},
		{packsItself{[]byte{1}}, `"as JSON"`},
		{[]any{packsItself{[]byte{1}}}, `["as JSON"]`},
		{time.Unix(1, 5).UTC(), `"1970-01-01T00:00:01.000000005Z"`},
		{map[string]string{"a\xff": "b\xff"}, `{"a` + "\ufffd" + `":"b` + "\ufffd" + `"}`},
	} {
		o := loggedOne(t, handler.Forward, handler.OTel(), record(0, "m", slog.Any("v", c.v)))
		if v, _ := o.at("v"); show(v) != c.want {
			t.Errorf("%T: got %s, want %s", c.v, show(v), c.want)
		}
	}
}

// The envelope has the record's own time whatever ReplaceAttr and the profile do
// with it.
func TestForwardEnvelope(t *testing.T) {
	text := func(tm time.Time) string { return tm.Format(time.RFC3339Nano) }
	at := func(sec, nsec int64) time.Time { return time.Unix(sec, nsec).UTC() }
	for _, c := range []struct {
		t    time.Time
		want eventTime
		text string
	}{
		{at(0, 0), eventTime{0, 0}, ""}, {at(0, 1), eventTime{0, 1}, ""}, {at(1709210096, 999999999), eventTime{1709210096, 999999999}, ""},
		{at(math.MaxUint32, 999999999), eventTime{math.MaxUint32, 999999999}, ""},
		{at(-1, 999999999), eventTime{0, 0}, text(at(-1, 999999999))}, {at(math.MaxUint32+1, 0), eventTime{math.MaxUint32, 999999999}, text(at(math.MaxUint32+1, 0))},
		{time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), eventTime{math.MaxUint32, 999999999}, "9999-01-01T00:00:00Z"},
		{time.Date(12345, 1, 1, 0, 0, 0, 0, time.UTC), eventTime{math.MaxUint32, 999999999}, "!ERROR:time.Time year outside of range [0,9999]"},
	} {
		for rep, f := range map[string]func([]string, slog.Attr) slog.Attr{
			"no": nil,
			"a dropping": func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			},
			"a shifting": func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					a.Value = slog.TimeValue(time.Unix(5, 5))
				}
				return a
			},
		} {
			r := slog.NewRecord(c.t, 0, "m", 0)
			r.AddAttrs(slog.Int("a", 1), slog.Int("time", 7))
			o := loggedOne(t, handler.Forward, handler.OTel(), r, handler.WithReplaceAttr(f))
			if o[0].value != c.want {
				t.Errorf("%v with %s ReplaceAttr: envelope %s, want %s", c.t, rep, show(o[0].value), show(c.want))
			}
			want := "@ level severity_number message"
			if c.text != "" {
				want += " time"
				if v, _ := o.at("time"); v != c.text {
					t.Errorf("%v with %s ReplaceAttr: time %s, want %s", c.t, rep, show(v), c.text)
				}
			}
			rest := " a attr.time"
			if rep == "a dropping" {
				rest = " a"
			}
			if got := o.keys(); got != want+rest {
				t.Errorf("%v with %s ReplaceAttr: keys %q, want %q", c.t, rep, got, want+rest)
			}
		}
	}
}

func TestForwardNow(t *testing.T) {
	before := time.Now()
	o := loggedOne(t, handler.Forward, handler.OTel(), slog.NewRecord(time.Time{}, 0, "m", 0))
	e := o[0].value.(eventTime)
	at := time.Unix(int64(e.sec), int64(e.nsec))
	if at.Before(before.Truncate(0)) || at.After(time.Now()) {
		t.Errorf("a record without time was sent as of %v, not now, %v", at, before)
	}
	if o.keys() != "@ level severity_number message" {
		t.Errorf("keys %q", o.keys())
	}
}

// checkEntry itself sees each fault.
func TestForwardFaults(t *testing.T) {
	entry := func(f func(p *jsonmsgpack.Packer)) []byte {
		p := jsonmsgpack.NewPacker()
		p.Reset(jsonmsgpack.AppendEventTime([]byte{0x92}, time.Unix(1, 0)))
		f(p)
		b, err := p.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	field := func(v func(p *jsonmsgpack.Packer)) []byte {
		return entry(func(p *jsonmsgpack.Packer) { p.BeginMap(); p.String("k"); v(p); p.EndMap() })
	}
	deep := func(n int) []byte {
		return field(func(p *jsonmsgpack.Packer) {
			for range n {
				p.BeginArray()
			}
			for range n {
				p.EndArray()
			}
		})
	}
	for name, b := range map[string][]byte{
		"array header of three bytes": append([]byte{0xdc, 0, 2}, field((*jsonmsgpack.Packer).Nil)[1:]...),
		"timestamp for an EventTime":  append(jsonmsgpack.AppendTime([]byte{0x92}, time.Unix(1, 1)), 0x80),
		"no map":                      entry((*jsonmsgpack.Packer).Nil),
		"bin":                         field(func(p *jsonmsgpack.Packer) { p.Binary(nil) }),
		"ext":                         field(func(p *jsonmsgpack.Packer) { p.Time(time.Unix(1, 0)) }),
		"NaN":                         field(func(p *jsonmsgpack.Packer) { p.Float64(math.NaN()) }),
		"uint64":                      field(func(p *jsonmsgpack.Packer) { p.Uint(1 << 63) }),
		"UTF-8":                       field(func(p *jsonmsgpack.Packer) { p.String("\xff") }),
		"int key":                     entry(func(p *jsonmsgpack.Packer) { p.BeginMap(); p.Int(1); p.Nil(); p.EndMap() }),
		"depth 33":                    deep(32),
		"trailing":                    append(field((*jsonmsgpack.Packer).Nil), 0xc0),
	} {
		if err := entryFault(b); err == nil {
			t.Errorf("%s is not seen in %x", name, b)
		}
	}
	if err := entryFault(deep(31)); err != nil {
		t.Error(fmt.Errorf("depth 32: %w", err))
	}
}
