package zerologsink_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/sink"
	"github.com/slogpack/slogpack/handler/zerologsink"
)

// patience is how long a test waits for what must happen. No test passes
// because it ran out.
const patience = time.Minute

// locked is a writer that a test may read while others write.
type locked struct {
	mu sync.Mutex
	halves
}

func (w *locked) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.halves.Write(p)
}

func (w *locked) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.halves.String()
}

// kinds are the ways into one writer. Each returns a function that logs record
// i of goroutine g there, at Error if loud, with a text that makes lengths
// differ.
var kinds = []struct {
	name string
	to   func(w io.Writer, g int) func(i int, loud bool, text string)
}{
	{"slog, streamed", func(w io.Writer, g int) func(int, bool, string) {
		l := slog.New(handler.New(w)).With("g", g)
		return func(i int, loud bool, text string) {
			l.LogAttrs(context.Background(), slogLevel(loud), text, slog.Int("i", i))
		}
	}},
	{"slog, formatted apart", func(w io.Writer, g int) func(int, bool, string) {
		l := slog.New(handler.New(w)).With("g", g)
		return func(i int, loud bool, text string) {
			l.LogAttrs(context.Background(), slogLevel(loud), "m", slog.Int("i", i), slog.Any("text", []string{text}))
		}
	}},
	{"slog through Writer", func(w io.Writer, g int) func(int, bool, string) {
		l := slog.New(zerologsink.New(zerologsink.Writer(w))).With("g", g)
		return func(i int, loud bool, text string) {
			l.LogAttrs(context.Background(), slogLevel(loud), text, slog.Int("i", i))
		}
	}},
	{"zerolog", func(w io.Writer, g int) func(int, bool, string) {
		l := zerolog.New(zerologsink.Writer(w)).With().Int("g", g).Logger()
		return func(i int, loud bool, text string) {
			level := zerolog.InfoLevel
			if loud {
				level = zerolog.ErrorLevel
			}
			l.WithLevel(level).Int("i", i).Msg(text)
		}
	}},
	{"io.Writer", func(w io.Writer, g int) func(int, bool, string) {
		return func(i int, _ bool, text string) {
			fmt.Fprintf(w, `{"g":%d,"i":%d,"msg":"%s"}`+"\n", g, i, text)
		}
	}},
}

func slogLevel(loud bool) slog.Level {
	if loud {
		return slog.LevelError
	}
	return slog.LevelInfo
}

// logAll logs each records in every kind at once, by two goroutines each.
func logAll(w io.Writer, each int) (total int) {
	var wg sync.WaitGroup
	for g := range 2 * len(kinds) {
		log := kinds[g%len(kinds)].to(w, g)
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range each {
				log(i, i%50 == 49, strings.Repeat("x", i*i%700))
			}
		}()
	}
	wg.Wait()
	return 2 * len(kinds) * each
}

// inOrder fails the test unless the records are, for each goroutine of logAll,
// all there, once and in order.
func inOrder(t *testing.T, records []string, each int) {
	t.Helper()
	next := make([]int, 2*len(kinds))
	for _, l := range records {
		m, ok := fromJSON(t, l).(map[string]any)
		if !ok || m["g"] == nil || m["i"] == nil {
			t.Fatalf("not one of the test's records: %q", l)
		}
		g, i := int(m["g"].(float64)), int(m["i"].(float64))
		if i != next[g] {
			t.Fatalf("%s, goroutine %d: record %d, want %d", kinds[g%len(kinds)].name, g, i, next[g])
		}
		next[g]++
	}
	for g, n := range next {
		if n != each {
			t.Errorf("%s, goroutine %d: %d records, want %d", kinds[g%len(kinds)].name, g, n, each)
		}
	}
}

// TestBufferShared: loggers of every kind on one sink.Buffer never mix their
// lines, and nothing is missing.
func TestBufferShared(t *testing.T) {
	const each = 300
	for _, size := range []int{1 << 10, 1 << 13, 1 << 18} { // records longer than a block, a few in one, many in one
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			w := &locked{}
			b := sink.NewBuffer(w, sink.WithSize(size), sink.WithPolicy(sink.Block), sink.WithCloseTimeout(patience))
			total := logAll(b, each)
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			inOrder(t, lines(t, w.String()), each)
			if s := b.Stats(); s.Delivered != int64(total) || s.Accepted != int64(total) || s.DeliveredBytes != int64(len(w.String())) {
				t.Errorf("%d records of %d bytes: %+v", total, len(w.String()), s)
			}
		})
	}
}

// TestBufferLevels: zerolog's level reaches a sink.Buffer, which writes from
// Error up before the call returns, and what was logged before with it.
func TestBufferLevels(t *testing.T) {
	tests := []struct {
		name string
		log  func(b *sink.Buffer)
		once bool // it is written at once
	}{
		{"trace", zerologAt(zerolog.TraceLevel), false},
		{"debug", zerologAt(zerolog.DebugLevel), false},
		{"info", zerologAt(zerolog.InfoLevel), false},
		{"warn", zerologAt(zerolog.WarnLevel), false},
		{"error", zerologAt(zerolog.ErrorLevel), true},
		{"fatal", zerologAt(zerolog.FatalLevel), true},
		{"panic", zerologAt(zerolog.PanicLevel), true},
		{"none", zerologAt(zerolog.NoLevel), false},
		{"without Writer", func(b *sink.Buffer) { l := zerolog.New(b); l.Error().Msg("m") }, false},
		{"slog's error", func(b *sink.Buffer) { slog.New(handler.New(b)).Error("m") }, true},
		{"slog's error through Writer", func(b *sink.Buffer) { slog.New(zerologsink.New(zerologsink.Writer(b))).Error("m") }, true},
		{"slog's warning through Writer", func(b *sink.Buffer) { slog.New(zerologsink.New(zerologsink.Writer(b))).Warn("m") }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := &locked{}
			// Neither time nor room has anything written here; only the level may.
			b := sink.NewBuffer(w, sink.WithInterval(time.Hour), sink.WithBlockTimeout(patience), sink.WithCloseTimeout(patience))
			slog.New(handler.New(b)).Info("before")
			tt.log(b)
			want := 0
			if tt.once {
				want = 2
			}
			if got := lines(t, w.String()); len(got) != want {
				t.Errorf("%d records are written when the call returns, want %d: %q", len(got), want, got)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			if got := lines(t, w.String()); len(got) != 2 {
				t.Errorf("%d records in the end: %q", len(got), got)
			}
		})
	}
}

func zerologAt(level zerolog.Level) func(*sink.Buffer) {
	return func(b *sink.Buffer) {
		l := zerolog.New(zerologsink.Writer(b)).Level(zerolog.TraceLevel)
		l.WithLevel(level).Msg("m") // does not end the program, unlike Fatal and Panic
	}
}

// TestBufferFlush: Flush and Close of a Writer are the Buffer's.
func TestBufferFlush(t *testing.T) {
	var out bytes.Buffer
	b := sink.NewBuffer(&out, sink.WithInterval(time.Hour))
	w := zerologsink.Writer(b)
	l := zerolog.New(w)
	l.Info().Msg("m")
	if err := zerologsink.New(w).Flush(); err != nil || len(lines(t, out.String())) != 1 {
		t.Errorf("after Flush: %v, %q", err, out.String())
	}
	l.Info().Msg("n")
	if err := w.(io.Closer).Close(); err != nil || len(lines(t, out.String())) != 2 {
		t.Errorf("after Close: %v, %q", err, out.String())
	}
	if _, err := b.Write([]byte("{}\n")); err == nil {
		t.Error("the Buffer is not closed")
	}
}
