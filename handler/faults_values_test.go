package handler_test

import (
	"bytes"
	"context"
	"log/slog"
	"runtime"
	"strings"
	"testing"

	"github.com/slogpack/slogpack/handler"
)

type exitingError struct{}

func (exitingError) Error() string { runtime.Goexit(); return "" }

type panics struct{ with any }

func (p panics) MarshalJSON() ([]byte, error) { panic(p.with) }

func selfSlice() any {
	a := []any{nil}
	a[0] = a
	return a
}

func selfMap() any {
	m := map[string]any{}
	m["m"] = m
	return m
}

// writtenBy runs Handle in a goroutine of its own, which may end in it, and returns
// what was written.
func writtenBy(r slog.Record, opts ...handler.Option) string {
	var buf bytes.Buffer
	h := newHandler(&buf, opts...)
	done := make(chan bool)
	go func() {
		defer close(done)
		_ = h.Handle(context.Background(), r)
	}()
	<-done
	return buf.String()
}

// TestPanicValues: whatever a panic's value does when it is printed costs the
// field alone.
func TestPanicValues(t *testing.T) {
	for name, c := range map[string]struct {
		with any
		want string
	}{
		"exits":        {exitingError{}, "!PANIC: runtime.Goexit"},
		"cyclic slice": {selfSlice(), "!PANIC: a []interface {} that does not end"},
		"cyclic map":   {selfMap(), "!PANIC: a map[string]interface {} that does not end"},
		"in a struct":  {struct{ A any }{selfSlice()}, "!PANIC: a struct { A interface {} } that does not end"},
		"struct":       {struct{ A, B int }{1, 2}, "!PANIC: {1 2}"},
		"number":       {7, "!PANIC: 7"},
	} {
		t.Run(name, func(t *testing.T) {
			attrs := []slog.Attr{slog.Int("before", 1), slog.Any("v", panics{c.with}), slog.Int("after", 2)}
			want := `"before":1,"v":"` + c.want + `","after":2}`
			if got := writtenBy(made("m", attrs...)); !strings.Contains(got, want) {
				t.Errorf("got %s, want …%s", got, want)
			}
			replace := handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == "v" {
					panic(c.with)
				}
				return a
			})
			if got := writtenBy(made("m", attrs...), replace); !strings.Contains(got, want) {
				t.Errorf("ReplaceAttr: got %s, want …%s", got, want)
			}
		})
	}
}

// TestLevelTextFails: a LevelText that fails costs one level text, not the
// record and not the level's later records.
func TestLevelTextFails(t *testing.T) {
	for name, fail := range map[string]func(){
		"panics": func() { panic("once") },
		"exits":  runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			p := handler.Slog()
			p.LevelText = func(slog.Level) string {
				if calls++; calls == 1 {
					fail()
				}
				return "fine"
			}
			var buf bytes.Buffer
			h := newHandler(&buf, handler.WithProfile(p))
			for range 2 {
				done := make(chan bool)
				go func() {
					defer close(done)
					_ = h.Handle(context.Background(), made("m"))
				}()
				<-done
			}
			lines := strings.Split(strings.TrimSpace(buf.String()), "\n")
			if len(lines) != 2 || !strings.Contains(lines[0], `"level":"!PANIC: `) || !strings.Contains(lines[1], `"level":"fine"`) {
				t.Errorf("got %s", buf.String())
			}
		})
	}
}

// TestFilterPanicIsToldOnce: after the record is written, so that nothing the
// error handler does can cost it.
func TestFilterPanicIsToldOnce(t *testing.T) {
	told := 0
	got := writtenBy(made("m", slog.Any("e", exitingError{}), slog.Any("f", exitingError{})),
		handler.WithFilter(func(context.Context, slog.Record) bool { panic("filter") }),
		handler.WithErrorHandler(func(error) { told++; runtime.Goexit() }))
	if told != 1 || !strings.Contains(got, `"e":"!PANIC: runtime.Goexit","f":"!PANIC: runtime.Goexit"}`) {
		t.Errorf("told %d times, written %q", told, got)
	}
}

