package handler_test

import (
	"bytes"
	"context"
	"log/slog"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
)

func TestNilOptionsAndFuncs(t *testing.T) {
	want := recordHead + `"msg":"m","a":1}`
	got := one(t, record(0, "m", slog.Int("a", 1)), nil,
		handler.WithHandlerOptions(nil), handler.WithLevel(nil), handler.WithReplaceAttr(nil),
		handler.WithContextAttrs(nil), handler.WithFilter(nil), handler.WithErrorHandler(nil), nil)
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// A nil function among others takes nothing away from them.
	ctx := func(context.Context) []slog.Attr { return []slog.Attr{slog.Int("c", 1)} }
	got = one(t, record(0, "m"), handler.WithContextAttrs(ctx), handler.WithContextAttrs(nil))
	if want := recordHead + `"msg":"m","c":1}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestNilWriterDiscards(t *testing.T) {
	h := newHandler(nil, handler.WithErrorHandler(func(err error) { t.Errorf("error handler got %v", err) }))
	handle(t, h.WithGroup("g").WithAttrs([]slog.Attr{slog.Int("a", 1)}), record(0, "m", slog.Any("b", []int{1})))
	if err := h.Flush(); err != nil {
		t.Errorf("Flush = %v", err)
	}
}

func TestHandlerOptions(t *testing.T) {
	o := &slog.HandlerOptions{
		AddSource: true,
		Level:     slog.LevelWarn,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == "drop" {
				return slog.Attr{}
			}
			return a
		},
	}
	var w, ref bytes.Buffer
	h := newHandler(&w, handler.WithHandlerOptions(o))
	s := slog.NewJSONHandler(&ref, o)
	if h.Enabled(context.Background(), slog.LevelInfo) || !h.Enabled(context.Background(), slog.LevelWarn) {
		t.Error("Level of HandlerOptions is not used")
	}
	r := record(slog.LevelWarn, "m", slog.Int("drop", 1), slog.Int("keep", 2))
	r.PC, _, _, _ = runtime.Caller(0)
	handle(t, h, r)
	handle(t, s, r)
	if w.String() != ref.String() {
		t.Errorf("got  %swant %s", &w, &ref)
	}
	// Later changes of the caller's struct do not reach into the handler.
	*o = slog.HandlerOptions{}
	w.Reset()
	handle(t, h, r)
	if w.String() != ref.String() {
		t.Errorf("after the options changed: got %swant %s", &w, &ref)
	}
}

func TestWithSource(t *testing.T) {
	var w, ref bytes.Buffer
	a, b := slog.New(newHandler(&w, handler.WithSource())), slog.New(slog.NewJSONHandler(&ref, &slog.HandlerOptions{AddSource: true}))
	strip := func(b *bytes.Buffer) string {
		l := checkLines(t, b.Bytes(), 1)[0]
		b.Reset()
		return l[strings.Index(l, `"level"`):]
	}
	for range 3 { // the second time the site is known
		for _, l := range []*slog.Logger{a, b} {
			l.Info("same site")
		}
		if got, want := strip(&w), strip(&ref); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	a.Info("here")
	l := strip(&w)
	_, file, line, _ := runtime.Caller(0)
	if !strings.Contains(l, file) || !strings.Contains(l, itoa(line-2)) {
		t.Errorf("source is not this file near line %d: %s", line, l)
	}
}

func itoa(n int) string { return slog.IntValue(n).String() }

func TestLevelPerRecord(t *testing.T) {
	var v slog.LevelVar
	var w sliceWriter
	h := newHandler(&w, handler.WithLevel(&v))
	derived := h.WithAttrs([]slog.Attr{slog.Int("a", 1)}).WithGroup("g")
	for _, l := range []slog.Level{slog.LevelError, slog.LevelDebug, slog.LevelInfo, -100, 100} {
		v.Set(l)
		for _, h := range []slog.Handler{h, derived} {
			for _, at := range []slog.Level{l - 1, l, l + 1} {
				if got := h.Enabled(context.Background(), at); got != (at >= l) {
					t.Errorf("Enabled(%v) at level %v = %v", at, l, got)
				}
			}
		}
	}
}

func TestNilLevelVarIsInfo(t *testing.T) {
	for name, o := range map[string]handler.Option{
		"WithLevel":          handler.WithLevel((*slog.LevelVar)(nil)),
		"WithHandlerOptions": handler.WithHandlerOptions(&slog.HandlerOptions{Level: (*slog.LevelVar)(nil)}),
	} {
		h := newHandler(new(sliceWriter), o)
		if h.Enabled(context.Background(), slog.LevelDebug) || !h.Enabled(context.Background(), slog.LevelInfo) {
			t.Errorf("%s: a nil LevelVar is not Info", name)
		}
	}
}

func TestContextAttrs(t *testing.T) {
	type key struct{}
	ctx := context.WithValue(context.Background(), key{}, "id")
	var seen []string
	replace := func(groups []string, a slog.Attr) slog.Attr {
		seen = append(seen, strings.Join(append(groups[:len(groups):len(groups)], a.Key), "."))
		return a
	}
	first := func(c context.Context) []slog.Attr { return []slog.Attr{slog.Any("c1", c.Value(key{}))} }
	second := func(context.Context) []slog.Attr {
		return []slog.Attr{slog.Group("cg", slog.Int("x", 1)), slog.Any("c2", valuer(func() slog.Value { return slog.IntValue(2) }))}
	}
	forEachWriter(t, func(t *testing.T, k writerKind) {
		for _, opts := range [][]handler.Option{nil, {handler.WithReplaceAttr(replace)}} {
			seen = nil
			w, bytes := k.open()
			var h slog.Handler = newHandler(w, append(opts, handler.WithContextAttrs(first), handler.WithContextAttrs(second))...)
			h = h.WithAttrs([]slog.Attr{slog.Int("w", 1)}).WithGroup("g").WithAttrs([]slog.Attr{slog.Int("gw", 1)})
			seen = nil
			if err := h.Handle(ctx, record(0, "m", slog.Int("a", 1))); err != nil {
				t.Error(err)
			}
			got := checkLines(t, bytes(), 1)[0]
			want := recordHead + `"msg":"m","c1":"id","cg":{"x":1},"c2":2,"w":1,"g":{"gw":1,"a":1}}`
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if want := "time level msg c1 cg.x c2 g.a"; opts != nil && strings.Join(seen, " ") != want {
				t.Errorf("ReplaceAttr saw %v, want %s", seen, want)
			}
		}
	})
}

func TestContextAttrsEmptyGroups(t *testing.T) {
	empty := func(context.Context) []slog.Attr { return []slog.Attr{{}, slog.Group("g", slog.Attr{})} }
	got := one(t, record(0, "m", slog.Int("a", 1)), handler.WithContextAttrs(empty))
	if want := recordHead + `"msg":"m","a":1}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFilter(t *testing.T) {
	resolved := 0
	v := valuer(func() slog.Value { resolved++; return slog.IntValue(1) })
	forEachWriter(t, func(t *testing.T, k writerKind) {
		w, bytes := k.open()
		resolved = 0
		var h slog.Handler = newHandler(w, handler.WithFilter(func(_ context.Context, r slog.Record) bool { return r.Message != "no" }))
		for _, h := range []slog.Handler{h, h.WithGroup("g").WithAttrs([]slog.Attr{slog.Int("a", 1)})} {
			handle(t, h, record(0, "no", slog.Any("v", v)))
			if resolved != 0 {
				t.Error("a record was formatted before the filter dropped it")
			}
			handle(t, h, record(0, "yes", slog.Int("v", 1)))
		}
		for _, l := range checkLines(t, bytes(), 2) {
			if !strings.Contains(l, `"yes"`) {
				t.Errorf("kept %s", l)
			}
		}
	})
}

