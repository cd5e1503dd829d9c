package zerologsink_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/slogpack/slogpack/handler/zerologsink"
)

// slogLevels is a handler.LevelWriter.
type slogLevels struct {
	bytes.Buffer
	got    []slog.Level
	calls  int
	closed int
}

func (w *slogLevels) WriteLevel(l slog.Level, p []byte) (int, error) {
	w.got = append(w.got, l)
	w.calls++
	return w.Write(p)
}

func (w *slogLevels) Close() error { w.closed++; return nil }

func TestWriter(t *testing.T) {
	w := &slogLevels{}
	logger := zerolog.New(zerologsink.Writer(w))
	logger.Warn().Str("k", "v").Msg("m")
	logger.Log().Msg("n")
	fmt.Fprintln(logger, "from the standard library's log")
	want := `{"level":"warn","k":"v","message":"m"}` + "\n" + `{"message":"n"}` + "\n" + `{"message":"from the standard library's log"}` + "\n"
	if w.String() != want || w.calls != 3 || fmt.Sprint(w.got) != "[WARN INFO INFO]" {
		t.Errorf("got %s in %d calls, %v", w.String(), w.calls, w.got)
	}

	z := &levels{}
	logger = zerolog.New(zerologsink.Writer(z))
	logger.Error().Msg("")
	if fmt.Sprint(z.got) != "[error]" || z.String() != "{\"level\":\"error\"}\n" {
		t.Errorf("got %v %q", z.got, z.String())
	}

	var buf bytes.Buffer
	out := zerologsink.Writer(&buf)
	if zerologsink.Writer(out) != out {
		t.Error("a Writer on a Writer is not the same")
	}
	if n, err := out.Write([]byte("x\n")); n != 2 || err != nil || buf.String() != "x\n" {
		t.Errorf("%d %v %q", n, err, buf.String())
	}
	if n, err := zerologsink.Writer(nil).WriteLevel(0, []byte("x")); n != 1 || err != nil {
		t.Errorf("nil: %d %v", n, err)
	}
}

// TestWriterShared: a slog handler on the Writer keeps slog's own levels.
func TestWriterShared(t *testing.T) {
	w := &slogLevels{}
	out := zerologsink.Writer(w)
	log(t, zerologsink.New(out), 2, "m", slog.Int("k", 1))
	if w.String() != infoLine || fmt.Sprint(w.got) != "[INFO+2]" {
		t.Errorf("got %s at %v", w.String(), w.got)
	}
	if err := zerologsink.New(out).Flush(); err != nil {
		t.Error(err)
	}

	z := &levels{}
	log(t, zerologsink.New(zerologsink.Writer(z)), 100, "m")
	if fmt.Sprint(z.got) != "[panic]" {
		t.Errorf("got %v", z.got)
	}
}

// TestWriterFatal: zerolog closes its writer before the program ends, so that
// what the writer holds is not lost.
func TestWriterFatal(t *testing.T) {
	defer func() { zerolog.FatalExitFunc = nil }()
	zerolog.FatalExitFunc = func() {}
	w := &slogLevels{}
	logger := zerolog.New(zerologsink.Writer(w))
	logger.Fatal().Msg("m")
	if w.closed != 1 || fmt.Sprint(w.got) != "[ERROR+4]" {
		t.Errorf("closed %d times, %v", w.closed, w.got)
	}
	var buf bytes.Buffer
	logger = zerolog.New(zerologsink.Writer(bufio.NewWriter(&buf)))
	logger.Fatal().Msg("m")
	if buf.String() != `{"level":"fatal","message":"m"}`+"\n" {
		t.Errorf("got %q", buf.String())
	}
}

type counts struct {
	n   int
	err error
}

func (c counts) Write([]byte) (int, error) { return c.n, c.err }

func TestWriterCounts(t *testing.T) {
	full := errors.New("full")
	for _, c := range []struct {
		counts
		n    int
		want string
	}{
		{counts{4, nil}, 4, ""},
		{counts{3, nil}, 3, io.ErrShortWrite.Error()},
		{counts{3, full}, 3, "full"},
		{counts{9, nil}, 0, "zerologsink: zerologsink_test.counts returned the count 9 for 4 bytes"},
		{counts{-1, nil}, 0, "zerologsink: zerologsink_test.counts returned the count -1 for 4 bytes"},
	} {
		for name, call := range map[string]func(zerolog.LevelWriter) (int, error){
			"Write":      func(w zerolog.LevelWriter) (int, error) { return w.Write([]byte("abcd")) },
			"WriteLevel": func(w zerolog.LevelWriter) (int, error) { return w.WriteLevel(0, []byte("abcd")) },
		} {
			n, err := call(zerologsink.Writer(c.counts))
			if got := fmt.Sprint(err); n != c.n || got != c.want && !(err == nil && c.want == "") {
				t.Errorf("%v: %s: got %d %v", c.counts, name, n, err)
			}
		}
	}
}

// TestWriterPanic: the lock is given back.
func TestWriterPanic(t *testing.T) {
	w := zerologsink.Writer(panics{})
	for range 2 {
		func() {
			defer func() { _ = recover() }()
			_, _ = w.WriteLevel(0, []byte("x"))
		}()
	}
}

type panics struct{}

func (panics) Write([]byte) (int, error) { panic("ouch") }

// TestWriterRace: zerolog loggers and slog handlers on one plain writer put out
// whole lines. The writer yields between two halves of what it gets.
func TestWriterRace(t *testing.T) {
	const goroutines, records = 6, 100
	w := &halves{}
	out := zerologsink.Writer(w)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Add(1)
		go func() {
			defer wg.Done()
			old := zerolog.New(out).With().Int("g", g).Logger()
			h := slog.New(zerologsink.New(out)).With("g", g)
			for i := range records {
				if g%2 == 0 {
					old.Info().Int("i", i).Msg(strings.Repeat("z", i))
				} else {
					h.LogAttrs(context.Background(), slog.LevelInfo, strings.Repeat("s", i), slog.Int("i", i))
				}
			}
		}()
	}
	wg.Wait()
	next := make([]int, goroutines)
	for _, l := range lines(t, w.String()) {
		m := fromJSON(t, l).(map[string]any)
		g, i := int(m["g"].(float64)), int(m["i"].(float64))
		if i != next[g] {
			t.Fatalf("goroutine %d: got record %d, want %d", g, i, next[g])
		}
		next[g]++
	}
	for g, n := range next {
		if n != records {
			t.Errorf("goroutine %d: %d records", g, n)
		}
	}
}

type halves struct{ bytes.Buffer }

func (w *halves) Write(p []byte) (int, error) {
	n := len(p) / 2
	w.Buffer.Write(p[:n])
	time.Sleep(time.Microsecond)
	w.Buffer.Write(p[n:])
	return len(p), nil
}
