package handler_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
)

func (w *protoStream) Reserve(n int) ([]byte, bool) {
	if w.holder.Load() == goid() {
		w.fault("Reserve inside a reservation")
	}
	if n < 0 {
		w.fault("Reserve(%d)", n)
	}
	w.lock()
	w.reserves++
	if w.refuse || n > w.room {
		<-w.mu
		return nil, false
	}
	w.holder.Store(goid())
	w.lent = append(make([]byte, 0, len(w.prefix)+w.room), w.prefix...)
	return w.lent, true
}

func (w *protoStream) Commit(buf []byte, l slog.Level) (int, error) {
	if w.holder.Load() != goid() {
		w.fault("Commit without a reservation of this goroutine")
		return 0, nil
	}
	defer func() { <-w.mu }()
	w.holder.Store(0)
	if buf == nil {
		w.dropped++
		return 0, nil
	}
	w.streamed++
	w.levels = append(w.levels, l)
	if cap(buf) != cap(w.lent) || cap(buf) > 0 && &buf[:1][0] != &w.lent[:1][0] {
		w.fault("Commit of another buffer than the one lent")
	}
	rest, ok := bytes.CutPrefix(buf, []byte(w.prefix))
	if !ok {
		w.fault("the lent buffer's own bytes are gone: %q", buf)
	}
	if bytes.Count(rest, []byte("\n")) != 1 || rest[len(rest)-1] != '\n' {
		w.fault("Commit of something else than one record: %q", rest)
	}
	if w.failure != nil {
		return 0, w.failure
	}
	w.out = append(w.out, rest...)
	return len(rest), nil
}

func (w *protoStream) Write(p []byte) (int, error) {
	if w.holder.Load() == goid() {
		w.fault("Write inside a reservation")
	}
	w.lock()
	defer func() { <-w.mu }()
	w.plain++
	if w.failure != nil {
		return 0, w.failure
	}
	w.out = append(w.out, p...)
	return len(p), nil
}

func (w *protoStream) check(t *testing.T) {
	t.Helper()
	for _, f := range w.faults {
		t.Error(f)
	}
	if w.holder.Load() != 0 {
		t.Error("a reservation was never committed")
	}
}

// Every kind that runs code of the user's, to be met while streaming.
type watched struct{ w *protoStream }

func (v watched) MarshalJSON() ([]byte, error) { v.w.userCode(); return []byte(`"json"`), nil }

type watchedText struct{ w *protoStream }

func (v watchedText) MarshalText() ([]byte, error) { v.w.userCode(); return []byte("text"), nil }

type watchedError struct{ w *protoStream }

func (v watchedError) Error() string { v.w.userCode(); return "error" }

type watchedValuer struct{ w *protoStream }

func (v watchedValuer) LogValue() slog.Value { v.w.userCode(); return slog.IntValue(7) }

func TestStreamWriterTakesPlainRecords(t *testing.T) {
	w := &protoStream{room: 4096}
	h := newHandler(w)
	for range 10 {
		handle(t, h, record(slog.LevelWarn, "m",
			slog.String("s", "x"), slog.Bool("b", true), slog.Int("i", -1), slog.Uint64("u", 1),
			slog.Float64("f", 1.5), slog.Time("t", time.Unix(0, 0).UTC()), slog.Duration("d", 1),
			slog.Group("g", slog.Int("i", 1), slog.Group("h", slog.String("s", "y")))))
	}
	w.check(t)
	if w.streamed != 10 || w.plain != 0 || w.dropped != 0 {
		t.Errorf("%d streamed, %d written, %d abandoned; want 10, 0, 0", w.streamed, w.plain, w.dropped)
	}
	for _, l := range w.levels {
		if l != slog.LevelWarn {
			t.Errorf("Commit got level %v", l)
		}
	}
	checkLines(t, w.out, 10)
}

func TestStreamWriterLendsBufferWithContent(t *testing.T) {
	w := &protoStream{room: 4096, prefix: "earlier record\n"}
	h := newHandler(w)
	for i := range 3 {
		handle(t, h, record(0, "m", slog.Int("i", i), slog.Group("g", slog.Int("j", i))))
		handle(t, h, record(0, "m", slog.Any("i", i), slog.Any("a", []int{1})))
	}
	w.check(t)
	checkLines(t, w.out, 6)
}

