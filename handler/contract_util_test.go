package handler_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/slogpack/slogpack/handler"
)

// sliceWriter is the plainest writer there is: no lock, no interface beyond
// Write. The race detector reports a handler that does not lock around it.
type sliceWriter struct {
	b     []byte
	calls int
}

func (w *sliceWriter) Write(p []byte) (int, error) {
	w.calls++
	w.b = append(w.b, p...)
	return len(p), nil
}

// levelSink also takes levels, in the order the records came.
type levelSink struct {
	sliceWriter
	levels []slog.Level
	plain  int
}

func (w *levelSink) Write(p []byte) (int, error) {
	w.plain++
	return w.sliceWriter.Write(p)
}

func (w *levelSink) WriteLevel(l slog.Level, p []byte) (int, error) {
	w.levels = append(w.levels, l)
	return w.sliceWriter.Write(p)
}

// A writerKind is one way of being written to. open returns a fresh writer
// and the function that flushes it and returns what came out.
type writerKind struct {
	name string
	open func() (io.Writer, func() []byte)
}

func writerKinds() []writerKind {
	buffered := func(size int) func() (io.Writer, func() []byte) {
		return func() (io.Writer, func() []byte) {
			var out sliceWriter
			w := bufio.NewWriterSize(&out, size)
			return w, func() []byte {
				if err := w.Flush(); err != nil {
					panic(err)
				}
				return out.b
			}
		}
	}
	return []writerKind{
		{"plain", func() (io.Writer, func() []byte) {
			w := new(sliceWriter)
			return w, func() []byte { return w.b }
		}},
		{"level", func() (io.Writer, func() []byte) {
			w := new(levelSink)
			return w, func() []byte { return w.b }
		}},
		{"buffer", func() (io.Writer, func() []byte) {
			w := new(bytes.Buffer)
			return w, w.Bytes
		}},
		{"bufio64", buffered(64)},
		{"bufio4096", buffered(4096)},
		{"stream", func() (io.Writer, func() []byte) {
			w := &protoStream{room: 4096}
			return w, w.bytes
		}},
		{"stream64", func() (io.Writer, func() []byte) {
			w := &protoStream{room: 64}
			return w, w.bytes
		}},
	}
}

// forEachWriter runs f as a subtest for every kind of writer.
func forEachWriter(t *testing.T, f func(t *testing.T, k writerKind)) {
	for _, k := range writerKinds() {
		t.Run(k.name, func(t *testing.T) { f(t, k) })
	}
}

// checkLines fails unless out is exactly want lines, each one valid JSON
// object in valid UTF-8 that ends with a newline. It returns the lines.
func checkLines(t testing.TB, out []byte, want int) []string {
	t.Helper()
	lines, err := splitLines(out)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, clip(out))
	}
	if len(lines) != want {
		t.Fatalf("%d records, want %d:\n%s", len(lines), want, clip(out))
	}
	return lines
}

func splitLines(out []byte) ([]string, error) {
	if len(out) == 0 {
		return nil, nil
	}
	if out[len(out)-1] != '\n' {
		return nil, errors.New("no newline at the end")
	}
	lines := strings.Split(string(out[:len(out)-1]), "\n")
	for i, l := range lines {
		switch {
		case !utf8.ValidString(l):
			return nil, fmt.Errorf("record %d is not UTF-8: %q", i, clip(l))
		case !strings.HasPrefix(l, "{") || !json.Valid([]byte(l)):
			return nil, fmt.Errorf("record %d is not a JSON object: %s", i, clip(l))
		}
	}
	return lines, nil
}

func clip[T string | []byte](s T) string {
	if len(s) > 4000 {
		return string(s[:2000]) + " … " + string(s[len(s)-2000:])
	}
	return string(s)
}

// A field is one key and its raw value, in the order of the text: a map
// would hide duplicates and order.
type field struct {
	key string
	raw string
}

func fieldsOf(t testing.TB, object string) []field {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(object))
	tok, err := d.Token()
	if err != nil || tok != json.Delim('{') {
		t.Fatalf("not an object (%v): %s", err, clip(object))
	}
	var fs []field
	for d.More() {
		k, err := d.Token()
		if err != nil {
			t.Fatalf("%v in %s", err, clip(object))
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			t.Fatalf("%v in %s", err, clip(object))
		}
		fs = append(fs, field{k.(string), string(raw)})
	}
	return fs
}

