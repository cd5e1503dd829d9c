package handler_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
)

func wantAllocs(t *testing.T, want int, f func()) {
	t.Helper()
	if raceEnabled {
		t.Skip("sync.Pool drops objects at random under the race detector")
	}
	for range 10 {
		f() // fills pools and caches
	}
	if got := int(testing.AllocsPerRun(200, f)); got != want {
		t.Errorf("got %d allocations a record, want %d", got, want)
	}
}

// TestAllocs holds the promise that plain records cost no garbage, for each
// kind of writer.
func TestAllocs(t *testing.T) {
	var buf bytes.Buffer
	writers := map[string]io.Writer{
		"discard": io.Discard,
		"buffer":  &buf,
		"bufio":   bufio.NewWriter(io.Discard),
		"plain":   plainWriter{io.Discard},
	}
	for wname, w := range writers {
		for _, s := range scenarios() {
			if s.name == "any" {
				continue // encoding/json allocates
			}
			t.Run(wname+"/"+s.name, func(t *testing.T) {
				var h slog.Handler = newHandler(w)
				if s.with != nil {
					h = s.with(h)
				}
				r := s.record()
				wantAllocs(t, 0, func() {
					buf.Reset()
					_ = h.Handle(context.Background(), r)
				})
			})
		}
	}
}

func TestAllocsLogger(t *testing.T) {
	ctx := context.Background()
	for name, opts := range map[string][]handler.Option{
		"none":    nil,
		"source":  {handler.WithSource()},
		"level":   {handler.WithLevel(new(slog.LevelVar))},
		"filter":  {handler.WithFilter(func(context.Context, slog.Record) bool { return true })},
		"replace": {handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr { return a })},
		"context": {handler.WithContextAttrs(func(context.Context) []slog.Attr { return nil })},
	} {
		t.Run(name, func(t *testing.T) {
			l := slog.New(newHandler(io.Discard, opts...)).With("app", "x").WithGroup("g")
			wantAllocs(t, 0, func() {
				l.LogAttrs(ctx, slog.LevelInfo, "message", slog.Int("a", 1), slog.String("b", "two"),
					slog.Duration("c", time.Second), slog.Bool("d", true))
			})
		})
	}
}

// TestAllocsLevels: the text of an unusual level is made once.
func TestAllocsLevels(t *testing.T) {
	for _, l := range []slog.Level{-100, -5, 3, 9, 1000} {
		h := newHandler(io.Discard)
		r := slog.NewRecord(time.Now(), l, "m", 0)
		wantAllocs(t, 0, func() { _ = h.Handle(context.Background(), r) })
	}
}

// TestAllocsLargeRecords: a steady size is not allocated for again and again.
func TestAllocsLargeRecords(t *testing.T) {
	h := newHandler(io.Discard)
	r := slog.NewRecord(time.Now(), slog.LevelInfo, strings.Repeat("x", 100_000), 0)
	wantAllocs(t, 0, func() { _ = h.Handle(context.Background(), r) })
}

// TestAllocsEscapes: a record that outgrows the room it was streamed into gives
// the grown memory to the pool.
func TestAllocsEscapes(t *testing.T) {
	h := newHandler(bufio.NewWriter(io.Discard))
	r := slog.NewRecord(time.Now(), slog.LevelInfo, strings.Repeat("\x01", 600), 0)
	wantAllocs(t, 0, func() { _ = h.Handle(context.Background(), r) })
}

func TestCommonAllocs(t *testing.T) {
	l := slog.New(newHandler(nil))
	for _, v := range []any{[]string{"a", "b"}, []int{1, 2}, []float64{1.5}, []any{1, "a", 2.5}, map[string]string{"a": "b"}, map[string]any{"a": 1, "b": []any{"c"}}} {
		a := slog.Any("v", v)
		wantAllocs(t, 0, func() { l.LogAttrs(t.Context(), slog.LevelInfo, "", a) })
	}
}
