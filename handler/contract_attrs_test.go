package handler_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
)

// The tests of these files are the promises of the package's contract, one
// by one, told from the contract and not from the code.

func TestReceiverReturned(t *testing.T) {
	var h slog.Handler = newHandler(new(sliceWriter))
	for _, h := range []slog.Handler{h, h.WithGroup("g"), h.WithGroup("g").WithAttrs([]slog.Attr{slog.Int("a", 1)})} {
		if h.WithGroup("") != h {
			t.Error(`WithGroup("") is not the receiver`)
		}
		if h.WithAttrs(nil) != h {
			t.Error("WithAttrs(nil) is not the receiver")
		}
		if h.WithAttrs([]slog.Attr{}) != h {
			t.Error("WithAttrs of no attrs is not the receiver")
		}
	}
}

// Siblings that share a parent have room to append to behind the parent's
// bytes: whoever writes there writes into the other one.
func TestSiblingsShareNothing(t *testing.T) {
	for depth := range 12 {
		var w sliceWriter
		var parent slog.Handler = newHandler(&w)
		head := recordHead + `"msg":"m"`
		tail := "}\n"
		for i := range depth {
			if i%3 == 2 {
				parent = parent.WithGroup("g")
				head += `,"g":{`
				tail = "}" + tail
				parent = parent.WithAttrs([]slog.Attr{slog.Int("in", i)})
				head += fmt.Sprintf(`"in":%d`, i)
				continue
			}
			parent = parent.WithAttrs([]slog.Attr{slog.Int("p", i)})
			head += fmt.Sprintf(`,"p":%d`, i)
		}
		var children []slog.Handler
		var want []string
		for i := range 8 {
			name := strings.Repeat(string(rune('a'+i)), i+1)
			children = append(children, parent.WithAttrs([]slog.Attr{slog.String("c", name)}))
			want = append(want, head+fmt.Sprintf(`,"c":"%s","r":1`, name)+tail)
			children = append(children, parent.WithGroup(name))
			want = append(want, head+fmt.Sprintf(`,"%s":{"r":1}`, name)+tail)
			children = append(children, parent.WithGroup(name).WithAttrs([]slog.Attr{slog.String("c", name)}))
			want = append(want, head+fmt.Sprintf(`,"%s":{"c":"%s","r":1}`, name, name)+tail)
		}
		children = append(children, parent)
		want = append(want, head+`,"r":1`+tail)
		for i, c := range children {
			w.b = nil
			handle(t, c, record(0, "m", slog.Int("r", 1)))
			if string(w.b) != want[i] {
				t.Errorf("depth %d, child %d:\n got %swant %s", depth, i, w.b, want[i])
			}
		}
	}
}

// Groups that are open but still empty are kept apart too, in the output and
// in what ReplaceAttr is told.
func TestSiblingGroupsShareNothing(t *testing.T) {
	for depth := range 12 {
		var w sliceWriter
		var parent slog.Handler = newHandler(&w, handler.WithReplaceAttr(func(groups []string, a slog.Attr) slog.Attr {
			if a.Key == "r" {
				a.Value = slog.StringValue(strings.Join(groups, "."))
			}
			return a
		}))
		head, path, tail := recordHead+`"msg":"m",`, "", "}}\n"
		for range depth {
			parent = parent.WithGroup("g")
			head, path, tail = head+`"g":{`, path+"g.", "}"+tail
		}
		var children []slog.Handler
		var want []string
		for i := range 8 {
			name := strings.Repeat(string(rune('a'+i)), i+1)
			children = append(children, parent.WithGroup(name), parent.WithGroup(name).WithGroup(name), parent.WithGroup(name).WithAttrs([]slog.Attr{slog.Int("r", 1)}))
			want = append(want, fmt.Sprintf(`%s"%s":{"r":"%s%s"%s`, head, name, path, name, tail),
				fmt.Sprintf(`%s"%s":{"%s":{"r":"%s%s.%s"}%s`, head, name, name, path, name, name, tail),
				fmt.Sprintf(`%s"%s":{"r":"%s%s","r":"%s%s"%s`, head, name, path, name, path, name, tail))
		}
		for i, c := range children {
			w.b = nil
			handle(t, c, record(0, "m", slog.Int("r", 1)))
			if string(w.b) != want[i] {
				t.Errorf("depth %d, child %d:\n got %swant %s", depth, i, w.b, want[i])
			}
		}
	}
}

