package zerologsink_test

import (
	"bytes"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/slogpack/slogpack/handler/zerologsink"
)

// shape is a marshaler made of bytes. Its methods consume a copy of them, so
// that each call writes the same.
type shape []byte

func (s *shape) next() (c byte) {
	if len(*s) > 0 {
		c = (*s)[0]
		*s = (*s)[1:]
	}
	return c
}

func (s *shape) text() string {
	n := min(int(s.next()&7), len(*s))
	t := string((*s)[:n])
	*s = (*s)[n:]
	return t
}

func (s shape) MarshalZerologObject(e *zerolog.Event) {
	for range s.next() & 7 {
		switch key := s.text(); s.next() % 12 {
		case 0:
			e.Str(key, s.text())
		case 1:
			e.Int8(key, int8(s.next()))
		case 2:
			e.Dur(key, time.Duration(s.next())*time.Microsecond)
		case 3:
			e.Time(key, time.Unix(int64(s.next())<<24, 0).UTC())
		case 4:
			e.AnErr(key, errors.New(s.text()))
		case 5:
			e.Bytes(key, []byte(s.text()))
		case 6:
			e.Interface(key, map[string]string{s.text(): s.text()})
		case 7:
			e.Dict(key, zerolog.Dict().Str(s.text(), s.text()))
		case 8:
			e.Array(key, shapes(s.rest()))
		case 9:
			e.Object(key, s.rest())
		case 10:
			e.EmbedObject(s.rest())
		case 11:
			e.Hex(key, []byte(s.text())).Float64(key, float64(s.next())/8)
		}
	}
}

// rest is half of what is left.
func (s *shape) rest() shape {
	n := len(*s) / 2
	r := (*s)[:n]
	*s = (*s)[n:]
	return r
}

type shapes []byte

func (a shapes) MarshalZerologArray(arr *zerolog.Array) {
	s := shape(a)
	for range s.next() & 7 {
		switch s.next() % 5 {
		case 0:
			arr.Str(s.text())
		case 1:
			arr.Int(int(s.next()))
		case 2:
			arr.Object(s.rest())
		case 3:
			arr.Interface(nil)
		case 4:
			arr.Err(errors.New(s.text()))
		}
	}
}

// FuzzValues holds Values to the bytes of Event.Object, Array and Interface.
func FuzzValues(f *testing.F) {
	f.Add([]byte{})
	for k := range byte(12) {
		f.Add([]byte{7, 1, 'a', k, 2, '\x7f', '"', 3, 'b', 0xff, 'c', 8, 1, 2, 3, 4, 5, 6, 7, 8})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var want, got bytes.Buffer
		l := zerolog.New(&want)
		l.Info().Object("o", shape(data)).Interface("i", shape(data)).Array("a", shapes(data)).Msg("m")
		h := zerologsink.New(zerolog.SyncWriter(&got))
		r := slog.NewRecord(time.Time{}, slog.LevelInfo, "m", 0)
		r.AddAttrs(slog.Any("o", shape(data)), slog.Any("i", shape(data)), slog.Any("a", shapes(data)))
		if err := h.Handle(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("got  %s\nwant %s", got.String(), want.String())
		}
		got.Reset()
		r = slog.NewRecord(time.Time{}, slog.LevelInfo, "m", 0)
		if err := h.WithAttrs([]slog.Attr{slog.Any("o", shape(data)), slog.Any("i", shape(data))}).
			WithAttrs([]slog.Attr{slog.Any("a", shapes(data))}).Handle(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("by With: got  %s\nwant %s", got.String(), want.String())
		}
	})
}
