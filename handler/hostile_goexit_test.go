package handler_test

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"testing"

	"github.com/slogpack/slogpack/handler"
)

// exits ends its goroutine wherever it is asked something.
type (
	exitError  struct{}
	exitJSON   struct{}
	exitText   struct{}
	exitValuer struct{}
)

func (exitError) Error() string               { runtime.Goexit(); return "" }
func (exitJSON) MarshalJSON() ([]byte, error) { runtime.Goexit(); return nil, nil }
func (exitText) MarshalText() ([]byte, error) { runtime.Goexit(); return nil, nil }
func (exitValuer) LogValue() slog.Value       { runtime.Goexit(); return slog.Value{} }

// exiting runs f in its own goroutine and reports whether f returned.
func exiting(t *testing.T, f func()) (returned bool) {
	t.Helper()
	within(t, func() {
		f()
		returned = true
	})
	return returned
}

// Goexit inside a value ends the goroutine, as it must, but the record comes
// out first, whole but for that field.
func TestHostileGoexit(t *testing.T) {
	values := map[string]any{
		"Error": exitError{}, "MarshalJSON": exitJSON{}, "MarshalText": exitText{}, "LogValue": exitValuer{},
		"in a slice": []any{1, exitJSON{}}, "second LogValue": toValue{slog.AnyValue(exitValuer{})},
		"text of a panic": panicError{exitError{}}, "text of a MarshalJSON's panic": panicMarshaler{exitError{}}, "error of a MarshalJSON": failsWith{exitError{}},
	}
	for name, v := range values {
		t.Run(name, func(t *testing.T) {
			forEachWriter(t, func(t *testing.T, k writerKind) {
				before, a, after := slog.String("before", "b"), slog.Any("h", v), slog.Int("after", 2)
				settings := map[string]struct {
					log  func(h slog.Handler) error
					path []string
				}{
					"record": {func(h slog.Handler) error { return h.Handle(context.Background(), record(0, "m", before, a, after)) }, nil},
					"group": {func(h slog.Handler) error {
						return h.Handle(context.Background(), record(0, "m", slog.Group("g", before, a, after), slog.Int("last", 1)))
					}, []string{"g"}},
					"WithGroup": {func(h slog.Handler) error {
						return h.WithGroup("g").Handle(context.Background(), record(0, "m", before, a, after))
					}, []string{"g"}},
					"twice": {func(h slog.Handler) error {
						return h.Handle(context.Background(), record(0, "m", a, before, a, after, a, slog.Int("last", 1)))
					}, nil},
				}
				for where, s := range settings {
					for _, replace := range []func([]string, slog.Attr) slog.Attr{nil, func(_ []string, a slog.Attr) slog.Attr { return a }} {
						w, out := k.open()
						h := newHandler(w, handler.WithReplaceAttr(replace))
						if exiting(t, func() { s.log(h) }) {
							t.Errorf("%s: the goroutine went on after Goexit", where)
						}
						for i := range 3 {
							handle(t, h, record(0, "later", slog.Int("a", i)))
						}
						lines := checkLines(t, out(), 4)
						checkNeighbours(t, where, lines[0], s.path, "?")
						for i := range 3 {
							if want := fmt.Sprintf(recordHead+`"msg":"later","a":%d}`, i); lines[i+1] != want {
								t.Errorf("%s: later record is %s", where, lines[i+1])
							}
						}
						if ps, ok := w.(*protoStream); ok {
							ps.check(t)
						}
					}
				}
			})
		})
	}
}

// In functions of the options too; there the record also comes out.
func TestHostileGoexitInFunctions(t *testing.T) {
	for name, o := range map[string]handler.Option{
		"ReplaceAttr": handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == "a" {
				runtime.Goexit()
			}
			return a
		}),
		"ReplaceAttr for a built-in": handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == "level" && a.Value.Any() == slog.LevelWarn {
				runtime.Goexit()
			}
			return a
		}),
		"context function": handler.WithContextAttrs(func(c context.Context) []slog.Attr {
			if c.Value(exitError{}) != nil {
				runtime.Goexit()
			}
			return nil
		}),
		"filter": handler.WithFilter(func(c context.Context, _ slog.Record) bool {
			if c.Value(exitError{}) != nil {
				runtime.Goexit()
			}
			return true
		}),
		"LevelText": warnText(runtime.Goexit),
		// What prints a panic's value ends the goroutine.
		"text of LevelText's panic": warnText(func() { panic(exitError{}) }),
		"text of ReplaceAttr's panic": handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == "a" {
				panic(exitError{})
			}
			return a
		}),
		"text of a context function's panic": handler.WithContextAttrs(func(c context.Context) []slog.Attr {
			if c.Value(exitError{}) != nil {
				panic(exitError{})
			}
			return nil
		}),
		"text of a filter's panic": handler.WithFilter(func(c context.Context, _ slog.Record) bool {
			if c.Value(exitError{}) != nil {
				panic(exitError{})
			}
			return true
		}),
	} {
		t.Run(name, func(t *testing.T) {
			forEachWriter(t, func(t *testing.T, k writerKind) {
				w, out := k.open()
				h := newHandler(w, o)
				ctx := context.WithValue(context.Background(), exitError{}, 1)
				if exiting(t, func() {
					h.Handle(ctx, record(slog.LevelWarn, "m", slog.Int("before", 1), slog.Int("a", 1), slog.Int("after", 2)))
				}) {
					t.Error("the goroutine went on after Goexit")
				}
				handle(t, h, record(0, "later", slog.Int("b", 1)))
				lines := checkLines(t, out(), 2)
				if raw, _ := rawAt(t, lines[0], "before"); raw != "1" {
					t.Errorf("got %s", lines[0])
				}
				if raw, _ := rawAt(t, lines[0], "after"); raw != "2" {
					t.Errorf("got %s", lines[0])
				}
				if want := recordHead + `"msg":"later","b":1}`; lines[1] != want {
					t.Errorf("later record is %s", lines[1])
				}
			})
		})
	}
}

// warnText is a profile whose LevelText calls f at warnings.
func warnText(f func()) handler.Option {
	p := handler.Slog()
	p.LevelText = func(l slog.Level) string {
		if l == slog.LevelWarn {
			f()
		}
		return l.String()
	}
	return handler.WithProfile(p)
}

// Goexit inside WithAttrs leaves the parent as it was.
func TestHostileGoexitInWith(t *testing.T) {
	for name, v := range map[string]any{"Error": exitError{}, "MarshalJSON": exitJSON{}, "LogValue": exitValuer{}} {
		t.Run(name, func(t *testing.T) {
			forEachWriter(t, func(t *testing.T, k writerKind) {
				w, out := k.open()
				h := newHandler(w).WithAttrs([]slog.Attr{slog.Int("p", 1)})
				exiting(t, func() { h.WithGroup("g").WithAttrs([]slog.Attr{slog.Int("x", 1), slog.Any("h", v)}) })
				handle(t, h.WithAttrs([]slog.Attr{slog.Int("q", 1)}), record(0, "later", slog.Int("b", 1)))
				handle(t, h, record(0, "later", slog.Int("b", 1)))
				lines := checkLines(t, out(), 2)
				if lines[0] != recordHead+`"msg":"later","p":1,"q":1,"b":1}` || lines[1] != recordHead+`"msg":"later","p":1,"b":1}` {
					t.Errorf("got %s", lines)
				}
			})
		})
	}
}
