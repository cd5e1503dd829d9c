package zerologsink_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/slogpack/slogpack/handler"
)

// when is the time of all records.
var when = time.Date(2026, 3, 4, 5, 6, 7, 890, time.UTC)

// log gives h one record.
func log(t *testing.T, h slog.Handler, l slog.Level, msg string, attrs ...slog.Attr) {
	t.Helper()
	r := slog.NewRecord(when, l, msg, 0)
	r.AddAttrs(attrs...)
	if err := h.Handle(context.Background(), r); err != nil {
		t.Fatal(err)
	}
}

// levels is a zerolog.LevelWriter of the tests' own.
type levels struct {
	bytes.Buffer
	got []zerolog.Level
}

func (w *levels) WriteLevel(l zerolog.Level, p []byte) (int, error) {
	w.got = append(w.got, l)
	return w.Write(p)
}

// mistakes collects what the error handler is told.
type mistakes struct {
	mu   sync.Mutex
	errs []string
}

func (m *mistakes) option() handler.Option {
	return handler.WithErrorHandler(func(err error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.errs = append(m.errs, err.Error())
	})
}

// lines splits output into lines, each of which must be valid JSON.
func lines(t *testing.T, out string) []string {
	t.Helper()
	if out == "" {
		return nil
	}
	ls := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	for _, l := range ls {
		if !json.Valid([]byte(l)) {
			t.Errorf("not valid JSON: %q", l)
		}
	}
	return ls
}

type writerOnly struct{ io.Writer }

// fromJSON decodes one JSON value.
func fromJSON(t *testing.T, s string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("%v: %q", err, s)
	}
	return v
}
