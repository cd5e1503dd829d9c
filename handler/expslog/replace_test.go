package expslog_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"reflect"
	"runtime"
	"testing"
	"time"

	xslog "golang.org/x/exp/slog"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/expslog"
)

// TestReplaceSees: the function gets x/exp's types, in the right groups.
func TestReplaceSees(t *testing.T) {
	var got []string
	opts := []handler.Option{handler.WithSource(), expslog.WithReplaceAttr(func(groups []string, a xslog.Attr) xslog.Attr {
		got = append(got, fmt.Sprintf("%v %s %T", groups, a.Key, a.Value.Any()))
		return a
	})}
	var buf bytes.Buffer
	h := expslog.New(&buf, opts...).WithGroup("g")
	var pcs [1]uintptr
	runtime.Callers(1, pcs[:])
	r := xslog.NewRecord(when, xslog.LevelInfo, "m", pcs[0])
	r.AddAttrs(xslog.Int("i", 1), xslog.Uint64("u", 1), xslog.Float64("f", 1), xslog.Bool("b", true), xslog.Duration("d", 1),
		xslog.Time("t", when), xslog.Any("v", xvaluer{xslog.StringValue("x")}), xslog.Any("e", fmt.Errorf("x")),
		xslog.Any("l", slog.LevelInfo), xslog.Group("h", xslog.Any("n", nil)), xslog.Any("src", (*xslog.Source)(nil)))
	if err := h.Handle(ctx, r); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"[] time time.Time", "[] level slog.Level", "[] source *slog.Source", "[] msg string",
		"[g] i int64", "[g] u uint64", "[g] f float64", "[g] b bool", "[g] d time.Duration", "[g] t time.Time",
		"[g] v string", "[g] e *fmt.wrapError", "[g] l slog.Level", "[g h] n <nil>", "[g] src *slog.Source",
	}
	want[11] = fmt.Sprintf("[g] e %T", fmt.Errorf("x"))
	// log/slog's handler calls it again for what is in the source.
	kept := got[:0]
	for _, g := range got {
		if g != "[] function string" && g != "[] file string" && g != "[] line int64" {
			kept = append(kept, g)
		}
	}
	if !reflect.DeepEqual(kept, want) {
		t.Errorf("got  %q\nwant %q", kept, want)
	}
}

// TestReplaceTypes: Level and Source are x/exp's.
func TestReplaceTypes(t *testing.T) {
	opt := expslog.WithReplaceAttr(func(_ []string, a xslog.Attr) xslog.Attr {
		switch v := a.Value.Any().(type) {
		case xslog.Level:
			a.Value = xslog.AnyValue(v + 4)
		case *xslog.Source:
			a.Value = xslog.AnyValue(&xslog.Source{Function: "f", File: "x.go", Line: 3})
		case time.Time:
			a.Value = xslog.TimeValue(v.Add(time.Hour))
		case string:
			a.Value = xslog.StringValue(v + v)
		}
		return a
	})
	got := emit(t, []handler.Option{handler.WithSource(), opt}, xslog.String("k", "v"))
	want := `{"time":"2026-03-04T06:06:07.00000089Z","level":"WARN","source":{"function":"ff","file":"x.gox.go","line":3},"msg":"mm","k":"vv"}` + "\n"
	if got != want {
		t.Errorf("got %s want %s", got, want)
	}
}

func TestReplaceMakes(t *testing.T) {
	for name, c := range map[string]struct {
		v    xslog.Value
		want string
	}{
		"nothing":   {xslog.Value{}, ``},
		"group":     {xslog.GroupValue(xslog.Int("a", 1), xslog.Group("h", xslog.Int("b", 2))), `,"k":{"a":1,"h":{"b":2}}`},
		"LogValuer": {xslog.AnyValue(xvaluer{xslog.IntValue(1)}), `,"k":1`},
	} {
		got := emit(t, []handler.Option{expslog.WithReplaceAttr(func(_ []string, a xslog.Attr) xslog.Attr {
			if a.Key != "k" {
				return a
			}
			if name == "nothing" {
				return xslog.Attr{}
			}
			a.Value = c.v
			return a
		})}, xslog.Int("k", 0))
		if want := head + c.want + "}\n"; got != want {
			t.Errorf("%s: got %s want %s", name, got, want)
		}
	}
	if expslog.WithReplaceAttr(nil) != nil {
		t.Error("a nil function is an option")
	}
	got := emit(t, []handler.Option{expslog.WithReplaceAttr(func(_ []string, a xslog.Attr) xslog.Attr {
		if a.Key == "k" {
			panic("ouch")
		}
		return a
	})}, xslog.Int("k", 0))
	if want := head + `,"k":"!PANIC: ouch"}` + "\n"; got != want {
		t.Errorf("got %s want %s", got, want)
	}
}

// TestFarTimes: a record's own time is not x/exp's Value, those of attrs are.
func TestFarTimes(t *testing.T) {
	far := time.Date(3000, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, opts := range map[string][]handler.Option{
		"plain":   nil,
		"replace": {expslog.WithReplaceAttr(func(_ []string, a xslog.Attr) xslog.Attr { return a })},
	} {
		var buf bytes.Buffer
		r := xslog.NewRecord(far, xslog.LevelInfo, "m", 0)
		r.AddAttrs(xslog.Time("k", far))
		_ = expslog.New(&buf, opts...).Handle(ctx, r)
		want := `{"time":"3000-01-02T03:04:05Z","level":"INFO","msg":"m","k":"` + time.Unix(0, far.UnixNano()).UTC().Format(time.RFC3339Nano) + `"}` + "\n"
		if buf.String() != want {
			t.Errorf("%s: got %s want %s", name, buf.String(), want)
		}
	}
}
