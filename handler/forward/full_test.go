package forward

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/forward/internal/receiver"
)

// fill writes records until some have been dropped, and returns how many were
// written.
func fill(t testing.TB, w *Writer, dropped int64) (n int) {
	t.Helper()
	for ; w.Stats().Dropped < dropped; n++ {
		logN(w, n, 1)
		if n > 1<<20 {
			t.Fatal("the queue does not get full")
		}
	}
	return n
}

// With the receiver down the memory stays within its bound, what does not fit
// is dropped and counted, and when the receiver is back a record of ours says
// how many there were. What is kept are the oldest or the newest records, by
// policy.
func TestFull(t *testing.T) {
	for _, policy := range []Policy{DropNewest, DropOldest} {
		for _, streamed := range []bool{true, false} {
			r := start(t, receiver.Options{})
			r.Stop()
			var log errorLog
			w := dial(t, r.Addr(), quickly(WithPolicy(policy), WithBufferBytes(40_000), WithBlockTimeout(time.Millisecond), WithErrorHandler(log.add))...)
			stop := watchSums(t, w)
			l := slog.New(handler.New(w))
			n := 0
			for ; w.Stats().Dropped < 1500; n++ {
				if streamed {
					l.Info("hello", "n", n)
				} else {
					l.Info("hello", "n", n, "any", []int{1})
				}
			}
			if s := w.Stats(); s.Bytes < 20_000 || s.Allocated > 40_000 {
				t.Errorf("%+v", s)
			}
			if err := r.Restart(); err != nil {
				t.Fatal(err)
			}
			if err := w.Flush(); err != nil {
				t.Error(err)
			}
			stop()
			s := mustClose(t, w)
			if s.Accepted != int64(n) || s.Dropped < 1500 || s.Refused != 0 || s.Notes == 0 {
				t.Errorf("%+v", s)
			}
			got := numbers(r)
			if int64(len(got)) != s.Acknowledged {
				t.Errorf("%d arrived, %+v", len(got), s)
			}
			if _, ok := got[0]; ok != (policy == DropNewest) {
				t.Errorf("policy %v: the first record arrived: %v", policy, ok)
			}
			if _, ok := got[int64(n-1)]; ok != (policy == DropOldest) {
				t.Errorf("policy %v: the last record arrived: %v", policy, ok)
			}
			told := int64(0)
			for _, rec := range r.Records() {
				if d, ok := rec.Fields.Get("dropped_records").(int64); ok {
					told += d
					if rec.Text("level") != "WARN" || rec.Fields.Get("severity_number") != int64(13) || !strings.Contains(rec.Text("message"), "dropped") {
						t.Errorf("%v", rec.Fields)
					}
				}
			}
			if told != s.Dropped {
				t.Errorf("notes tell of %d, dropped %d", told, s.Dropped)
			}
			full := 0
			for _, err := range log.all() {
				if errors.Is(err, ErrFull) {
					full++
				}
			}
			if full != 1 {
				t.Errorf("told %d times of the full queue", full)
			}
		}
	}
}

// A note of ours has room reserved.
func TestNoteRoom(t *testing.T) {
	n := appendNote(nil, 1<<62, time.Now())
	if len(n) > noteRoom {
		t.Errorf("%d bytes", len(n))
	}
	if end, err := checkEntry(n, 0); err != nil || end != len(n) {
		t.Errorf("%v", err)
	}
}

// A caller waits for room no longer than the block timeout, and once nothing
// has moved for so long, callers do not wait again.
func TestBlockTimeout(t *testing.T) {
	const timeout = 50 * time.Millisecond
	for _, policy := range []Policy{DropNewest, DropOldest} {
		w := dial(t, "127.0.0.1:1", quickly(WithBufferBytes(1), WithBlockTimeout(timeout), WithPolicy(policy))...)
		full := func(set *time.Time) time.Time {
			w.mu.Lock()
			defer w.mu.Unlock()
			if set != nil {
				w.fullSince = *set
			}
			return w.fullSince
		}
		n := fill(t, w, 1)
		full(new(time.Time)) // as if something had moved
		began := time.Now()
		for full(nil).IsZero() {
			logN(w, n, 1)
		}
		if first := time.Since(began); first < timeout {
			t.Errorf("the first waited %v", first)
		}
		since := full(nil)
		const more = 1000
		began = time.Now()
		logN(w, n, more)
		if all := time.Since(began); all > more/2*timeout {
			t.Errorf("%d more waited %v", more, all)
		}
		if full(nil) != since {
			t.Errorf("policy %v: waiting began anew, though nothing moved", policy)
		}
		sums(t, w.Stats())
	}
}

