package expslog_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	xslog "golang.org/x/exp/slog"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/expslog"
)

var (
	ctx  = context.Background()
	when = time.Date(2026, 3, 4, 5, 6, 7, 890, time.UTC)
)

// emit returns what h, which writes to buf, makes of one record.
func emit(t *testing.T, opts []handler.Option, attrs ...xslog.Attr) string {
	t.Helper()
	var buf bytes.Buffer
	r := xslog.NewRecord(when, xslog.LevelInfo, "m", 0)
	r.AddAttrs(attrs...)
	if err := expslog.New(&buf, opts...).Handle(ctx, r); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

const head = `{"time":"2026-03-04T05:06:07.00000089Z","level":"INFO","msg":"m"`

type xvaluer struct{ v xslog.Value }

func (v xvaluer) LogValue() xslog.Value { return v.v }

type xvaluerFunc func() xslog.Value

func (f xvaluerFunc) LogValue() xslog.Value { return f() }

type valuer struct{ v slog.Value }

func (v valuer) LogValue() slog.Value { return v.v }

// endless is a LogValuer that returns one.
type endless struct{}

func (e endless) LogValue() xslog.Value { return xslog.AnyValue(e) }

func TestKinds(t *testing.T) {
	text := errors.New("text")
	for _, c := range []struct {
		name string
		attr xslog.Attr
		want string
	}{
		{"string", xslog.String("k", "v\n"), `,"k":"v\n"`},
		{"empty string", xslog.String("k", ""), `,"k":""`},
		{"int", xslog.Int64("k", -1<<63), `,"k":-9223372036854775808`},
		{"uint", xslog.Uint64("k", 1<<64-1), `,"k":18446744073709551615`},
		{"float", xslog.Float64("k", 1e21), `,"k":1e+21`},
		{"bool", xslog.Bool("k", true), `,"k":true`},
		{"duration", xslog.Duration("k", 1500), `,"k":1500`},
		{"time", xslog.Time("k", when), `,"k":"2026-03-04T05:06:07.00000089Z"`},
		{"zone", xslog.Time("k", when.In(time.FixedZone("", 3600))), `,"k":"2026-03-04T06:06:07.00000089+01:00"`},
		{"zero time", xslog.Time("k", time.Time{}), `,"k":"0001-01-01T00:00:00Z"`},
		{"nil", xslog.Any("k", nil), `,"k":null`},
		{"empty attr", xslog.Attr{}, ``},
		{"error", xslog.Any("k", text), `,"k":"text"`},
		{"struct", xslog.Any("k", struct{ X int }{1}), `,"k":{"X":1}`},
		{"group", xslog.Group("g", xslog.Int("a", 1), xslog.Group("h", xslog.Int("b", 2)), xslog.Int("c", 3)), `,"g":{"a":1,"h":{"b":2},"c":3}`},
		{"inlined group", xslog.Group("", xslog.Int("a", 1)), `,"a":1`},
		{"empty group", xslog.Group("g"), ``},
		{"groups that are empty", xslog.Group("g", xslog.Group("h"), xslog.Attr{}), ``},
		{"slice of attrs", xslog.Any("g", []xslog.Attr{xslog.Int("a", 1)}), `,"g":{"a":1}`},
		{"LogValuer", xslog.Any("k", xvaluer{xslog.IntValue(1)}), `,"k":1`},
		{"LogValuer of a group", xslog.Any("k", xvaluer{xslog.GroupValue(xslog.Int("a", 1), xslog.Any("b", xvaluer{xslog.StringValue("x")}))}),
			`,"k":{"a":1,"b":"x"}`},
		{"LogValuer in a LogValuer", xslog.Any("k", xvaluer{xslog.AnyValue(xvaluer{xslog.BoolValue(true)})}), `,"k":true`},
		{"LogValuer in a group", xslog.Group("g", xslog.Any("k", xvaluer{xslog.IntValue(1)})), `,"g":{"k":1}`},
		{"log/slog's LogValuer", xslog.Any("k", valuer{slog.IntValue(1)}), `,"k":1`},
		{"log/slog's Value", xslog.Any("k", slog.GroupValue(slog.Int("a", 1))), `,"k":{"a":1}`},
		{"endless LogValuer", xslog.Any("k", endless{}), `,"k":"LogValue called too many times on Value of type expslog_test.endless"`},
		{"level", xslog.Any("k", xslog.LevelWarn+1), `,"k":"WARN+1"`},
		{"log/slog's level", xslog.Any("k", slog.LevelWarn+1), `,"k":"WARN+1"`},
		{"kind", xslog.Any("k", xslog.KindBool), `,"k":1`},
		{"source", xslog.Any("k", &xslog.Source{Function: "f", File: "x.go", Line: 3}), `,"k":{"function":"f","file":"x.go","line":3}`},
		{"nil source", xslog.Any("k", (*xslog.Source)(nil)), ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := head + c.want + "}\n"
			if got := emit(t, nil, c.attr); got != want {
				t.Errorf("got  %s want %s", got, want)
			}
			// The same by With, and in the middle of others.
			var buf bytes.Buffer
			h := expslog.New(&buf).WithAttrs([]xslog.Attr{xslog.Int("i", 1), c.attr, xslog.Int("j", 2)})
			_ = h.Handle(ctx, xslog.NewRecord(when, xslog.LevelInfo, "m", 0))
			if want = head + `,"i":1` + c.want + `,"j":2` + "}\n"; buf.String() != want {
				t.Errorf("With: got  %s want %s", buf.String(), want)
			}
		})
	}
}

