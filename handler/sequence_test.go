package handler_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
)

// randomRecord is one of every kind that decides how a record gets to its writer.
func randomRecord(rng *rand.Rand) slog.Record {
	text := func() string { return strings.Repeat("t\n", rng.Intn(40)) }
	if rng.Intn(20) == 0 {
		text = func() string { return strings.Repeat("long\x01", rng.Intn(2000)) }
	}
	r := record(slog.Level(rng.Intn(20)-10), text())
	for range rng.Intn(8) {
		var a slog.Attr
		switch rng.Intn(12) {
		case 0:
			a = slog.Any("e", errors.New(text()))
		case 1:
			a = slog.Any("v", map[string]any{"a": 1, "b": []int{1, 2}})
		case 2:
			a = slog.Any("p", panicMarshaler{"x"})
		case 3:
			a = slog.Group("g", slog.String("s", text()), slog.Group("h", slog.Int("i", 1)))
		case 4:
			a = slog.Time("t", time.Unix(rng.Int63n(1<<32), rng.Int63n(1e9)).UTC())
		case 5:
			a = slog.Any("l", toValue{slog.GroupValue(slog.Int("a", 1))})
		default:
			a = slog.String("s", text())
		}
		r.AddAttrs(a)
	}
	return r
}

// TestSequences: whatever way a record takes to its writer, and whatever the one
// before it did, its bytes are the same.
func TestSequences(t *testing.T) {
	for _, opts := range [][]handler.Option{
		nil,
		{handler.WithFormat(handler.MessagePack)},
		{handler.WithFormat(handler.Forward)},
		{handler.WithProfile(handler.GoogleCloud()), handler.WithSource()},
		{handler.WithFormat(handler.MessagePack), handler.WithProfile(handler.ECS()), handler.WithRedactKeys("e", "i")},
		{handler.WithMaxRecordSize(700)},
		{handler.WithFormat(handler.MessagePack), handler.WithDedup()},
	} {
		plain, levels := new(sliceWriter), new(levelSink)
		var buffer, streamed, buffered bytes.Buffer
		bw := bufio.NewWriterSize(&buffered, 3000)
		outs := []struct {
			name string
			h    *handler.Handler
			out  func() []byte
		}{
			{"plain", newHandler(plain, opts...), func() []byte { return plain.b }},
			{"level", newHandler(levels, opts...), func() []byte { return levels.b }},
			{"bytes.Buffer", handler.New(&buffer, opts...), buffer.Bytes},
			{"bytes.Buffer, streamed", newHandler(&streamed, opts...), streamed.Bytes},
			{"bufio.Writer", handler.New(bw, opts...), func() []byte { _ = bw.Flush(); return buffered.Bytes() }},
		}
		rng := rand.New(rand.NewSource(1))
		for i := range 1500 {
			r := randomRecord(rng)
			var with []slog.Attr
			group := rng.Intn(5) == 0
			if rng.Intn(5) == 0 {
				with = []slog.Attr{slog.Int("w", i), slog.String("x", strings.Repeat("y", rng.Intn(300)))}
			}
			for _, o := range outs {
				h := o.h.WithAttrs(with)
				if group {
					h = h.WithGroup("group")
				}
				if err := h.Handle(context.Background(), r); err != nil {
					t.Fatal(o.name, err)
				}
			}
		}
		want := outs[0].out()
		for _, o := range outs[1:] {
			if got := o.out(); !bytes.Equal(got, want) {
				at := 0
				for at < min(len(got), len(want)) && got[at] == want[at] {
					at++
				}
				t.Errorf("%s: differs from byte %d on: %q, want %q", o.name, at, clip(got[max(at-100, 0):]), clip(want[max(at-100, 0):]))
			}
		}
	}
}
