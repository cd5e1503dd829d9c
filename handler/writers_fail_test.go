package handler_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/slogpack/slogpack/handler"
)

var errDisk = errors.New("disk full")

// An outcome is what one Write does: take n bytes (all of them if n < 0) and
// return count and err, or panic.
type outcome struct {
	take    int
	count   int
	err     error
	panicks bool
}

// scriptWriter follows its script and succeeds after its end. It has a lock,
// so that no test depends on the handler's.
type scriptWriter struct {
	mu     sync.Mutex
	script []outcome
	out    []byte
	calls  [][]byte
}

func (w *scriptWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, append([]byte(nil), p...))
	if len(w.script) == 0 {
		w.out = append(w.out, p...)
		return len(p), nil
	}
	o := w.script[0]
	w.script = w.script[1:]
	if o.take < 0 {
		o.take = len(p)
	}
	o.take = min(o.take, len(p))
	w.out = append(w.out, p[:o.take]...)
	if o.panicks {
		panic("writer")
	}
	return o.count, o.err
}

func short(n int, err error) outcome { return outcome{take: n, count: n, err: err} }

// numbered logs record i through a handler that is not otherwise reporting.
func numbered(h slog.Handler, i int) error {
	return h.Handle(context.Background(), record(0, "m", slog.Int("i", i)))
}

func numberedLine(i int) string { return fmt.Sprintf(recordHead+`"msg":"m","i":%d}`, i) }

func quiet(t *testing.T, reports *[]error) handler.Option {
	return handler.WithErrorHandler(func(err error) {
		if err == nil {
			t.Error("error handler called with nil")
		}
		if reports != nil {
			*reports = append(*reports, err)
		}
	})
}

func TestWriteErrors(t *testing.T) {
	var reports []error
	w := &scriptWriter{script: []outcome{short(0, errDisk), short(0, errDisk)}}
	h := newHandler(w, quiet(t, &reports))
	for i := range 4 {
		err := numbered(h, i)
		if failed := i < 2; failed != errors.Is(err, errDisk) || !failed && err != nil {
			t.Errorf("record %d: Handle = %v", i, err)
		}
	}
	if len(reports) != 2 || !errors.Is(reports[0], errDisk) || !errors.Is(reports[1], errDisk) {
		t.Errorf("error handler got %v", reports)
	}
	lines, err := splitLines(w.out)
	if err != nil || len(lines) < 2 || lines[len(lines)-1] != numberedLine(3) {
		t.Errorf("%v: %q", err, lines)
	}
}

// A short write with or without an error: the tail is written ahead of the
// next record, and nothing is torn.
func TestShortWriteKeepsTail(t *testing.T) {
	full := len(numberedLine(0)) + 1
	for _, err := range []error{nil, errDisk} {
		for _, n := range []int{1, 10, full / 2, full - 2, full - 1} {
			var reports []error
			w := &scriptWriter{script: []outcome{short(n, err)}}
			h := newHandler(w, quiet(t, &reports))
			want := err
			if want == nil {
				want = io.ErrShortWrite
			}
			if got := numbered(h, 0); !errors.Is(got, want) {
				t.Errorf("%d bytes, %v: Handle = %v, want %v", n, err, got, want)
			}
			if len(reports) != 1 || !errors.Is(reports[0], want) {
				t.Errorf("%d bytes, %v: error handler got %v", n, err, reports)
			}
			for i := 1; i < 4; i++ {
				if err := numbered(h.WithGroup("").WithAttrs(nil), i); err != nil {
					t.Errorf("record %d: %v", i, err)
				}
			}
			for i, l := range checkLines(t, w.out, 4) {
				if l != numberedLine(i) {
					t.Errorf("%d bytes, %v: record %d is %s", n, err, i, l)
				}
			}
		}
	}
}

// The tail is a copy: the record's buffer is used again by others meanwhile.
func TestTailIsACopy(t *testing.T) {
	w := &scriptWriter{script: []outcome{short(20, nil)}}
	h := newHandler(w, quiet(t, nil))
	numbered(h, 0)
	other := newHandler(new(sliceWriter))
	for range 50 {
		handle(t, other, record(0, strings.Repeat("other", 20), slog.Any("a", []int{1})))
	}
	if err := numbered(h, 1); err != nil {
		t.Error(err)
	}
	for i, l := range checkLines(t, w.out, 2) {
		if l != numberedLine(i) {
			t.Errorf("record %d is %s", i, l)
		}
	}
}

// failures says how often the writer fails after a torn record. Soon mended:
// no record is torn. Not mended for long: the tail is given up, and the next
// record starts on a line of its own.
func TestTailGivenUp(t *testing.T) {
	for failures := range 9 {
		script := []outcome{short(20, errDisk)}
		for range failures {
			script = append(script, short(0, errDisk))
		}
		w := &scriptWriter{script: script}
		h := newHandler(w, quiet(t, nil))
		n := 0
		for ; len(w.script) > 0; n++ {
			if err := numbered(h, n); err == nil {
				t.Errorf("%d failures: record %d: no error", failures, n)
			}
			if n > 20 {
				t.Fatal("the writer is not tried any more")
			}
		}
		for range 3 {
			if err := numbered(h, n); err != nil {
				t.Errorf("%d failures: record %d: %v", failures, n, err)
			}
			n++
		}
		first, rest, _ := strings.Cut(string(w.out), "\n")
		lines, err := splitLines([]byte(rest))
		if err != nil {
			t.Errorf("%d failures: %v", failures, err)
			continue
		}
		whole := first == numberedLine(0)
		if !whole && first != numberedLine(0)[:20] {
			t.Errorf("%d failures: the first line is %q", failures, first)
		}
		if failures < 2 && !whole {
			t.Errorf("%d failures: the tail was given up: %q", failures, w.out)
		}
		if failures > 3 && whole {
			t.Errorf("%d failures: the tail was kept for ever", failures)
		}
		for i := range 3 { // what was logged after the recovery is there
			if k := len(lines) - 3 + i; k < 0 || lines[k] != numberedLine(n-3+i) {
				t.Errorf("%d failures: got %q", failures, lines)
				break
			}
		}
	}
}

