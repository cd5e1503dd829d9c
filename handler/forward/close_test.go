package forward

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler/forward/internal/receiver"
)

// Close with the receiver down ends with its timeout, and says what was lost
// and why.
func TestCloseDown(t *testing.T) {
	r := start(t, receiver.Options{})
	r.Stop()
	w := dial(t, r.Addr(), quickly(WithCloseTimeout(30*time.Millisecond))...)
	logN(w, 0, 10)
	err := w.Close()
	if err == nil || !strings.Contains(err.Error(), "10 records") || !strings.Contains(err.Error(), r.Addr()) {
		t.Errorf("%v", err)
	}
	if s := w.Stats(); s.Dropped != 10 || s.Pending != 0 || s.Accepted != 10 {
		t.Errorf("%+v", s)
	}
	if err := r.Restart(); err != nil {
		t.Fatal(err)
	}
}

// With nothing to send, Close does not wait for a connection.
func TestCloseIdle(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:1", start(t, receiver.Options{}).Addr()} {
		w := dial(t, addr, WithCloseTimeout(time.Hour), WithBackoff(time.Hour, time.Hour), WithErrorHandler(func(error) {}))
		if s := mustClose(t, w); s.Accepted != 0 {
			t.Errorf("%+v", s)
		}
	}
}

// A receiver that takes everything and acknowledges nothing, or that reads
// nothing, does not keep Close, Flush and Shutdown beyond their bounds.
func TestCloseStalled(t *testing.T) {
	release := make(chan struct{})
	for _, o := range []receiver.Options{
		{OnFrame: func(*receiver.Frame) receiver.Reply { return receiver.Silent }},
		{BeforeRead: func(int, int64) error { <-release; return errors.New("end") }},
	} {
		r := start(t, o)
		w := dial(t, r.Addr(), quickly(WithCloseTimeout(20*time.Millisecond), WithBatch(200_000, time.Millisecond))...)
		stop := watchSums(t, w)
		logN(w, 0, 10_000)
		if err := w.Flush(); err == nil || !strings.Contains(err.Error(), "10000 records") {
			t.Errorf("Flush: %v", err)
		}
		var wg sync.WaitGroup
		for range 3 { // at once
			wg.Add(1)
			go func() {
				defer wg.Done()
				_ = w.Close()
			}()
		}
		wg.Wait()
		stop()
		if s := w.Stats(); s.Pending != 0 || s.Dropped != 10_000 {
			t.Errorf("%+v", s)
		}
	}
	close(release)
}

// Shutdown is bounded by its context, whatever the close timeout.
func TestShutdown(t *testing.T) {
	w := dial(t, "127.0.0.1:1", quickly(WithCloseTimeout(time.Hour))...)
	logN(w, 0, 5)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := w.Shutdown(ctx); err == nil {
		t.Error("nothing told")
	}
	r := start(t, receiver.Options{})
	w = dial(t, r.Addr(), quickly()...)
	logN(w, 0, 5)
	var none context.Context // the contract says what it means
	if err := w.Shutdown(none); err != nil {
		t.Error(err)
	}
	arrived(t, r, 5, 0)
}

// An error handler that is slow, panics or logs into the Writer itself harms
// nothing.
func TestErrorHandler(t *testing.T) {
	var w *Writer
	block := make(chan struct{})
	calls := 0
	ready := make(chan struct{})
	w = dial(t, "127.0.0.1:1", quickly(WithErrorHandler(func(err error) {
		<-ready
		if calls++; calls == 1 {
			logN(w, 0, 1)
			panic("of the handler")
		}
		<-block
	}))...)
	close(ready)
	for w.Stats().Failures < 20 {
		time.Sleep(time.Millisecond)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = w.Shutdown(ctx)
	close(block)
	s := w.Stats()
	sums(t, s)
	if s.Accepted != 1 || s.Dropped != 1 {
		t.Errorf("%+v", s)
	}
}

func TestReports(t *testing.T) {
	block, entered := make(chan struct{}), make(chan struct{}, 1000)
	var log errorLog
	r := newReports(func(err error) {
		entered <- struct{}{}
		<-block
		log.add(err)
	})
	r.add(errors.New("first"))
	<-entered
	for range maxReports + 5 {
		r.add(errors.New("more"))
	}
	close(block)
	r.stop()
	<-r.done
	errs := log.all()
	if len(errs) != 1+maxReports+1 || !strings.Contains(errs[len(errs)-1].Error(), "5 more errors") {
		t.Errorf("%d: %v", len(errs), errs[len(errs)-1])
	}
}