// TestRedactedEverywhere: wherever a key comes from.
func TestRedactedEverywhere(t *testing.T) {
	for _, f := range []handler.Format{handler.JSON, handler.MessagePack, handler.Forward} {
		p := handler.Slog()
		p.Static = []slog.Attr{slog.String("password", "hunter2"), slog.Group("g", slog.String("Password", "hunter2"))}
		got := writtenBy(made("hunter2"), handler.WithFormat(f), handler.WithProfile(p), handler.WithRedactKeys("password"),
			handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.MessageKey {
					a.Key = "PASSWORD"
				}
				return a
			}))
		if strings.Contains(got, "hunter2") || strings.Count(got, "[REDACTED]") != 3 {
			t.Errorf("%v: got %q", f, got)
		}
	}
}

// TestDeepOutermostGroup: the outermost group does not pass for one of the
// record's own fields, however many groups are in it.
func TestDeepOutermostGroup(t *testing.T) {
	for _, n := range []int{1, 31, 32, 40} {
		var buf bytes.Buffer
		h := slog.Handler(newHandler(&buf, handler.WithFormat(handler.Forward))).WithGroup("level")
		for range n - 1 {
			h = h.WithGroup("g")
		}
		_ = h.Handle(context.Background(), made("m", slog.Int("a", 1)))
		_ = h.WithAttrs([]slog.Attr{slog.Int("b", 1)}).Handle(context.Background(), made("m"))
		if got := strings.Count(buf.String(), "\xaaattr.level"); got != 2 {
			t.Errorf("%d groups: attr.level stands %d times, want 2: %q", n, got, buf.String())
		}
	}
}

// TestLimitAllocates: what is too long is not taken apart into many times its
// own size, nor written again and again whole.
func TestLimitAllocates(t *testing.T) {
	if raceEnabled {
		t.Skip("allocations are not the program's own under the race detector")
	}
	r := made("m", slog.Any("big", make([]int, 500_000)))
	for _, f := range []handler.Format{handler.JSON, handler.Forward} {
		allocated := func(opts ...handler.Option) uint64 {
			h := newHandler(plainWriter{&countingDiscard{}}, append(opts, handler.WithFormat(f))...)
			var a, b runtime.MemStats
			runtime.ReadMemStats(&a)
			_ = h.Handle(context.Background(), r)
			runtime.ReadMemStats(&b)
			return b.TotalAlloc - a.TotalAlloc
		}
		free, limited := allocated(handler.WithMaxRecordSize(-1)), allocated(handler.WithMaxRecordSize(100_000))
		if limited > free+16<<20 {
			t.Errorf("%v: %d bytes allocated with a limit, %d without", f, limited, free)
		}
	}
}

type countingDiscard struct{ n int }

func (w *countingDiscard) Write(p []byte) (int, error) { w.n += len(p); return len(p), nil }

// nils is a MessagePack array of nils, or a torn one.
type nils struct{ b []byte }

func (v nils) MarshalMsgpack() ([]byte, error) { return v.b, nil }

// TestPackedValuesAllocate: to check a value takes no multiple of its memory.
func TestPackedValuesAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("allocations are not the program's own under the race detector")
	}
	const n = 1 << 20
	array := append([]byte{0xdd, 0, 0x10, 0, 0}, bytes.Repeat([]byte{0xc0}, n)...)
	for name, b := range map[string][]byte{"whole": array, "torn": array[:n]} {
		h := newHandler(&countingDiscard{}, handler.WithFormat(handler.MessagePack))
		r := made("m", slog.Any("v", nils{b}))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_ = h.Handle(context.Background(), r)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 8*n {
			t.Errorf("%s: %d bytes allocated for %d", name, got, n)
		}
	}
}