// A tail that is itself written short goes on being a tail.
func TestTailWrittenShort(t *testing.T) {
	w := &scriptWriter{script: []outcome{short(20, nil), short(5, nil), short(1, errDisk)}}
	h := newHandler(w, quiet(t, nil))
	for i := range 6 {
		numbered(h, i)
	}
	lines, err := splitLines(w.out)
	if err != nil {
		t.Fatalf("%v: %q", err, w.out)
	}
	if lines[0] != numberedLine(0) || lines[len(lines)-1] != numberedLine(5) {
		t.Errorf("got %q", lines)
	}
}

func TestImpossibleCounts(t *testing.T) {
	for _, o := range []outcome{
		{take: -1, count: -1}, {take: -1, count: -1, err: errDisk}, {take: -1, count: 1 << 20}, {take: -1, count: 1 << 20, err: errDisk},
		{take: 0, count: math.MinInt}, {take: -1, count: math.MaxInt}, {take: 0, count: math.MaxInt, err: errDisk}, {take: 0, count: 0},
		{take: -1, count: len(numberedLine(0)) + 2}, {take: -1, count: len(numberedLine(0)) + 1, err: errDisk},
	} {
		w := &scriptWriter{script: []outcome{o}}
		h := newHandler(w, quiet(t, nil))
		if err := numbered(h, 0); o.err != nil && !errors.Is(err, o.err) {
			t.Errorf("%+v: Handle = %v", o, err)
		}
		if err := numbered(h, 1); err != nil {
			t.Errorf("%+v: next record: %v", o, err)
		}
		lines, err := splitLines(w.out)
		if err != nil || len(lines) == 0 || lines[len(lines)-1] != numberedLine(1) {
			t.Errorf("%+v: %v: %q", o, err, w.out)
		}
	}
}

// A writer that panics leaves no lock behind.
func TestWriterPanics(t *testing.T) {
	w := &scriptWriter{script: []outcome{{panicks: true}, {take: -1, panicks: true}}}
	h := newHandler(w, quiet(t, nil))
	within(t, func() {
		for i := range 2 {
			func() {
				defer func() {
					if r := recover(); r != nil && fmt.Sprint(r) != "writer" {
						t.Errorf("another panic came out: %v", r)
					}
				}()
				if err := numbered(h, i); err == nil {
					t.Error("a panic of the writer passed for success")
				}
			}()
		}
		for i := 2; i < 5; i++ {
			if err := numbered(h, i); err != nil {
				t.Error(err)
			}
		}
	})
	lines, err := splitLines(w.out)
	if err != nil || len(lines) < 4 || lines[len(lines)-1] != numberedLine(4) {
		t.Errorf("%v: %q", err, w.out)
	}
}

// blockWriter stays in Write until it is let go.
type blockWriter struct {
	sliceWriter
	entered chan struct{}
	release chan struct{}
}

func (w *blockWriter) Write(p []byte) (int, error) {
	w.entered <- struct{}{}
	<-w.release
	return w.sliceWriter.Write(p)
}

// While a writer blocks, others of its handler wait for the lock with their
// records formatted; nobody else is held up, and nothing is lost.
func TestWriterBlocks(t *testing.T) {
	w := &blockWriter{entered: make(chan struct{}, 10), release: make(chan struct{})}
	h := newHandler(w)
	var wg sync.WaitGroup
	formatted := make(chan struct{}, 4)
	log := func(i int) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			handle(t, h, record(0, "m", slog.Int("i", i), slog.Any("v", valuer(func() slog.Value {
				formatted <- struct{}{}
				return slog.IntValue(1)
			}))))
		}()
	}
	within(t, func() {
		log(0)
		<-formatted
		<-w.entered
		for i := 1; i < 4; i++ {
			log(i)
			<-formatted // user code runs although the writer blocks
		}
		if !h.WithGroup("g").Enabled(context.Background(), slog.LevelInfo) {
			t.Error("not enabled")
		}
		handle(t, newHandler(new(sliceWriter)), record(0, "another writer"))
		close(w.release)
		wg.Wait()
	})
	checkLines(t, w.b, 4)
}

// Writers that are short now and then, under many goroutines.
func TestShortWritesConcurrent(t *testing.T) {
	w := new(scriptWriter)
	for i := range 400 {
		w.script = append(w.script, short(1+i%70, []error{nil, errDisk}[i/2%2]))
	}
	alternating := &alternateWriter{w: w}
	h := newHandler(alternating, handler.WithErrorHandler(func(error) {}))
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 200 {
				numbered(h, g*1000+i)
			}
		}()
	}
	wg.Wait()
	h.Handle(context.Background(), record(0, "last"))
	h.Handle(context.Background(), record(0, "last"))
	lines, err := splitLines(w.out)
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 802 {
		t.Errorf("%d records of 802 came out", len(lines))
	}
}

// alternateWriter lets every other write through whole.
type alternateWriter struct {
	w *scriptWriter
	n int
}

func (a *alternateWriter) Write(p []byte) (int, error) {
	if a.n++; a.n%2 == 0 {
		a.w.mu.Lock()
		defer a.w.mu.Unlock()
		a.w.out = append(a.w.out, p...)
		return len(p), nil
	}
	return a.w.Write(p)
}
