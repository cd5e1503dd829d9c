package forward

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/forward/internal/receiver"
)

// A record costs no allocation, streamed, by Write, as JSON, or dropped.
func TestAllocs(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	r := start(t, receiver.Options{Quick: true})
	w := dial(t, r.Addr(), WithPolicy(Block), WithCloseTimeout(patience), WithWaitForConnection())
	rec := slog.NewRecord(time.Now(), slog.LevelInfo, "request served", 0)
	rec.AddAttrs(tenAttrs()...)
	ctx := context.Background()
	streaming := handler.New(w)
	plain := handler.New(w, handler.WithConcurrentWriter())
	line := []byte(`{"level":"info","time":"2026-02-03T04:05:06Z","message":"m","n":1.5,"list":[1,2,3]}` + "\n")

	full := dial(t, "127.0.0.1:1", quickly(WithBufferBytes(1), WithBlockTimeout(0), WithBackoff(time.Hour, time.Hour))...)
	fill(t, full, 1)
	toFull := handler.New(full)
	tests := []struct {
		name string
		f    func()
	}{
		{"streamed", func() { _ = streaming.Handle(ctx, rec) }},
		{"written", func() { _ = plain.Handle(ctx, rec) }},
		{"JSON", func() { _, _ = w.Write(line) }},
		{"dropped", func() { _ = toFull.Handle(ctx, rec) }},
	}
	for _, tt := range tests {
		// The batches' own few allocations come to less than one a record.
		if n := testing.AllocsPerRun(20_000, tt.f); n != 0 {
			t.Errorf("%s: %v allocations a record", tt.name, n)
		}
	}
	mustClose(t, w)
}
