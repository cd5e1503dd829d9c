package zerologsink_test

import (
	"log/slog"
	"os"
	"time"

	"github.com/rs/zerolog"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/zerologsink"
)

// noTime makes the output of examples stable.
func noTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// One sink for people, one for machines that takes errors only.
func ExampleNew() {
	out := zerolog.MultiLevelWriter(
		zerolog.ConsoleWriter{Out: os.Stdout, NoColor: true, TimeFormat: time.Kitchen},
		&zerolog.FilteredLevelWriter{
			Writer: zerolog.LevelWriterAdapter{Writer: os.Stdout},
			Level:  zerolog.ErrorLevel,
		},
	)
	logger := slog.New(zerologsink.New(out, handler.WithReplaceAttr(noTime)))
	logger.Info("listening", "addr", ":8080")
	logger.With("user", 7).Error("not found", "path", "/x")
	// Output:
	// <nil> INF listening addr=:8080
	// <nil> ERR not found path=/x user=7
	// {"level":"error","user":7,"path":"/x","message":"not found"}
}

// Levels and Values, for a program that calls handler.New itself.
func ExampleLevels() {
	w := zerolog.MultiLevelWriter(os.Stdout)
	logger := slog.New(handler.New(zerologsink.Levels(w),
		handler.WithValues(zerologsink.Values()),
		handler.WithReplaceAttr(noTime)))
	logger.Warn("slow", "took", 1500*time.Millisecond)
	// Output:
	// {"level":"warn","took":1500,"message":"slow"}
}

type user struct {
	Name  string
	Email string
}

func (u user) MarshalZerologObject(e *zerolog.Event) { e.Str("name", u.Name) }

func ExampleValues() {
	logger := slog.New(handler.New(os.Stdout,
		handler.WithValues(zerologsink.Values()),
		handler.WithReplaceAttr(noTime)))
	logger.Info("hello", "user", user{"Ada", "ada@example.org"})
	// Output:
	// {"level":"INFO","msg":"hello","user":{"name":"Ada"}}
}

// A program that moves from zerolog to log/slog, with both on one writer.
func ExampleWriter() {
	out := zerologsink.Writer(os.Stdout)
	old := zerolog.New(out)
	logger := slog.New(zerologsink.New(out, handler.WithReplaceAttr(noTime)))
	old.Info().Str("by", "zerolog").Msg("one")
	logger.Info("two", "by", "slog")
	// Output:
	// {"level":"info","by":"zerolog","message":"one"}
	// {"level":"info","by":"slog","message":"two"}
}
