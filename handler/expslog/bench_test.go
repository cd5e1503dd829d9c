package expslog_test

import (
	"io"
	"log/slog"
	"testing"
	"time"

	xslog "golang.org/x/exp/slog"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/expslog"
)

type writerOnly struct{ io.Writer }

// scenario is one record, in both packages' types.
type scenario struct {
	name string
	with bool
	std  []slog.Attr
	exp  []xslog.Attr
}

func scenarios() []scenario {
	since := time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC)
	std := []slog.Attr{slog.String("method", "GET"), slog.Int("status", 200), slog.Duration("took", 1234567),
		slog.String("path", "/api/v1/users/42"), slog.Bool("cached", true), slog.Float64("ratio", 0.75),
		slog.Uint64("bytes", 53421), slog.Int64("user", 424242), slog.String("remote", "10.1.2.3:44321"), slog.Time("since", since)}
	exp := []xslog.Attr{xslog.String("method", "GET"), xslog.Int("status", 200), xslog.Duration("took", 1234567),
		xslog.String("path", "/api/v1/users/42"), xslog.Bool("cached", true), xslog.Float64("ratio", 0.75),
		xslog.Uint64("bytes", 53421), xslog.Int64("user", 424242), xslog.String("remote", "10.1.2.3:44321"), xslog.Time("since", since)}
	return []scenario{
		{name: "none"},
		{name: "three", std: std[:3], exp: exp[:3]},
		{name: "ten", std: std, exp: exp},
		{name: "with", with: true, std: std[:3], exp: exp[:3]},
		{name: "groups",
			std: []slog.Attr{
				slog.Group("request", slog.String("method", "GET"), slog.Group("url", slog.String("path", "/x"), slog.String("host", "example.org"))),
				slog.Group("response", slog.Int("status", 200)),
			},
			exp: []xslog.Attr{
				xslog.Group("request", xslog.String("method", "GET"), xslog.Group("url", xslog.String("path", "/x"), xslog.String("host", "example.org"))),
				xslog.Group("response", xslog.Int("status", 200)),
			}},
		{name: "escapes",
			std: []slog.Attr{slog.String("text", "a \"quoted\" word\nand a new line"), slog.String("utf8", "grüße, 世界"), slog.String("path", `C:\dir\file`)},
			exp: []xslog.Attr{xslog.String("text", "a \"quoted\" word\nand a new line"), xslog.String("utf8", "grüße, 世界"), xslog.String("path", `C:\dir\file`)}},
	}
}

const message = "the quick brown fox jumps over the lazy dog"

// BenchmarkHandle compares with package handler and with x/exp's own handler in
// the same run; discarding writer.
func BenchmarkHandle(b *testing.B) {
	for _, s := range scenarios() {
		b.Run(s.name+"/handler", func(b *testing.B) {
			var h slog.Handler = handler.New(io.Discard)
			if s.with {
				h = h.WithAttrs(scenarios()[2].std)
			}
			r := slog.NewRecord(time.Now(), slog.LevelInfo, message, 0)
			r.AddAttrs(s.std...)
			b.ReportAllocs()
			for b.Loop() {
				_ = h.Handle(ctx, r)
			}
		})
		for name, h := range map[string]xslog.Handler{"expslog": expslog.New(io.Discard), "exp": xslog.NewJSONHandler(io.Discard, nil)} {
			b.Run(s.name+"/"+name, func(b *testing.B) {
				if s.with {
					h = h.WithAttrs(scenarios()[2].exp)
				}
				r := xslog.NewRecord(time.Now(), xslog.LevelInfo, message, 0)
				r.AddAttrs(s.exp...)
				b.ReportAllocs()
				for b.Loop() {
					_ = h.Handle(ctx, r)
				}
			})
		}
	}
}

// BenchmarkLogger compares whole log calls, with the time and the call site.
func BenchmarkLogger(b *testing.B) {
	for _, s := range scenarios() {
		b.Run(s.name+"/handler", func(b *testing.B) {
			l := slog.New(handler.New(io.Discard))
			if s.with {
				l = slog.New(l.Handler().WithAttrs(scenarios()[2].std))
			}
			b.ReportAllocs()
			for b.Loop() {
				l.LogAttrs(ctx, slog.LevelInfo, message, s.std...)
			}
		})
		b.Run(s.name+"/expslog", func(b *testing.B) {
			l := xslog.New(expslog.New(io.Discard))
			if s.with {
				l = xslog.New(l.Handler().WithAttrs(scenarios()[2].exp))
			}
			b.ReportAllocs()
			for b.Loop() {
				l.LogAttrs(ctx, xslog.LevelInfo, message, s.exp...)
			}
		})
	}
}

// TestAllocs: plain kinds and groups of them cost no garbage.
func TestAllocs(t *testing.T) {
	if raceEnabled {
		t.Skip("sync.Pool drops objects at random under the race detector")
	}
	for _, f := range []handler.Format{handler.JSON, handler.MessagePack} {
		for _, s := range scenarios() {
			var h xslog.Handler = expslog.New(io.Discard, handler.WithFormat(f))
			if s.with {
				h = h.WithAttrs(scenarios()[2].exp)
			}
			r := xslog.NewRecord(time.Now(), xslog.LevelInfo, message, 0)
			r.AddAttrs(s.exp...)
			for range 10 {
				_ = h.Handle(ctx, r) // fills pools
			}
			if n := testing.AllocsPerRun(200, func() { _ = h.Handle(ctx, r) }); n != 0 {
				t.Errorf("%s: %s: %v allocations a record", f, s.name, n)
			}
		}
	}
}