// rawAt returns the raw value at a path of keys, and whether it is there.
func rawAt(t testing.TB, object string, path ...string) (string, bool) {
	t.Helper()
	for _, key := range path {
		found := false
		for _, f := range fieldsOf(t, object) {
			if f.key == key {
				object, found = f.raw, true
				break
			}
		}
		if !found {
			return "", false
		}
	}
	return object, true
}

func keysOf(t testing.TB, object string) string {
	t.Helper()
	var keys []string
	for _, f := range fieldsOf(t, object) {
		keys = append(keys, f.key)
	}
	return strings.Join(keys, " ")
}

// within runs f and turns a hang, or a heap that grows without end, into a
// loud stop. It is a guard against deadlock, not a measurement of speed.
func within(t testing.TB, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done) // also when f ends in Goexit
		f()
	}()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-done:
			return
		case <-tick.C:
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			if m.HeapAlloc > 1<<30 || n > 900 {
				buf := make([]byte, 1<<16)
				buf = buf[:runtime.Stack(buf, true)]
				panic(fmt.Sprintf("%s hangs or grows without end (heap %d MB):\n%s", t.Name(), m.HeapAlloc>>20, buf))
			}
		}
	}
}

// goid names the running goroutine, for the protocol checks.
func goid() int64 {
	var buf [64]byte
	s := strings.TrimPrefix(string(buf[:runtime.Stack(buf[:], false)]), "goroutine ")
	id, err := strconv.ParseInt(s[:strings.IndexByte(s, ' ')], 10, 64)
	if err != nil {
		panic(err)
	}
	return id
}

// record makes a record with a fixed time, so that outputs can be compared.
func record(l slog.Level, msg string, attrs ...slog.Attr) slog.Record {
	r := slog.NewRecord(time.Date(2024, 2, 29, 12, 34, 56, 789000000, time.UTC), l, msg, 0)
	r.AddAttrs(attrs...)
	return r
}

const recordHead = `{"time":"2024-02-29T12:34:56.789Z","level":"INFO",`

func handle(t testing.TB, h slog.Handler, r slog.Record) {
	t.Helper()
	if err := h.Handle(context.Background(), r); err != nil {
		t.Errorf("Handle: %v", err)
	}
}

// one formats a single record with the given options and returns its line.
func one(t testing.TB, r slog.Record, opts ...handler.Option) string {
	t.Helper()
	var w sliceWriter
	handle(t, newHandler(&w, opts...), r)
	return checkLines(t, w.b, 1)[0]
}

// protoStream is a StreamWriter that checks the protocol: each Reserve that
// says ok is followed by exactly one Commit from the same goroutine, nothing
// else is called in between, and Commit gets what Reserve lent.
type protoStream struct {
	mu      chan struct{}
	room    int    // capacity lent at most; Reserve of more says no
	prefix  string // what a lent buffer already holds
	refuse  bool
	failure error // returned by Commit and Write

	holder   atomic.Int64
	out      []byte
	reserves int
	streamed int
	plain    int
	dropped  int
	levels   []slog.Level
	faults   []string
	lent     []byte
}

func (w *protoStream) lock() {
	if w.mu == nil {
		w.mu = make(chan struct{}, 1)
	}
	w.mu <- struct{}{}
}

func (w *protoStream) fault(format string, args ...any) {
	w.faults = append(w.faults, fmt.Sprintf(format, args...))
}

// userCode is called by hostile values; it may never run while its own
// goroutine holds a reservation.
func (w *protoStream) userCode() {
	if w.holder.Load() == goid() {
		w.fault("user code runs between Reserve and Commit")
	}
}

func (w *protoStream) bytes() []byte { return w.out }

// newHandler is handler.New, but for short records being streamed as well.
func newHandler(w io.Writer, opts ...handler.Option) *handler.Handler {
	return handler.New(w, append(slices.Clip(opts), handler.StreamShort())...)
}
