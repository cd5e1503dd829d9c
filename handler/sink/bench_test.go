package sink_test

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/sink"
)

// benchLog logs records of ten attrs, as programs do, about 300 bytes each.
func benchLog(b *testing.B, w io.Writer, parallel bool) {
	log := slog.New(handler.New(w))
	since := time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC)
	ctx := context.Background()
	one := func() {
		log.LogAttrs(ctx, slog.LevelInfo, "the quick brown fox jumps over the lazy dog",
			slog.String("method", "GET"), slog.Int("status", 200), slog.Duration("took", 1234567),
			slog.String("path", "/api/v1/users/42"), slog.Bool("cached", true), slog.Float64("ratio", 0.75),
			slog.Uint64("bytes", 53421), slog.Int64("user", 424242), slog.String("remote", "10.1.2.3:44321"),
			slog.Time("since", since))
	}
	b.ReportAllocs()
	if parallel {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				one()
			}
		})
		return
	}
	for b.Loop() {
		one()
	}
}

// bounded empties the file now and then, so that a benchmark does not fill the
// disk.
type bounded struct {
	f *os.File
	n int
}

func (w *bounded) Write(p []byte) (int, error) {
	if w.n += len(p); w.n > 256<<20 {
		w.n = 0
		if err := w.f.Truncate(0); err != nil {
			return 0, err
		}
	}
	return w.f.Write(p)
}

func benchFile(b *testing.B) *os.File {
	f, err := os.OpenFile(filepath.Join(b.TempDir(), "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	return f
}

// BenchmarkLogger is a logger to a file through a Buffer beside one to a
// discarding writer, and beside one that writes each record to the file.
func BenchmarkLogger(b *testing.B) {
	buffered := func(w func(*testing.B) io.Writer, parallel bool, opts ...sink.Option) func(*testing.B) {
		return func(b *testing.B) {
			// Block, so that what is measured is written and not dropped.
			s := sink.NewBuffer(w(b), append(opts, sink.WithPolicy(sink.Block))...)
			benchLog(b, s, parallel)
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		}
	}
	file := func(b *testing.B) io.Writer { return &bounded{f: benchFile(b)} }
	discard := func(*testing.B) io.Writer { return io.Discard }
	for _, parallel := range []bool{false, true} {
		name := ""
		if parallel {
			name = "parallel/"
		}
		b.Run(name+"discard", func(b *testing.B) { benchLog(b, io.Discard, parallel) })
		b.Run(name+"sink-discard", buffered(discard, parallel))
		b.Run(name+"sink-file", buffered(file, parallel))
		b.Run(name+"sink-file-1MiB", buffered(file, parallel, sink.WithSize(1<<20)))
		b.Run(name+"file", func(b *testing.B) { benchLog(b, file(b), parallel) })
	}
}

// BenchmarkWrite is a record of another logger.
func BenchmarkWrite(b *testing.B) {
	s := sink.NewBuffer(io.Discard, sink.WithPolicy(sink.Block))
	p := []byte(line(1))
	b.ReportAllocs()
	for b.Loop() {
		s.Write(p)
	}
	b.StopTimer()
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}
