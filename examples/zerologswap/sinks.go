package main

import (
	"bytes"
	"errors"

	"github.com/rs/zerolog"
)

// sinks are where records go. A program has os.Stderr, a file and an alarm
// here.
type sinks struct{ people, machines, errors bytes.Buffer }

// writer is all zerolog's, and neither before nor after knows of the other.
func (s *sinks) writer() zerolog.LevelWriter {
	return zerolog.MultiLevelWriter(
		zerolog.ConsoleWriter{Out: &s.people, NoColor: true},
		&s.machines,
		&zerolog.FilteredLevelWriter{
			Writer: zerolog.LevelWriterAdapter{Writer: &s.errors},
			Level:  zerolog.ErrorLevel,
		},
	)
}

// order knows zerolog and not slog. Types like it need no change.
type order struct {
	id    int
	items []string
}

// MarshalZerologObject implements zerolog.LogObjectMarshaler.
func (o order) MarshalZerologObject(e *zerolog.Event) {
	e.Int("id", o.id).Strs("items", o.items)
}

var errDeclined = errors.New("card declined")
