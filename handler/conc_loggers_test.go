package handler_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/slogpack/slogpack/handler"
)

// hammer logs each records from workers goroutines through handlers derived
// from h, and checks that every record came out once, whole, with the
// attributes of its own logger and in its goroutine's order.
func hammer(t *testing.T, h slog.Handler, workers, each int, out func() []byte) {
	t.Helper()
	within(t, func() {
		var wg sync.WaitGroup
		for g := range workers {
			wg.Add(1)
			go func() {
				defer wg.Done()
				name := fmt.Sprintf("w%d", g)
				h := h.WithAttrs([]slog.Attr{slog.String("worker", name)})
				for i := range each {
					hh := h
					if i%10 == 0 { // deriving goes on beside logging
						hh = h.WithGroup("g").WithAttrs([]slog.Attr{slog.String("inner", name)})
					}
					r := record(slog.Level(i%3*4), name, slog.Int("i", i))
					switch i % 6 {
					case 1:
						r.AddAttrs(slog.Group("h", slog.String("s", strings.Repeat(name, i%50)), slog.Float64("f", float64(i))))
					case 2:
						r.AddAttrs(slog.Any("e", fmt.Errorf("error %s", name)))
					case 3:
						r.AddAttrs(slog.Any("m", map[string]int{name: i}), slog.Time("t", r.Time))
					case 4:
						r.AddAttrs(slog.Any("p", panicError{name}), slog.Any("v", toValue{slog.StringValue(name)}))
					case 5:
						r.AddAttrs(slog.String("long", strings.Repeat(name+"\n", i%7*300)))
					}
					r.AddAttrs(slog.String("last", name))
					if err := hh.Handle(context.Background(), r); err != nil {
						t.Error(err)
					}
				}
			}()
		}
		wg.Wait()
	})
	next := make(map[string]int)
	for _, l := range checkLines(t, out(), workers*each) {
		msg, _ := rawAt(t, l, "msg")
		var path []string
		if _, grouped := rawAt(t, l, "g"); grouped {
			path = []string{"g"}
			if inner, _ := rawAt(t, l, "g", "inner"); inner != msg {
				t.Fatalf("inner %s in a record of %s: %s", inner, msg, clip(l))
			}
		}
		worker, _ := rawAt(t, l, "worker")
		last, _ := rawAt(t, l, append(path, "last")...)
		i, _ := rawAt(t, l, append(path, "i")...)
		if worker != msg || last != msg || i != itoa(next[msg]) {
			t.Fatalf("record %d of %s is mixed up: %s", next[msg], msg, clip(l))
		}
		next[msg]++
	}
}

func TestConcurrentHandlers(t *testing.T) {
	same := handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr { return a })
	opts := map[string][]handler.Option{"": nil, "ReplaceAttr": {same}, "source": {handler.WithSource(), handler.WithLevel(slog.LevelDebug)}}
	for name, o := range opts {
		t.Run(name, func(t *testing.T) {
			forEachWriter(t, func(t *testing.T, k writerKind) {
				w, out := k.open()
				if ps, ok := w.(*protoStream); ok {
					ps.mu = make(chan struct{}, 1)
				}
				hammer(t, newHandler(w, o...), 5, 60, out)
				if ps, ok := w.(*protoStream); ok {
					ps.check(t)
				}
			})
		})
	}
}

// Plain kinds only, so that streaming is tried all the time.
func TestConcurrentStreaming(t *testing.T) {
	for _, size := range []int{0, 64, 300, 4096} {
		var under bytes.Buffer
		var w io.Writer = &under
		flush := func() error { return nil }
		if size > 0 {
			b := bufio.NewWriterSize(&under, size)
			w, flush = b, b.Flush
		}
		h := newHandler(w)
		within(t, func() {
			var wg sync.WaitGroup
			for g := range 6 {
				wg.Add(1)
				go func() {
					defer wg.Done()
					for i := range 500 {
						numbered(h, g*1000+i)
						if i%50 == 0 {
							runtime.Gosched()
						}
					}
				}()
			}
			wg.Wait()
		})
		if err := flush(); err != nil {
			t.Fatal(err)
		}
		seen := make(map[string]bool)
		for _, l := range checkLines(t, under.Bytes(), 3000) {
			seen[l] = true
		}
		for g := range 6 {
			for i := range 500 {
				if !seen[numberedLine(g*1000+i)] {
					t.Fatalf("size %d: record %d of %d is lost", size, i, g)
				}
			}
		}
	}
}

