package handler_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/slogpack/slogpack/handler"
)

// relog logs through the handler that is just formatting it.
type relog struct {
	depth int
	h     slog.Handler
}

// run logs an inner record, but not from within that record's own calls.
func (r *relog) run() {
	if r.h == nil || r.depth > 0 {
		return
	}
	r.depth++
	defer func() { r.depth-- }()
	for _, h := range []slog.Handler{r.h, r.h.WithGroup("g").WithAttrs([]slog.Attr{slog.Int("a", 1)})} {
		h.Handle(context.Background(), record(0, "inner", slog.Int("i", 1)))
		h.Handle(context.Background(), record(0, "inner", slog.Any("i", []int{1})))
		h.Enabled(context.Background(), 0)
	}
}

type (
	relogValuer struct{ *relog }
	relogJSON   struct{ *relog }
	relogText   struct{ *relog }
	relogError  struct{ *relog }
	relogLevel  struct{ *relog }
)

func (r relogValuer) LogValue() slog.Value       { r.run(); return slog.StringValue("v") }
func (r relogJSON) MarshalJSON() ([]byte, error) { r.run(); return []byte(`"v"`), nil }
func (r relogText) MarshalText() ([]byte, error) { r.run(); return []byte("v"), nil }
func (r relogError) Error() string               { r.run(); return "v" }
func (r relogLevel) Level() slog.Level           { r.run(); return 0 }

// No lock is held while user code runs, so user code may log through the same
// handler. The inner records come out whole, beside the outer one.
func TestUserCodeMayLog(t *testing.T) {
	for name, value := range map[string]func(*relog) any{
		"LogValue":               func(r *relog) any { return relogValuer{r} },
		"MarshalJSON":            func(r *relog) any { return relogJSON{r} },
		"MarshalText":            func(r *relog) any { return relogText{r} },
		"Error":                  func(r *relog) any { return relogError{r} },
		"LogValue in a group":    func(r *relog) any { return []slog.Attr{slog.Int("x", 1), slog.Any("y", relogValuer{r})} },
		"MarshalJSON in a map":   func(r *relog) any { return map[string]any{"x": relogJSON{r}} },
		"MarshalJSON, panicking": func(r *relog) any { return []any{relogJSON{r}, panicMarshaler{"x"}} },
	} {
		t.Run(name, func(t *testing.T) {
			forEachWriter(t, func(t *testing.T, k writerKind) {
				w, out := k.open()
				within(t, func() {
					r := new(relog)
					h := newHandler(w)
					r.h = h
					v := slog.Any("v", value(r))
					handle(t, h, record(0, "outer", slog.Int("a", 1), v, slog.Int("b", 1)))
					handle(t, h.WithAttrs([]slog.Attr{v}).WithGroup("g"), record(0, "outer", slog.Int("a", 1), v))
				})
				lines := checkLines(t, out(), 2+3*4)
				outer := 0
				for _, l := range lines {
					outer += strings.Count(l, `"msg":"outer"`)
				}
				if outer != 2 {
					t.Errorf("%d outer records: %q", outer, lines)
				}
			})
		})
	}
}

func TestFunctionsMayLog(t *testing.T) {
	forEachWriter(t, func(t *testing.T, k writerKind) {
		for name, o := range map[string]func(*relog) handler.Option{
			"ReplaceAttr": func(r *relog) handler.Option {
				return handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr {
					if a.Key == "a" {
						r.run()
					}
					return a
				})
			},
			"context function": func(r *relog) handler.Option {
				return handler.WithContextAttrs(func(context.Context) []slog.Attr { r.run(); return nil })
			},
			"filter": func(r *relog) handler.Option {
				return handler.WithFilter(func(context.Context, slog.Record) bool { r.run(); return true })
			},
			"leveler": func(r *relog) handler.Option { return handler.WithLevel(relogLevel{r}) },
		} {
			w, out := k.open()
			within(t, func() {
				r := new(relog)
				h := newHandler(w, o(r))
				r.h = h
				if name == "leveler" {
					h.Enabled(context.Background(), 0)
				}
				handle(t, h, record(0, "outer", slog.Int("a", 1), slog.Int("b", 1)))
			})
			if lines, err := splitLines(out()); err != nil || len(lines) < 5 {
				t.Errorf("%s: %d records, %v", name, len(lines), err)
			}
		}
	})
}

// The error handler too, for every kind of writer that can fail.
func TestErrorHandlerMayLog(t *testing.T) {
	under := new(failingWriter)
	for name, w := range map[string]io.Writer{
		"plain":  new(failingWriter),
		"level":  failingLevels{new(failingWriter)},
		"bufio":  bufio.NewWriterSize(under, 16),
		"stream": &protoStream{room: 4096, failure: errDisk},
	} {
		t.Run(name, func(t *testing.T) {
			within(t, func() {
				r := new(relog)
				reports := 0
				h := newHandler(w, handler.WithErrorHandler(func(error) { reports++; r.run() }))
				r.h = h
				for i := range 3 {
					if err := numbered(h, i); !errors.Is(err, errDisk) {
						t.Errorf("Handle = %v", err)
					}
				}
				if reports != 3 {
					t.Errorf("%d reports of 3 failures", reports)
				}
			})
		})
	}
}

type failingLevels struct{ *failingWriter }

func (w failingLevels) WriteLevel(_ slog.Level, p []byte) (int, error) { return w.Write(p) }

// A reader that empties the buffer between records changes its room each time.
func TestLogWhileReading(t *testing.T) {
	var w bytes.Buffer
	h := newHandler(&w)
	for i := range 100 {
		if err := numbered(h, i); err != nil {
			t.Fatal(err)
		}
		line, err := w.ReadString('\n')
		if err != nil || line != numberedLine(i)+"\n" {
			t.Fatalf("read %q, %v", line, err)
		}
	}
}
