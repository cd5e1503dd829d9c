package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/slogpack/slogpack/handler/sink"
)

// patient is a context for what must happen sooner.
func patient(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// up starts a server for a test.
func up(t *testing.T, maxPayload int32) *natsServer {
	t.Helper()
	s, err := startServer(maxPayload)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.remove(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func logTo(t *testing.T, s *natsServer, opts ...sink.Option) *logger {
	t.Helper()
	l, err := openLog(patient(t), s.url(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.close() }) // of tests that have not
	return l
}

func closeLog(t *testing.T, l *logger) (delivered int64) {
	t.Helper()
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	st := l.buffer.Stats()
	if st.Dropped != 0 || st.Delivered != st.Accepted || l.publisher.refused.Load() != 0 {
		t.Errorf("%+v, %d refused", st, l.publisher.refused.Load())
	}
	return st.Delivered
}

// read prints n records of the stream.
func read(t *testing.T, s *natsServer, n int64) (string, *consumer) {
	t.Helper()
	var out bytes.Buffer
	c, err := openConsumer(patient(t), s.url(), &out)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if err := c.run(patient(t), func(printed int64) bool { return printed >= n }); err != nil {
		t.Fatal(err)
	}
	if c.missing != 0 || c.unreadable != 0 {
		t.Errorf("%d messages missing, %d unreadable", c.missing, c.unreadable)
	}
	return out.String(), c
}

// inOrder fails the test unless the lines are the records 0, 1, 2 and so on of
// each of the loggers, and returns how many each has.
func inOrder(t *testing.T, lines string, loggers int) []int {
	t.Helper()
	next := make([]int, loggers)
	for line := range strings.Lines(lines) {
		var r struct {
			G int
			N *int
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.N == nil {
			t.Fatalf("%v: %q", err, line)
		}
		if *r.N != next[r.G] {
			t.Fatalf("logger %d: record %d, want %d", r.G, *r.N, next[r.G])
		}
		next[r.G]++
	}
	return next
}

// TestRun: the example, as users run it.
func TestRun(t *testing.T) {
	const n = 50
	var out, told bytes.Buffer
	if err := run(patient(t), &out, &told, n); err != nil {
		t.Fatal(err)
	}
	if got := inOrder(t, out.String(), 1); got[0] != 3*n {
		t.Errorf("%d records, want %d", got[0], 3*n)
	}
	for _, want := range []string{"accepted 100, delivered 50, pending 50, dropped 0", "accepted 150, delivered 150, pending 0, dropped 0", "records 150"} {
		if !strings.Contains(told.String(), want) {
			t.Errorf("no %q in\n%s", want, told.String())
		}
	}
}

// TestRestarts: while several goroutines log without a pause, the server is
// restarted twice. Batches are longer than a message may be, so they are
// divided, and each record arrives once, whole and in order.
func TestRestarts(t *testing.T) {
	const loggers = 3
	s := up(t, 4<<10)
	l := logTo(t, s, sink.WithSize(64<<10), sink.WithPolicy(sink.Block), sink.WithCloseTimeout(time.Minute))
	var stop atomic.Bool
	var wg sync.WaitGroup
	for g := range loggers {
		log := l.With("g", g)
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 0; !stop.Load(); n++ {
				log.Info("work", "n", n, "pad", strings.Repeat("x", n%200))
			}
		}()
	}
	for range 2 {
		progress(t, l, 100)
		s.stop()
		if err := s.start(); err != nil {
			t.Fatal(err)
		}
	}
	progress(t, l, 100)
	stop.Store(true)
	wg.Wait()
	total := closeLog(t, l)
	if l.buffer.Stats().Failures == 0 {
		t.Error("no write failed: the restarts went unnoticed")
	}
	if m := l.publisher.messages.Load(); m <= l.buffer.Stats().Writes {
		t.Errorf("%d messages by %d writes: no batch was divided", m, l.buffer.Stats().Writes)
	}
	lines, _ := read(t, s, total)
	sum := 0
	for _, n := range inOrder(t, lines, loggers) {
		sum += n
	}
	if int64(sum) != total {
		t.Errorf("%d records, %d were delivered", sum, total)
	}
}

// progress waits until n more messages are in the stream.
func progress(t *testing.T, l *logger, n int64) {
	t.Helper()
	ctx := patient(t)
	for goal := l.publisher.messages.Load() + n; l.publisher.messages.Load() < goal; {
		select {
		case <-ctx.Done():
			t.Fatalf("%d messages; the sink: %+v", l.publisher.messages.Load(), l.buffer.Stats())
		case <-time.After(time.Millisecond):
		}
	}
}

// TestAcksLost: what was stored, but not acknowledged, is sent again and is in
// the stream once all the same.
func TestAcksLost(t *testing.T) {
	s := up(t, 0)
	l := logTo(t, s)
	publish, calls := l.publisher.publish, 0
	l.publisher.publish = func(msg *nats.Msg) (bool, error) {
		duplicate, err := publish(msg)
		if calls++; calls%3 == 1 && err == nil {
			return false, errors.New("the acknowledgement is lost")
		}
		return duplicate, err
	}
	const records = 100
	for n := range records {
		l.Error("work", "n", n) // each is a message
	}
	closeLog(t, l)
	lines, c := read(t, s, records)
	if got := inOrder(t, lines, 1); got[0] != records {
		t.Errorf("%d records, want %d", got[0], records)
	}
	if again := l.publisher.duplicates.Load(); again == 0 || c.messages != l.publisher.messages.Load() {
		t.Errorf("%d duplicates; %d messages sent, %d read", again, l.publisher.messages.Load(), c.messages)
	}
}

// TestLongRecord: what no message can hold is shortened before it is logged.
func TestLongRecord(t *testing.T) {
	s := up(t, 4<<10)
	l := logTo(t, s)
	l.Info(strings.Repeat("long ", 2000), "n", 0)
	l.Info("short", "n", 1)
	lines, _ := read(t, s, closeLog(t, l))
	if got := inOrder(t, lines, 1); got[0] != 2 || !strings.Contains(lines, `"truncated":true`) {
		t.Errorf("%d records: %s", got[0], lines)
	}
}

// failAt is a writer that fails at the nth call.
type failAt struct {
	bytes.Buffer
	n int
}

func (w *failAt) Write(p []byte) (int, error) {
	if w.n--; w.n == 0 {
		return 0, errors.New("full")
	}
	return w.Buffer.Write(p)
}

// TestConsumerResumes: a consumer goes on where the one before it stopped, and
// begins with what that could not print.
func TestConsumerResumes(t *testing.T) {
	s := up(t, 0)
	l := logTo(t, s)
	for n := range 50 {
		level := slog.LevelInfo
		if n%10 == 9 {
			level = slog.LevelError // ends a message
		}
		l.Log(context.Background(), level, "work", "n", n)
	}
	closeLog(t, l)
	out := &failAt{n: 3}
	c, err := openConsumer(patient(t), s.url(), out)
	if err != nil {
		t.Fatal(err)
	}
	err = c.run(patient(t), func(int64) bool { return false })
	c.close()
	if err == nil || !strings.Contains(err.Error(), "full") {
		t.Fatalf("got %v", err)
	}
	printed := inOrder(t, out.String(), 1)[0]
	if printed == 0 || printed >= 50 {
		t.Fatalf("%d records before the failure", printed)
	}
	lines, _ := read(t, s, int64(50-printed))
	if got := inOrder(t, out.String()+lines, 1); got[0] != 50 {
		t.Errorf("%d records, want 50", got[0])
	}
}

// TestUnreadable: a message of somebody else's costs itself only.
func TestUnreadable(t *testing.T) {
	s := up(t, 0)
	l := logTo(t, s)
	l.Error("work", "n", 0)
	js, err := jetstream.New(l.conn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(patient(t), subject, []byte("\xc1 no MessagePack")); err != nil {
		t.Fatal(err)
	}
	l.Error("work", "n", 1)
	closeLog(t, l)
	var out bytes.Buffer
	c, err := openConsumer(patient(t), s.url(), &out)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if err := c.run(patient(t), func(printed int64) bool { return printed == 2 }); err != nil {
		t.Fatal(err)
	}
	if got := inOrder(t, out.String(), 1); got[0] != 2 || c.unreadable != 1 || c.messages != 3 {
		t.Errorf("%d records; %d of %d messages unreadable", got[0], c.unreadable, c.messages)
	}
}
