package handler_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/slogpack/slogpack/handler"
)

const tooDeepText = "!ERROR: nesting too deep"

// deepGroup is a leaf inside n groups.
func deepGroup(n int) slog.Value {
	v := slog.StringValue("leaf")
	for range n {
		v = slog.GroupValue(slog.Attr{Key: "g", Value: v})
	}
	return v
}

// selfGroup is a group that contains itself twice: the slice behind the value
// is written to after the value was made.
func selfGroup() slog.Value {
	as := make([]slog.Attr, 4)
	v := slog.GroupValue(as...)
	as[0] = slog.Int("first", 1)
	as[1] = slog.Attr{Key: "l", Value: v}
	as[2] = slog.Attr{Key: "r", Value: v}
	as[3] = slog.Int("final", 1)
	return v
}

// mutualGroups are two groups that contain each other, inlined and not.
func mutualGroups(key string) slog.Value {
	a, b := make([]slog.Attr, 2), make([]slog.Attr, 2)
	a[0], b[0] = slog.Int("a", 1), slog.Int("b", 1)
	a[1] = slog.Attr{Key: key, Value: slog.GroupValue(b...)}
	b[1] = slog.Attr{Key: key, Value: slog.GroupValue(a...)}
	return slog.GroupValue(a...)
}

// doubling returns a group of two of itself, for ever.
type doubling struct{ key string }

func (d doubling) LogValue() slog.Value {
	return slog.GroupValue(slog.Any(d.key, d), slog.Int("n", 1), slog.Any(d.key, d))
}

// growing returns a chain of groups without end, no two alike.
type growing struct{ n int }

func (g growing) LogValue() slog.Value {
	return slog.GroupValue(slog.Int("n", g.n), slog.Any("next", growing{g.n + 1}))
}

// dagGroup is 2^n leaves in n groups.
func dagGroup(n int) slog.Value {
	v := slog.IntValue(1)
	for range n {
		v = slog.GroupValue(slog.Attr{Key: "l", Value: v}, slog.Attr{Key: "r", Value: v})
	}
	return v
}

// Values that would take for ever cost their own field, and that within
// bounds: the record stays a record.
func TestHostileEndless(t *testing.T) {
	for name, v := range map[string]slog.Value{
		"group that contains itself twice":   selfGroup(),
		"groups that contain each other":     mutualGroups("k"),
		"inlined groups of each other":       mutualGroups(""),
		"LogValue of two of itself":          slog.AnyValue(doubling{"k"}),
		"LogValue of two of itself, inlined": slog.AnyValue(doubling{""}),
		"LogValue of a longer chain":         slog.AnyValue(growing{}),
		"5000 groups":                        deepGroup(5000),
		"101 groups of many":                 slog.GroupValue(slog.Attr{Key: "x", Value: deepGroup(101)}, slog.Attr{Key: "y", Value: deepGroup(101)}),
		"DAG of 2^60 leaves":                 dagGroup(60),
		"DAG of 2^99 leaves":                 dagGroup(99),
	} {
		t.Run(name, func(t *testing.T) {
			checkSettings(t, v, "?", "group", "With in WithGroup")
			for rep, o := range map[string]handler.Option{"no": nil, "a": handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr { return a })} {
				within(t, func() {
					got := one(t, record(0, "m", slog.Attr{Key: "h", Value: v}, slog.Int("after", 1)), o)
					if !strings.Contains(got, tooDeepText) {
						t.Errorf("with %s ReplaceAttr: nothing says %q: %s", rep, tooDeepText, clip(got))
					}
					if !strings.HasSuffix(got, `,"after":1}`) {
						t.Errorf("with %s ReplaceAttr: the attr after is gone: %s", rep, clip(got))
					}
					if len(got) > 4<<20 {
						t.Errorf("with %s ReplaceAttr: the record has %d bytes", rep, len(got))
					}
				})
			}
		})
	}
}