// TestPanics: a LogValue that panics or ends the goroutine costs its field.
func TestPanics(t *testing.T) {
	got := emit(t, nil, xslog.Int("a", 1), xslog.Any("k", xvaluerFunc(func() xslog.Value { panic("ouch") })), xslog.Int("b", 2))
	if !strings.HasPrefix(got, head+`,"a":1,"k":"LogValue panicked\n`) || !strings.HasSuffix(got, `,"b":2}`+"\n") {
		t.Errorf("got %s", got)
	}
	var buf bytes.Buffer
	done := make(chan bool)
	go func() {
		defer close(done)
		r := xslog.NewRecord(when, xslog.LevelInfo, "m", 0)
		r.AddAttrs(xslog.Int("a", 1), xslog.Any("k", xvaluerFunc(func() xslog.Value { runtime.Goexit(); return xslog.Value{} })), xslog.Int("b", 2))
		_ = expslog.New(&buf).Handle(ctx, r)
	}()
	<-done
	if want := head + `,"a":1,"k":"!PANIC: runtime.Goexit","b":2}` + "\n"; buf.String() != want {
		t.Errorf("got %s want %s", buf.String(), want)
	}
}

// TestCycles: groups that hold themselves cost one field and little time.
func TestCycles(t *testing.T) {
	loop := make([]xslog.Attr, 2)
	loop[0] = xslog.Attr{Key: "g", Value: xslog.GroupValue(loop...)}
	loop[1] = xslog.Int("a", 1)
	if got, want := emit(t, nil, loop[0]), head+`,"g":{"g":"!ERROR: nesting too deep","a":1}}`+"\n"; got != want {
		t.Errorf("got %s want %s", got, want)
	}
	// Not a cycle: a part of what it is in.
	part := []xslog.Attr{xslog.Int("a", 1), {}}
	part[1] = xslog.Attr{Key: "g", Value: xslog.GroupValue(part[:1]...)}
	if got, want := emit(t, nil, xslog.Attr{Key: "p", Value: xslog.GroupValue(part...)}), head+`,"p":{"a":1,"g":{"a":1}}}`+"\n"; got != want {
		t.Errorf("got %s want %s", got, want)
	}
	v := xslog.IntValue(1)
	for range 200 {
		v = xslog.GroupValue(xslog.Attr{Key: "g", Value: v})
	}
	if got := emit(t, nil, xslog.Attr{Key: "k", Value: v}, xslog.Int("b", 2)); !strings.Contains(got, `"!ERROR: nesting too deep"`) ||
		strings.Count(got, "{") > 101 || !strings.HasSuffix(got, `,"b":2}`+"\n") {
		t.Errorf("got %s", got)
	}
	// Doubling at each of 60 levels.
	v = xslog.IntValue(1)
	for range 60 {
		v = xslog.GroupValue(xslog.Attr{Key: "a", Value: v}, xslog.Attr{Key: "b", Value: v})
	}
	if got := emit(t, nil, xslog.Attr{Key: "k", Value: v}); len(got) > 16<<20 {
		t.Errorf("got %d bytes", len(got))
	}
}

