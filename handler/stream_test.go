package handler

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// Short records go by way of the pair's buffer; long ones, and those that are
// likely to be long, go into the writer's own.
func TestWorthStreaming(t *testing.T) {
	long := strings.Repeat("x", streamFrom)
	for _, w := range []io.Writer{new(bytes.Buffer), bufio.NewWriterSize(io.Discard, 4*streamFrom)} {
		h := New(w)
		for i, c := range []struct {
			message, attr string
			want          bool
		}{
			{"short", "", false},
			{"short", long, false}, // found out while it is formatted
			{"short", "", true},    // the last one was long
			{"short", "", false},
			{long, "", true},
			{"short", long, true},
			{"short", long, true},
			{"short", "", true},
			{"short", "", false},
		} {
			r := slog.NewRecord(time.Now(), slog.LevelInfo, c.message, 0)
			r.AddAttrs(slog.String("k", c.attr))
			if got := h.out.worthStreaming(h, &r); got != c.want {
				t.Errorf("%T: record %d: %v, want %v", w, i, got, c.want)
			}
			if err := h.Handle(context.Background(), r); err != nil {
				t.Fatal(err)
			}
		}
		r := slog.NewRecord(time.Now(), slog.LevelInfo, "short", 0)
		if h := h.WithAttrs([]slog.Attr{slog.String("k", long)}).(*Handler); !h.out.worthStreaming(h, &r) {
			t.Errorf("%T: long attrs of the handler's make no difference", w)
		}
	}
}
