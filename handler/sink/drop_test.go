package sink_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/sink"
	"github.com/slogpack/slogpack/jsonmsgpack"
)

// errs is an error handler that keeps what it is told.
type errs struct {
	mu  sync.Mutex
	all []error
}

func (e *errs) add(err error) { e.mu.Lock(); defer e.mu.Unlock(); e.all = append(e.all, err) }

func (e *errs) len() int { e.mu.Lock(); defer e.mu.Unlock(); return len(e.all) }

func (e *errs) count(target error) (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, err := range e.all {
		if errors.Is(err, target) {
			n++
		}
	}
	return n
}

func TestDropNewest(t *testing.T) {
	g := newGate()
	var told errs
	b := sink.NewBuffer(g, sink.WithSize(1<<12), sink.WithBlockTimeout(time.Millisecond), sink.WithErrorHandler(told.add))
	start := time.Now()
	n := fill(t, b, line)
	for i := range 99 {
		io.WriteString(b, line(n+i))
	}
	s := b.Stats()
	checkSum(t, s)
	if s.Dropped != 100 || s.Delivered != 0 || s.Pending != int64(n-1) {
		t.Errorf("%+v", s)
	}
	if got := told.count(sink.ErrFull); got != 1 {
		t.Errorf("the error handler was told %d times that the buffer is full, want once a minute", got)
	}
	close(g.open)
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	io.WriteString(b, line(1e6))
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	es := parse(t, g.String())
	if len(es) != n+1 {
		t.Fatalf("%d records, want %d, one of ours and one later", len(es), n-1)
	}
	for i, e := range es[:n-1] {
		if *e.N != i {
			t.Fatalf("record %d is %d", i, *e.N)
		}
	}
	note := es[n-1]
	if note.Dropped != 100 || note.Bytes != s.DroppedBytes || note.Level != "WARN" || note.Msg == "" || note.Since.Before(start) {
		t.Errorf("our own record: %+v", note)
	}
	if *es[n].N != 1e6 {
		t.Errorf("the record after it: %+v", es[n])
	}
	s = b.Stats()
	checkSum(t, s)
	if s.Notes != 1 || s.DeliveredBytes+s.NoteBytes != int64(len(g.String())) {
		t.Errorf("%+v for %d bytes", s, len(g.String()))
	}
}

// The record of ours is where others are missing, also when records come again
// before everything old is written.
func TestDropRecordIsInPlace(t *testing.T) {
	for small := range 40 { // wherever the records end in the last block
		g := newGate()
		b := sink.NewBuffer(g, sink.WithSize(1<<12), sink.WithBlockTimeout(0), sink.WithErrorHandler(func(error) {}))
		record := func(i int) string {
			n := small
			if i%9 == 4 {
				n = 400 // dropped earlier than the small ones
			}
			s := strings.TrimSuffix(line(i), "................\"}\n")
			return s + strings.Repeat(".", n) + "\"}\n"
		}
		i := fill(t, b, record)
		last := b.Stats().Pending // accepted without a gap
		for ; b.Stats().Dropped < 50; i++ {
			io.WriteString(b, record(i))
		}
		close(g.open)
		if err := b.Flush(); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			io.WriteString(b, record(i))
			i++
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		checkGaps(t, parse(t, g.String()), i, int(last))
	}
}

// checkGaps checks that records 0 to total are there or told of in their place.
func checkGaps(t testing.TB, es []entry, total, unbroken int) {
	t.Helper()
	next := 0
	for i, e := range es {
		if e.N == nil {
			if next < unbroken {
				t.Errorf("drops are told of before they happened, after record %d", next)
			}
			next += int(e.Dropped)
			continue
		}
		if *e.N != next {
			t.Fatalf("entry %d is record %d, want %d", i, *e.N, next)
		}
		next++
	}
	if next != total {
		t.Errorf("%d records or told of, want %d", next, total)
	}
}

func TestDropOldest(t *testing.T) {
	g := newGate()
	b := sink.NewBuffer(g, sink.WithSize(1<<12), sink.WithPolicy(sink.DropOldest), sink.WithBlockTimeout(0), sink.WithErrorHandler(func(error) {}))
	const total = 2000
	for i := range total {
		io.WriteString(b, line(i))
		if i == 100 {
			<-g.entered // the first block is out of reach
		}
		checkSum(t, b.Stats())
	}
	s := b.Stats()
	if s.Dropped < 1000 || s.PendingBytes < 1<<11 {
		t.Errorf("%+v", s)
	}
	close(g.open)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	es := parse(t, g.String())
	checkGaps(t, es, total, 1)
	if n := *es[len(es)-1].N; n != total-1 {
		t.Errorf("the last record is %d: the newest are to be kept", n)
	}
	if s := b.Stats(); s.Notes == 0 || s.Dropped+s.Delivered != total {
		t.Errorf("%+v", s)
	}
}