// The pool is emptied and objects move between Ps while records are made.
func TestConcurrentGC(t *testing.T) {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	var w bytes.Buffer
	hammer(t, newHandler(&w), 4, 120, w.Bytes)
	plain := new(sliceWriter)
	hammer(t, newHandler(plain), 4, 120, func() []byte { return plain.b })
	close(stop)
	wg.Wait()
}

// safeWriter is safe for concurrent use by itself.
type safeWriter struct {
	mu sync.Mutex
	sliceWriter
}

func (w *safeWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sliceWriter.Write(p)
}

func TestConcurrentWriterOption(t *testing.T) {
	w := new(safeWriter)
	hammer(t, newHandler(w, handler.WithConcurrentWriter()), 6, 200, func() []byte { return w.b })
	if w.calls != 1200 {
		t.Errorf("%d writes for 1200 records", w.calls)
	}
}

// meetWriter lets no Write return before two are in it.
type meetWriter struct {
	inside atomic.Int32
	both   chan struct{}
}

func (w *meetWriter) Write(p []byte) (int, error) {
	if w.inside.Add(1) == 2 {
		close(w.both)
	}
	<-w.both
	return len(p), nil
}

func TestConcurrentWriterHasNoLock(t *testing.T) {
	w := &meetWriter{both: make(chan struct{})}
	h := newHandler(w, handler.WithConcurrentWriter())
	within(t, func() {
		var wg sync.WaitGroup
		for i := range 2 {
			wg.Add(1)
			go func() { defer wg.Done(); numbered(h.WithAttrs([]slog.Attr{slog.Int("a", 1)}), i) }()
		}
		wg.Wait()
	})
}

// A concurrent writer's errors and short writes are its caller's like others'.
func TestConcurrentWriterErrors(t *testing.T) {
	var reports []error
	w := &scriptWriter{script: []outcome{short(0, errDisk), short(9, nil)}}
	h := newHandler(w, handler.WithConcurrentWriter(), quiet(t, &reports))
	if err := numbered(h, 0); !errors.Is(err, errDisk) {
		t.Errorf("Handle = %v", err)
	}
	if err := numbered(h, 1); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("Handle = %v", err)
	}
	if err := numbered(h, 2); err != nil {
		t.Errorf("Handle = %v", err)
	}
	if len(reports) != 2 {
		t.Errorf("reports: %v", reports)
	}
	if lines := strings.Split(string(w.out), "\n"); len(lines) < 2 || lines[len(lines)-2] != numberedLine(2) {
		t.Errorf("the record after a torn one is not on a line of its own: %q", w.out)
	}
}

// Levels change and records are dropped while others log.
func TestConcurrentLevels(t *testing.T) {
	var v slog.LevelVar
	var w sliceWriter
	log := slog.New(newHandler(&w, handler.WithLevel(&v), handler.WithFilter(func(_ context.Context, r slog.Record) bool { return r.Message != "no" })))
	within(t, func() {
		var wg sync.WaitGroup
		for range 4 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := range 200 {
					v.Set(slog.Level(i % 3 * 4))
					log.Info("no")
					log.With("a", i).Debug("yes")
					log.WithGroup("g").Error("always", "i", i)
				}
			}()
		}
		wg.Wait()
	})
	lines, err := splitLines(w.b)
	if err != nil || len(lines) < 800 {
		t.Errorf("%d records, %v", len(lines), err)
	}
	if bytes.Contains(w.b, []byte(`"no"`)) {
		t.Error("the filter let a record through")
	}
}
