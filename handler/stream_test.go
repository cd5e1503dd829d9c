package handler

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// Short records go by way of the pair's buffer; long ones, and those that are
// likely to be long, go into the writer's own.
func TestWorthStreaming(t *testing.T) {
	long := strings.Repeat("x", streamFrom)
	for _, w := range []io.Writer{new(bytes.Buffer), bufio.NewWriterSize(io.Discard, 4*streamFrom)} {
		h := New(w)
		for i, c := range []struct {
			message, attr string
			want          bool
		}{
			{"short", "", false},
			{"short", long, false}, // found out while it is formatted
			{"short", "", true},    // the last one was long
			{"short", "", false},
			{long, "", true},
			{"short", long, true},
			{"short", long, true},
			{"short", "", true},
			{"short", "", false},
		} {
			r := slog.NewRecord(time.Now(), slog.LevelInfo, c.message, 0)
			r.AddAttrs(slog.String("k", c.attr))
			if got := h.out.worthStreaming(h, &r); got != c.want {
				t.Errorf("%T: record %d: %v, want %v", w, i, got, c.want)
			}
			if err := h.Handle(context.Background(), r); err != nil {
				t.Fatal(err)
			}
		}
		r := slog.NewRecord(time.Now(), slog.LevelInfo, "short", 0)
		if h := h.WithAttrs([]slog.Attr{slog.String("k", long)}).(*Handler); !h.out.worthStreaming(h, &r) {
			t.Errorf("%T: long attrs of the handler's make no difference", w)
		}
	}
}

// lender is a StreamWriter whose Reserve gives what it is told to.
type lender struct {
	room, refused          int // bytes; calls to refuse
	reserved               []int
	committed, back, plain int
	out                    bytes.Buffer
}

func (w *lender) Reserve(n int) ([]byte, bool) {
	w.reserved = append(w.reserved, n)
	if w.refused > 0 {
		w.refused--
		return nil, false
	}
	return append(make([]byte, 0, 1+w.room), '>'), true
}

func (w *lender) Commit(b []byte, _ slog.Level) (int, error) {
	if b == nil {
		w.back++
		return 0, nil
	}
	w.committed++
	return w.out.Write(b[1:])
}

func (w *lender) Write(b []byte) (int, error) {
	w.plain++
	return w.out.Write(b)
}

// A short record is put into a StreamWriter's buffer in one move, of which the
// writer knows the length; where there is less room than was asked for, it comes
// by Write.
func TestCommitShort(t *testing.T) {
	for _, c := range []struct {
		room, refused          int
		committed, back, plain int
	}{
		{room: 1 << 10, committed: 3},
		{room: 1 << 10, refused: 1, committed: 2, plain: 1},
		{room: 8, back: 3, plain: 3},
	} {
		w := &lender{room: c.room, refused: c.refused}
		h := New(w)
		for _, v := range []any{1, io.EOF, []string{"a"}} { // user code or not
			if err := slog.New(h).Handler().Handle(context.Background(), recordOf(v)); err != nil {
				t.Fatal(err)
			}
		}
		if w.committed != c.committed || w.back != c.back || w.plain != c.plain {
			t.Errorf("%+v: %d committed, %d given back, %d written", c, w.committed, w.back, w.plain)
		}
		lines := strings.SplitAfter(w.out.String(), "\n")
		for i, n := range w.reserved {
			if n != len(lines[i]) {
				t.Errorf("%+v: room for %d bytes was asked for, the record has %d", c, n, len(lines[i]))
			}
		}
	}
}

func recordOf(v any) slog.Record {
	r := slog.NewRecord(time.Now(), slog.LevelInfo, "m", 0)
	r.AddAttrs(slog.Any("v", v))
	return r
}

// A pair that has streamed keeps nothing of the writer: it may serve another for as
// long as the program runs.
func TestStreamedPairForgets(t *testing.T) {
	long := strings.Repeat("x\x01", streamFrom)
	for name, w := range map[string]io.Writer{
		"bytes.Buffer": new(bytes.Buffer), "bufio.Writer": bufio.NewWriterSize(io.Discard, 16*streamFrom),
		"StreamWriter": &lender{room: 8 * streamFrom}, "little room": &lender{room: 200},
	} {
		h := New(w, StreamShort())
		for what, a := range map[string]slog.Attr{
			"plain": slog.Int("a", 1), "long": slog.String("a", long), "user code": slog.Any("a", io.EOF),
		} {
			p := newPair()
			p.begin(h)
			r := slog.NewRecord(time.Now(), slog.LevelInfo, "m", 0)
			r.AddAttrs(a)
			if err := h.handle(context.Background(), &r, nil, p); err != nil {
				t.Fatal(err)
			}
			if p.reset(); p.stream.out != nil || p.stream.base != nil || p.stream.first != nil || p.stream.active || p.out != nil {
				t.Errorf("%s, %s: the pair keeps %+v", name, what, p.stream)
			}
		}
	}
}
