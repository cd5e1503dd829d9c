package expslog

import (
	"log/slog"

	xslog "golang.org/x/exp/slog"

	"github.com/slogpack/slogpack/handler"
)

// WithReplaceAttr has f rewrite each attr that is not a group before it is
// written. It is [handler.WithReplaceAttr] in x/exp's types: the record's own
// fields come by x/exp's slog.TimeKey, LevelKey, SourceKey and MessageKey with
// a time, an x/exp Level, an *x/exp Source and a string. A nil f is skipped.
func WithReplaceAttr(f func(groups []string, a xslog.Attr) xslog.Attr) handler.Option {
	if f == nil {
		return nil
	}
	return handler.WithReplaceAttr(func(groups []string, a slog.Attr) slog.Attr {
		x := xslog.Attr{Key: a.Key, Value: toExp(a.Value)}
		out := f(groups, x)
		if out.Key == a.Key && out.Value.Kind() == xslog.KindTime && x.Value.Kind() == xslog.KindTime &&
			out.Value.Time().Equal(x.Value.Time()) && out.Value.Time().Location() == x.Value.Time().Location() {
			return a // with its own time, which x/exp may not be able to hold
		}
		var c converter
		return slog.Attr{Key: out.Key, Value: c.value(out.Value)}
	})
}

// toExp converts a value that is resolved.
func toExp(v slog.Value) xslog.Value {
	switch v.Kind() {
	case slog.KindString:
		return xslog.StringValue(v.String())
	case slog.KindInt64:
		return xslog.Int64Value(v.Int64())
	case slog.KindUint64:
		return xslog.Uint64Value(v.Uint64())
	case slog.KindFloat64:
		return xslog.Float64Value(v.Float64())
	case slog.KindBool:
		return xslog.BoolValue(v.Bool())
	case slog.KindDuration:
		return xslog.DurationValue(v.Duration())
	case slog.KindTime:
		return xslog.TimeValue(v.Time())
	case slog.KindGroup: // never given to a ReplaceAttr
		return xslog.AnyValue(v.Group())
	}
	switch a := v.Any().(type) {
	case slog.Level:
		return xslog.AnyValue(xslog.Level(a))
	case *slog.Source:
		if a == nil {
			return xslog.AnyValue((*xslog.Source)(nil))
		}
		return xslog.AnyValue(&xslog.Source{Function: a.Function, File: a.File, Line: a.Line})
	default:
		return xslog.AnyValue(a)
	}
}
