package peers

import (
	"io"
	"log/slog"

	"github.com/slogpack/slogpack/benchmarks/internal/scenario"
	"github.com/slogpack/slogpack/handler"
)

func slogpack() Peer {
	return Peer{Name: "slogpack", New: Slogpack}
}

// Slogpack returns our handler with more options, for what only it can do.
func Slogpack(w io.Writer, s *scenario.Scenario) slog.Handler { return SlogpackWith(w, s) }

// SlogpackWith is Slogpack with options of the caller's.
func SlogpackWith(w io.Writer, s *scenario.Scenario, opts ...handler.Option) slog.Handler {
	if s.Source {
		opts = append(opts, handler.WithSource())
	}
	if s.GCP {
		opts = append(opts, handler.WithProfile(handler.GoogleCloud()))
	}
	return handler.New(w, opts...)
}
