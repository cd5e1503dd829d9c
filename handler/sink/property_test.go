package sink_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/sink"
)

// chaos is a writer that does at random what writers do.
type chaos struct {
	collector
	rnd  *rand.Rand
	calm bool // takes everything from now on
	down int  // calls to fail
}

func newChaos(seed int64) *chaos {
	c := &chaos{rnd: rand.New(rand.NewSource(seed))}
	c.fail = func(p []byte) (int, error) {
		if c.calm {
			return len(p), nil
		}
		if c.down > 0 {
			c.down--
			return 0, syscall.ENOSPC
		}
		switch c.rnd.Intn(12) {
		case 0:
			return 0, syscall.EAGAIN
		case 1:
			return c.rnd.Intn(len(p) + 1), syscall.EINTR
		case 2:
			return c.rnd.Intn(len(p) + 1), nil
		case 3:
			c.down = c.rnd.Intn(3)
			return c.rnd.Intn(min(len(p), 40) + 1), syscall.ENOSPC
		case 4:
			panic(errors.New("chaos"))
		case 5:
			return len(p) + 1 + c.rnd.Intn(5), nil
		case 6:
			time.Sleep(time.Duration(c.rnd.Intn(1000)) * time.Microsecond)
		case 7:
			return len(p), errors.New("all the same")
		}
		return len(p), nil
	}
	return c
}

// Whatever a writer does, what it has taken is exactly the accepted records
// without those that are counted, in order, and none is torn.
func TestRandomFaults(t *testing.T) {
	policies := []sink.Policy{sink.DropNewest, sink.DropOldest, sink.Block}
	for seed := range int64(24) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewSource(seed))
			w := newChaos(seed)
			b := sink.NewBuffer(w,
				sink.WithSize(1<<(10+rnd.Intn(5))),
				sink.WithPolicy(policies[seed%3]),
				sink.WithInterval(time.Duration(1+rnd.Intn(5))*time.Millisecond),
				sink.WithBlockTimeout(time.Duration(rnd.Intn(3))*time.Millisecond),
				sink.WithCloseTimeout(time.Minute),
				sink.WithErrorHandler(func(error) {}))
			const loggers, each = 4, 100
			var wg sync.WaitGroup
			for g := range loggers {
				seed := rnd.Int63()
				wg.Add(1)
				go func() {
					defer wg.Done()
					logSome(b, g, each, rand.New(rand.NewSource(seed)))
				}()
			}
			stop := make(chan struct{})
			var watch sync.WaitGroup
			watch.Add(1)
			go func() {
				defer watch.Done()
				for {
					checkSum(t, b.Stats())
					select {
					case <-stop:
						return
					case <-time.After(100 * time.Microsecond):
					}
				}
			}()
			within(t, wg.Wait)
			close(stop)
			watch.Wait()
			w.mu.Lock()
			w.calm = true
			w.mu.Unlock()
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			s := b.Stats()
			checkSum(t, s)
			if s.Accepted != loggers*each || s.Pending != 0 || s.Refused != 0 {
				t.Errorf("%+v", s)
			}
			checkStream(t, w.String(), s)
		})
	}
}

// logSome logs records that are numbered for each g, in all the ways there are.
func logSome(b *sink.Buffer, g, each int, rnd *rand.Rand) {
	log := slog.New(handler.New(b)).With("g", g)
	for i := range each {
		pad := strings.Repeat("x", rnd.Intn(1+rnd.Intn(1+rnd.Intn(4000))))
		switch rnd.Intn(6) {
		case 0, 1:
			log.Info("m", "n", i, "pad", pad)
		case 2:
			log.Info("m", "n", i, "any", []string{pad})
		case 3:
			fmt.Fprintf(b, `{"g":%d,"n":%d,"pad":"%s"}`+"\n", g, i, pad)
		case 4:
			log.Error("m", "n", i)
		case 5:
			log.Info("m", "n", i)
			if rnd.Intn(20) == 0 {
				_ = b.Flush()
			}
		}
	}
}

// checkStream holds a stream against the counts.
func checkStream(t *testing.T, stream string, s sink.Stats) {
	t.Helper()
	if int64(len(stream)) != s.DeliveredBytes+s.NoteBytes {
		t.Errorf("%d bytes, %d and %d are counted", len(stream), s.DeliveredBytes, s.NoteBytes)
	}
	last := map[int]int{}
	var records, notes, dropped, droppedBytes int64
	for _, e := range parse(t, stream) {
		if e.N == nil {
			notes++
			dropped += e.Dropped
			droppedBytes += e.Bytes
			continue
		}
		records++
		if prev, ok := last[e.G]; ok && *e.N <= prev {
			t.Fatalf("logger %d: record %d after %d", e.G, *e.N, prev)
		}
		last[e.G] = *e.N
	}
	if records != s.Delivered || notes != s.Notes {
		t.Errorf("%d records, %d of ours; counted: %+v", records, notes, s)
	}
	if dropped != s.Dropped || droppedBytes != s.DroppedBytes {
		t.Errorf("the stream tells of %d dropped records, %d bytes; counted: %+v", dropped, droppedBytes, s)
	}
}

func TestAllocs(t *testing.T) {
	if raceEnabled {
		t.Skip("allocation counts mean nothing under the race detector")
	}
	for _, c := range []struct {
		name  string
		opts  []sink.Option
		level slog.Level
	}{
		{"discard", []sink.Option{sink.WithPolicy(sink.Block)}, slog.LevelInfo},
		{"small buffer, callers wait", []sink.Option{sink.WithPolicy(sink.Block), sink.WithSize(1 << 12)}, slog.LevelInfo},
		{"with timeout", []sink.Option{sink.WithBlockTimeout(time.Hour), sink.WithSize(1 << 12)}, slog.LevelInfo},
		{"drop oldest", []sink.Option{sink.WithPolicy(sink.DropOldest), sink.WithSize(1 << 14), sink.WithBlockTimeout(time.Hour)}, slog.LevelInfo},
		{"flush level", nil, slog.LevelError},
	} {
		b := sink.NewBuffer(writerFunc(func(p []byte) (int, error) { return len(p), nil }), c.opts...)
		h := handler.New(b)
		r := slog.NewRecord(time.Now(), c.level, "hello", 0)
		r.AddAttrs(slog.Int("n", 1), slog.String("s", "text"))
		text := []byte(line(1))
		if n := testing.AllocsPerRun(3000, func() {
			_ = h.Handle(t.Context(), r)
			_, _ = b.Write(text)
		}); n >= 0.05 {
			t.Errorf("%s: %v allocations for two records", c.name, n)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A slow writer keeps up with callers that wait.
func TestSlowWriter(t *testing.T) {
	w := &collector{}
	w.fail = func(p []byte) (int, error) {
		time.Sleep(200 * time.Microsecond)
		return len(p), nil
	}
	b := sink.NewBuffer(w, sink.WithSize(1<<12), sink.WithBlockTimeout(time.Minute))
	within(t, func() {
		for i := range 3000 {
			io.WriteString(b, line(i))
		}
	})
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	checkGaps(t, parse(t, w.String()), 3000, 3000)
}
