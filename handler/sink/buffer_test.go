package sink_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/sink"
)

var (
	_ handler.StreamWriter  = (*sink.Buffer)(nil)
	_ handler.LevelWriter   = (*sink.Buffer)(nil)
	_ handler.FormatWriter  = (*sink.Buffer)(nil)
	_ handler.FormatChecker = (*sink.Buffer)(nil)
)

func TestFlushWritesEverythingInOrder(t *testing.T) {
	w := &collector{}
	b := sink.NewBuffer(w, sink.WithInterval(time.Hour))
	var want strings.Builder
	for i := range 5000 {
		want.WriteString(line(i))
		if n, err := io.WriteString(b, line(i)); n != len(line(i)) || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
	}
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	if w.String() != want.String() {
		t.Error("what was written is not what was given")
	}
	s := b.Stats()
	checkSum(t, s)
	if s.Delivered != 5000 || s.DeliveredBytes != int64(want.Len()) || s.Pending != 0 {
		t.Errorf("%+v", s)
	}
	if s.Writes > 20 {
		t.Errorf("%d writes for %d bytes: they are to be large", s.Writes, want.Len())
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestIntervalWrites(t *testing.T) {
	w := &collector{}
	b := sink.NewBuffer(w, sink.WithInterval(time.Millisecond))
	for i := range 3 { // the timer begins anew each time
		io.WriteString(b, line(i))
		eventually(t, "the interval", func() bool { return len(parse(t, w.String())) == i+1 })
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestFlushLevelReturnsWhenWritten(t *testing.T) {
	for name, log := range map[string]func(b *sink.Buffer, l slog.Level){
		"streamed": func(b *sink.Buffer, l slog.Level) {
			slog.New(handler.New(b)).LogAttrs(context.Background(), l, "m", slog.Int("n", 1))
		},
		"with user code": func(b *sink.Buffer, l slog.Level) {
			slog.New(handler.New(b)).Log(context.Background(), l, "m", "n", 1, "any", []int{1})
		},
		"WriteLevel": func(b *sink.Buffer, l slog.Level) { b.WriteLevel(l, []byte(line(1))) },
	} {
		w := &collector{}
		b := sink.NewBuffer(w, sink.WithInterval(time.Hour), sink.WithBlockTimeout(time.Hour), sink.WithFlushLevel(slog.LevelWarn))
		log(b, slog.LevelInfo)
		if got := w.String(); got != "" {
			t.Errorf("%s: Info was written at once: %q", name, got)
		}
		log(b, slog.LevelWarn)
		if got := parse(t, w.String()); len(got) != 2 {
			t.Errorf("%s: after the record from the flush level: %d records are written, want 2", name, len(got))
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFlushLevelDoesNotHoldTheCaller(t *testing.T) {
	g := newGate()
	b := sink.NewBuffer(g, sink.WithBlockTimeout(time.Millisecond), sink.WithInterval(time.Hour))
	within(t, func() {
		for range 5 {
			b.WriteLevel(slog.LevelError, []byte(line(1)))
		}
	})
	checkSum(t, b.Stats())
	if s := b.Stats(); s.Pending != 5 {
		t.Errorf("%+v", s)
	}
	close(g.open)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(parse(t, g.String())); n != 5 {
		t.Errorf("%d records", n)
	}
}

func TestWriteAfterClose(t *testing.T) {
	w := &collector{}
	b := sink.NewBuffer(w)
	io.WriteString(b, line(0))
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	n, err := io.WriteString(b, line(1))
	if n != 0 || !errors.Is(err, sink.ErrClosed) || !errors.Is(err, os.ErrClosed) {
		t.Errorf("Write after Close = %d, %v", n, err)
	}
	var told error
	h := handler.New(b, handler.WithErrorHandler(func(err error) { told = err }))
	r := slog.NewRecord(time.Now(), slog.LevelError, "m", 0)
	if err := h.Handle(context.Background(), r); !errors.Is(err, sink.ErrClosed) {
		t.Errorf("Handle after Close = %v", err)
	}
	if !errors.Is(told, sink.ErrClosed) {
		t.Errorf("the handler's error handler got %v", told)
	}
	s := b.Stats()
	checkSum(t, s)
	if s.Accepted != 3 || s.Refused != 2 || s.Delivered != 1 {
		t.Errorf("%+v", s)
	}
	if err := errors.Join(b.Close(), b.Flush(), b.Shutdown(context.Background())); err != nil {
		t.Errorf("after a Close without loss: %v", err)
	}
	if len(parse(t, w.String())) != 1 {
		t.Error("something was written after Close")
	}
}

func TestRecordsOfEverySizePassWhole(t *testing.T) {
	const size = 1 << 12
	w := &collector{}
	b := sink.NewBuffer(w, sink.WithSize(size), sink.WithInterval(time.Hour), sink.WithBlockTimeout(time.Minute))
	var want []string
	for _, n := range []int{1, size / 8, size/8 + 1, 40, size / 2, size, size + 1, 5, 10 * size, 10*size + 1, 1, size / 4, size / 3, 7, 100 * size} {
		s := strings.Repeat("x", n-1) + "\n"
		want = append(want, s)
		if m, err := io.WriteString(b, s); m != n || err != nil {
			t.Fatalf("%d bytes: %d, %v", n, m, err)
		}
	}
	var whole []string
	w.set(nil)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(w.String()) {
		whole = append(whole, l)
	}
	if strings.Join(whole, "") != strings.Join(want, "") {
		t.Error("not what was given, in order")
	}
	checkSum(t, b.Stats())
	if s := b.Stats(); s.Delivered != int64(len(want)) {
		t.Errorf("%+v", s)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	const size, longest = 1 << 14, 3 << 14
	for _, p := range []sink.Policy{sink.DropNewest, sink.DropOldest} {
		g := newGate()
		b := sink.NewBuffer(g, sink.WithSize(size), sink.WithPolicy(p), sink.WithBlockTimeout(0), sink.WithErrorHandler(func(error) {}))
		for i := range 3000 {
			n := (i * i * 31) % 900
			if i%50 == 7 {
				n = i * 7919 % longest
			}
			b.Write(bytes.Repeat([]byte{'x'}, 1+n))
			s := b.Stats()
			checkSum(t, s)
			if s.PendingBytes > size+longest || s.Allocated > size+longest {
				t.Fatalf("policy %d: %+v", p, s)
			}
		}
		close(g.open)
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if s := b.Stats(); s.Allocated > size+longest {
			t.Errorf("%+v", s)
		}
	}
}

func TestWriterWithFlush(t *testing.T) {
	w := &collector{}
	bw := bufio.NewWriterSize(w, 1<<16)
	b := sink.NewBuffer(bw, sink.WithInterval(5*time.Millisecond))
	io.WriteString(b, line(0))
	eventually(t, "flush of the writer by interval", func() bool { return w.String() == line(0) })
	b.WriteLevel(slog.LevelError, []byte(line(1)))
	eventually(t, "flush of the writer by level", func() bool { return w.String() == line(0)+line(1) })
	io.WriteString(b, line(2))
	if err := b.Flush(); err != nil || w.String() != line(0)+line(1)+line(2) {
		t.Errorf("Flush = %v; %q", err, w.String())
	}
	io.WriteString(b, line(3))
	if err := b.Close(); err != nil || !strings.HasSuffix(w.String(), line(3)) {
		t.Errorf("Close = %v; %q", err, w.String())
	}
}

// What was written for want of room is flushed by the interval all the same.
func TestWriterWithFlushAfterFullBlock(t *testing.T) {
	w := &collector{}
	b := sink.NewBuffer(bufio.NewWriterSize(w, 1<<20), sink.WithInterval(20*time.Millisecond))
	long := strings.Repeat("x", 40<<10) + "\n" // a block of its own
	for range 4 {                              // half of the blocks: they are written
		io.WriteString(b, long)
	}
	eventually(t, "flush of the writer", func() bool { return w.String() == strings.Repeat(long, 4) })
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}

// What is kept for later gives way to a record that needs the room.
func TestLongRecordTakesFreeMemory(t *testing.T) {
	const size = 1 << 14
	b := sink.NewBuffer(io.Discard, sink.WithSize(size), sink.WithPolicy(sink.Block), sink.WithInterval(time.Hour))
	for i := range 5000 {
		io.WriteString(b, line(i))
	}
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	for n := size / 8; n < size*7/8; n += 100 {
		b.Write(make([]byte, n))
		if s := b.Stats(); s.Allocated > size {
			t.Fatalf("a record of %d bytes: %+v", n, s)
		}
		if err := b.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestManyLoggersAtOnce(t *testing.T) {
	const each = 500
	w := &collector{}
	b := sink.NewBuffer(w, sink.WithSize(1<<13), sink.WithPolicy(sink.Block))
	var wg sync.WaitGroup
	for g := range 6 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			h := handler.New(b)
			log := slog.New(h).With("g", g)
			for i := range each {
				switch g {
				case 0, 1: // streamed
					log.Info("m", "n", i)
				case 2: // user code
					log.Info("m", "n", i, "any", []int{i})
				case 3:
					log.Error("m", "n", i)
				case 4: // longer than a block
					log.Info("m", "n", i, "pad", strings.Repeat("x", i*8))
				default: // another logger
					io.WriteString(b, line(i)[:len(line(i))-2]+`,"g":5}`+"\n")
				}
				checkSum(t, b.Stats())
			}
		}()
	}
	within(t, wg.Wait)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	next := map[int]int{}
	for _, e := range parse(t, w.String()) {
		if *e.N != next[e.G] {
			t.Fatalf("logger %d: record %d, want %d", e.G, *e.N, next[e.G])
		}
		next[e.G]++
	}
	s := b.Stats()
	if s.Delivered != 6*each || s.Dropped != 0 {
		t.Errorf("%+v", s)
	}
}

// reserve returns what Reserve lends as soon as nobody else, which the Buffer's own
// goroutine may be, holds the lock.
func reserve(t *testing.T, b *sink.Buffer) (buf []byte) {
	t.Helper()
	eventually(t, "there is room", func() (ok bool) {
		buf, ok = b.Reserve(10)
		return ok
	})
	return buf
}

func TestCommitOfForeignBuffer(t *testing.T) {
	b := sink.NewBuffer(io.Discard)
	for _, change := range []func([]byte) []byte{
		func([]byte) []byte { return []byte("another\n") },
		func(p []byte) []byte { return append(p, make([]byte, 1<<20)...) },
	} {
		if _, err := b.Commit(change(reserve(t, b)), 0); err == nil {
			t.Error("no error")
		}
	}
	reserve(t, b)
	if n, err := b.Commit(nil, math.MaxInt); n != 0 || err != nil {
		t.Error(n, err)
	}
	if n, err := b.Commit(append(reserve(t, b), "record\n"...), 0); n != 7 || err != nil {
		t.Error(n, err)
	}
	if _, ok := b.Reserve(1 << 20); ok {
		t.Error("more than a block was lent")
	}
	if n, err := b.Write(nil); n != 0 || err != nil {
		t.Error(n, err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if s := b.Stats(); s.Accepted != 1 || s.Delivered != 1 {
		t.Errorf("%+v", s)
	}
}