func TestBlock(t *testing.T) {
	g := newGate()
	b := sink.NewBuffer(g, sink.WithSize(1<<12), sink.WithPolicy(sink.Block), sink.WithBlockTimeout(0))
	const total = 1000
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range total {
			io.WriteString(b, line(i))
		}
	}()
	<-g.entered
	eventually(t, "the buffer is full", func() bool { return b.Stats().PendingBytes > 3<<10 })
	close(g.open)
	within(t, func() { <-done })
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	checkGaps(t, parse(t, g.String()), total, total)
	if s := b.Stats(); s.Dropped != 0 || s.Notes != 0 {
		t.Errorf("%+v", s)
	}
}

func TestCloseRefusesBlockedCallers(t *testing.T) {
	g := newGate()
	b := sink.NewBuffer(g, sink.WithSize(1<<10), sink.WithPolicy(sink.Block), sink.WithCloseTimeout(time.Millisecond), sink.WithErrorHandler(func(error) {}))
	result := make(chan error)
	for range 4 {
		go func() {
			for i := 0; ; i++ {
				if _, err := io.WriteString(b, line(i)); err != nil {
					result <- err
					return
				}
			}
		}()
	}
	<-g.entered
	if err := b.Close(); err == nil {
		t.Error("Close of a buffer that cannot be written returns nil")
	}
	within(t, func() {
		for range 4 {
			if err := <-result; !errors.Is(err, sink.ErrClosed) {
				t.Error(err)
			}
		}
	})
	checkSum(t, b.Stats())
	if s := b.Stats(); s.Refused != 4 {
		t.Errorf("%+v", s)
	}
	close(g.open)
	eventually(t, "the writer returns", func() bool { return b.Stats().Pending == 0 })
	checkSum(t, b.Stats())
}

// A caller that finds the buffer full waits, and gets the room that is made.
func TestCallersWaitForRoom(t *testing.T) {
	g := newGate()
	b := sink.NewBuffer(g, sink.WithSize(1<<10), sink.WithBlockTimeout(time.Hour))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 200 {
			io.WriteString(b, line(i))
		}
	}()
	<-g.entered
	close(g.open)
	within(t, func() { <-done })
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if s := b.Stats(); s.Delivered != 200 {
		t.Errorf("%+v", s)
	}
}

// A writer that stalls costs one timeout, and not one for each record.
func TestStallCostsOneTimeout(t *testing.T) {
	g := newGate()
	b := sink.NewBuffer(g, sink.WithSize(1<<10), sink.WithBlockTimeout(50*time.Millisecond), sink.WithErrorHandler(func(error) {}))
	within(t, func() {
		for i := range 10_000 { // would be eight minutes
			io.WriteString(b, line(i))
		}
	})
	checkSum(t, b.Stats())
	close(g.open)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestDropRecordForms(t *testing.T) {
	ecs := handler.ECS()
	for _, c := range []struct {
		name string
		opts []sink.Option
		log  []handler.Option // nil: plain text
		want []string
	}{
		{"JSON", nil, []handler.Option{}, []string{`"level":"WARN","msg":"slogpack: log records`, `"dropped_records":`, `"dropped_since":"`}},
		{"profile", []sink.Option{sink.WithFormat(handler.JSON, ecs)}, []handler.Option{}, []string{`"log.level":"warn","message":"slogpack: `}},
		{"MessagePack", nil, []handler.Option{handler.WithFormat(handler.MessagePack)}, []string{`"msg":"slogpack: log records`, `"dropped_records":`}},
		{"MessagePack by the buffer", []sink.Option{sink.WithFormat(handler.MessagePack, handler.Zerolog())}, []handler.Option{}, []string{`"message":"slogpack: log records`, `"dropped_records":`}},
		{"Forward", nil, []handler.Option{handler.WithFormat(handler.Forward)}, []string{`"message":"slogpack: log records`, `"severity_number":13`}},
		{"text", nil, nil, []string{"level=WARN msg=\"slogpack: log records", "dropped_records="}},
		{"own", []sink.Option{sink.WithDropRecord(func(dst []byte, d sink.Dropped) []byte {
			return append(dst, "some are missing\n"...)
		})}, nil, []string{"some are missing\n"}},
		{"none", []sink.Option{sink.WithDropRecord(func(dst []byte, d sink.Dropped) []byte { return dst })}, nil, nil},
		{"panic", []sink.Option{sink.WithDropRecord(func([]byte, sink.Dropped) []byte { panic("no") })}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGate()
			b := sink.NewBuffer(g, append(c.opts, sink.WithSize(1<<12), sink.WithBlockTimeout(0), sink.WithErrorHandler(func(error) {}))...)
			log := func(i int) { io.WriteString(b, "2026/01/02 03:04:05 some text\n") }
			if c.log != nil {
				l := slog.New(handler.New(b, c.log...))
				log = func(i int) { l.Info("m", "n", i) }
			}
			for i := 0; b.Stats().Dropped < 10; i++ {
				log(i)
			}
			close(g.open)
			within(t, func() {
				if err := b.Flush(); err != nil {
					t.Error(err)
				}
			})
			log(0)
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			s := b.Stats()
			checkSum(t, s)
			text := g.String()
			if s.DeliveredBytes+s.NoteBytes != int64(len(text)) {
				t.Errorf("%+v for %d bytes", s, len(text))
			}
			if text[0] >= 0x80 {
				text = unpack(t, text, s.Delivered+s.Notes)
			}
			if (s.Notes == 1) != (c.want != nil) {
				t.Errorf("%d records of ours", s.Notes)
			}
			for _, want := range c.want {
				if strings.Count(text, want) != 1 {
					t.Errorf("lacks %q: %s", want, text[max(0, len(text)-500):])
				}
			}
		})
	}
}