// A caller that waits gets the room that is made.
func TestRoomMade(t *testing.T) {
	for _, policy := range []Policy{DropNewest, DropOldest, Block} {
		release := make(chan struct{})
		r := start(t, receiver.Options{OnFrame: func(*receiver.Frame) receiver.Reply {
			<-release
			return receiver.Ack
		}})
		w := dial(t, r.Addr(), quickly(WithBufferBytes(1), WithPolicy(policy), WithBlockTimeout(patience))...)
		stop := watchSums(t, w)
		var wg sync.WaitGroup
		const each = 300
		for g := range 4 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				logN(w, g*each, each)
			}()
		}
		for waiting := 0; waiting == 0; time.Sleep(100 * time.Microsecond) {
			w.mu.Lock()
			waiting = w.waiters
			w.mu.Unlock()
		}
		close(release)
		wg.Wait()
		stop()
		s := mustClose(t, w)
		if s.Acknowledged != 4*each || s.Dropped != 0 {
			t.Errorf("policy %v: %+v", policy, s)
		}
		arrived(t, r, 4*each, 0)
	}
}

// Block waits without end, but not beyond Close.
func TestBlockEndsWithClose(t *testing.T) {
	w := dial(t, "127.0.0.1:1", quickly(WithBufferBytes(1), WithPolicy(Block))...)
	got := make(chan error, 1)
	go func() {
		for {
			if _, err := w.Write([]byte(`{"message":"x"}`)); err != nil {
				got <- err
				return
			}
		}
	}()
	for waiting := 0; waiting == 0; time.Sleep(100 * time.Microsecond) {
		w.mu.Lock()
		waiting = w.waiters
		w.mu.Unlock()
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := w.Shutdown(ctx); err == nil {
		t.Error("Shutdown does not tell of the loss")
	}
	if err := <-got; !errors.Is(err, ErrClosed) {
		t.Errorf("the waiting Write: %v", err)
	}
	s := w.Stats()
	sums(t, s)
	if s.Dropped != s.Accepted || s.Accepted == 0 {
		t.Errorf("%+v", s)
	}
}

// Long records have batches of their own; those that are too long for the
// queue, or for receivers, are refused at once.
func TestLongRecords(t *testing.T) {
	r := start(t, receiver.Options{})
	w := dial(t, r.Addr(), quickly(WithBatch(10_000, time.Hour), WithPolicy(Block), WithBufferBytes(1<<20))...)
	long := strings.Repeat("x", 50_000)
	l := slog.New(handler.New(w))
	const n = 50
	for i := range n {
		l.Info("short", "n", 2*i)
		l.Info(long, "n", 2*i+1)
	}
	_, err := w.Write([]byte(`{"message":"` + strings.Repeat("x", 1<<20) + `"}`))
	if !errors.Is(err, ErrTooLarge) {
		t.Errorf("1 MiB into a queue of 1 MiB: %v", err)
	}
	s := mustClose(t, w)
	if s.Acknowledged != 2*n || s.Invalid != 1 {
		t.Errorf("%+v", s)
	}
	arrived(t, r, 2*n, 0)

	w = dial(t, r.Addr(), quickly(WithBufferBytes(64<<20))...)
	if _, err := w.Write([]byte(`{"message":"` + strings.Repeat("x", maxEntryBytes) + `"}`)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%v", err)
	}
	if n, err := w.Write([]byte(`{"message":"` + strings.Repeat("x", maxEntryBytes-1000) + `"}`)); err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if s := mustClose(t, w); s.Acknowledged != 1 {
		t.Errorf("%+v", s)
	}
}

// Many goroutines, several kinds of loggers, one Writer, a receiver that hangs
// up now and then.
func TestConcurrent(t *testing.T) {
	r := start(t, receiver.Options{OnFrame: func(f *receiver.Frame) receiver.Reply {
		if f.Index == 5 {
			return receiver.AckHangup
		}
		return receiver.Ack
	}})
	w := dial(t, r.Addr(), quickly(WithPolicy(Block))...)
	stop := watchSums(t, w)
	var wg sync.WaitGroup
	const each, groups = 400, 6
	for g := range groups {
		wg.Add(1)
		go func() {
			defer wg.Done()
			l := slog.New(handler.New(w))
			if g%3 == 1 {
				l = slog.New(slog.NewJSONHandler(w, nil))
			}
			for i := range each {
				switch n := g*each + i; {
				case g%3 == 2:
					l.Error("any", "n", n, "any", []int{n})
				default:
					l.Info("plain", "n", n)
				}
				if i%100 == 0 && w.Flush() != nil {
					t.Error("Flush failed")
				}
			}
		}()
	}
	wg.Wait()
	stop()
	s := mustClose(t, w)
	if s.Acknowledged != each*groups {
		t.Errorf("%+v", s)
	}
	arrived(t, r, each*groups, s.Resent)
}

// The queue's memory is what it says, measured from outside.
func TestMemory(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector has memory of its own")
	}
	const bound, slack = 16 << 20, 3 << 20
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	w := dial(t, "127.0.0.1:1", quickly(WithBufferBytes(bound), WithBatch(256<<10, time.Second), WithBlockTimeout(0))...)
	line := []byte(`{"message":"` + strings.Repeat("x", 500) + `"}`)
	for w.Stats().Dropped < 1000 {
		if _, err := w.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	s := w.Stats()
	if s.Bytes < bound*9/10 || s.Allocated > bound {
		t.Errorf("%+v", s)
	}
	if grown := heap() - before; grown > bound+slack {
		t.Errorf("the heap grew by %d bytes, the bound is %d", grown, bound)
	}
}
