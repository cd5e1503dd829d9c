package handler_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
)

func made(msg string, attrs ...slog.Attr) slog.Record {
	r := slog.NewRecord(time.Unix(1, 0).UTC(), slog.LevelInfo, msg, 0)
	r.AddAttrs(attrs...)
	return r
}

// steps is a writer that answers each Write by the next of its steps, and then
// takes everything.
type steps struct {
	bytes.Buffer
	next []func(p []byte) (int, error)
}

func (w *steps) Write(p []byte) (int, error) {
	if len(w.next) == 0 {
		return w.Buffer.Write(p)
	}
	f := w.next[0]
	w.next = w.next[1:]
	n, err := f(p)
	w.Buffer.Write(p[:n])
	return n, err
}

func partly(n int) func([]byte) (int, error) {
	return func([]byte) (int, error) { return n, io.ErrShortWrite }
}

func failing(err error) func([]byte) (int, error) {
	return func([]byte) (int, error) { return 0, err }
}

// loggingError logs when its text is asked for.
type loggingError struct{ h *handler.Handler }

func (e *loggingError) Error() string {
	_ = e.h.Handle(context.Background(), made("from the error"))
	return "logs"
}

// TestErrorTextsOutsideTheLock: the text of a writer's error is user code. It is
// never asked for under the lock, whatever way the error goes.
func TestErrorTextsOutsideTheLock(t *testing.T) {
	ways := map[string]func(h *handler.Handler) error{
		"Handle": func(h *handler.Handler) error { return h.Handle(context.Background(), made("b")) },
		"Flush":  func(h *handler.Handler) error { return h.Flush() },
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			e := &loggingError{}
			w := &steps{next: []func([]byte) (int, error){partly(5), failing(e), failing(e)}}
			h := newHandler(w, handler.WithErrorHandler(func(error) {}))
			e.h = h
			_ = h.Handle(context.Background(), made("a"))
			done := make(chan error)
			go func() { done <- way(h) }()
			select {
			case err := <-done:
				if !errors.Is(err, e) {
					t.Errorf("got %v, want the writer's error", err)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("deadlock")
			}
		})
	}
}

// TestFlushDoesNotStrike: a tail is given up after three records, however often
// it is flushed in between.
func TestFlushDoesNotStrike(t *testing.T) {
	full := failing(errors.New("full"))
	w := &steps{next: []func([]byte) (int, error){partly(20), full, full, full, full}}
	h := newHandler(w, handler.WithErrorHandler(func(error) {}))
	ctx := context.Background()
	_ = h.Handle(ctx, made("one"))
	for range 4 {
		if h.Flush() == nil {
			t.Error("Flush did not say that the tail is not written")
		}
	}
	if err := h.Handle(ctx, made("two")); err != nil {
		t.Error(err)
	}
	want := strings.Join([]string{`"one"`, `"two"`}, "|")
	var got []string
	for line := range strings.Lines(w.String()) {
		got = append(got, line[strings.LastIndex(line, ":")+1:len(line)-2])
	}
	if strings.Join(got, "|") != want {
		t.Errorf("got %q", w.String())
	}
}

// TestTailWithAnError: a tail that was written, with an error, costs the next
// record nothing.
func TestTailWithAnError(t *testing.T) {
	odd := errors.New("written all the same")
	w := &steps{next: []func([]byte) (int, error){partly(20), func(p []byte) (int, error) { return len(p), odd }}}
	h := newHandler(w, handler.WithErrorHandler(func(error) {}))
	_ = h.Handle(context.Background(), made("one"))
	if err := h.Handle(context.Background(), made("two")); !errors.Is(err, odd) {
		t.Errorf("got %v, want the writer's error", err)
	}
	if n := strings.Count(w.String(), "\n"); n != 2 || !strings.Contains(w.String(), `"two"}`) {
		t.Errorf("got %q", w.String())
	}
}

// TestErrorsOfOtherHandlers: an error handler's own log calls are not reported
// to it again, those of another handler's are.
func TestErrorsOfOtherHandlers(t *testing.T) {
	ctx := context.Background()
	full := errors.New("full")
	var toB []error
	inB := make(chan bool)
	release := make(chan bool)
	var once = make(chan bool, 1)
	once <- true
	b := newHandler(fullWriter{full}, handler.WithErrorHandler(func(err error) {
		select {
		case <-once:
			close(inB)
			<-release
		default:
			toB = append(toB, err)
		}
	}))
	go func() { _ = b.Handle(ctx, made("keeps b's handler busy")) }()
	<-inB
	a := newHandler(fullWriter{full}, handler.WithErrorHandler(func(error) { _ = b.Handle(ctx, made("from a's handler")) }))
	_ = a.Handle(ctx, made("a"))
	close(release)
	if len(toB) != 1 {
		t.Errorf("b's error handler was told of %d errors, want 1", len(toB))
	}
}

type fullWriter struct{ err error }

func (w fullWriter) Write([]byte) (int, error) { return 0, w.err }
