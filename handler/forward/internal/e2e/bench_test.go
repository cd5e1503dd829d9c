package e2e

import (
	"context"
	"io"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/fluent/fluent-logger-golang/fluent"
	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/forward"
	"github.com/slogpack/slogpack/handler/forward/internal/receiver"
)

// BenchmarkClients sends records of ten attributes to a receiver in the same
// process: ours with acknowledgements, into one that acknowledges; theirs as
// they are by default, without, into one that only reads. Their record is made
// beforehand, ours at each call.
func BenchmarkClients(b *testing.B) {
	b.Run("slogpack", slogpack)
	b.Run("fluent-logger", func(b *testing.B) { fluentLogger(b, fluent.Config{}) })
	b.Run("fluent-logger-async", func(b *testing.B) { fluentLogger(b, fluent.Config{Async: true, BufferLimit: 1 << 20}) })
}

func slogpack(b *testing.B) {
	r, err := receiver.Start(receiver.Options{Quick: true})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Stop()
	w, err := forward.Dial(context.Background(), r.Addr(), forward.WithPolicy(forward.Block),
		forward.WithCloseTimeout(time.Minute), forward.WithWaitForConnection())
	if err != nil {
		b.Fatal(err)
	}
	l := slog.New(handler.New(w))
	ctx := context.Background()
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		l.LogAttrs(ctx, slog.LevelInfo, "request served",
			slog.String("method", "GET"), slog.String("path", "/api/v1/orders/4711"), slog.Int("status", 200),
			slog.Int64("bytes", 18230), slog.Duration("duration", 1834*time.Microsecond), slog.Bool("cached", false),
			slog.Float64("load", 0.75), slog.String("user", "u-9f31c2"), slog.String("trace_id", "4bf92f3577b34da6a3ce929d0e0e4736"),
			slog.Uint64("attempt", 1))
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	if s := w.Stats(); s.Acknowledged != int64(b.N) {
		b.Fatalf("%+v", s)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// reading accepts connections and reads whatever comes.
func reading(b *testing.B) (port int, stop func()) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			wg.Add(1)
			go func() {
				defer wg.Done()
				defer c.Close()
				_, _ = io.Copy(io.Discard, c)
			}()
		}
	}()
	return ln.Addr().(*net.TCPAddr).Port, func() { ln.Close(); wg.Wait() }
}

func fluentLogger(b *testing.B, cfg fluent.Config) {
	port, stop := reading(b)
	defer stop()
	cfg.FluentHost, cfg.FluentPort = "127.0.0.1", port
	cfg.SubSecondPrecision = true
	l, err := fluent.New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	record := map[string]any{
		"level": "INFO", "message": "request served",
		"method": "GET", "path": "/api/v1/orders/4711", "status": 200, "bytes": int64(18230), "duration": int64(1834000),
		"cached": false, "load": 0.75, "user": "u-9f31c2", "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736", "attempt": uint64(1),
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		for l.PostWithTime("app.log", time.Now(), record) != nil {
			// Its queue, when asynchronous, is full.
			time.Sleep(time.Microsecond)
		}
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
}
