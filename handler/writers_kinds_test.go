package handler_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/slogpack/slogpack/handler"
)

// Each record reaches the writer in one Write, whatever it contains.
func TestOneWritePerRecord(t *testing.T) {
	values := hostileValues()
	for _, opts := range [][]handler.Option{nil, {handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr { return a })}, {handler.WithConcurrentWriter()}} {
		w, lw := new(sliceWriter), new(levelSink)
		for _, v := range values {
			handle(t, newHandler(w, opts...), record(0, "m", slog.Attr{Key: "h", Value: v.value}))
			handle(t, newHandler(lw, opts...), record(0, "m", slog.Attr{Key: "h", Value: v.value}))
		}
		if w.calls != len(values) || lw.calls != len(values) {
			t.Errorf("%d and %d writes for %d records", w.calls, lw.calls, len(values))
		}
		checkLines(t, w.b, len(values))
		checkLines(t, lw.b, len(values))
	}
}

// These types are byte-slice writers: their Write has a lock, which the
// methods they inherit go around.
type (
	lockedBufferPtr struct {
		sync.Mutex
		*bytes.Buffer
		around int
	}
	lockedBuffer struct {
		sync.Mutex
		bytes.Buffer
		around int
	}
	lockedBufio struct {
		sync.Mutex
		*bufio.Writer
		around int
	}
)

func (w *lockedBufferPtr) Write(p []byte) (int, error) {
	w.Lock()
	defer w.Unlock()
	return w.Buffer.Write(p)
}
func (w *lockedBufferPtr) AvailableBuffer() []byte { w.around++; return w.Buffer.AvailableBuffer() }
func (w *lockedBufferPtr) Grow(n int)              { w.around++; w.Buffer.Grow(n) }

func (w *lockedBuffer) Write(p []byte) (int, error) {
	w.Lock()
	defer w.Unlock()
	return w.Buffer.Write(p)
}
func (w *lockedBuffer) AvailableBuffer() []byte { w.around++; return w.Buffer.AvailableBuffer() }
func (w *lockedBuffer) Available() int          { w.around++; return w.Buffer.Available() }

func (w *lockedBufio) Write(p []byte) (int, error) {
	w.Lock()
	defer w.Unlock()
	return w.Writer.Write(p)
}
func (w *lockedBufio) AvailableBuffer() []byte { w.around++; return w.Writer.AvailableBuffer() }
func (w *lockedBufio) Available() int          { w.around++; return w.Writer.Available() }
func (w *lockedBufio) Buffered() int           { w.around++; return w.Writer.Buffered() }
func (w *lockedBufio) Flush() error            { w.around++; return w.Writer.Flush() }

func TestEmbeddingTypesArePlainWriters(t *testing.T) {
	a, b := &lockedBufferPtr{Buffer: new(bytes.Buffer)}, new(lockedBuffer)
	var under bytes.Buffer
	c := &lockedBufio{Writer: bufio.NewWriterSize(&under, 700)}
	for name, w := range map[string]io.Writer{"*bytes.Buffer": a, "bytes.Buffer": b, "*bufio.Writer": c} {
		// Four handlers that know nothing of each other, as the lock allows.
		var wg sync.WaitGroup
		for g := range 4 {
			h := newHandler(w)
			for range 2 {
				wg.Add(1)
				go func() {
					defer wg.Done()
					for i := range 250 {
						handle(t, h, record(0, "m", slog.Int("g", g), slog.String("s", strings.Repeat("x", i))))
					}
				}()
			}
		}
		wg.Wait()
		if a.around+b.around+c.around > 0 {
			t.Errorf("%s embedded: methods that go around its lock were called", name)
		}
	}
	c.Writer.Flush()
	checkLines(t, a.Buffer.Bytes(), 2000)
	checkLines(t, b.Buffer.Bytes(), 2000)
	checkLines(t, under.Bytes(), 2000)
}

// chunkWriter keeps what each Write got.
type chunkWriter struct{ chunks []string }

func (w *chunkWriter) Write(p []byte) (int, error) {
	w.chunks = append(w.chunks, string(p))
	return len(p), nil
}

