package handler_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
)

// ReplaceAttr that panics costs the attr it was called for, built-in or not.
func TestHostileReplacePanics(t *testing.T) {
	for _, key := range []string{"time", "level", "source", "msg", "ctx", "w", "a", "in", "after"} {
		forEachWriter(t, func(t *testing.T, k writerKind) {
			w, out := k.open()
			h := newHandler(w, handler.WithSource(),
				handler.WithContextAttrs(func(context.Context) []slog.Attr { return []slog.Attr{slog.Int("ctx", 1)} }),
				handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr {
					if a.Key == key {
						panic("for " + key)
					}
					return a
				})).WithAttrs([]slog.Attr{slog.Int("w", 1)})
			r := record(0, "m", slog.Int("a", 1), slog.Group("g", slog.Int("in", 1)), slog.Int("after", 1))
			r.PC = somePC()
			handle(t, h, r)
			l := checkLines(t, out(), 1)[0]
			if got, want := keysOf(t, l), "time level source msg ctx w a g after"; got != want {
				t.Errorf("panic for %s: keys %s, want %s", key, got, want)
			}
			path := []string{key}
			if key == "in" {
				path = []string{"g", "in"}
			}
			if raw, _ := rawAt(t, l, path...); raw != `"!PANIC: for `+key+`"` {
				t.Errorf("panic for %s: field is %s", key, raw)
			}
			if n := strings.Count(l, "PANIC"); n != 1 {
				t.Errorf("panic for %s costs %d fields: %s", key, n, l)
			}
		})
	}
}

// What ReplaceAttr may make of everything at once; all of it stays valid.
func TestHostileReplaceResults(t *testing.T) {
	value := func(v slog.Value) func([]string, slog.Attr) slog.Attr {
		return func(_ []string, a slog.Attr) slog.Attr { return slog.Attr{Key: a.Key, Value: v} }
	}
	deep := 0
	for name, f := range map[string]func([]string, slog.Attr) slog.Attr{
		"panics always":        func([]string, slog.Attr) slog.Attr { panic("always") },
		"panics with panics":   func([]string, slog.Attr) slog.Attr { panic(panicsTwice{}) },
		"drops all":            func([]string, slog.Attr) slog.Attr { return slog.Attr{} },
		"empty groups":         value(slog.GroupValue()),
		"groups of zero":       value(slog.GroupValue(slog.Attr{}, slog.Group("g", slog.Attr{}))),
		"cyclic groups":        value(selfGroup()),
		"panicking values":     value(slog.AnyValue(panicError{"x"})),
		"panicking LogValuers": value(slog.AnyValue(panicker{"x"})),
		"endless LogValuers":   value(slog.AnyValue(doubling{"k"})),
		"channels":             value(slog.AnyValue(make(chan int))),
		"bad years":            value(slog.TimeValue(time.Unix(1<<60, 0))),
		"nil":                  value(slog.Value{}),
		"keys to escape":       func(_ []string, a slog.Attr) slog.Attr { a.Key = "\n\"\xff"; return a },
		"keys of built-ins":    func(_ []string, a slog.Attr) slog.Attr { a.Key = "time"; return a },
		"sources":              value(slog.AnyValue(&slog.Source{File: "\n"})),
		"nil sources":          value(slog.AnyValue((*slog.Source)(nil))),
		"levels":               value(slog.AnyValue(slog.Level(1 << 30))),
		"broken JSON":          value(slog.AnyValue(rawMarshaler("}"))),
		"alternates":           func(_ []string, a slog.Attr) slog.Attr { deep++; return []slog.Attr{{}, a, slog.Group("x", a)}[deep%3] },
		"panics inside of group": func(gs []string, a slog.Attr) slog.Attr {
			return map[bool]slog.Attr{true: a}[len(gs) == 0 || gs[0] != gs[len(gs)]]
		},
	} {
		t.Run(name, func(t *testing.T) {
			forEachWriter(t, func(t *testing.T, k writerKind) {
				w, out := k.open()
				within(t, func() {
					var h slog.Handler = newHandler(w, handler.WithSource(), handler.WithReplaceAttr(f))
					for _, h := range []slog.Handler{h, h.WithAttrs([]slog.Attr{slog.Int("w", 1)}), h.WithGroup("g").WithAttrs([]slog.Attr{slog.Int("w", 1)}).WithGroup("h")} {
						r := record(0, "m", slog.Int("a", 1), slog.Group("g", slog.Int("in", 1), slog.Group("h", slog.Int("in", 2))), slog.Int("after", 1))
						r.PC = somePC()
						handle(t, h, r)
					}
				})
				checkLines(t, out(), 3)
			})
		})
	}
}

