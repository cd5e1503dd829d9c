package handler_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/slogtest"

	"github.com/slogpack/slogpack/handler"
)

// hammerFormat logs from several goroutines, each through handlers it derives
// from a shared one while others log, and finds every record whole.
func hammerFormat(t *testing.T, f handler.Format, p handler.Profile, w io.Writer, out func() []byte, opts ...handler.Option) {
	const workers, each = 4, 60
	h := newHandler(w, wireOptions(f, p, opts...)...).WithAttrs(manyAttrs("shared", 20)).WithGroup("g").WithAttrs(manyAttrs("in", 14))
	deep := h
	for range 35 {
		deep = deep.WithGroup("deep")
	}
	deep = deep.WithAttrs([]slog.Attr{slog.Int("d", 1)})
	var wg sync.WaitGroup
	within(t, func() {
		for g := range workers {
			wg.Add(1)
			go func() {
				defer wg.Done()
				name := fmt.Sprint("w", g)
				mine := h.WithAttrs([]slog.Attr{slog.String("worker", name)})
				for i := range each {
					hh := mine
					switch i % 5 {
					case 1:
						hh = mine.WithGroup("x").WithAttrs([]slog.Attr{slog.Int("y", i)})
					case 2:
						hh = deep.WithGroup("more").WithAttrs([]slog.Attr{slog.String("worker", name)})
					}
					r := record(slog.Level(i%4*4), name, slog.Int("i", i), slog.Any("lazy", toValue{slog.GroupValue(slog.Any("none", toValue{slog.GroupValue()}))}),
						slog.Group("h", slog.String("s", strings.Repeat(name, i%40)), slog.Any("m", map[string]any{name: []any{i, name}})))
					if i%7 == 0 {
						r.AddAttrs(slog.Any("p", panicError{name}), slog.Any("k", packsBadly{with: name}), slog.Any("f", packsItself{[]byte("\x81\xa1a\x01")}))
					}
					r.AddAttrs(slog.String("last", name))
					if err := hh.Handle(context.Background(), r); err != nil {
						t.Error(err)
					}
				}
			}()
		}
		wg.Wait()
	})
	os := decodeRecords(t, f, out())
	if len(os) != workers*each {
		t.Fatalf("%d records, want %d", len(os), workers*each)
	}
	for _, o := range os {
		all := show(o)
		name, _ := o.at("message")
		for g := range workers {
			if other := fmt.Sprint("w", g); other != name && strings.Contains(all, other) {
				t.Fatalf("a record of %s has something of %s: %s", name, other, clip(all))
			}
		}
		if n, _ := o.at("shared19"); n != int64(19) || strings.Count(all, `last`) != 1 || strings.Count(all, "worker") != 1 {
			t.Fatalf("not whole: %s", clip(all))
		}
	}
}

func TestConcurrentFormats(t *testing.T) {
	for i, f := range []handler.Format{handler.MessagePack, handler.Forward, handler.JSON} {
		for j, opts := range [][]handler.Option{nil, {handler.WithDedup(), handler.WithRedactKeys("none")}, {handler.WithMaxRecordSize(5000)}} {
			p := []handler.Profile{handler.OTel(), handler.Zerolog(), handler.GoogleCloud()}[(i+j)%3]
			for k := range 3 {
				name, w, out := diffWriter(k)
				t.Run(fmt.Sprint(f, " to ", name, " ", j), func(t *testing.T) { hammerFormat(t, f, p, w, out, opts...) })
			}
		}
	}
}

// log/slog's own test of handlers, for every format and profile.
func TestSlogtestFormats(t *testing.T) {
	for _, p := range namedProfiles() {
		// slogtest knows log/slog's keys only, and no time that is elsewhere.
		p.TimeKey, p.LevelKey, p.MessageKey, p.OmitEmptyMessage = slog.TimeKey, slog.LevelKey, slog.MessageKey, false
		for _, f := range formats {
			for n := range 4 {
				for repName, rep := range map[string]handler.Option{"": nil, " with ReplaceAttr": handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr { return a })} {
					t.Run(fmt.Sprint(f, "/", p.name, " ", n, repName), func(t *testing.T) {
						var out func() []byte
						slogtest.Run(t, func(*testing.T) slog.Handler {
							_, w, o := diffWriter(n)
							out = o
							return newHandler(w, wireOptions(f, p.Profile, rep)...)
						}, func(t *testing.T) map[string]any {
							os := decodeRecords(t, f, out())
							if len(os) != 1 {
								t.Fatalf("%d records", len(os))
							}
							return asMap(os[0], t.Name())
						})
					})
				}
			}
		}
	}
}

// asMap makes a map of o; the time of a Forward entry counts as the record's,
// except for the one record that has none, whose entry says now.
func asMap(o object, test string) map[string]any {
	m := make(map[string]any)
	for _, f := range o {
		v := f.value
		if in, ok := v.(object); ok {
			v = asMap(in, test)
		}
		key := f.key
		if key == "@" {
			if strings.Contains(test, "zero-time") {
				continue
			}
			key = slog.TimeKey
		}
		m[key] = v
	}
	return m
}

// A disk that is full for a while leaves no torn record in any format.
func TestTornFormats(t *testing.T) {
	forEachWire(t, func(t *testing.T, f handler.Format, p namedProfile) {
		w := &tearing{at: 3}
		h := newHandler(w, wireOptions(f, p.Profile, handler.WithErrorHandler(func(error) {}))...)
		for i := range 40 {
			_ = h.Handle(context.Background(), record(0, "m", slog.Int("i", i), slog.String("s", strings.Repeat("x", i))))
		}
		n := 0
		for _, o := range decodeRecords(t, f, w.out.Bytes()) {
			if _, ok := o.at("i"); ok {
				n++
			}
		}
		if n != 40 {
			t.Errorf("%d of 40 records", n)
		}
	})
}

// tearing takes only a part of every few records.
type tearing struct {
	out   bytes.Buffer
	at, n int
}

func (w *tearing) Write(b []byte) (int, error) {
	if w.n++; w.n%w.at == 0 {
		b = b[:len(b)/2]
		w.out.Write(b)
		return len(b), io.ErrShortWrite
	}
	return w.out.Write(b)
}

// A buffered writer's cuts fall between records in every format.
func TestBufioCutsFormats(t *testing.T) {
	for _, f := range formats {
		var chunks []int
		var all bytes.Buffer
		w := bufio.NewWriterSize(writerFunc(func(b []byte) (int, error) {
			chunks = append(chunks, len(decodeRecords(t, f, b)))
			return all.Write(b)
		}), 700)
		h := newHandler(w, handler.WithFormat(f))
		for i := range 100 {
			handle(t, h, record(0, "m", slog.Int("i", i), slog.String("s", strings.Repeat("x", i%50*9)), slog.Any("e", toValue{slog.GroupValue()})))
		}
		handle(t, h, record(0, "m", slog.String("s", strings.Repeat("x", 3000))))
		if err := h.Flush(); err != nil || len(chunks) < 10 || len(decodeRecords(t, f, all.Bytes())) != 101 {
			t.Errorf("%v: %v, chunks %v", f, err, chunks)
		}
	}
}

type writerFunc func(b []byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
