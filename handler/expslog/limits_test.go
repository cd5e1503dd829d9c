package expslog_test

import (
	"bytes"
	"log/slog"
	"runtime"
	"testing"
	"time"

	xslog "golang.org/x/exp/slog"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/expslog"
)

// sameBytes logs one attr by handler and by expslog.
func sameBytes(t *testing.T, name string, std []slog.Attr, exp []xslog.Attr) {
	t.Helper()
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	for _, f := range []handler.Format{handler.JSON, handler.MessagePack} {
		var want, got bytes.Buffer
		r := slog.NewRecord(at, 0, "m", 0)
		r.AddAttrs(std...)
		x := xslog.NewRecord(at, 0, "m", 0)
		x.AddAttrs(exp...)
		_ = handler.New(&want, handler.WithFormat(f), handler.WithMaxRecordSize(-1)).Handle(ctx, r)
		_ = expslog.New(&got, handler.WithFormat(f), handler.WithMaxRecordSize(-1)).Handle(ctx, x)
		if !bytes.Equal(want.Bytes(), got.Bytes()) {
			t.Errorf("%s, %v: expslog has %d bytes, handler %d, or others", name, f, got.Len(), want.Len())
		}
	}
}

// TestLimitsAsHandlers: groups around each limit, and those that hold themselves, come
// out as handler has them.
func TestLimitsAsHandlers(t *testing.T) {
	groups := func(n int) (std []slog.Attr, exp []xslog.Attr) {
		for i := range n {
			std = append(std, slog.Group("s", slog.Int("i", i)))
			exp = append(exp, xslog.Group("s", xslog.Int("i", i)))
		}
		return std, exp
	}
	nested := func(n int, std []slog.Attr, exp []xslog.Attr) ([]slog.Attr, []xslog.Attr) {
		for range n {
			std = []slog.Attr{{Key: "g", Value: slog.GroupValue(std...)}}
			exp = []xslog.Attr{{Key: "g", Value: xslog.GroupValue(exp...)}}
		}
		return std, exp
	}
	for _, n := range []int{98, 99, 100, 101, 102} {
		std, exp := nested(n, []slog.Attr{slog.Int("a", 1)}, []xslog.Attr{xslog.Int("a", 1)})
		sameBytes(t, "depth", std, exp)
	}
	for _, n := range []int{4095, 4096, 4097, 4098} {
		std, exp := groups(n)
		std, exp = nested(8, std, exp)
		sameBytes(t, "deep groups", std, exp)
	}
	for _, n := range []int{65534, 65535, 65536, 65537, 70000} {
		std, exp := groups(n)
		sameBytes(t, "groups in none", std, exp)
		std, exp = nested(1, std, exp)
		sameBytes(t, "groups in one", std, exp)
	}
	std, exp := make([]slog.Attr, 3), make([]xslog.Attr, 3)
	std[0], exp[0] = slog.Int("i", 1), xslog.Int("i", 1)
	for i := 1; i < 3; i++ {
		std[i] = slog.Attr{Key: "self", Value: slog.GroupValue(std...)}
		exp[i] = xslog.Attr{Key: "self", Value: xslog.GroupValue(exp...)}
	}
	sameBytes(t, "self, inline", std, exp)
	std, exp = nested(1, std, exp)
	sameBytes(t, "self", std, exp)
	// Groups that are refused do not count.
	std, exp = make([]slog.Attr, 40_000), make([]xslog.Attr, 40_000)
	for i := range std {
		std[i] = slog.Attr{Key: "g", Value: slog.GroupValue(slog.Attr{Key: "s", Value: slog.GroupValue(std...)})}
		exp[i] = xslog.Attr{Key: "g", Value: xslog.GroupValue(xslog.Attr{Key: "s", Value: xslog.GroupValue(exp...)})}
	}
	std, exp = nested(1, std, exp)
	sameBytes(t, "refused groups", std, exp)
}

// TestSharedWideGroups: a group that is shared many times over is converted as often,
// but not without end.
func TestSharedWideGroups(t *testing.T) {
	const n = 300
	v := xslog.GroupValue(xslog.Int("i", 1))
	for range 4 {
		as := make([]xslog.Attr, n)
		for i := range as {
			as[i] = xslog.Attr{Key: "k", Value: v}
		}
		v = xslog.GroupValue(as...)
	}
	var out bytes.Buffer
	r := xslog.NewRecord(time.Now(), 0, "m", 0)
	r.AddAttrs(xslog.Attr{Key: "g", Value: v}, xslog.Int("last", 1))
	if err := expslog.New(&out).Handle(ctx, r); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 64<<20 || !bytes.HasSuffix(out.Bytes(), []byte(`,"last":1}`+"\n")) {
		t.Errorf("%d bytes", out.Len())
	}
}

// counted returns two of itself and a group that is shared five ways at each level.
type counted struct {
	calls  *int
	shared xslog.Value
}

func (c counted) LogValue() xslog.Value {
	*c.calls++
	return xslog.GroupValue(xslog.Any("a", c), xslog.Any("b", c), xslog.Attr{Key: "s", Value: c.shared})
}

// TestLogValuersShareTheLimit: what LogValuers return is converted up to the limit of
// one record in all, not of each.
func TestLogValuersShareTheLimit(t *testing.T) {
	shared := xslog.GroupValue(xslog.Int("i", 1))
	for range 5 {
		as := make([]xslog.Attr, 5)
		for i := range as {
			as[i] = xslog.Attr{Key: "k", Value: shared}
		}
		shared = xslog.GroupValue(as...)
	}
	calls := 0
	h := expslog.New(&bytes.Buffer{})
	r := xslog.NewRecord(time.Now(), 0, "m", 0)
	r.AddAttrs(xslog.Any("v", counted{&calls, shared}))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_ = h.Handle(ctx, r)
	runtime.ReadMemStats(&after)
	// Each call by itself would convert 4000 groups, into a megabyte.
	if n := after.TotalAlloc - before.TotalAlloc; calls < 1000 || n > 200<<20 {
		t.Errorf("%d calls, %d bytes allocated", calls, n)
	}
}
