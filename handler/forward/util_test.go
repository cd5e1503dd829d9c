package forward

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/forward/internal/receiver"
)

// patience is how long tests wait for what must happen. No test passes by
// waiting for it to end.
const patience = 60 * time.Second

// TestMain fails when goroutines of this package are left at the end.
func TestMain(m *testing.M) {
	code := m.Run()
	if left := leaked(); code == 0 && left != "" {
		fmt.Fprintln(os.Stderr, "goroutines left behind:\n"+left)
		code = 1
	}
	os.Exit(code)
}

// leaked returns the stacks of goroutines that run code of this module's
// forward package, after they had time to end.
func leaked() string {
	for end := time.Now().Add(5 * time.Second); ; runtime.Gosched() {
		buf := make([]byte, 1<<20)
		buf = buf[:runtime.Stack(buf, true)]
		var bad []string
		for _, g := range strings.Split(string(buf), "\n\n") {
			if strings.Contains(g, "handler/forward.(*") || strings.Contains(g, "forward/internal/receiver.(*") {
				bad = append(bad, g)
			}
		}
		if len(bad) == 0 || time.Now().After(end) {
			return strings.Join(bad, "\n\n")
		}
	}
}

// start starts a receiver that is stopped, and whose rules are found to have
// been kept, at the end of the test.
func start(t testing.TB, o receiver.Options) *receiver.Receiver {
	t.Helper()
	r, err := receiver.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Stop()
		for _, v := range r.Violations() {
			t.Errorf("rule broken: %v", v)
		}
	})
	return r
}

// errorLog collects what the error handler is told.
type errorLog struct {
	mu   sync.Mutex
	errs []error
}

func (l *errorLog) add(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.errs = append(l.errs, err)
}

func (l *errorLog) all() []error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]error(nil), l.errs...)
}

// refused returns the errors about refused records.
func (l *errorLog) refused() (out []*RefusedError) {
	for _, err := range l.all() {
		var re *RefusedError
		if errors.As(err, &re) {
			out = append(out, re)
		}
	}
	return out
}

// quickly are options for tests with faults: short pauses, small batches.
func quickly(opts ...Option) []Option {
	return append([]Option{
		WithBackoff(time.Millisecond, 20*time.Millisecond),
		WithRecoveryWait(50 * time.Millisecond),
		WithBatch(4<<10, 10*time.Millisecond),
		WithCloseTimeout(patience),
		WithErrorHandler(func(error) {}),
		optionFunc(func(c *config) { c.grace = 10 * time.Millisecond }),
	}, opts...)
}

func dial(t testing.TB, addr string, opts ...Option) *Writer {
	t.Helper()
	w, err := Dial(context.Background(), addr, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = w.Shutdown(ctx) // where the test has not closed it
	})
	return w
}

// sums fails the test where the counters do not add up.
func sums(t testing.TB, s Stats) {
	t.Helper()
	if s.Accepted != s.Acknowledged+s.Dropped+s.Refused+s.Pending {
		t.Errorf("the sum is wrong: %+v", s)
	}
	if s.Pending < 0 || s.Bytes < 0 || s.Allocated < 0 {
		t.Errorf("negative: %+v", s)
	}
}

// watchSums checks the sum over and over until the function returned is
// called.
func watchSums(t testing.TB, w *Writer) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(200 * time.Microsecond)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				s := w.Stats()
				sums(t, s)
				if s.Allocated > int64(w.c.bufferBytes) {
					t.Errorf("%d bytes allocated, more than %d", s.Allocated, w.c.bufferBytes)
					return
				}
			}
		}
	}()
	return func() { close(quit); <-done }
}

// logN logs n records with the numbers from first up.
func logN(w *Writer, first, n int) {
	l := slog.New(handler.New(w))
	for i := first; i < first+n; i++ {
		l.Info("hello", "n", i, "text", "something to say", slog.Group("g", "inner", true))
	}
}

// numbers returns how often each number arrived.
func numbers(r *receiver.Receiver) map[int64]int {
	got := map[int64]int{}
	for _, rec := range r.Records() {
		if n, ok := rec.Fields.Get("n").(int64); ok {
			got[n]++
		}
	}
	return got
}

// arrived fails the test unless each of the numbers 0..n-1 arrived, no more
// than extra of them again.
func arrived(t testing.TB, r *receiver.Receiver, n int, extra int64) {
	t.Helper()
	got := numbers(r)
	again := 0
	for i := range int64(n) {
		if got[i] == 0 {
			t.Errorf("record %d is missing, of %d", i, n)
			return
		}
		again += got[i] - 1
	}
	if len(got) != n {
		t.Errorf("%d different records, sent %d", len(got), n)
	}
	if int64(again) > extra {
		t.Errorf("%d records came again, but only %d were sent again", again, extra)
	}
}

func mustClose(t testing.TB, w *Writer) Stats {
	t.Helper()
	if err := w.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	s := w.Stats()
	sums(t, s)
	if s.Pending != 0 || s.Bytes != 0 || s.Allocated != 0 {
		t.Errorf("after Close: %+v", s)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.suspects != 0 || w.waiters != 0 || len(w.flushes) != 0 || w.nacks != 0 {
		t.Errorf("after Close: %d suspects, %d waiters, %d flushes, %d nacks", w.suspects, w.waiters, len(w.flushes), w.nacks)
	}
	return s
}