// A bufio.Writer cuts where its buffer is full. Below the handler it cuts
// between records, so that a reader of the file or pipe sees whole lines.
func TestBufioCutsBetweenRecords(t *testing.T) {
	for _, size := range []int{16, 100, 200, 512, 4096} {
		for name, value := range map[string]slog.Value{"streamed": slog.IntValue(1), "byte slice": slog.AnyValue([]int{1})} {
			var under chunkWriter
			w := bufio.NewWriterSize(&under, size)
			h := newHandler(w)
			for i := range 300 {
				handle(t, h, record(0, strings.Repeat("m", i*37%450), slog.Attr{Key: "v", Value: value}))
			}
			w.Flush()
			for _, c := range under.chunks {
				if !strings.HasSuffix(c, "\n") {
					t.Errorf("size %d, %s: cut inside a record: …%q", size, name, c[max(0, len(c)-30):])
					break
				}
			}
			checkLines(t, []byte(strings.Join(under.chunks, "")), 300)
			if size == 4096 && len(under.chunks) > 60 {
				t.Errorf("%s: %d writes below the bufio.Writer, it does not collect", name, len(under.chunks))
			}
		}
	}
}

// The caller may go on using the buffer between records.
func TestBufferSharedWithCaller(t *testing.T) {
	w := bytes.NewBufferString("head\n")
	h := newHandler(w)
	line := recordHead + `"msg":"m","a":1}` + "\n"
	r := record(0, "m", slog.Int("a", 1))
	handle(t, h, r)
	w.WriteString("between\n")
	handle(t, h, r)
	if got, want := w.String(), "head\n"+line+"between\n"+line; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	w.Next(7)
	handle(t, h, r)
	if got, want := w.String(), line[2:]+"between\n"+line+line; got != want {
		t.Errorf("after Next: got %q, want %q", got, want)
	}
	w.Truncate(3)
	handle(t, h, r)
	if got, want := w.String(), line[2:5]+line; got != want {
		t.Errorf("after Truncate: got %q, want %q", got, want)
	}
	w.Reset()
	handle(t, h, record(0, "m", slog.Any("a", []int{1})))
	handle(t, h, r)
	checkLines(t, w.Bytes(), 2)
	*w = bytes.Buffer{}
	handle(t, h, r)
	checkLines(t, w.Bytes(), 1)
}

func TestBufioSharedWithCaller(t *testing.T) {
	var a, b bytes.Buffer
	w := bufio.NewWriterSize(&a, 256)
	h := newHandler(w)
	r := record(0, "m", slog.Int("a", 1))
	w.WriteString("head ")
	handle(t, h, r)
	w.Flush()
	w.Reset(&b)
	handle(t, h, r)
	w.Flush()
	line := recordHead + `"msg":"m","a":1}` + "\n"
	if a.String() != "head "+line || b.String() != line {
		t.Errorf("got %q and %q", a.String(), b.String())
	}
}

func TestLevelWriterGetsLevels(t *testing.T) {
	w := new(levelSink)
	h := newHandler(w, handler.WithLevel(slog.Level(-1000)))
	want := []slog.Level{0, 4, -4, 8, 2, 100, -1000}
	for i, l := range want {
		r := record(l, "m")
		if i%2 == 1 {
			r.AddAttrs(slog.Any("v", panicError{1}))
		}
		handle(t, h.WithGroup("g"), r)
	}
	if w.plain != 0 || len(w.levels) != len(want) {
		t.Fatalf("%d by Write, %d by WriteLevel", w.plain, len(w.levels))
	}
	for i, l := range want {
		if w.levels[i] != l {
			t.Errorf("record %d has level %v, want %v", i, w.levels[i], l)
		}
	}
}

// streamLevels is a StreamWriter and a LevelWriter: no record loses its level
// by not being streamed.
type streamLevels struct {
	protoStream
	byLevel []slog.Level
}

func (w *streamLevels) WriteLevel(l slog.Level, p []byte) (int, error) {
	w.byLevel = append(w.byLevel, l)
	return w.protoStream.Write(p)
}