// A context function that panics costs what it would have given, a filter that
// panics drops nothing.
func TestHostileContextFunctions(t *testing.T) {
	good := func(context.Context) []slog.Attr { return []slog.Attr{slog.Int("good", 1)} }
	for name, bad := range map[string]func(context.Context) []slog.Attr{
		"panic":        func(context.Context) []slog.Attr { panic("in context") },
		"nil deref":    func(context.Context) []slog.Attr { return []slog.Attr{slog.Any("v", *(*int)(nil))} },
		"panics twice": func(context.Context) []slog.Attr { panic(panicsTwice{}) },
	} {
		t.Run(name, func(t *testing.T) {
			forEachWriter(t, func(t *testing.T, k writerKind) {
				w, out := k.open()
				h := newHandler(w, handler.WithContextAttrs(good), handler.WithContextAttrs(bad), handler.WithContextAttrs(good)).
					WithAttrs([]slog.Attr{slog.Int("w", 1)}).WithGroup("g")
				var none context.Context
				if err := h.Handle(none, record(0, "m", slog.Int("a", 1))); err != nil {
					t.Error(err)
				}
				l := checkLines(t, out(), 1)[0]
				if !strings.Contains(l, `"!PANIC: `) || strings.Count(l, `"good":1`) != 2 || !strings.HasSuffix(l, `,"w":1,"g":{"a":1}}`) {
					t.Errorf("got %s", l)
				}
			})
		})
	}
}

func TestHostileContextValues(t *testing.T) {
	as := []slog.Attr{slog.Any("p", panicError{"x"}), {}, slog.Any("c", selfGroup()), slog.Any("l", doubling{"k"}), slog.Int("good", 1)}
	forEachWriter(t, func(t *testing.T, k writerKind) {
		w, out := k.open()
		within(t, func() {
			h := newHandler(w, handler.WithContextAttrs(func(context.Context) []slog.Attr { return as }))
			handle(t, h, record(0, "m", slog.Int("a", 1)))
		})
		l := checkLines(t, out(), 1)[0]
		if got := keysOf(t, l); got != "time level msg p c l good a" {
			t.Errorf("keys %s", got)
		}
	})
}

func TestHostileFilter(t *testing.T) {
	forEachWriter(t, func(t *testing.T, k writerKind) {
		w, out := k.open()
		h := newHandler(w, handler.WithErrorHandler(func(error) {}),
			handler.WithFilter(func(_ context.Context, r slog.Record) bool {
				if r.Message == "bad" {
					panic(errors.New("in filter"))
				}
				return true
			}))
		for _, msg := range []string{"bad", "good", "bad"} {
			if err := h.Handle(context.Background(), record(0, msg)); err != nil {
				t.Logf("Handle = %v", err)
			}
		}
		checkLines(t, out(), 3)
	})
}

// The message, the level and the time are hostile too.
func TestHostileBuiltins(t *testing.T) {
	forEachWriter(t, func(t *testing.T, k writerKind) {
		w, out := k.open()
		h := newHandler(w, handler.WithSource())
		n := 0
		for _, when := range timePool() {
			for _, l := range []slog.Level{0, -1 << 31, 1<<31 - 1, 3, -5} {
				r := slog.NewRecord(when, l, "m\xff\n", ^uintptr(0))
				r.AddAttrs(slog.Int("a", 1))
				handle(t, h, r)
				n++
			}
		}
		for _, l := range checkLines(t, out(), n) {
			if !strings.HasSuffix(l, `,"a":1}`) {
				t.Errorf("got %s", l)
			}
		}
	})
}