func TestStreamWriterUserCode(t *testing.T) {
	for name, value := range map[string]func(w *protoStream) any{
		"MarshalJSON":     func(w *protoStream) any { return watched{w} },
		"MarshalText":     func(w *protoStream) any { return watchedText{w} },
		"Error":           func(w *protoStream) any { return watchedError{w} },
		"LogValue":        func(w *protoStream) any { return watchedValuer{w} },
		"LogValue nested": func(w *protoStream) any { return []slog.Attr{slog.Any("v", watchedValuer{w})} },
		"in a slice":      func(w *protoStream) any { return []any{watched{w}} },
	} {
		t.Run(name, func(t *testing.T) {
			w := &protoStream{room: 4096}
			within(t, func() {
				h := newHandler(w)
				handle(t, h, record(0, "m", slog.Int("a", 1), slog.Any("v", value(w)), slog.Int("b", 2)))
				handle(t, h, record(0, "m", slog.Group("g", slog.Int("a", 1), slog.Any("v", value(w))), slog.Int("b", 2)))
				handle(t, h.WithGroup("g"), record(0, "m", slog.Any("v", value(w)), slog.Int("b", 2)))
				handle(t, h.WithAttrs([]slog.Attr{slog.Any("v", value(w))}), record(0, "m", slog.Int("b", 2)))
				// More attrs than fit into the record's own array.
				handle(t, h, record(0, "m", slog.Int("1", 1), slog.Int("2", 1), slog.Int("3", 1), slog.Int("4", 1),
					slog.Int("5", 1), slog.Int("6", 1), slog.Any("v", value(w)), slog.Int("b", 2)))
			})
			w.check(t)
			for _, l := range checkLines(t, w.out, 5) {
				if !strings.Contains(l, `"b":2}`) {
					t.Errorf("neighbour lost: %s", l)
				}
			}
		})
	}
}

func TestStreamWriterOptionsAreUserCode(t *testing.T) {
	w := &protoStream{room: 4096}
	within(t, func() {
		h := newHandler(w,
			handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr { w.userCode(); return a }),
			handler.WithContextAttrs(func(context.Context) []slog.Attr { w.userCode(); return []slog.Attr{slog.Int("c", 1)} }),
			handler.WithFilter(func(context.Context, slog.Record) bool { w.userCode(); return true }))
		handle(t, h, record(0, "m", slog.Int("a", 1)))
	})
	w.check(t)
	checkLines(t, w.out, 1)
}

func TestStreamWriterLeveler(t *testing.T) {
	w := &protoStream{room: 4096}
	within(t, func() {
		log := slog.New(newHandler(w, handler.WithLevel(watchedLeveler{w})))
		log.Info("m", "a", 1)
	})
	w.check(t)
	checkLines(t, w.out, 1)
}

type watchedLeveler struct{ w *protoStream }

func (l watchedLeveler) Level() slog.Level { l.w.userCode(); return 0 }

func TestStreamWriterRoomEnds(t *testing.T) {
	for _, room := range []int{0, 1, 16, 40, 64, 100, 128, 200, 256, 1000} {
		w := &protoStream{room: room}
		h := newHandler(w)
		long := strings.Repeat("é\n", 300)
		var want []string
		for i := range 40 {
			handle(t, h, record(0, long[:i*3], slog.String("k", long[:3*((i*7)%100)]), slog.Int("n", i)))
			want = append(want, fmt.Sprintf(`"n":%d}`, i))
		}
		w.check(t)
		for i, l := range checkLines(t, w.out, 40) {
			if !strings.HasSuffix(l, want[i]) {
				t.Errorf("room %d: record %d ends %q", room, i, l[len(l)-20:])
			}
		}
	}
}

func TestStreamWriterRefuses(t *testing.T) {
	w := &protoStream{room: 4096, refuse: true}
	h := newHandler(w)
	handle(t, h, record(0, "m", slog.Int("a", 1)))
	handle(t, h, record(0, "m", slog.Any("a", []int{1})))
	w.check(t)
	if w.streamed != 0 || w.dropped != 0 || w.plain != 2 {
		t.Errorf("%d streamed, %d abandoned, %d written; want 0, 0, 2", w.streamed, w.dropped, w.plain)
	}
	checkLines(t, w.out, 2)
}

func TestStreamWriterCommitFails(t *testing.T) {
	failure := errors.New("commit failed")
	w := &protoStream{room: 4096, failure: failure}
	var reported []error
	h := newHandler(w, handler.WithErrorHandler(func(err error) { w.userCode(); reported = append(reported, err) }))
	if err := h.Handle(context.Background(), record(0, "m")); !errors.Is(err, failure) {
		t.Errorf("Handle = %v, want %v", err, failure)
	}
	if len(reported) != 1 || !errors.Is(reported[0], failure) {
		t.Errorf("error handler got %v", reported)
	}
	w.failure = nil
	handle(t, h, record(0, "later"))
	w.check(t)
	if l := checkLines(t, w.out, 1)[0]; !strings.Contains(l, "later") {
		t.Errorf("got %s", l)
	}
}

func TestStreamWriterConcurrent(t *testing.T) {
	const workers, each = 8, 300
	w := &protoStream{room: 512}
	h := newHandler(w)
	w.mu = make(chan struct{}, 1)
	within(t, func() {
		var wg sync.WaitGroup
		for g := range workers {
			wg.Add(1)
			go func() {
				defer wg.Done()
				h := h.WithAttrs([]slog.Attr{slog.Int("g", g)})
				for i := range each {
					r := record(0, "m", slog.Int("i", i))
					if i%5 == 0 {
						r.AddAttrs(slog.Any("v", []string{"x"}))
					}
					if i%7 == 0 {
						r.AddAttrs(slog.String("s", strings.Repeat("long ", 200)))
					}
					handle(t, h, r)
				}
			}()
		}
		wg.Wait()
	})
	w.check(t)
	checkLines(t, w.out, workers*each)
}
