package handler_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
)

// Plain records cost no garbage in any format and profile, by any kind of
// writer, with prefixes, groups and sources.
func TestAllocsFormats(t *testing.T) {
	kinds := []slog.Attr{
		slog.String("s", "text \"q\""), slog.Int("i", -70000), slog.Uint64("u", 1<<40), slog.Float64("f", 1.25), slog.Bool("b", true), slog.Duration("d", time.Second),
		slog.Time("t", time.Date(2024, 1, 2, 3, 4, 5, 6, time.UTC)), slog.Any("nil", nil), slog.Group("g", slog.Int("a", 1), slog.Group("h", slog.String("b", "c"), slog.Group("none"))),
	}
	many := manyAttrs("k", 40)
	var buf bytes.Buffer
	stream := &keepStream{buf: make([]byte, 0, 1<<16)}
	for name, w := range map[string]io.Writer{"discard": io.Discard, "buffer": &buf, "bufio": bufio.NewWriter(io.Discard), "stream": stream} {
		forEachWire(t, func(t *testing.T, f handler.Format, p namedProfile) {
			base := newHandler(w, wireOptions(f, p.Profile, handler.WithSource(), handler.WithMaxRecordSize(1<<20))...)
			r := record(slog.LevelWarn, "message", kinds...)
			r.AddAttrs(slog.Attr{Key: "many", Value: slog.GroupValue(many...)})
			r.PC = somePC()
			with := base.WithAttrs(kinds).WithAttrs(many)
			for i, h := range []slog.Handler{base, with, with.WithGroup("w").WithGroup("x"), with.WithGroup("w").WithAttrs(many).WithGroup("x").WithAttrs(kinds), base.WithGroup("none").WithGroup("none")} {
				r := r
				if i == 4 {
					r = record(0, "m", slog.Group("none", slog.Group("none")), slog.Attr{})
				}
				wantAllocs(t, 0, func() {
					buf.Reset()
					_ = h.Handle(context.Background(), r)
				})
				if t.Failed() {
					t.Fatalf("to %s, handler %d", name, i)
				}
			}
		})
	}
}

// keepStream lends the same memory each time.
type keepStream struct{ buf []byte }

func (k *keepStream) Write(b []byte) (int, error)       { return len(b), nil }
func (k *keepStream) Reserve(n int) (b []byte, ok bool) { return k.buf[:0], n <= cap(k.buf) }
func (k *keepStream) Commit(b []byte, _ slog.Level) (int, error) {
	return len(b), nil
}

// Options that look at attrs cost nothing on plain ones, as long as there is
// nothing to change.
func TestAllocsFormatOptions(t *testing.T) {
	r := record(0, "m", slog.Int("a", 1), slog.String("b", "two"), slog.Group("g", slog.Duration("c", time.Second)))
	protected := record(0, "m", slog.Int("time", 1), slog.String("level", "x"), slog.String("password", "y"))
	for name, opts := range map[string][]handler.Option{
		"replace": {handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr { return a })},
		"redact":  {handler.WithRedactKeys("password", "token")},
		"dedup":   {handler.WithDedup()},
		"limit":   {handler.WithMaxRecordSize(100000)},
		"values":  {handler.WithValues(anyEncoder(func(dst []byte, _ handler.Format, v any) ([]byte, bool, error) { return dst, false, nil }))},
		"context": {handler.WithContextAttrs(func(context.Context) []slog.Attr { return nil })},
	} {
		forEachWire(t, func(t *testing.T, f handler.Format, p namedProfile) {
			h := newHandler(io.Discard, wireOptions(f, p.Profile, opts...)...).WithAttrs([]slog.Attr{slog.Int("w", 1)}).WithGroup("x")
			for _, r := range []slog.Record{r, protected} {
				wantAllocs(t, 0, func() { _ = h.Handle(context.Background(), r) })
				if t.Failed() {
					t.Fatal(name)
				}
			}
		})
	}
}

// Common slices and maps, bytes and errors in MessagePack: no JSON in between. Maps
// in Forward too, which has other forms for some of the rest.
func TestAllocsPackValues(t *testing.T) {
	for name, v := range map[string]any{
		"bytes": []byte("bytes"), "strings": []string{"a", "b"}, "ints": []int{1, 2}, "int64s": []int64{1}, "floats": []float64{1, 2.5}, "bools": []bool{true},
		"anys": []any{1, "x", nil, true, 2.5, []any{3}}, "times": []time.Time{time.Unix(1, 2)}, "durations": []time.Duration{1}, "level": slog.LevelInfo,
		"nan": math.NaN(), "long": strings.Repeat("x", 300),
		"map": map[string]any{"a": 1, "b": []any{map[string]string{"c": "d"}}}, "strings by name": map[string]string{"a": "b", "c": "d"},
	} {
		h := newHandler(io.Discard, handler.WithFormat(handler.MessagePack))
		r := record(0, "m", slog.Any("v", v))
		wantAllocs(t, 0, func() { _ = h.Handle(context.Background(), r) })
		if reflect.TypeOf(v).Kind() == reflect.Map {
			h := newHandler(io.Discard, handler.WithFormat(handler.Forward))
			wantAllocs(t, 0, func() { _ = h.Handle(context.Background(), r) })
		}
		if t.Failed() {
			t.Fatal(name)
		}
	}
}