// ReplaceAttr gets log/slog's built-in keys with their typed values and nil
// groups, resolved values, and no groups.
func TestReplaceAttrSees(t *testing.T) {
	type call struct {
		groups string
		key    string
		kind   string
	}
	var calls []call
	replace := func(groups []string, a slog.Attr) slog.Attr {
		kind := a.Value.Kind().String()
		if a.Value.Kind() == slog.KindAny {
			kind = reflect.TypeOf(a.Value.Any()).String()
		}
		calls = append(calls, call{strings.Join(groups, "."), a.Key, kind})
		switch a.Key {
		case slog.TimeKey:
			if got := a.Value.Time(); !got.Equal(record(0, "").Time) {
				t.Errorf("time is %v", got)
			}
		case slog.LevelKey:
			if got := a.Value.Any(); got != slog.Level(2) {
				t.Errorf("level is %v", got)
			}
		case slog.MessageKey:
			if got := a.Value.String(); got != "m" {
				t.Errorf("msg is %q", got)
			}
		case slog.SourceKey:
			if src, ok := a.Value.Any().(*slog.Source); !ok || src.Line == 0 || !strings.HasSuffix(src.File, "_test.go") {
				t.Errorf("source is %v", a.Value)
			}
		}
		if groups != nil && calls[len(calls)-1].groups == "" && len(calls) <= 4 {
			t.Errorf("groups of the built-in %q are %v, not nil", a.Key, groups)
		}
		return a
	}
	var w sliceWriter
	var h slog.Handler = newHandler(&w, handler.WithSource(), handler.WithReplaceAttr(replace))
	h = h.WithAttrs([]slog.Attr{slog.Int("w", 1)}).WithGroup("g").WithAttrs([]slog.Attr{slog.Any("wv", valuer(func() slog.Value { return slog.BoolValue(true) }))})
	if want := []call{{"", "w", "Int64"}, {"g", "wv", "Bool"}}; !reflect.DeepEqual(calls, want) {
		t.Errorf("WithAttrs: ReplaceAttr saw %v, want %v", calls, want)
	}
	calls = nil
	r := record(2, "m", slog.Any("v", valuer(func() slog.Value {
		return slog.GroupValue(slog.Any("in", valuer(func() slog.Value { return slog.StringValue("x") })))
	})), slog.Group("h", slog.Int("x", 1), slog.Group("", slog.Int("inl", 1)), slog.Group("i", slog.Int("y", 2)), slog.Int("z", 3)), slog.Int("last", 4))
	r.PC, _, _, _ = runtime.Caller(0)
	handle(t, h, r)
	checkLines(t, w.b, 1)
	if len(calls) < 4 {
		t.Fatalf("ReplaceAttr saw %v", calls)
	}
	want := []call{{"", "time", "Time"}, {"", "level", "slog.Level"}, {"", "source", "*slog.Source"}}
	if !reflect.DeepEqual(calls[:3], want) {
		t.Errorf("built-ins: ReplaceAttr saw %v, want %v", calls[:3], want)
	}
	want = []call{{"", "msg", "String"}, {"g.v", "in", "String"}, {"g.h", "x", "Int64"}, {"g.h", "inl", "Int64"},
		{"g.h.i", "y", "Int64"}, {"g.h", "z", "Int64"}, {"g", "last", "Int64"}}
	if got := calls[len(calls)-len(want):]; !reflect.DeepEqual(got, want) {
		t.Errorf("attrs: ReplaceAttr saw %v, want %v", got, want)
	}
}

