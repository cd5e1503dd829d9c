package handler_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/slogpack/slogpack/handler"
)

// failingWriter fails always.
type failingWriter struct{ calls atomic.Int64 }

func (w *failingWriter) Write(p []byte) (int, error) { w.calls.Add(1); return 0, errDisk }

// The error handler runs after unlocking, so it may log through the handler it
// reports for. What fails of that is not reported again.
func TestErrorHandlerLogs(t *testing.T) {
	w := new(failingWriter)
	var h *handler.Handler
	var derived slog.Handler
	reports := 0
	h = newHandler(w, handler.WithErrorHandler(func(err error) {
		if reports++; reports > 100 {
			t.Fatal("the error handler is called for its own records")
		}
		slog.New(h).Error("write failed", "err", err)
		slog.New(derived).Error("write failed", "err", err, "a", []int{1})
	}))
	derived = h.WithGroup("g").WithAttrs([]slog.Attr{slog.Int("a", 1)})
	within(t, func() {
		for i := range 3 {
			if err := numbered(h, i); !errors.Is(err, errDisk) {
				t.Errorf("Handle = %v", err)
			}
		}
		if err := numbered(derived, 3); !errors.Is(err, errDisk) {
			t.Errorf("Handle = %v", err)
		}
	})
	if reports != 4 {
		t.Errorf("4 failing records made %d reports", reports)
	}
	if n := w.calls.Load(); n != 12 {
		t.Errorf("%d writes were tried, want 12: 4 records and 2 of the error handler for each", n)
	}
}

// Where only one write failed, the error handler's record comes out.
func TestErrorHandlerLogsOntoMendedWriter(t *testing.T) {
	w := &scriptWriter{script: []outcome{short(15, errDisk)}}
	var h *handler.Handler
	h = newHandler(w, handler.WithErrorHandler(func(err error) { slog.New(h).Error("write failed", "err", err) }))
	within(t, func() { numbered(h, 0) })
	numbered(h, 1)
	lines := checkLines(t, w.out, 3)
	if lines[0] != numberedLine(0) || !strings.Contains(lines[1], `"err":"disk full"`) || lines[2] != numberedLine(1) {
		t.Errorf("got %q", lines)
	}
}

// The error handler's panic stays its own.
func TestErrorHandlerPanics(t *testing.T) {
	n := 0
	h := newHandler(new(failingWriter), handler.WithErrorHandler(func(error) { n++; panic(panicsTwice{}) }))
	within(t, func() {
		for i := range 3 {
			if err := numbered(h, i); !errors.Is(err, errDisk) {
				t.Errorf("Handle = %v", err)
			}
		}
	})
	if n != 3 {
		t.Errorf("the error handler was called %d times, want 3", n)
	}
}

// A failing record of another goroutine is reported also while an error
// handler is running.
func TestErrorHandlersConcurrent(t *testing.T) {
	w := new(failingWriter)
	var reports atomic.Int64
	entered, release := make(chan struct{}), make(chan struct{})
	h := newHandler(w, handler.WithErrorHandler(func(error) {
		if reports.Add(1) == 1 {
			close(entered)
			<-release
		}
	}))
	within(t, func() {
		done := make(chan struct{})
		go func() { defer close(done); numbered(h, 0) }()
		<-entered
		for i := range 5 { // neither held up nor swallowed by the one that is busy
			if err := numbered(h, i); !errors.Is(err, errDisk) {
				t.Errorf("Handle = %v", err)
			}
		}
		close(release)
		<-done
	})
	if n := w.calls.Load(); n != 6 {
		t.Errorf("%d writes, want 6", n)
	}
	if n := reports.Load(); n != 6 {
		t.Errorf("6 failures, %d reports", n)
	}
}

const reportHelper = "SLOGPACK_REPORT_HELPER"

// TestReportHelper is the other process of TestReportsToStderr.
func TestReportHelper(t *testing.T) {
	log := func(h slog.Handler) {
		for i := range 5 {
			err := h.Handle(context.Background(), record(0, "lost", slog.Int("i", i)))
			fmt.Println("handled:", err)
		}
	}
	switch os.Getenv(reportHelper) {
	case "failing":
		h := newHandler(new(failingWriter))
		log(h)
		log(h.WithGroup("g"))
	case "foreign level":
		log(newHandler(new(foreignLevels)))
	case "closed stderr":
		os.Stderr.Close()
		log(newHandler(os.Stderr))
	case "stderr replaced":
		// Read only: it cannot be written to, by whoever.
		f, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		os.Stderr = f
		log(newHandler(f))
		log(newHandler(new(failingWriter)))
	case "own handler":
		log(newHandler(new(failingWriter), handler.WithErrorHandler(func(error) {})))
	}
}

func TestReportsToStderr(t *testing.T) {
	for name, want := range map[string]struct {
		reports  int // lines on stderr
		contains string
		fails    bool
	}{
		"failing":         {1, "disk full", true},
		"foreign level":   {1, "zerologsink.New", false},
		"closed stderr":   {0, "", true},
		"stderr replaced": {0, "", true},
		"own handler":     {0, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestReportHelper$")
			cmd.Env = append(os.Environ(), reportHelper+"="+name)
			var stdout, stderr strings.Builder
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Run(); err != nil {
				if strings.Contains(err.Error(), "exec format error") {
					t.Skip("this test runs emulated, and the machine cannot start it a second time")
				}
				t.Fatalf("%v\n%s%s", err, &stdout, &stderr)
			}
			if n := strings.Count(stderr.String(), "\n"); n != want.reports || !strings.Contains(stderr.String(), want.contains) {
				t.Errorf("%d lines on stderr, want %d with %q:\n%s", n, want.reports, want.contains, &stderr)
			}
			if strings.Contains(stderr.String(), `"msg"`) {
				t.Errorf("a record on stderr: %s", &stderr)
			}
			if ok := strings.Contains(stdout.String(), "handled: <nil>"); ok == want.fails {
				t.Errorf("stdout:\n%s", &stdout)
			}
		})
	}
}
