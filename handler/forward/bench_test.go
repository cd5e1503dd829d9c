package forward

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/forward/internal/receiver"
)

// tenAttrs are the attributes of the benchmarks' record.
func tenAttrs() []slog.Attr {
	return []slog.Attr{
		slog.String("method", "GET"), slog.String("path", "/api/v1/orders/4711"), slog.Int("status", 200),
		slog.Int64("bytes", 18230), slog.Duration("duration", 1834*time.Microsecond), slog.Bool("cached", false),
		slog.Float64("load", 0.75), slog.String("user", "u-9f31c2"), slog.String("trace_id", "4bf92f3577b34da6a3ce929d0e0e4736"),
		slog.Uint64("attempt", 1),
	}
}

// BenchmarkForward is a logger with ten attributes into a receiver, in the same
// process, that acknowledges. It includes sending and receiving everything; no
// record is dropped.
func BenchmarkForward(b *testing.B) {
	for _, bb := range []struct {
		name string
		opts []Option
	}{{"ack", nil}, {"noack", []Option{WithoutAcks()}}, {"gzip", []Option{WithGzip()}}} {
		b.Run(bb.name, func(b *testing.B) {
			r := start(b, receiver.Options{Quick: true})
			w := dial(b, r.Addr(), append(bb.opts, WithPolicy(Block), WithCloseTimeout(patience), WithWaitForConnection())...)
			l := slog.New(handler.New(w))
			attrs := tenAttrs()
			ctx := context.Background()
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				l.LogAttrs(ctx, slog.LevelInfo, "request served", attrs...)
			}
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			s := w.Stats()
			if s.Acknowledged != int64(b.N) {
				b.Fatalf("%+v", s)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
			b.ReportMetric(float64(s.BytesSent)/float64(b.N), "B/record")
		})
	}
}

// BenchmarkFormat is the same logger into nothing: what formatting costs.
func BenchmarkFormat(b *testing.B) {
	l := slog.New(handler.New(io.Discard, handler.WithFormat(handler.Forward)))
	attrs := tenAttrs()
	ctx := context.Background()
	b.ReportAllocs()
	for range b.N {
		l.LogAttrs(ctx, slog.LevelInfo, "request served", attrs...)
	}
}

func benchmarkEntry() []byte {
	var buf bytes.Buffer
	slog.New(handler.New(&buf, handler.WithFormat(handler.Forward))).LogAttrs(context.Background(), slog.LevelInfo, "request served", tenAttrs()...)
	return buf.Bytes()
}

// BenchmarkCheck is the check of an entry that comes by Write.
func BenchmarkCheck(b *testing.B) {
	e := benchmarkEntry()
	b.ReportAllocs()
	for range b.N {
		if _, err := checkEntry(e, 0); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkJSON is the conversion of another logger's line.
func BenchmarkJSON(b *testing.B) {
	var buf bytes.Buffer
	slog.New(handler.New(&buf, handler.WithProfile(handler.OTel()))).LogAttrs(context.Background(), slog.LevelInfo, "request served", tenAttrs()...)
	line := buf.Bytes()
	cv := newConverter()
	now := time.Now()
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	for range b.N {
		if _, err := cv.entry(line, now); err != nil {
			b.Fatal(err)
		}
	}
}
