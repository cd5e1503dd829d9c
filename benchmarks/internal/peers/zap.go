package peers

import (
	"io"
	"log/slog"

	"go.uber.org/zap"
	"go.uber.org/zap/exp/zapslog"
	"go.uber.org/zap/zapcore"

	"github.com/slogpack/slogpack/benchmarks/internal/scenario"
)

func zapCore(w io.Writer) zapcore.Core {
	c := zap.NewProductionEncoderConfig()
	c.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	c.TimeKey = "time"
	c.EncodeDuration = zapcore.NanosDurationEncoder
	return zapcore.NewCore(zapcore.NewJSONEncoder(c), zapcore.Lock(zapcore.AddSync(w)), zapcore.InfoLevel)
}

func zapSlog() Peer {
	return Peer{
		Name: "zap slog",
		New: func(w io.Writer, s *scenario.Scenario) slog.Handler {
			return zapslog.NewHandler(zapCore(w), zapslog.WithCaller(s.Source), zapslog.AddStacktraceAt(slog.LevelError+1))
		},
		Lacks: map[string]string{"gcp": "its keys belong to the core, its levels to zap"},
	}
}

func zapNative() Native {
	return Native{Name: "zap native", New: func(w io.Writer, s *scenario.Scenario) func() {
		l := zap.New(zapCore(w), zap.WithCaller(s.Source)).With(zapFields(s.With)...)
		return func() {
			// A program writes its fields out at each call.
			var fields [16]zap.Field
			n := 0
			for i := range s.Attrs {
				fields[n] = zapField(s.Attrs[i])
				n++
			}
			l.Info(s.Message, fields[:n]...)
		}
	}}
}

func zapFields(as []slog.Attr) []zap.Field {
	fs := make([]zap.Field, len(as))
	for i, a := range as {
		fs[i] = zapField(a)
	}
	return fs
}

func zapField(a slog.Attr) zap.Field {
	switch v := a.Value; v.Kind() {
	case slog.KindString:
		return zap.String(a.Key, v.String())
	case slog.KindInt64:
		return zap.Int64(a.Key, v.Int64())
	case slog.KindUint64:
		return zap.Uint64(a.Key, v.Uint64())
	case slog.KindFloat64:
		return zap.Float64(a.Key, v.Float64())
	case slog.KindBool:
		return zap.Bool(a.Key, v.Bool())
	case slog.KindDuration:
		return zap.Duration(a.Key, v.Duration())
	case slog.KindTime:
		return zap.Time(a.Key, v.Time())
	case slog.KindGroup:
		return zap.Dict(a.Key, zapFields(v.Group())...)
	default:
		return zap.Any(a.Key, v.Any())
	}
}