// unpack turns a MessagePack stream of so many records into lines of JSON.
func unpack(t testing.TB, stream string, records int64) string {
	t.Helper()
	text := unpackAll(t, stream)
	if n := strings.Count(text, "\n"); int64(n) != records {
		t.Errorf("%d records, want %d", n, records)
	}
	return text
}

func unpackAll(t testing.TB, stream string) string {
	t.Helper()
	var out bytes.Buffer
	for rest := []byte(stream); len(rest) > 0; {
		text, r, err := jsonmsgpack.AppendJSON(nil, rest)
		if err != nil {
			t.Fatalf("%d bytes before the end: %v", len(rest), err)
		}
		out.Write(append(text, '\n'))
		rest = r
	}
	return out.String()
}

type formatWriter struct{ collector }

func (*formatWriter) LogFormat() (handler.Format, handler.Profile) {
	return handler.MessagePack, handler.OTel()
}

func (*formatWriter) CheckFormat(f handler.Format) error {
	if f == handler.Forward {
		return errors.New("not that")
	}
	return nil
}

// What the writer wants to be given is asked through the Buffer.
func TestFormatOfTheWriter(t *testing.T) {
	w := &formatWriter{}
	b := sink.NewBuffer(w)
	slog.New(handler.New(b)).Info("hello")
	slog.New(handler.New(b, handler.WithFormat(handler.Forward), handler.WithErrorHandler(func(error) {}))).Info("hello")
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	text := w.String()
	i := strings.Index(text, `{"time":"`) // Forward is refused, and JSON written
	if i < 0 || !strings.Contains(unpack(t, text[:i], 1), `"message":"hello"`) {
		t.Errorf("%q", text)
	}
}

// A record that was begun and not committed does not take with it what the
// stream has to be told.
func TestDropRecordAfterAbandonedReserve(t *testing.T) {
	for _, then := range []int{0, 5, 600} { // bytes of the next record; 600 is more than a block
		w := &collector{}
		permits := make(chan struct{}, 1)
		b := sink.NewBuffer(writerFunc(func(p []byte) (int, error) {
			<-permits
			return w.Write(p)
		}), sink.WithSize(1<<12), sink.WithBlockTimeout(0), sink.WithErrorHandler(func(error) {}))
		total := fill(t, b, line)
		pending := b.Stats().Pending
		permits <- struct{}{}
		eventually(t, "a block is free", func() bool { return b.Stats().Pending < pending })
		reserve(t, b)
		if _, err := b.Commit(nil, 0); err != nil {
			t.Fatal(err)
		}
		if then > 0 {
			fmt.Fprintf(b, "{\"n\":%d,\"pad\":%q}\n", total, strings.Repeat("x", then))
			total++
		}
		close(permits)
		within(t, func() {
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		})
		checkGaps(t, parse(t, w.String()), total, int(pending))
		if s := b.Stats(); s.Notes != 1 || s.Dropped != 1 {
			t.Errorf("%+v", s)
		}
	}
}