func TestLevels(t *testing.T) {
	var l slog.LevelVar
	l.Set(slog.LevelWarn)
	h := expslog.New(io.Discard, handler.WithLevel(&l))
	if h.Enabled(ctx, xslog.LevelInfo) || !h.Enabled(ctx, xslog.LevelWarn) {
		t.Error("level warn")
	}
	l.Set(-100)
	if !h.Enabled(ctx, -100) || h.Enabled(ctx, -101) {
		t.Error("level -100")
	}
	var buf bytes.Buffer
	xslog.New(expslog.New(&buf, handler.WithProfile(handler.Zerolog()))).Log(ctx, xslog.LevelError+1, "m")
	if !strings.HasPrefix(buf.String(), `{"level":"error",`) {
		t.Errorf("got %s", buf.String())
	}
}

// TestSource: the place of the call, which the logger of x/exp has found.
func TestSource(t *testing.T) {
	var buf bytes.Buffer
	_, file, line, _ := runtime.Caller(0)
	xslog.New(expslog.New(&buf, handler.WithSource())).Info("m")
	want := fmt.Sprintf(`"source":{"function":"github.com/slogpack/slogpack/handler/expslog_test.TestSource","file":%q,"line":%d}`, file, line+1)
	if !strings.Contains(buf.String(), want) {
		t.Errorf("got %s want %s", buf.String(), want)
	}
}

func TestDerived(t *testing.T) {
	var buf bytes.Buffer
	h := expslog.New(&buf)
	if h.WithGroup("") != xslog.Handler(h) || h.WithAttrs(nil) != xslog.Handler(h) {
		t.Error("nothing added and not the receiver")
	}
	l := xslog.New(h).With("a", 1).WithGroup("g")
	l.With("b", 2).WithGroup("empty").Info("m")
	l.Info("m", "c", 3)
	if !strings.HasSuffix(buf.String(), `"msg":"m","a":1,"g":{"c":3}}`+"\n") || !strings.Contains(buf.String(), `"msg":"m","a":1,"g":{"b":2}}`+"\n") {
		t.Errorf("got %s", buf.String())
	}
}

func TestFlush(t *testing.T) {
	var buf bytes.Buffer
	h := expslog.New(bufio.NewWriter(&buf))
	xslog.New(h).Info("m")
	if buf.Len() > 0 {
		t.Error("written before")
	}
	if err := h.Flush(); err != nil || buf.Len() == 0 {
		t.Errorf("%v %q", err, buf.String())
	}
}

// TestRace: attrs do not get from one record into another.
func TestRace(t *testing.T) {
	var buf bytes.Buffer
	h := expslog.New(&buf, handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}))
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			l := xslog.New(h).With("g", g)
			for i := range 100 {
				l.Info("m", "a", g, xslog.Group("h", "i", i, xslog.Group("j", "a", g, "i", i)))
			}
		}()
	}
	wg.Wait()
	lines := strings.Split(strings.TrimSuffix(buf.String(), "\n"), "\n")
	if len(lines) != 400 {
		t.Fatalf("got %d lines", len(lines))
	}
	for _, line := range lines {
		var g, i int
		const form = `{"level":"INFO","msg":"m","g":%d,"a":%[1]d,"h":{"i":%[2]d,"j":{"a":%[1]d,"i":%[2]d}}}`
		_, _ = fmt.Sscanf(line[strings.Index(line, `"a":`):], `"a":%d,"h":{"i":%d`, &g, &i)
		if line != fmt.Sprintf(form, g, i) {
			t.Errorf("got %s", line)
		}
	}
}