// What ReplaceAttr appends to its groups reaches nobody else.
func TestReplaceAttrAppendsToGroups(t *testing.T) {
	var seen []string
	replace := func(groups []string, a slog.Attr) slog.Attr {
		seen = append(seen, strings.Join(groups, ".")+":"+a.Key)
		_ = append(groups, "intruder", "intruder", "intruder")
		return a
	}
	var w sliceWriter
	var h slog.Handler = newHandler(&w, handler.WithReplaceAttr(replace))
	h = h.WithGroup("a").WithAttrs([]slog.Attr{slog.Int("1", 1)})
	x, y := h.WithGroup("b"), h.WithGroup("c")
	seen = nil
	for _, h := range []slog.Handler{x, y, x} {
		handle(t, h, slog.NewRecord(time.Time{}, 0, "", 0))
		r := slog.NewRecord(time.Time{}, 0, "", 0)
		r.AddAttrs(slog.Int("2", 2), slog.Group("g", slog.Int("3", 3), slog.Group("h", slog.Int("4", 4))), slog.Int("5", 5))
		handle(t, h, r)
	}
	builtins := ":level :msg "
	want := builtins + builtins + "a.b:2 a.b.g:3 a.b.g.h:4 a.b:5 " + builtins + builtins + "a.c:2 a.c.g:3 a.c.g.h:4 a.c:5 " +
		builtins + builtins + "a.b:2 a.b.g:3 a.b.g.h:4 a.b:5"
	if got := strings.Join(seen, " "); got != want {
		t.Errorf("saw  %s\nwant %s", got, want)
	}
	for _, l := range checkLines(t, w.b, 6) {
		if strings.Contains(l, "intruder") {
			t.Errorf("got %s", l)
		}
	}
}
