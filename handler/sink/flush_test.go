package sink

import (
	"errors"
	"runtime"
	"testing"
)

// gated is a writer whose calls end when they are told to, and how.
type gated struct {
	entered chan struct{}
	ends    chan error
}

func (w *gated) Write(p []byte) (int, error) {
	w.entered <- struct{}{}
	if err := <-w.ends; err != nil {
		return 0, err
	}
	return len(p), nil
}

func (w *gated) Flush() error { return nil }

// An attempt that was in the writer already when Flush was called, and fails, is
// no reason for Flush to fail, however many failed before.
func TestFlushDuringFailure(t *testing.T) {
	w := &gated{make(chan struct{}), make(chan error)}
	b := NewBuffer(w)
	if _, err := b.Write([]byte("{}\n")); err != nil {
		t.Fatal(err)
	}
	failed := make(chan error)
	go func() { failed <- b.Flush() }()
	full := errors.New("full")
	for range patience {
		<-w.entered
		w.ends <- full
	}
	if err := <-failed; !errors.Is(err, full) {
		t.Fatalf("after %d failures: %v", patience, err)
	}
	<-w.entered
	go func() { failed <- b.Flush() }()
	for asked := uint64(1); asked < 2; runtime.Gosched() {
		b.mu.Lock()
		asked = b.asked
		b.mu.Unlock()
	}
	w.ends <- full
	<-w.entered
	w.ends <- nil
	if err := <-failed; err != nil {
		t.Errorf("the writer takes everything again: %v", err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}
