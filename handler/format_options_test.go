package handler_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/slogpack/slogpack/handler"
)

// wantsFormat is a writer that knows what it wants.
type wantsFormat struct {
	sliceWriter
	f     handler.Format
	p     handler.Profile
	asked int
}

func (w *wantsFormat) LogFormat() (handler.Format, handler.Profile) { w.asked++; return w.f, w.p }

// takesOnly is one that refuses formats.
type takesOnly struct {
	wantsFormat
	no    []handler.Format
	asked []handler.Format
}

func (w *takesOnly) CheckFormat(f handler.Format) error {
	w.asked = append(w.asked, f)
	for _, no := range w.no {
		if f == no {
			return errors.New("not " + f.String())
		}
	}
	return nil
}

// formatOf tells the format and the profile by the first bytes and the keys.
func formatOf(t *testing.T, b []byte) string {
	t.Helper()
	f := handler.JSON
	switch {
	case b[0] == 0x92:
		f = handler.Forward
	case b[0] != '{':
		f = handler.MessagePack
	}
	keys := " " + decodeRecords(t, f, b)[0].keys() + " "
	for _, p := range []struct{ key, name string }{{"msg", "Slog"}, {"severity_number", "OTel"}, {"severity", "GoogleCloud"}, {"log.level", "ECS"}, {"message", "Zerolog"}} {
		if strings.Contains(keys, " "+p.key+" ") {
			return f.String() + " " + p.name
		}
	}
	return f.String() + keys
}

// Options say what is written; what they leave open the writer says; what that
// leaves open too has defaults.
func TestFormatPrecedence(t *testing.T) {
	msgpack, forward, json := handler.WithFormat(handler.MessagePack), handler.WithFormat(handler.Forward), handler.WithFormat(handler.JSON)
	ecs, zerolog := handler.WithProfile(handler.ECS()), handler.WithProfile(handler.Zerolog())
	plain := func() io.Writer { return new(sliceWriter) }
	wants := func(f handler.Format, p handler.Profile) func() io.Writer {
		return func() io.Writer { return &wantsFormat{f: f, p: p} }
	}
	for i, c := range []struct {
		w    func() io.Writer
		opts []handler.Option
		want string
	}{
		{plain, nil, "JSON Slog"}, {plain, []handler.Option{nil, msgpack, nil}, "MessagePack Slog"}, {plain, []handler.Option{forward}, "Forward OTel"},
		{plain, []handler.Option{forward, ecs}, "Forward ECS"}, {plain, []handler.Option{ecs, zerolog}, "JSON Zerolog"}, {plain, []handler.Option{msgpack, json}, "JSON Slog"},
		{plain, []handler.Option{handler.WithFormat(99)}, "JSON Slog"}, {plain, []handler.Option{forward, handler.WithFormat(255)}, "JSON Slog"},
		{plain, []handler.Option{forward, handler.WithProfile(handler.Slog())}, "Forward Slog"},
		{wants(handler.Forward, handler.GoogleCloud()), nil, "Forward GoogleCloud"}, {wants(handler.Forward, handler.GoogleCloud()), []handler.Option{msgpack}, "MessagePack GoogleCloud"},
		{wants(handler.Forward, handler.GoogleCloud()), []handler.Option{ecs}, "Forward ECS"}, {wants(handler.Forward, handler.GoogleCloud()), []handler.Option{ecs, json}, "JSON ECS"},
		{wants(200, handler.Zerolog()), nil, "JSON Zerolog"},
	} {
		w := c.w()
		handle(t, newHandler(w, c.opts...), record(0, "m"))
		b := []byte(nil)
		switch w := w.(type) {
		case *sliceWriter:
			b = w.b
		case *wantsFormat:
			if b = w.b; w.asked > 1 {
				t.Errorf("%d: the writer was asked %d times", i, w.asked)
			}
		}
		if got := formatOf(t, b); got != c.want {
			t.Errorf("%d: got %s, want %s", i, got, c.want)
		}
	}
}

