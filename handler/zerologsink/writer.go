package zerologsink

import (
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/rs/zerolog"

	"github.com/slogpack/slogpack/handler"
)

// Writer returns w as a writer for zerolog's loggers, zerolog.New(Writer(w)).
// Each event comes to w by exactly one call. If w is a [handler.LevelWriter],
// it gets the event's level as log/slog counts: trace -8, debug -4, info 0,
// warn 4, error 8, fatal 12, panic 16. Events without a level (those of
// Logger.Log and of Logger.Write) count as info; levels of a program's own,
// below trace or above panic, go on in steps of four. If w is a
// zerolog.LevelWriter, it gets the level as it is.
//
// Calls of w are serialized by a mutex, unless w is a [handler.StreamWriter],
// which is safe for concurrent use by itself. So that zerolog loggers and slog
// handlers can share a w that is neither, give both the same Writer:
//
//	out := zerologsink.Writer(file)
//	old, logger := zerolog.New(out), slog.New(zerologsink.New(out))
//
// A w that takes a part of an event makes the call return io.ErrShortWrite,
// which zerolog's ErrorHandler gets; the rest is not written later. w gets
// zerolog's JSON, whatever handler.FormatWriter may say of it. A nil w
// discards.
//
// The result has Flush, which calls w's Flush if it has one, and Close, which
// zerolog's Fatal calls before the program ends: it calls w's Close, or else
// its Flush.
func Writer(w io.Writer) zerolog.LevelWriter {
	if w == nil {
		w = io.Discard
	}
	if s, ok := w.(*shared); ok {
		return s
	}
	s := &shared{w: w}
	s.levels, _ = w.(handler.LevelWriter)
	s.zerolog, _ = w.(zerolog.LevelWriter)
	_, s.free = w.(handler.StreamWriter)
	return s
}

// shared is a writer that zerolog loggers and slog handlers may have in common.
type shared struct {
	w       io.Writer
	levels  handler.LevelWriter // w, if it takes slog's levels
	zerolog zerolog.LevelWriter // w, if it takes zerolog's
	free    bool                // w needs no lock

	mu sync.Mutex
}

// Write implements io.Writer, for what has no level.
func (s *shared) Write(p []byte) (int, error) {
	if !s.free {
		s.mu.Lock()
		defer s.mu.Unlock() // also when w panics
	}
	return whole(s.w, p, s.w.Write)
}

// WriteLevel implements zerolog.LevelWriter.
func (s *shared) WriteLevel(l zerolog.Level, p []byte) (int, error) {
	return s.write(toSlog(l), l, p)
}

// writeLevel is for slog handlers on this writer.
func (s *shared) writeLevel(l slog.Level, p []byte) (int, error) {
	return s.write(l, toZerolog(l), p)
}

func (s *shared) write(l slog.Level, z zerolog.Level, p []byte) (int, error) {
	if !s.free {
		s.mu.Lock()
		defer s.mu.Unlock()
	}
	return whole(s.w, p, func(p []byte) (int, error) {
		switch {
		case s.levels != nil:
			return s.levels.WriteLevel(l, p)
		case s.zerolog != nil:
			return s.zerolog.WriteLevel(z, p)
		}
		return s.w.Write(p)
	})
}

// whole makes the one call and tells of a count that is not len(p), which
// zerolog ignores.
func whole(w io.Writer, p []byte, write func([]byte) (int, error)) (int, error) {
	n, err := write(p)
	switch {
	case err != nil:
	case uint(n) > uint(len(p)):
		return 0, fmt.Errorf("zerologsink: %T returned the count %d for %d bytes", w, n, len(p))
	case n < len(p):
		err = io.ErrShortWrite
	}
	return n, err
}

// Flush has w write out what it holds, if it can.
func (s *shared) Flush() error {
	if !s.free {
		s.mu.Lock()
		defer s.mu.Unlock()
	}
	return flush(s.w)
}

// Close closes w, or has it write out what it holds, if it can.
func (s *shared) Close() error {
	if !s.free {
		s.mu.Lock()
		defer s.mu.Unlock()
	}
	if c, ok := s.w.(io.Closer); ok {
		return c.Close()
	}
	return flush(s.w)
}