func TestSiblingsConcurrent(t *testing.T) {
	var out sliceWriter
	parent := newHandler(&out).WithAttrs([]slog.Attr{slog.Int("p", 1)}).WithGroup("g").WithAttrs([]slog.Attr{slog.Int("q", 2)})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			name := strings.Repeat(string(rune('a'+g)), 5+g)
			for range 50 {
				h := parent.WithAttrs([]slog.Attr{slog.String("c", name)}).WithGroup(name).WithAttrs([]slog.Attr{slog.String("d", name)})
				handle(t, h, record(0, name, slog.String("e", name)))
			}
		}()
	}
	wg.Wait()
	for _, l := range checkLines(t, out.b, 400) {
		name, _ := rawAt(t, l, "msg")
		want := fmt.Sprintf(recordHead+`"msg":%[1]s,"p":1,"g":{"q":2,"c":%[1]s,%[1]s:{"d":%[1]s,"e":%[1]s}}}`, name)
		if l != want {
			t.Fatalf("got  %s\nwant %s", l, want)
		}
	}
}

// The caller may reuse the slice it passed to WithAttrs.
func TestWithAttrsCopies(t *testing.T) {
	var w sliceWriter
	attrs := []slog.Attr{slog.Int("a", 1), slog.Group("g", slog.Int("b", 2))}
	h := newHandler(&w).WithAttrs(attrs)
	attrs[0] = slog.Int("overwritten", 1)
	attrs[1].Value.Group()[0] = slog.Int("overwritten", 2)
	handle(t, h, record(0, "m"))
	if want := recordHead + `"msg":"m","a":1,"g":{"b":2}}` + "\n"; string(w.b) != want {
		t.Errorf("got  %swant %s", w.b, want)
	}
}

type valuer func() slog.Value

func (f valuer) LogValue() slog.Value { return f() }

