package peers

import (
	"io"
	"log/slog"

	"github.com/slogpack/slogpack/benchmarks/internal/scenario"
)

func stdlib() Peer {
	return Peer{Name: "log/slog", New: func(w io.Writer, s *scenario.Scenario) slog.Handler {
		return slog.NewJSONHandler(w, slogOptions(s))
	}}
}

func slogOptions(s *scenario.Scenario) *slog.HandlerOptions {
	o := &slog.HandlerOptions{AddSource: s.Source}
	if s.GCP {
		o.ReplaceAttr = gcpReplace
	}
	return o
}
