package handler_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"testing"

	"github.com/slogpack/slogpack/handler"
)

// HandleAttrs writes what Handle writes of a record with these attrs, whatever the
// options, the format and the writer.
func TestHandleAttrsAsHandle(t *testing.T) {
	var attrs []slog.Attr
	for _, v := range hostileValues() {
		// The text of a panic in LogValue has the stack in it.
		if a := (slog.Attr{Key: v.name, Value: v.value}); !strings.Contains(one(t, record(0, "", a)), "LogValue panicked") {
			attrs = append(attrs, a)
		}
	}
	few := []slog.Attr{slog.Int("a", 1), slog.Group("g", slog.Int("time", 2), slog.Any("e", errors.New("x"))), slog.String("password", "p"), slog.Int("time", 3)}
	replace := func(groups []string, a slog.Attr) slog.Attr {
		return slog.Attr{Key: strings.Join(append(groups, a.Key), "."), Value: a.Value}
	}
	seen := 0
	filter := func(_ context.Context, r slog.Record) bool { seen += r.NumAttrs(); return r.Message != "dropped" }
	options := map[string][]handler.Option{
		"none":    nil,
		"source":  {handler.WithSource()},
		"replace": {handler.WithReplaceAttr(replace)},
		"dedup":   {handler.WithDedup()},
		"redact":  {handler.WithRedactKeys("password")},
		"size":    {handler.WithMaxRecordSize(300)},
		"filter":  {handler.WithFilter(filter)},
		"context": {handler.WithContextAttrs(func(context.Context) []slog.Attr { return few[:1] })},
	}
	ctx := context.Background()
	for oname, opts := range options {
		forEachWire(t, func(t *testing.T, f handler.Format, p namedProfile) {
			for _, as := range [][]slog.Attr{nil, {}, few, attrs} {
				for _, msg := range []string{"m", "", "dropped"} {
					if len(as) > len(few) && msg != "m" {
						continue
					}
					r := record(slog.LevelWarn, msg, as...)
					r.PC = somePC()
					for _, derive := range []func(slog.Handler) slog.Handler{
						func(h slog.Handler) slog.Handler { return h },
						func(h slog.Handler) slog.Handler { return h.WithAttrs(few).WithGroup("w") },
						func(h slog.Handler) slog.Handler { return deepGroups(h, 40) },
					} {
						var want, got bytes.Buffer
						seen = 0
						handle(t, derive(newHandler(&want, wireOptions(f, p.Profile, opts...)...)), r)
						first := seen
						seen = 0
						h := derive(newHandler(&got, wireOptions(f, p.Profile, opts...)...)).(*handler.Handler)
						if err := h.HandleAttrs(ctx, r.Time, r.Level, r.Message, r.PC, as); err != nil {
							t.Fatal(err)
						}
						if !bytes.Equal(got.Bytes(), want.Bytes()) || seen != first {
							t.Fatalf("%s, %d attrs, %q:\n got %s\nwant %s\nthe filter saw %d and %d", oname, len(as), msg, clip(got.Bytes()), clip(want.Bytes()), seen, first)
						}
					}
				}
			}
		})
	}
}

func deepGroups(h slog.Handler, n int) slog.Handler {
	for i := range n {
		h = h.WithGroup(fmt.Sprint("g", i))
	}
	return h
}

// A value that ends the goroutine costs its field there too.
func TestHandleAttrsGoexit(t *testing.T) {
	var w bytes.Buffer
	h := newHandler(&w)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = h.HandleAttrs(context.Background(), record(0, "").Time, slog.LevelInfo, "m", 0, []slog.Attr{slog.Any("bad", goexits{}), slog.Int("n", 1)})
	}()
	<-done
	if got := checkLines(t, w.Bytes(), 1)[0]; !strings.Contains(got, `"bad":"!PANIC: runtime.Goexit","n":1`) {
		t.Error(got)
	}
}

type goexits struct{}

func (goexits) Error() string { runtime.Goexit(); return "" }

// A filter may keep what it sees; the caller may use its attrs again.
func TestHandleAttrsKept(t *testing.T) {
	var kept slog.Record
	h := newHandler(io.Discard, handler.WithFilter(func(_ context.Context, r slog.Record) bool { kept = r.Clone(); return true }))
	inner := []slog.Attr{slog.Int("a", 1), slog.Group("h", slog.Int("b", 2))}
	attrs := []slog.Attr{{Key: "g", Value: slog.GroupValue(inner...)}}
	if err := h.HandleAttrs(context.Background(), record(0, "").Time, slog.LevelInfo, "m", 0, attrs); err != nil {
		t.Fatal(err)
	}
	inner[1].Value.Group()[0] = slog.Attr{}
	clear(inner)
	clear(attrs)
	got := one(t, kept)
	if want := recordHead + `"msg":"m","g":{"a":1,"h":{"b":2}}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	self := make([]slog.Attr, 2) // contains itself, twice
	self[0].Value, self[1].Value = slog.GroupValue(self...), slog.GroupValue(self...)
	self[0].Key, self[1].Key = "a", "b"
	within(t, func() {
		if err := h.HandleAttrs(context.Background(), record(0, "").Time, slog.LevelInfo, "m", 0, self); err != nil {
			t.Error(err)
		}
	})
}

func TestHandleAttrsAllocs(t *testing.T) {
	h := handler.New(io.Discard)
	wantAllocs(t, 0, func() {
		as := [...]slog.Attr{slog.Int("a", 1), slog.String("b", "c"), slog.Group("g"), slog.Int("d", 1), slog.Int("e", 1), slog.Int("f", 1), slog.Int("g", 1)}
		_ = h.HandleAttrs(context.Background(), record(0, "").Time, slog.LevelInfo, "m", 0, as[:])
	})
}

// A filter sees groups as they are, however many attrs the record has beside them, and
// one that holds itself ends somewhere.
func TestHandleAttrsFilterSeesGroups(t *testing.T) {
	as := make([]slog.Attr, 70_000)
	for i := range as {
		as[i] = slog.Int("i", i)
	}
	wide := make([]any, 70_000)
	for i := range wide {
		wide[i] = slog.Int("i", i)
	}
	self := make([]slog.Attr, 1)
	self[0] = slog.Attr{Key: "self", Value: slog.GroupValue(self...)}
	as = append(as, self[0], slog.Group("wide", wide...), slog.Group("g", slog.Int("x", 1)))
	var last slog.Value
	h := handler.New(io.Discard, handler.WithFilter(func(_ context.Context, r slog.Record) bool {
		r.Attrs(func(a slog.Attr) bool { last = a.Value; return true })
		return true
	}))
	if err := h.HandleAttrs(context.Background(), record(0, "m").Time, 0, "m", 0, as); err != nil {
		t.Fatal(err)
	}
	if last.Kind() != slog.KindGroup || len(last.Group()) != 1 {
		t.Errorf("the filter saw %v", last)
	}
}
