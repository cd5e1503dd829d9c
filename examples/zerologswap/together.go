package main

import (
	"log/slog"

	"github.com/rs/zerolog"

	"github.com/slogpack/slogpack/handler/zerologsink"
)

// together has old and new code log into the same writers. zerologsink.Writer
// makes them take turns, since neither knows of the other's lock.
func together(s *sinks) {
	out := zerologsink.Writer(s.writer())
	old := zerolog.New(out).With().Timestamp().Logger()
	logger := slog.New(zerologsink.New(out))

	old.Info().Int("n", 1).Msg("by zerolog")
	logger.Info("by slog", "n", 2)
	old.Error().Int("n", 3).Msg("by zerolog")
	logger.Error("by slog", "n", 4)
}
