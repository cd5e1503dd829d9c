package peers

import (
	"io"
	"log/slog"

	"github.com/rs/zerolog"
	slogzerolog "github.com/samber/slog-zerolog/v2"

	"github.com/slogpack/slogpack/benchmarks/internal/scenario"
)

func zerologSlog() Peer {
	return Peer{
		Name: "zerolog slog",
		New: func(w io.Writer, s *scenario.Scenario) slog.Handler {
			return zerolog.NewSlogHandler(zerolog.New(w))
		},
		Lacks: map[string]string{"source": "it does not read the record's PC", "gcp": "its keys are global settings"},
	}
}

func samberZerolog() Peer {
	return Peer{
		Name: "samber slog-zerolog",
		New: func(w io.Writer, s *scenario.Scenario) slog.Handler {
			l := zerolog.New(w)
			return slogzerolog.Option{Level: slog.LevelInfo, Logger: &l, AddSource: s.Source}.NewZerologHandler()
		},
		Lacks: map[string]string{"gcp": "its keys are global settings"},
	}
}

func zerologNative() Native {
	return Native{Name: "zerolog native", New: func(w io.Writer, s *scenario.Scenario) func() {
		with := zerolog.New(w).With().Timestamp()
		for _, a := range s.With {
			with = zerologContext(with, a)
		}
		if s.Source {
			with = with.Caller()
		}
		l := with.Logger()
		return func() {
			e := l.Info()
			for i := range s.Attrs {
				zerologField(e, &s.Attrs[i])
			}
			e.Msg(s.Message)
		}
	}}
}

func zerologContext(c zerolog.Context, a slog.Attr) zerolog.Context {
	switch v := a.Value; v.Kind() {
	case slog.KindString:
		return c.Str(a.Key, v.String())
	case slog.KindInt64:
		return c.Int64(a.Key, v.Int64())
	case slog.KindUint64:
		return c.Uint64(a.Key, v.Uint64())
	case slog.KindFloat64:
		return c.Float64(a.Key, v.Float64())
	case slog.KindBool:
		return c.Bool(a.Key, v.Bool())
	case slog.KindDuration:
		return c.Dur(a.Key, v.Duration())
	case slog.KindTime:
		return c.Time(a.Key, v.Time())
	default:
		return c.Interface(a.Key, v.Any())
	}
}

func zerologField(e *zerolog.Event, a *slog.Attr) {
	switch v := a.Value; v.Kind() {
	case slog.KindString:
		e.Str(a.Key, v.String())
	case slog.KindInt64:
		e.Int64(a.Key, v.Int64())
	case slog.KindUint64:
		e.Uint64(a.Key, v.Uint64())
	case slog.KindFloat64:
		e.Float64(a.Key, v.Float64())
	case slog.KindBool:
		e.Bool(a.Key, v.Bool())
	case slog.KindDuration:
		e.Dur(a.Key, v.Duration())
	case slog.KindTime:
		e.Time(a.Key, v.Time())
	case slog.KindGroup:
		d := zerolog.Dict()
		for _, b := range v.Group() {
			zerologField(d, &b)
		}
		e.Dict(a.Key, d)
	default:
		if err, ok := v.Any().(error); ok {
			e.AnErr(a.Key, err)
			return
		}
		e.Interface(a.Key, v.Any())
	}
}
