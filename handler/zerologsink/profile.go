package zerologsink

import (
	"log/slog"
	"time"

	"github.com/rs/zerolog"

	"github.com/slogpack/slogpack/handler"
)

// profile is the Zerolog profile with what zerolog's variables say of it, since
// zerolog's writers read records by these.
func profile() handler.Profile {
	p := handler.Zerolog()
	p.TimeKey = zerolog.TimestampFieldName
	p.LevelKey = zerolog.LevelFieldName
	p.MessageKey = zerolog.MessageFieldName
	p.SourceKey = zerolog.CallerFieldName
	if text := zerolog.LevelFieldMarshalFunc; text != nil {
		p.LevelText = func(l slog.Level) string { return text(toZerolog(l)) }
	}
	switch zerolog.TimeFieldFormat {
	case time.RFC3339Nano:
		p.Time = handler.RFC3339Nano
	case zerolog.TimeFormatUnix:
		p.Time = handler.UnixSeconds
	case zerolog.TimeFormatUnixMs:
		p.Time = handler.UnixMillis
	case zerolog.TimeFormatUnixMicro:
		p.Time = handler.UnixMicros
	case zerolog.TimeFormatUnixNano:
		p.Time = handler.UnixNanos
	}
	return p
}