func TestStreamWriterWithLevels(t *testing.T) {
	w := &streamLevels{protoStream: protoStream{room: 200}}
	h := newHandler(w)
	handle(t, h, record(slog.LevelWarn, "m", slog.Int("a", 1)))
	handle(t, h, record(slog.LevelError, "m", slog.Any("a", []int{1})))
	handle(t, h, record(slog.LevelError+1, strings.Repeat("m", 1000)))
	w.refuse = true
	handle(t, h, record(slog.LevelError+2, "m"))
	w.check(t)
	checkLines(t, w.out, 4)
	all := append(w.levels, w.byLevel...)
	want := []slog.Level{slog.LevelWarn, slog.LevelError, slog.LevelError + 1, slog.LevelError + 2}
	if len(all) != len(want) {
		t.Fatalf("levels %v, want %v", all, want)
	}
	for i := range want {
		if all[i] != want[i] {
			t.Errorf("levels %v, want %v", all, want)
		}
	}
}

// foreignLevel stands for zerolog.Level.
type foreignLevel int8

type foreignLevels struct{ sliceWriter }

func (w *foreignLevels) WriteLevel(foreignLevel, []byte) (int, error) {
	panic("called with another package's level")
}

func TestForeignLevelTypeIsReported(t *testing.T) {
	w := new(foreignLevels)
	var reports []string
	h := newHandler(w, handler.WithErrorHandler(func(err error) { reports = append(reports, err.Error()) }))
	for range 3 {
		handle(t, h, record(0, "m"))
		handle(t, h.WithGroup("g"), record(0, "m", slog.Int("a", 1)))
	}
	if len(reports) != 1 || !strings.Contains(reports[0], "zerologsink.New") {
		t.Errorf("reported %q, want the advice once", reports)
	}
	checkLines(t, w.b, 6)
}

// flusher counts and says whether it is flushed while it is written to.
type flusher struct {
	sliceWriter
	inside  int
	flushes int
	err     error
}

func (w *flusher) Write(p []byte) (int, error) {
	w.inside++
	defer func() { w.inside-- }()
	return w.sliceWriter.Write(p)
}

func (w *flusher) Flush() error {
	if w.inside++; w.inside != 1 {
		panic("flushed during a write")
	}
	w.inside--
	w.flushes++
	return w.err
}

type silentFlusher struct {
	sliceWriter
	flushes int
}

func (w *silentFlusher) Flush() { w.flushes++ }

func TestFlush(t *testing.T) {
	if err := newHandler(new(sliceWriter)).Flush(); err != nil {
		t.Errorf("a writer without Flush: %v", err)
	}
	if err := newHandler(new(bytes.Buffer)).Flush(); err != nil {
		t.Errorf("a bytes.Buffer: %v", err)
	}
	s := new(silentFlusher)
	if err := newHandler(s).Flush(); err != nil || s.flushes != 1 {
		t.Errorf("a Flush without a result: %v, called %d times", err, s.flushes)
	}
	failure := errors.New("cannot flush")
	f := &flusher{err: failure}
	h := newHandler(f)
	if err := h.Flush(); !errors.Is(err, failure) || f.flushes != 1 {
		t.Errorf("a Flush with an error: %v, called %d times", err, f.flushes)
	}
	var under bytes.Buffer
	hb := newHandler(bufio.NewWriter(&under))
	handle(t, hb, record(0, "m", slog.Int("a", 1)))
	handle(t, hb, record(0, "m", slog.Any("a", []int{1})))
	if under.Len() != 0 {
		t.Errorf("bufio.Writer: %d bytes before Flush", under.Len())
	}
	if err := hb.Flush(); err != nil {
		t.Error(err)
	}
	checkLines(t, under.Bytes(), 2)

	// Under the lock: the race detector watches inside.
	f.err = nil
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 100 {
				handle(t, h.WithGroup("g"), record(0, "m", slog.Int("a", 1)))
				if err := h.Flush(); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	checkLines(t, f.b, 400)
}
