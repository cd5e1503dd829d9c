package handler

import "log/slog"

const slogFailure = "!ERROR:"

// Slog returns the profile of log/slog's own JSON handler: time, level, source
// and msg, in this order.
func Slog() Profile {
	return Profile{
		TimeKey:       slog.TimeKey,
		LevelKey:      slog.LevelKey,
		MessageKey:    slog.MessageKey,
		SourceKey:     slog.SourceKey,
		FailurePrefix: slogFailure,
	}
}

// Zerolog returns the profile of zerolog's own output: level, attrs, time,
// caller, message; times in whole seconds, durations in milliseconds, bytes as
// text. Groups are nested objects, as zerolog's Dict.
//
// Levels get the names of zerolog's: below -4 trace, below 0 debug, below 4
// info, below 8 warn, below 12 error, below 16 fatal, else panic. They are
// names only: the handler never ends the program.
func Zerolog() Profile {
	return Profile{
		TimeKey:          "time",
		LevelKey:         "level",
		MessageKey:       "message",
		SourceKey:        "caller",
		Order:            LevelFirst,
		Time:             RFC3339,
		AnyYear:          true,
		LevelText:        zerologLevel,
		Source:           SourceText,
		OmitEmptyMessage: true,
		Duration:         DurationMillisFloat,
		Bytes:            BytesText,
		Errors:           ErrorText,
		NonFinite:        NonFiniteText,
		FailurePrefix:    "marshaling error: ",
		Escapes:          EscapeZerolog,
	}
}

func zerologLevel(l slog.Level) string {
	switch {
	case l < slog.LevelDebug:
		return "trace"
	case l < slog.LevelInfo:
		return "debug"
	case l < slog.LevelWarn:
		return "info"
	case l < slog.LevelError:
		return "warn"
	case l < 12:
		return "error"
	case l < 16:
		return "fatal"
	}
	return "panic"
}

// GoogleCloud returns the profile of Google Cloud Logging's structured logs:
// time, severity, logging.googleapis.com/sourceLocation, message. Severities
// are DEBUG below 0, INFO below 4, WARNING below 8, ERROR below 12, else
// CRITICAL. Attrs cannot pass for the record's own fields.
func GoogleCloud() Profile {
	return Profile{
		TimeKey:         "time",
		LevelKey:        "severity",
		MessageKey:      "message",
		SourceKey:       "logging.googleapis.com/sourceLocation",
		LevelText:       googleSeverity,
		Source:          SourceGoogle,
		Errors:          ErrorText,
		NonFinite:       NonFiniteText,
		FailurePrefix:   slogFailure,
		ProtectBuiltins: true,
		MaxRecordSize:   250_000,
	}
}

func googleSeverity(l slog.Level) string {
	switch {
	case l < slog.LevelInfo:
		return "DEBUG"
	case l < slog.LevelWarn:
		return "INFO"
	case l < slog.LevelError:
		return "WARNING"
	case l < 12:
		return "ERROR"
	}
	return "CRITICAL"
}

// ECS returns the profile of the Elastic Common Schema: @timestamp, log.level
// in lower case, log.origin, message, and ecs.version. Attrs cannot pass for
// the record's own fields, but for groups that spell them with nesting in place of
// dots: log with level in it is a second value of log.level to Elasticsearch.
func ECS() Profile {
	return Profile{
		TimeKey:         "@timestamp",
		LevelKey:        "log.level",
		MessageKey:      "message",
		SourceKey:       "log.origin",
		LevelText:       lowerLevel,
		Source:          SourceECS,
		Errors:          ErrorText,
		NonFinite:       NonFiniteText,
		FailurePrefix:   slogFailure,
		Static:          []slog.Attr{slog.String("ecs.version", "1.6.0")},
		ProtectBuiltins: true,
	}
}

func lowerLevel(l slog.Level) string { return lowerASCII(l.String()) }

// OTel returns the profile for OpenTelemetry's collector, by Fluent Forward or
// from files: time, level, severity_number, code.function.name, code.file.path
// and code.line.number, message. Attrs cannot pass for the record's own fields.
func OTel() Profile {
	return Profile{
		TimeKey:           "time",
		LevelKey:          "level",
		SeverityNumberKey: "severity_number",
		MessageKey:        "message",
		SourceKey:         "code",
		Source:            SourceOTel,
		Errors:            ErrorText,
		NonFinite:         NonFiniteText,
		FailurePrefix:     slogFailure,
		ProtectBuiltins:   true,
	}
}
