package sink_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/sink"
)

// After each fault everything is written, once and in order.
func TestFaultsThatPass(t *testing.T) {
	// Each row makes a writer's answers; n counts the calls.
	for name, fail := range map[string]func(n int, p []byte) (int, error){
		"full disk": func(n int, p []byte) (int, error) {
			if n < 10 {
				return 0, syscall.ENOSPC
			}
			return len(p), nil
		},
		"full within a record": func(n int, p []byte) (int, error) {
			switch {
			case n == 1:
				return 41, syscall.ENOSPC
			case n < 10:
				return 0, syscall.ENOSPC
			}
			return len(p), nil
		},
		"one byte each": func(n int, p []byte) (int, error) { return 1, nil },
		"seven bytes and EAGAIN": func(n int, p []byte) (int, error) {
			if n%3 == 0 {
				return 0, syscall.EAGAIN
			}
			return min(7, len(p)), syscall.EAGAIN
		},
		"EINTR": func(n int, p []byte) (int, error) {
			if n%2 == 1 {
				return 0, syscall.EINTR
			}
			return len(p), nil
		},
		"nothing and no error": func(n int, p []byte) (int, error) {
			if n < 5 {
				return 0, nil
			}
			return len(p), nil
		},
		"closed for a while": func(n int, p []byte) (int, error) {
			if n < 5 {
				return 0, io.ErrClosedPipe
			}
			return len(p), nil
		},
		"panic": func(n int, p []byte) (int, error) {
			if n < 5 {
				panic("writer")
			}
			return len(p), nil
		},
		"panic with a bad error": func(n int, p []byte) (int, error) {
			if n < 5 {
				panic((*os.PathError)(nil))
			}
			return len(p), nil
		},
		"Goexit": func(n int, p []byte) (int, error) {
			if n < 5 {
				runtime.Goexit()
			}
			return len(p), nil
		},
		"impossible counts": func(n int, p []byte) (int, error) {
			switch n {
			case 1:
				return -1, nil
			case 2:
				return len(p) + 1, nil
			}
			return len(p), nil
		},
		"all and an error": func(n int, p []byte) (int, error) { return len(p), errors.New("but") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 0
			w := &collector{}
			w.fail = func(p []byte) (int, error) {
				n++
				return fail(n, p)
			}
			var told errs
			b := sink.NewBuffer(w, sink.WithSize(1<<11), sink.WithPolicy(sink.Block), sink.WithCloseTimeout(time.Minute), sink.WithErrorHandler(told.add))
			const total = 150
			within(t, func() {
				for i := range total {
					io.WriteString(b, line(i))
					checkSum(t, b.Stats())
				}
				for b.Flush() != nil { // says so while writing fails
				}
				if err := b.Close(); err != nil {
					t.Error(err)
				}
			})
			checkGaps(t, parse(t, w.String()), total, total)
			s := b.Stats()
			checkSum(t, s)
			if s.Delivered != total || s.Failures == 0 {
				t.Errorf("%+v", s)
			}
			eventually(t, "the error handler is told", func() bool { return told.len() > 0 })
		})
	}
}

// The counts are exact, and the torn record is finished, when the writer takes
// half a record and then nothing for a while, with drops in between.
func TestTornRecordAndDrops(t *testing.T) {
	for _, p := range []sink.Policy{sink.DropNewest, sink.DropOldest} {
		w := &collector{}
		w.fail = func(p []byte) (int, error) { return 0, syscall.ENOSPC }
		b := sink.NewBuffer(w, sink.WithSize(1<<12), sink.WithPolicy(p), sink.WithBlockTimeout(0), sink.WithErrorHandler(func(error) {}))
		io.WriteString(b, line(0))
		w.set(func(p []byte) (int, error) {
			if w.out.Len() > 0 {
				return 0, syscall.ENOSPC
			}
			return 11, syscall.ENOSPC
		})
		if err := b.Flush(); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("Flush on a full disk = %v", err)
		}
		s := b.Stats()
		checkSum(t, s)
		if s.DeliveredBytes != 11 || s.Delivered != 0 || s.Pending != 1 {
			t.Errorf("with a record written in part: %+v", s)
		}
		total := 1
		for ; b.Stats().Dropped < 500; total++ {
			io.WriteString(b, line(total))
			checkSum(t, b.Stats())
		}
		w.set(nil)
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		checkGaps(t, parse(t, w.String()), total, 1)
		checkSum(t, b.Stats())
	}
}

// What cannot be written until Close runs out of time is counted as dropped,
// and Close says how much that is.
func TestCloseGivesUp(t *testing.T) {
	w := &collector{fail: func(p []byte) (int, error) { return 0, syscall.ENOSPC }}
	b := sink.NewBuffer(w, sink.WithCloseTimeout(20*time.Millisecond), sink.WithErrorHandler(func(error) {}))
	for i := range 100 {
		io.WriteString(b, line(i))
	}
	w.set(func(p []byte) (int, error) {
		if w.out.Len() == 0 {
			return 10, nil
		}
		return 0, syscall.ENOSPC
	})
	err := b.Close()
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "100 records") {
		t.Errorf("Close = %v", err)
	}
	s := b.Stats()
	checkSum(t, s)
	if s.Dropped != 100 || s.DeliveredBytes != 10 || s.Pending != 0 || s.PendingBytes != 0 {
		t.Errorf("%+v", s)
	}
	if again := b.Close(); again != err {
		t.Errorf("the second Close = %v", again)
	}
	w.set(nil)
	time.Sleep(5 * time.Millisecond) // nothing is to happen; what would, needs no luck to be seen later
	if w.String() != line(0)[:10] {
		t.Errorf("written after Close: %q", w.String())
	}
}

