package handler_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
)

// scenario is one record, and how its handler was derived.
type scenario struct {
	name  string
	with  func(slog.Handler) slog.Handler
	attrs []slog.Attr
	msg   string
}

func scenarios() []scenario {
	three := []slog.Attr{slog.String("method", "GET"), slog.Int("status", 200), slog.Duration("took", 1234567)}
	ten := append(three[:3:3],
		slog.String("path", "/api/v1/users/42"), slog.Bool("cached", true), slog.Float64("ratio", 0.75),
		slog.Uint64("bytes", 53421), slog.Int64("user", 424242), slog.String("remote", "10.1.2.3:44321"),
		slog.Time("since", time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC)))
	return []scenario{
		{name: "none"},
		{name: "three", attrs: three},
		{name: "ten", attrs: ten},
		{name: "with", attrs: three, with: func(h slog.Handler) slog.Handler { return h.WithAttrs(ten) }},
		{name: "groups", attrs: []slog.Attr{
			slog.Group("request", slog.String("method", "GET"), slog.Group("url", slog.String("path", "/x"), slog.String("host", "example.org"))),
			slog.Group("response", slog.Int("status", 200)),
		}},
		{name: "escapes", msg: "line one\nline \"two\"\t\\ end", attrs: []slog.Attr{
			slog.String("text", "a \"quoted\" word\nand a new line"), slog.String("utf8", "grüße, 世界"), slog.String("path", `C:\dir\file`),
		}},
		{name: "any", attrs: []slog.Attr{
			slog.Any("point", struct{ X, Y int }{1, 2}), slog.Any("ints", []int{1, 2, 3, 4}), slog.Any("names", []string{"a", "b", "c"}),
		}},
		{name: "error", attrs: []slog.Attr{slog.Any("err", errors.New("connection refused"))}},
	}
}

func (s *scenario) record() slog.Record {
	msg := s.msg
	if msg == "" {
		msg = "the quick brown fox jumps over the lazy dog"
	}
	r := slog.NewRecord(time.Now(), slog.LevelInfo, msg, 0)
	r.AddAttrs(s.attrs...)
	return r
}

func benchHandle(b *testing.B, h slog.Handler, s scenario) {
	if s.with != nil {
		h = s.with(h)
	}
	r := s.record()
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		_ = h.Handle(ctx, r)
	}
}

// BenchmarkHandle compares with log/slog in the same run; discarding writer.
func BenchmarkHandle(b *testing.B) {
	for _, s := range scenarios() {
		b.Run(s.name+"/slogpack", func(b *testing.B) { benchHandle(b, handler.New(io.Discard), s) })
		b.Run(s.name+"/slog", func(b *testing.B) { benchHandle(b, slog.NewJSONHandler(io.Discard, nil), s) })
	}
}

// BenchmarkSource is a record with its source.
func BenchmarkSource(b *testing.B) {
	bench := func(h slog.Handler) func(*testing.B) {
		return func(b *testing.B) {
			l := slog.New(h)
			b.ReportAllocs()
			for b.Loop() {
				l.Info("the quick brown fox", "status", 200)
			}
		}
	}
	b.Run("slogpack", bench(handler.New(io.Discard, handler.WithSource())))
	b.Run("slog", bench(slog.NewJSONHandler(io.Discard, &slog.HandlerOptions{AddSource: true})))
}

// resetting is a bytes.Buffer that does not grow for ever.
type plainWriter struct{ io.Writer }

// BenchmarkStream compares formatting in the writer's buffer with formatting in
// a pooled one, for the same writer.
func BenchmarkStream(b *testing.B) {
	s := scenarios()[1]
	var buf bytes.Buffer
	run := func(w io.Writer) func(*testing.B) {
		return func(b *testing.B) {
			h := handler.New(w)
			r := s.record()
			ctx := context.Background()
			for b.Loop() {
				if buf.Len() > 1<<16 {
					buf.Reset()
				}
				_ = h.Handle(ctx, r)
			}
		}
	}
	b.Run("buffer/stream", run(&buf))
	b.Run("buffer/slice", run(plainWriter{&buf}))
	bw := bufio.NewWriterSize(io.Discard, 1<<16)
	b.Run("bufio/stream", run(bw))
	b.Run("bufio/slice", run(plainWriter{bw}))
}

// BenchmarkParallel logs from all procs at once.
func BenchmarkParallel(b *testing.B) {
	s := scenarios()[1]
	run := func(h slog.Handler) func(*testing.B) {
		return func(b *testing.B) {
			r := s.record()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					_ = h.Handle(context.Background(), r)
				}
			})
		}
	}
	b.Run("slogpack", run(handler.New(io.Discard)))
	b.Run("concurrent", run(handler.New(io.Discard, handler.WithConcurrentWriter())))
	b.Run("bufio", run(handler.New(bufio.NewWriterSize(io.Discard, 1<<16))))
	b.Run("slog", run(slog.NewJSONHandler(io.Discard, nil)))
}
