// Package peers has the handlers and loggers that are compared, one file each,
// set up to write the same fields as JSON.
package peers

import (
	"io"
	"log/slog"

	"github.com/slogpack/slogpack/benchmarks/internal/scenario"
)

// Peer is a slog.Handler to be measured.
type Peer struct {
	Name string
	// New returns the handler for a scenario, not yet derived.
	New func(w io.Writer, s *scenario.Scenario) slog.Handler
	// Lacks names the scenarios that it cannot be set up for, with the reason.
	Lacks map[string]string
}

// Native is a logger with an API of its own.
type Native struct {
	Name string
	// New returns a function that logs one record of s.
	New func(w io.Writer, s *scenario.Scenario) func()
}

// Handlers returns all peers, ours first.
func Handlers() []Peer {
	return []Peer{slogpack(), stdlib(), phuslu(), zerologSlog(), zapSlog(), samberZerolog()}
}

// Natives returns the loggers that are no slog handlers.
func Natives() []Native { return []Native{zerologNative(), zapNative()} }

// gcpReplace is what programs give to log/slog for Google Cloud's keys.
func gcpReplace(groups []string, a slog.Attr) slog.Attr {
	if len(groups) > 0 {
		return a
	}
	switch a.Key {
	case slog.LevelKey:
		level, _ := a.Value.Any().(slog.Level)
		text := "DEBUG"
		switch {
		case level >= 12:
			text = "CRITICAL"
		case level >= slog.LevelError:
			text = "ERROR"
		case level >= slog.LevelWarn:
			text = "WARNING"
		case level >= slog.LevelInfo:
			text = "INFO"
		}
		return slog.String("severity", text)
	case slog.MessageKey:
		a.Key = "message"
	}
	return a
}
