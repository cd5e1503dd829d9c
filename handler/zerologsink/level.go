package zerologsink

import (
	"log/slog"

	"github.com/rs/zerolog"
)

// toZerolog is the level that the Zerolog profile names.
func toZerolog(l slog.Level) zerolog.Level {
	switch {
	case l < slog.LevelDebug:
		return zerolog.TraceLevel
	case l < slog.LevelInfo:
		return zerolog.DebugLevel
	case l < slog.LevelWarn:
		return zerolog.InfoLevel
	case l < slog.LevelError:
		return zerolog.WarnLevel
	case l < 12:
		return zerolog.ErrorLevel
	case l < 16:
		return zerolog.FatalLevel
	}
	return zerolog.PanicLevel
}

// toSlog is the lowest level that toZerolog maps to l. Levels of a program's
// own, which zerolog allows beyond trace and panic, keep the distance of four
// that slog's have.
func toSlog(l zerolog.Level) slog.Level {
	if l == zerolog.NoLevel {
		return slog.LevelInfo
	}
	return 4*slog.Level(l) - 4
}
