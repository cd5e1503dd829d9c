package zerologsink

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/rs/zerolog"

	"github.com/slogpack/slogpack/handler"
)

// New returns a handler that writes to w, which may be any of zerolog's
// writers, any other zerolog.LevelWriter, or any io.Writer.
//
// It is [handler.New] with [Values] asked after the value encoders in opts,
// and, for the first two kinds, with [Levels] and with the Zerolog profile, the
// keys and the time form as zerolog's variables are now; opts come after these
// and win. An io.Writer that has nothing to do with zerolog gets what
// handler.New writes, log/slog's keys unless opts say otherwise. A nil w
// discards.
//
// MessagePack and Forward, asked for with a writer that takes text only, are
// refused: the error handler is told, and JSON is written.
//
// A zerolog.Logger is a writer too, but one that makes each record the message
// of an event of its own; give New the logger's writer instead.
func New(w io.Writer, opts ...handler.Option) *handler.Handler {
	all := make([]handler.Option, 0, len(opts)+1)
	all = append(append(all, opts...), handler.WithValues(Values()))
	if lw, ok := w.(zerolog.LevelWriter); ok {
		return handler.New(Levels(lw), all...)
	}
	if n := inspect(w); n.zerolog {
		return handler.New(&sink{w: w, text: n.text}, all...)
	}
	return handler.New(w, all...)
}

// Levels returns w as a writer for [handler.New]. Each record comes by one call
// of WriteLevel with a level between zerolog.TraceLevel and zerolog.PanicLevel:
// below -4 trace, below 0 debug, below 4 info, below 8 warn, below 12 error,
// below 16 fatal, else panic. Nothing ends the program.
//
// The writer asks for the Zerolog profile where no option says otherwise,
// refuses formats that a writer inside w cannot take, and is as safe for
// concurrent use as w is. It has a Flush method that calls w's, if there is
// one. A nil w discards.
func Levels(w zerolog.LevelWriter) handler.LevelWriter {
	if w == nil {
		return &sink{w: io.Discard}
	}
	s := &sink{w: w, levels: w, text: inspect(w).text}
	s.shared, _ = w.(*shared)
	return s
}

// sink is a writer of zerolog's world as the handler takes it.
type sink struct {
	w      io.Writer
	levels zerolog.LevelWriter // w, if it takes levels
	shared *shared             // w, if it is Writer's
	text   string              // the type in w that takes text only, or ""
}

// Write implements io.Writer.
func (s *sink) Write(p []byte) (int, error) { return s.w.Write(p) }

// WriteLevel implements handler.LevelWriter.
func (s *sink) WriteLevel(l slog.Level, p []byte) (int, error) {
	switch {
	case s.shared != nil:
		return s.shared.writeLevel(l, p) // which may know slog's levels
	case s.levels != nil:
		return s.levels.WriteLevel(toZerolog(l), p)
	}
	return s.w.Write(p)
}

// LogFormat implements handler.FormatWriter.
func (s *sink) LogFormat() (handler.Format, handler.Profile) {
	return handler.JSON, profile()
}

// CheckFormat implements handler.FormatChecker.
func (s *sink) CheckFormat(f handler.Format) error {
	if f == handler.JSON || s.text == "" {
		return nil
	}
	return fmt.Errorf("zerologsink: %s takes JSON text only, no %s", s.text, f)
}

// Flush has w write out what it holds, if it can.
func (s *sink) Flush() error { return flush(s.w) }

func flush(w io.Writer) error {
	switch f := w.(type) {
	case interface{ Flush() error }:
		return f.Flush()
	case interface{ Flush() }:
		f.Flush()
	}
	return nil
}
