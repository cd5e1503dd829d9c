package expslog_test

import (
	"os"
	"strings"

	"golang.org/x/exp/slog"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/expslog"
)

func ExampleNew() {
	logger := slog.New(expslog.New(os.Stdout,
		handler.WithProfile(handler.Zerolog()),
		expslog.WithReplaceAttr(func(groups []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey && len(groups) == 0 {
				return slog.Attr{} // a stable output
			}
			return a
		})))
	logger.With("app", "x").WithGroup("request").Warn("slow", "path", "/search")
	// Output:
	// {"level":"warn","app":"x","request":{"path":"/search"},"message":"slow"}
}

func ExampleWithReplaceAttr() {
	logger := slog.New(expslog.New(os.Stdout, expslog.WithReplaceAttr(func(groups []string, a slog.Attr) slog.Attr {
		switch {
		case len(groups) > 0:
		case a.Key == slog.TimeKey:
			return slog.Attr{}
		case a.Key == slog.LevelKey:
			level := a.Value.Any().(slog.Level)
			return slog.String("lvl", strings.ToLower(level.String()))
		}
		return a
	})))
	logger.Info("hello")
	// Output:
	// {"lvl":"info","msg":"hello"}
}
