package zerologsink_test

import (
	"log/slog"
	"math"
	"testing"

	"github.com/rs/zerolog"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/zerologsink"
)

// TestLevels: the level that the writer gets is the one that the record names.
func TestLevels(t *testing.T) {
	text := handler.Zerolog().LevelText
	all := []slog.Level{math.MinInt32, math.MaxInt32}
	for l := slog.Level(-40); l < 40; l++ {
		all = append(all, l)
	}
	for _, l := range all {
		w := &levels{}
		h := zerologsink.New(w)
		log(t, h, l, "m")
		if len(w.got) != 1 || w.got[0].String() != text(l) {
			t.Errorf("level %d: got %v, want %s alone", int(l), w.got, text(l))
			continue
		}
		if w.got[0] < zerolog.TraceLevel || w.got[0] > zerolog.PanicLevel {
			t.Errorf("level %d: got %d, which is no level of a Logger's", int(l), w.got[0])
		}
		want := `{"level":"` + text(l) + `","time":"2026-03-04T05:06:07Z","message":"m"}` + "\n"
		if w.String() != want {
			t.Errorf("got %s want %s", w.String(), want)
		}
	}
}

func TestLevelsTable(t *testing.T) {
	for _, c := range []struct {
		slog slog.Level
		want zerolog.Level
	}{
		{-5, zerolog.TraceLevel}, {-4, zerolog.DebugLevel}, {-1, zerolog.DebugLevel},
		{0, zerolog.InfoLevel}, {3, zerolog.InfoLevel}, {4, zerolog.WarnLevel}, {7, zerolog.WarnLevel},
		{8, zerolog.ErrorLevel}, {11, zerolog.ErrorLevel}, {12, zerolog.FatalLevel}, {15, zerolog.FatalLevel},
		{16, zerolog.PanicLevel}, {1000, zerolog.PanicLevel}, {-1000, zerolog.TraceLevel},
	} {
		w := &levels{}
		n, err := zerologsink.Levels(w).WriteLevel(c.slog, []byte("x"))
		if n != 1 || err != nil || len(w.got) != 1 || w.got[0] != c.want || w.String() != "x" {
			t.Errorf("%v: got %v %q, %d %v; want %v", c.slog, w.got, w.String(), n, err, c.want)
		}
	}
	w := &levels{}
	if n, err := zerologsink.Levels(w).Write([]byte("x")); n != 1 || err != nil || w.got != nil || w.String() != "x" {
		t.Errorf("Write: %d %v %v %q", n, err, w.got, w.String())
	}
	if n, err := zerologsink.Levels(nil).WriteLevel(0, []byte("x")); n != 1 || err != nil {
		t.Errorf("nil: %d %v", n, err)
	}
}

// TestWriterLevels: levels come back as they went.
func TestWriterLevels(t *testing.T) {
	for _, c := range []struct {
		zerolog zerolog.Level
		want    slog.Level
	}{
		{zerolog.TraceLevel, -8}, {zerolog.DebugLevel, -4}, {zerolog.InfoLevel, 0}, {zerolog.WarnLevel, 4},
		{zerolog.ErrorLevel, 8}, {zerolog.FatalLevel, 12}, {zerolog.PanicLevel, 16},
		{zerolog.NoLevel, 0}, {-2, -12}, {-128, -516}, {20, 76}, {127, 504},
	} {
		w := &slogLevels{}
		if _, err := zerologsink.Writer(w).WriteLevel(c.zerolog, nil); err != nil {
			t.Error(err)
		}
		if len(w.got) != 1 || w.got[0] != c.want {
			t.Errorf("%v: got %v, want %v", c.zerolog, w.got, c.want)
		}
		if c.zerolog >= zerolog.TraceLevel && c.zerolog <= zerolog.PanicLevel {
			back := &levels{}
			if _, err := zerologsink.Levels(back).WriteLevel(c.want, nil); err != nil || back.got[0] != c.zerolog {
				t.Errorf("%v: there and back is %v, %v", c.zerolog, back.got, err)
			}
		}
	}
}