// ReplaceAttr that returns a group is called for the attrs of that group; one
// that always does has no end.
func TestHostileReplaceNests(t *testing.T) {
	for name, f := range map[string]func([]string, slog.Attr) slog.Attr{
		"once":    func(_ []string, a slog.Attr) slog.Attr { return slog.Group(a.Key, a) },
		"twice":   func(_ []string, a slog.Attr) slog.Attr { return slog.Group(a.Key, a, a) },
		"inlined": func(_ []string, a slog.Attr) slog.Attr { return slog.Group("", a, a) },
	} {
		t.Run(name, func(t *testing.T) {
			forEachWriter(t, func(t *testing.T, k writerKind) {
				w, out := k.open()
				within(t, func() {
					h := newHandler(w, handler.WithReplaceAttr(f))
					handle(t, h, record(0, "m", slog.Int("a", 1), slog.Group("g", slog.Int("b", 1))))
					handle(t, h.WithAttrs([]slog.Attr{slog.Int("a", 1)}).WithGroup("g"), record(0, "m", slog.Int("b", 1)))
				})
				checkLines(t, out(), 2)
			})
		})
	}
}

// Exactly 100 groups inside each other are printed, the next one is not.
func TestDepthLimit(t *testing.T) {
	for n, whole := range map[int]bool{1: true, 99: true, 100: true, 101: false, 102: false, 200: false} {
		want := recordHead + `"msg":"m","h":` + strings.Repeat(`{"g":`, n) + `"leaf"` + strings.Repeat("}", n) + `,"after":1}`
		forEachWriter(t, func(t *testing.T, k writerKind) {
			w, out := k.open()
			handle(t, newHandler(w), record(0, "m", slog.Attr{Key: "h", Value: deepGroup(n)}, slog.Int("after", 1)))
			got := checkLines(t, out(), 1)[0]
			if whole && got != want {
				t.Errorf("%d groups: got %s", n, got)
			}
			if !whole && (!strings.Contains(got, tooDeepText) || strings.Contains(got, "leaf") || !strings.HasSuffix(got, `,"after":1}`)) {
				t.Errorf("%d groups: got %s", n, got)
			}
		})
	}
}

// Many groups side by side are not deep; each of them is printed.
func TestManyGroupsAreNotDeep(t *testing.T) {
	var as []slog.Attr
	for range 2000 {
		as = append(as, slog.Group("g", slog.Group("h", slog.Int("i", 1))))
	}
	got := one(t, record(0, "m", as...))
	if n := strings.Count(got, `"g":{"h":{"i":1}}`); n != 2000 {
		t.Errorf("%d of 2000 groups printed", n)
	}
	// A shared group is not a cycle.
	shared := slog.GroupValue(slog.Int("i", 1))
	got = one(t, record(0, "m", slog.Attr{Key: "a", Value: shared}, slog.Attr{Key: "b", Value: slog.GroupValue(slog.Attr{Key: "c", Value: shared}, slog.Attr{Key: "d", Value: shared})}))
	if want := recordHead + `"msg":"m","a":{"i":1},"b":{"c":{"i":1},"d":{"i":1}}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Groups of WithGroup nest as deep as the caller likes to write them down.
func TestManyWithGroups(t *testing.T) {
	forEachWriter(t, func(t *testing.T, k writerKind) {
		w, out := k.open()
		var h slog.Handler = newHandler(w)
		const n = 300
		for range n {
			h = h.WithGroup("g")
		}
		handle(t, h, record(0, "m", slog.Int("a", 1)))
		handle(t, h, record(0, "m"))
		handle(t, h.WithAttrs([]slog.Attr{slog.Int("b", 1)}), record(0, "m"))
		lines := checkLines(t, out(), 3)
		for i, key := range map[int]string{0: "a", 2: "b"} {
			want := recordHead + `"msg":"m",` + strings.Repeat(`"g":{`, n) + `"` + key + `":1` + strings.Repeat("}", n) + "}"
			if lines[i] != want {
				t.Errorf("record %d: %s", i, clip(lines[i]))
			}
		}
		if want := recordHead + `"msg":"m"}`; lines[1] != want {
			t.Errorf("got %s, want %s", clip(lines[1]), want)
		}
	})
}