// A group that ends up empty vanishes whole, whatever emptied it, and what
// follows it is neither missing its comma nor put into the wrong group.
func TestEmptyGroupsVanish(t *testing.T) {
	none := valuer(func() slog.Value { return slog.GroupValue() })
	drop := handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr {
		switch a.Key {
		case "drop":
			return slog.Attr{}
		case "empty":
			return slog.Attr{Key: "empty", Value: slog.GroupValue()}
		case "valuer":
			return slog.Any("valuer", none)
		}
		return a
	})
	empties := map[string]slog.Attr{
		"zero attr":          {},
		"group of none":      {Key: "g", Value: slog.GroupValue()},
		"group of zero":      slog.Group("g", slog.Attr{}),
		"group of zeros":     slog.Group("g", slog.Attr{}, slog.Attr{}),
		"nested zeros":       slog.Group("g", slog.Group("h", slog.Attr{}), slog.Group("i", slog.Attr{})),
		"inlined zero":       slog.Group("", slog.Attr{}),
		"inlined nested":     slog.Group("", slog.Group("g", slog.Attr{})),
		"valuer":             slog.Any("g", none),
		"group of valuer":    slog.Group("g", slog.Any("h", none)),
		"valuer of group":    slog.Any("g", valuer(func() slog.Value { return slog.GroupValue(slog.Any("h", none)) })),
		"valuer of zero":     slog.Any("g", valuer(func() slog.Value { return slog.GroupValue(slog.Attr{}) })),
		"attr slice":         slog.Any("g", []slog.Attr{}),
		"dropped":            slog.Int("drop", 1),
		"all dropped":        slog.Group("g", slog.Int("drop", 1), slog.Int("drop", 2)),
		"all dropped nested": slog.Group("g", slog.Group("h", slog.Int("drop", 1))),
		"replaced by empty":  slog.Int("empty", 1),
		"inside by empty":    slog.Group("g", slog.Int("empty", 1)),
		"replaced by valuer": slog.Group("g", slog.Int("valuer", 1)),
		"zero source":        slog.Any("s", &slog.Source{}),
		"nil source":         slog.Any("s", (*slog.Source)(nil)),
		"group of source":    slog.Group("g", slog.Any("s", &slog.Source{})),
	}
	a, b := slog.Int("a", 1), slog.Int("b", 2)
	for name, e := range empties {
		t.Run(name, func(t *testing.T) {
			forEachWriter(t, func(t *testing.T, k writerKind) {
				w, bytes := k.open()
				h := newHandler(w, drop)
				with := func(h slog.Handler, attrs ...slog.Attr) slog.Handler { return h.WithAttrs(attrs) }
				var want []string
				rec := func(h slog.Handler, tail string, attrs ...slog.Attr) {
					t.Helper()
					handle(t, h, record(0, "m", attrs...))
					want = append(want, recordHead+`"msg":"m"`+tail)
				}
				rec(h, `,"a":1,"b":2}`, a, e, b)
				rec(h, `,"b":2}`, e, e, b)
				rec(h, `}`, e)
				rec(h, `,"x":{"a":1,"b":2},"b":2}`, slog.Group("x", a, e, b), b)
				rec(h, `,"x":{"b":2},"b":2}`, slog.Group("x", e, b), b)
				rec(h, `,"x":{"a":1},"b":2}`, slog.Group("x", a, e), b)
				rec(h, `,"b":2}`, slog.Group("x", e), b)
				rec(h, `,"x":{"b":2}}`, slog.Group("x", slog.Group("y", slog.Group("z", e)), b))
				rec(with(h, a, e, b), `,"a":1,"b":2,"b":2}`, b)
				rec(with(h, e, b), `,"b":2,"a":1}`, a)
				rec(with(h, e), `,"a":1}`, a)
				rec(with(h, e), `}`)
				rec(with(h, e), `,"a":1}`, e, a)
				rec(h.WithGroup("x"), `}`, e)
				rec(h.WithGroup("x"), `,"x":{"a":1}}`, e, a)
				rec(h.WithGroup("x").WithGroup("y"), `}`, e, e)
				rec(with(h.WithGroup("x"), e), `}`)
				rec(with(h.WithGroup("x"), e), `,"x":{"a":1}}`, a)
				rec(with(h.WithGroup("x"), a, e), `,"x":{"a":1}}`, e)
				rec(with(h.WithGroup("x"), a).WithGroup("y"), `,"x":{"a":1}}`, e)
				rec(with(with(h.WithGroup("x"), a).WithGroup("y"), e), `,"x":{"a":1,"y":{"b":2}}}`, b)
				rec(with(with(h.WithGroup("x"), e).WithGroup("y"), b), `,"x":{"y":{"b":2}}}`, e)
				rec(with(with(with(h, a).WithGroup("x"), e).WithGroup("y"), e), `,"a":1}`, e)
				for i, l := range checkLines(t, bytes(), len(want)) {
					if l != want[i] {
						t.Errorf("record %d:\n got %s\nwant %s", i, l, want[i])
					}
				}
			})
		})
	}
}

func TestZeroTimeAndPC(t *testing.T) {
	r := slog.NewRecord(time.Time{}, slog.LevelInfo, "m", 0)
	want := `{"level":"INFO","msg":"m"}`
	if got := one(t, r, handler.WithSource()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	keep := handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr { return a })
	if got := one(t, r, handler.WithSource(), keep); got != want {
		t.Errorf("with ReplaceAttr: got %s, want %s", got, want)
	}
	// A time that is not zero but whose clock reads nought is a time.
	r.Time = time.Unix(0, 0).UTC()
	if got, want := one(t, r), `{"time":"1970-01-01T00:00:00Z","level":"INFO","msg":"m"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestContextChangesNothing(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for name, ctx := range map[string]context.Context{"nil": nil, "cancelled": cancelled} {
		var w sliceWriter
		seen := 0
		h := newHandler(&w,
			handler.WithContextAttrs(func(c context.Context) []slog.Attr { seen++; return nil }),
			handler.WithFilter(func(c context.Context, _ slog.Record) bool { seen++; return true }))
		if !h.Enabled(ctx, slog.LevelInfo) || h.Enabled(ctx, slog.LevelDebug) {
			t.Errorf("%s context: Enabled is wrong", name)
		}
		if err := h.Handle(ctx, record(0, "m", slog.Int("a", 1))); err != nil {
			t.Errorf("%s context: %v", name, err)
		}
		if want := recordHead + `"msg":"m","a":1}` + "\n"; string(w.b) != want {
			t.Errorf("%s context: got %s", name, w.b)
		}
		if seen != 2 {
			t.Errorf("%s context: context function and filter called %d times, want 2", name, seen)
		}
	}
}
