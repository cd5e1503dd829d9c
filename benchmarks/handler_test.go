package benchmarks

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/slogpack/slogpack/benchmarks/internal/peers"
	"github.com/slogpack/slogpack/benchmarks/internal/scenario"
	"github.com/slogpack/slogpack/handler"
)

// discard is a writer that io's and the peers' own short cuts do not know.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// BenchmarkHandle is the formatting of a record that exists already: scenario
// by scenario, the peers one after the other.
func BenchmarkHandle(b *testing.B) {
	ctx := context.Background()
	for _, s := range scenario.All() {
		for _, p := range peers.Handlers() {
			if p.Lacks[s.Name] != "" {
				continue
			}
			b.Run(s.Name+"/"+p.Name, func(b *testing.B) {
				h := s.Derive(p.New(discard{}, &s))
				r := s.Record()
				b.ReportAllocs()
				for b.Loop() {
					_ = h.Handle(ctx, r)
				}
			})
		}
		for _, f := range []handler.Format{handler.MessagePack, handler.Forward} {
			b.Run(s.Name+"/slogpack-"+f.String(), func(b *testing.B) {
				h := s.Derive(peers.SlogpackWith(discard{}, &s, handler.WithFormat(f)))
				r := s.Record()
				b.ReportAllocs()
				for b.Loop() {
					_ = h.Handle(ctx, r)
				}
			})
		}
	}
}

// nothing is a handler that does nothing, to see what a Logger costs by itself.
type nothing struct{}

func (nothing) Enabled(context.Context, slog.Level) bool  { return true }
func (nothing) Handle(context.Context, slog.Record) error { return nil }
func (h nothing) WithAttrs([]slog.Attr) slog.Handler      { return h }
func (h nothing) WithGroup(string) slog.Handler           { return h }

// BenchmarkLogger is a whole log call.
func BenchmarkLogger(b *testing.B) {
	ctx := context.Background()
	for _, name := range []string{"none", "three", "ten", "with"} {
		s := scenario.Named(name)
		run := func(name string, h slog.Handler) {
			b.Run(s.Name+"/"+name, func(b *testing.B) {
				l := slog.New(s.Derive(h))
				b.ReportAllocs()
				for b.Loop() {
					s.Log(ctx, l)
				}
			})
		}
		run("nothing", nothing{})
		for _, p := range peers.Handlers() {
			run(p.Name, p.New(discard{}, &s))
		}
		for _, p := range peers.Natives() {
			b.Run(s.Name+"/"+p.Name, func(b *testing.B) {
				log := p.New(discard{}, &s)
				b.ReportAllocs()
				for b.Loop() {
					log()
				}
			})
		}
	}
}

// BenchmarkWriters is one record of three attrs into each kind of writer.
func BenchmarkWriters(b *testing.B) {
	ctx := context.Background()
	s := scenario.Named("three")
	for _, p := range peers.Handlers() {
		run := func(kind string, w io.Writer, rest func()) {
			b.Run(kind+"/"+p.Name, func(b *testing.B) {
				h := s.Derive(p.New(w, &s))
				r := s.Record()
				for b.Loop() {
					_ = h.Handle(ctx, r)
					rest()
				}
			})
		}
		var buf bytes.Buffer
		run("buffer", &buf, func() {
			if buf.Len() > 1<<20 {
				buf.Reset()
			}
		})
		run("bufio", bufio.NewWriterSize(discard{}, 64<<10), func() {})
		f, err := os.Create(filepath.Join(b.TempDir(), "log"))
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		run("file", f, func() {
			// The file stays small: it is the call that is measured.
			if n++; n%100_000 == 0 {
				_ = f.Truncate(0)
			}
		})
		f.Close()
	}
}

// BenchmarkParallel logs from as many goroutines as there are procs; run it
// with -cpu 1,2.
func BenchmarkParallel(b *testing.B) {
	s := scenario.Named("three")
	run := func(name string, h slog.Handler) {
		b.Run(name, func(b *testing.B) {
			r := s.Record()
			b.RunParallel(func(pb *testing.PB) {
				ctx := context.Background()
				for pb.Next() {
					_ = h.Handle(ctx, r)
				}
			})
		})
	}
	for _, p := range peers.Handlers() {
		run("shared/"+p.Name, s.Derive(p.New(discard{}, &s)))
	}
	run("concurrent/slogpack", peers.SlogpackWith(discard{}, &s, handler.WithConcurrentWriter()))
	run("bufio-stream/slogpack", peers.Slogpack(bufio.NewWriterSize(discard{}, 64<<10), &s))
	run("bufio-slice/slogpack", peers.Slogpack(struct{ io.Writer }{bufio.NewWriterSize(discard{}, 64<<10)}, &s))
}

// BenchmarkStreaming compares formatting in the writer's own buffer with
// formatting in a pooled one, for records of 100 bytes to 300 KB.
func BenchmarkStreaming(b *testing.B) {
	ctx := context.Background()
	for _, size := range []struct {
		name string
		n    int
	}{{"100", 1}, {"1K", 900}, {"10K", 10_000}, {"300K", 300_000}} {
		s := scenario.Named("none")
		if size.n > 1 {
			s.Attrs = []slog.Attr{slog.String("text", string(bytes.Repeat([]byte("x"), size.n)))}
		}
		run := func(name string, w io.Writer, reset func()) {
			b.Run(size.name+"/"+name, func(b *testing.B) {
				h := peers.Slogpack(w, &s)
				r := s.Record()
				b.ReportAllocs()
				for b.Loop() {
					_ = h.Handle(ctx, r)
					reset()
				}
			})
		}
		var buf bytes.Buffer
		reset := func() {
			if buf.Len() > 1<<20 {
				buf.Reset()
			}
		}
		run("buffer-stream", &buf, reset)
		run("buffer-slice", struct{ io.Writer }{&buf}, reset)
		bw := bufio.NewWriterSize(discard{}, 1<<20)
		run("bufio-stream", bw, func() {})
		run("bufio-slice", struct{ io.Writer }{bw}, func() {})
	}
}
