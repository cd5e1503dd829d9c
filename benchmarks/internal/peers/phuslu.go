package peers

import (
	"io"
	"log/slog"

	plog "github.com/phuslu/log"

	"github.com/slogpack/slogpack/benchmarks/internal/scenario"
)

func phuslu() Peer {
	return Peer{
		Name: "phuslu",
		New: func(w io.Writer, s *scenario.Scenario) slog.Handler {
			return plog.SlogNewJSONHandler(w, &slog.HandlerOptions{AddSource: s.Source})
		},
		Lacks: map[string]string{"gcp": "with a ReplaceAttr it is log/slog's own handler"},
	}
}