// Records from the flush level up hold nobody while writing fails.
func TestFlushLevelWhileWritingFails(t *testing.T) {
	w := &collector{fail: func([]byte) (int, error) { return 0, syscall.ENOSPC }}
	b := sink.NewBuffer(w, sink.WithBlockTimeout(time.Hour), sink.WithErrorHandler(func(error) {}))
	within(t, func() {
		for i := range 200 { // with a pause of up to a second each, minutes
			b.WriteLevel(slog.LevelError, []byte(line(i)))
		}
	})
	w.set(nil)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	checkGaps(t, parse(t, w.String()), 200, 200)
}

// A writer that does not return holds neither Close nor Shutdown. What it has in
// its hands is pending until it does.
func TestStuckWriter(t *testing.T) {
	g := newGate()
	b := sink.NewBuffer(g, sink.WithSize(1<<12), sink.WithCloseTimeout(10*time.Millisecond), sink.WithBlockTimeout(0), sink.WithErrorHandler(func(error) {}))
	n := fill(t, b, line)
	<-g.entered
	within(t, func() {
		if err := b.Flush(); err == nil {
			t.Error("Flush = nil")
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := b.Shutdown(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("Shutdown = %v", err)
		}
		if err := b.Close(); !errors.Is(err, context.Canceled) {
			t.Errorf("Close after it = %v", err)
		}
	})
	s := b.Stats()
	checkSum(t, s)
	if s.Pending == 0 || s.Pending+s.Dropped != int64(n) {
		t.Errorf("%+v", s)
	}
	g.set(func(p []byte) (int, error) { return len(line(0)) + 5, nil })
	close(g.open)
	eventually(t, "the writer returns", func() bool { return b.Stats().Pending == 0 })
	s = b.Stats()
	checkSum(t, s)
	if s.Delivered != 1 || s.DeliveredBytes != int64(len(line(0))+5) {
		t.Errorf("%+v", s)
	}
}

func TestShutdownWaits(t *testing.T) {
	g := newGate()
	b := sink.NewBuffer(g)
	io.WriteString(b, line(0))
	result := make(chan error, 3)
	for range 3 {
		go func() { result <- b.Shutdown(context.Background()) }()
	}
	<-g.entered
	close(g.open)
	within(t, func() {
		for range 3 {
			if err := <-result; err != nil {
				t.Error(err)
			}
		}
	})
	if g.String() != line(0) {
		t.Error(g.String())
	}
}

// Nobody reads any more: Close does not wait for somebody to.
func TestClosedPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	b := sink.NewBuffer(w, sink.WithCloseTimeout(time.Hour), sink.WithErrorHandler(func(error) {}))
	io.WriteString(b, line(0))
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	io.WriteString(b, line(1))
	within(t, func() {
		if err := b.Close(); err == nil {
			t.Error("Close = nil")
		}
	})
	s := b.Stats()
	checkSum(t, s)
	if s.Delivered != 1 || s.Dropped != 1 {
		t.Errorf("%+v", s)
	}
}

// Writers and error handlers that log to the Buffer that they belong to.
func TestReentry(t *testing.T) {
	var b *sink.Buffer
	var log *slog.Logger
	w := &collector{}
	calls := 0
	var once sync.Once
	b = sink.NewBuffer(writerFunc(func(p []byte) (int, error) {
		if calls++; calls < 4 {
			log.Error("from the writer") // does not wait for itself for ever
			return 0, syscall.EAGAIN
		}
		return w.Write(p)
	}), sink.WithBlockTimeout(5*time.Millisecond), sink.WithErrorHandler(func(err error) {
		log.Error("from the error handler")
		once.Do(func() { panic("and then") })
	}))
	log = slog.New(handler.New(b))
	log.Info("hello")
	within(t, func() {
		for b.Flush() != nil {
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	if n := len(parse(t, w.String())); n != 7 {
		t.Errorf("%d records, want 7", n)
	}
	checkSum(t, b.Stats())
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// failingFlush is a writer whose Flush fails a few times.
type failingFlush struct {
	collector
	flushes int
}

func (f *failingFlush) Flush() error {
	if f.flushes++; f.flushes < 8 {
		return syscall.ENOSPC
	}
	return nil
}

func TestFlushOfTheWriterFails(t *testing.T) {
	w := &failingFlush{}
	b := sink.NewBuffer(w, sink.WithErrorHandler(func(error) {}), sink.WithCloseTimeout(time.Minute))
	io.WriteString(b, line(0))
	within(t, func() {
		if err := b.Flush(); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("Flush = %v", err)
		}
		if err := b.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	if w.String() != line(0) {
		t.Errorf("%q", w.String())
	}
}
