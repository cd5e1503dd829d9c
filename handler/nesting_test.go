package handler_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/slogpack/slogpack/handler"
)

// TestSelfGroupsStayLinear: what a group that holds itself many times costs grows
// with the number of times, not with its square.
func TestSelfGroupsStayLinear(t *testing.T) {
	const times = 1000
	self := make([]slog.Attr, times)
	for i := range self {
		self[i] = slog.Attr{Key: "s", Value: slog.GroupValue(self...)}
	}
	// Two that hold each other: each reference to the other is walked once.
	a, b := make([]slog.Attr, times/10), make([]slog.Attr, times/10)
	for i := range a {
		a[i] = slog.Attr{Key: "b", Value: slog.GroupValue(b...)}
		b[i] = slog.Attr{Key: "a", Value: slog.GroupValue(a...)}
	}
	for _, f := range []handler.Format{handler.JSON, handler.MessagePack, handler.Forward} {
		for name, attrs := range map[string][]slog.Attr{"self": self, "each other": a} {
			for _, with := range []bool{false, true} {
				var w sliceWriter
				h := handler.New(&w, handler.WithFormat(f), handler.WithMaxRecordSize(-1))
				g := slog.Attr{Key: "h", Value: slog.GroupValue(attrs...)}
				if with {
					handle(t, h.WithAttrs([]slog.Attr{g}), record(0, "m"))
				} else {
					handle(t, h, record(0, "m", g))
				}
				if limit := 45 * times * times / 100; name == "self" && len(w.b) > 50*times || len(w.b) > limit {
					t.Errorf("%v, %s, with=%v: %d bytes", f, name, with, len(w.b))
				}
			}
		}
	}
}

// TestDeepGroupsCountOnce: a group that is refused counts once in every format, so that
// all refuse the same ones.
func TestDeepGroupsCountOnce(t *testing.T) {
	self := make([]slog.Attr, 2101)
	for i := range self {
		self[i] = slog.Attr{Key: "s", Value: slog.GroupValue(self...)}
	}
	self[2100] = slog.Group("plain", slog.Int("x", 1))
	v := slog.GroupValue(self...)
	for range 8 {
		v = slog.GroupValue(slog.Attr{Key: "g", Value: v})
	}
	for _, f := range []handler.Format{handler.JSON, handler.MessagePack, handler.Forward} {
		var w sliceWriter
		handle(t, handler.New(&w, handler.WithFormat(f), handler.WithMaxRecordSize(-1)), record(0, "m", slog.Attr{Key: "h", Value: v}))
		want := map[handler.Format]string{handler.JSON: `"plain":{"x":1}`, handler.MessagePack: "\xa5plain\x81\xa1x\x01", handler.Forward: "\xa5plain\x81\xa1x\x01"}[f]
		if n := strings.Count(string(w.b), want); n != 1 {
			t.Errorf("%v: the group after 2100 refused ones is there %d times", f, n)
		}
	}
}