// A writer that refuses a format gets JSON, and somebody is told once.
func TestFormatRefused(t *testing.T) {
	for i, c := range []struct {
		f      handler.Format
		no     []handler.Format
		opts   []handler.Option
		want   string
		errors int
	}{
		{handler.JSON, nil, nil, "JSON ECS", 0}, {handler.Forward, []handler.Format{handler.Forward}, nil, "JSON ECS", 1}, {handler.Forward, []handler.Format{handler.MessagePack}, nil, "Forward ECS", 0},
		{handler.JSON, []handler.Format{handler.MessagePack, handler.Forward}, []handler.Option{handler.WithFormat(handler.MessagePack)}, "JSON ECS", 1},
		{handler.Forward, []handler.Format{handler.Forward}, []handler.Option{handler.WithProfile(handler.Zerolog())}, "JSON Zerolog", 1},
		{handler.JSON, []handler.Format{handler.JSON}, nil, "JSON ECS", 1}, {99, []handler.Format{99}, nil, "JSON ECS", 0},
	} {
		var errs []string
		w := &takesOnly{wantsFormat: wantsFormat{f: c.f, p: handler.ECS()}, no: c.no}
		h := newHandler(w, append(c.opts, handler.WithErrorHandler(func(err error) { errs = append(errs, err.Error()) }))...)
		handle(t, h, record(0, "m"))
		handle(t, h.WithAttrs([]slog.Attr{slog.Int("a", 1)}), record(0, "m"))
		if got := formatOf(t, w.b); got != c.want {
			t.Errorf("%d: got %s, want %s", i, got, c.want)
		}
		if len(errs) != c.errors || len(w.asked) != 1 || c.errors > 0 && !strings.Contains(errs[0], "not "+w.asked[0].String()) {
			t.Errorf("%d: errors %q, asked %v", i, errs, w.asked)
		}
	}
	if s := fmt.Sprint(handler.JSON, handler.MessagePack, handler.Forward, handler.Format(9)); s != "JSON MessagePack Forward JSON" {
		t.Errorf("names %s", s)
	}
}

// A profile is copied when it is given, and its constructors give fresh ones.
func TestProfileIsCopied(t *testing.T) {
	p := handler.ECS()
	p.Static = append(p.Static, slog.String("a", "b"))
	var w sliceWriter
	h := newHandler(&w, handler.WithProfile(p))
	opt := handler.WithProfile(p)
	p.Static[0], p.MessageKey = slog.String("ecs.version", "changed"), "changed"
	handle(t, h, record(0, "m"))
	handle(t, newHandler(&w, opt), record(0, "m"))
	handle(t, newHandler(&w, handler.WithProfile(handler.ECS())), record(0, "m"))
	for _, o := range decodeRecords(t, handler.JSON, w.b) {
		if v, _ := o.at("ecs.version"); v != "1.6.0" {
			t.Errorf("got %s", show(o))
		}
		if v, _ := o.at("message"); v != "m" {
			t.Errorf("got %s", show(o))
		}
	}
}

// What escapes are chosen, to the letter.
func TestProfileEscapes(t *testing.T) {
	const s = "\b\f\x7f\u2028\u2029\x01<&>\"\\/"
	for form, want := range map[handler.EscapeForm]string{
		handler.EscapeSlog:    `"\u0008\u000c` + "\x7f" + `\u2028\u2029\u0001<&>\"\\/"`,
		handler.EscapeZerolog: `"\b\f\u007f` + "\u2028\u2029" + `\u0001<&>\"\\/"`,
	} {
		p := handler.Slog()
		p.Escapes = form
		var w sliceWriter
		h := newHandler(&w, handler.WithProfile(p))
		handle(t, h, record(0, s, slog.String(s, s), slog.Any("e", errors.New(s)), slog.Group(s, slog.Bool("b", true))))
		handle(t, h.WithGroup(s).WithAttrs([]slog.Attr{slog.String("a", s)}), record(0, ""))
		for i, l := range checkLines(t, w.b, 2) {
			n := []int{5, 2}[i]
			if got := strings.Count(l, want); got != n {
				t.Errorf("form %d: %s stands %d times, not %d, in %s", form, want, got, n, l)
			}
		}
	}
}

// Static attrs of every kind stand in every record, behind its own fields.
func TestProfileStatic(t *testing.T) {
	for _, f := range formats {
		for _, order := range []handler.Order{handler.TimeFirst, handler.LevelFirst} {
			p := handler.Slog()
			p.Order = order
			p.Static = append([]slog.Attr{slog.Any("lazy", toValue{slog.IntValue(1)}), slog.Any("panics", panicError{"x"}), slog.Group("none", slog.Attr{}), slog.Group("", slog.Int("inline", 1))}, manyAttrs("s", 20)...)
			os := logged(t, f, p, func(h slog.Handler) {
				handle(t, h, record(0, "m", slog.Int("a", 1)))
				handle(t, h.WithGroup("g"), record(0, "m", slog.Int("a", 1)))
			})
			for _, o := range os {
				if k := o.keys(); !strings.Contains(k, " lazy panics inline s0 s1 ") || !strings.Contains(k, " s19 "+map[bool]string{true: "a", false: "g"}[k == os[0].keys()]) {
					t.Errorf("%v: keys %q", f, k)
				}
				if v, _ := o.at("panics"); v != "!PANIC: x" {
					t.Errorf("%v: panics %s", f, show(v))
				}
			}
		}
	}
}
