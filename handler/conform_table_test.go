package handler_test

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
)

// conformRow logs one record; attrs are what is to be behind its own fields.
type conformRow struct {
	name string
	log  func(t testing.TB, h slog.Handler)
	want []slog.Attr
}

func manyAttrs(prefix string, n int) []slog.Attr {
	as := make([]slog.Attr, n)
	for i := range as {
		as[i] = slog.Int(fmt.Sprint(prefix, i), i)
	}
	return as
}

func conformKinds() []slog.Attr {
	when := time.Date(2021, 7, 8, 9, 10, 11, 123456789, time.FixedZone("", 5400))
	return []slog.Attr{
		slog.String("text", "a \"b\" \\ \n\x00 é 日本 😀"), slog.String("empty", ""), slog.String("bad", "a\xff\xc3b"),
		slog.String("31", strings.Repeat("x", 31)), slog.String("32", strings.Repeat("x", 32)), slog.String("256", strings.Repeat("x", 256)), slog.String("65536", strings.Repeat("x", 65536)),
		slog.String(strings.Repeat("k", 300), "long key"), slog.String("\xff\n", "bad key"), slog.String("", "no key"),
		slog.Int("0", 0), slog.Int("127", 127), slog.Int("128", 128), slog.Int("2^8", 256), slog.Int("2^16", 65536), slog.Int64("2^32", 1<<32), slog.Int64("max", math.MaxInt64),
		slog.Int("-1", -1), slog.Int("-32", -32), slog.Int("-33", -33), slog.Int("-129", -129), slog.Int("-32769", -32769), slog.Int64("-2^31-1", -1<<31-1), slog.Int64("min", math.MinInt64),
		slog.Uint64("u0", 0), slog.Uint64("umax63", math.MaxInt64), slog.Uint64("u2^63", 1<<63), slog.Uint64("umax", math.MaxUint64),
		slog.Float64("f", 1.5), slog.Float64("f3", 3), slog.Float64("f1e300", -1e300), slog.Float64("denormal", math.SmallestNonzeroFloat64),
		slog.Float64("nan", math.NaN()), slog.Float64("+inf", math.Inf(1)), slog.Float64("-inf", math.Inf(-1)),
		slog.Bool("true", true), slog.Bool("false", false), slog.Any("nil", nil),
		slog.Duration("d", 1500*time.Microsecond), slog.Duration("d0", 0), slog.Duration("dmin", math.MinInt64),
		slog.Time("t", when), slog.Time("whole", when.Truncate(time.Second)), slog.Time("1969", time.Unix(-1, 5).UTC()), slog.Time("2200", time.Date(2200, 1, 1, 0, 0, 0, 1, time.UTC)),
		slog.Any("bytes", []byte("a\xffb")), slog.Any("no bytes", []byte{}), slog.Any("nil bytes", []byte(nil)),
		slog.Any("error", errors.New("bad \xff luck")), slog.Any("a level", slog.LevelWarn),
		slog.Any("strings", []string{"a", ""}), slog.Any("nil strings", []string(nil)), slog.Any("ints", []int{1, -1}), slog.Any("int64s", []int64{math.MinInt64}),
		slog.Any("bools", []bool{true, false}), slog.Any("durations", []time.Duration{1, time.Hour}),
		slog.Any("map", map[string]string{"b": "2", "a": "1"}), slog.Any("nested", map[string]any{"x": []any{nil, "s", 1, true, map[string]any{}}, "a": []any{}}),
		slog.Any("struct", struct {
			A int `json:"a"`
			B []string
		}{1, []string{"x"}}), slog.Any("20 ints", make([]int, 20)),
		slog.Group("g", slog.Int("a", 1), slog.Group("h", slog.String("b", "2"))),
	}
}

func conformRows() []conformRow {
	a, b, c := slog.Int("a", 1), slog.String("b", "two"), slog.Bool("c", true)
	none := slog.Any("none", toValue{slog.GroupValue(slog.Attr{}, slog.Group("g", slog.Group("", slog.Attr{})))})
	with := func(h slog.Handler, as ...slog.Attr) slog.Handler { return h.WithAttrs(as) }
	rows := []conformRow{
		{"nothing", func(t testing.TB, h slog.Handler) { handle(t, h, record(0, "m")) }, nil},
		{"kinds", func(t testing.TB, h slog.Handler) { handle(t, h, record(0, "m", conformKinds()...)) }, conformKinds()},
		{"kinds in With", func(t testing.TB, h slog.Handler) { handle(t, with(h, conformKinds()...), record(0, "m")) }, conformKinds()},
		{"kinds in a group", func(t testing.TB, h slog.Handler) {
			handle(t, h, record(0, "m", a, slog.Attr{Key: "k", Value: slog.GroupValue(conformKinds()...)}, b))
		}, []slog.Attr{a, {Key: "k", Value: slog.GroupValue(conformKinds()...)}, b}},
		{"With twice", func(t testing.TB, h slog.Handler) { handle(t, with(with(h, a), b, c), record(0, "m", a)) }, []slog.Attr{a, b, c, a}},
		{"inline groups", func(t testing.TB, h slog.Handler) {
			handle(t, with(h, slog.Group("", a, slog.Group("", b))), record(0, "m", slog.Group("", c, slog.Group("g", a))))
		}, []slog.Attr{a, b, c, slog.Group("g", a)}},
		{"WithGroup", func(t testing.TB, h slog.Handler) {
			handle(t, with(with(h, a).WithGroup("g"), b).WithGroup("h").WithGroup("i"), record(0, "m", c))
		}, []slog.Attr{a, slog.Group("g", b, slog.Group("h", slog.Group("i", c)))}},
		{"WithGroup without attrs", func(t testing.TB, h slog.Handler) {
			handle(t, with(with(h, a).WithGroup("g"), b).WithGroup("h").WithGroup("i"), record(0, "m"))
		}, []slog.Attr{a, slog.Group("g", b)}},
		{"WithGroup of nothing", func(t testing.TB, h slog.Handler) {
			handle(t, with(h, a).WithGroup("g").WithGroup("h"), record(0, "m", none, slog.Attr{}, slog.Group("x")))
		}, []slog.Attr{a}},
		{"With of nothing in WithGroup", func(t testing.TB, h slog.Handler) {
			handle(t, with(h.WithGroup("g"), none, slog.Attr{}).WithGroup("h"), record(0, "m", a))
		}, []slog.Attr{slog.Group("g", slog.Group("h", a))}},
		{"groups of nothing", func(t testing.TB, h slog.Handler) {
			handle(t, with(h, none, a, none), record(0, "m", none, slog.Group("g", none, b, slog.Group("h", none), none), slog.Group("i", none, slog.Group("j", none)), c))
		}, []slog.Attr{a, slog.Group("g", b), c}},
		{"a sibling does not see it", func(t testing.TB, h slog.Handler) {
			p := with(h.WithGroup("g"), a)
			_, _ = with(p, b), with(p.WithGroup("x"), b)
			handle(t, with(p, c), record(0, "m"))
		}, []slog.Attr{slog.Group("g", a, c)}},
	}
	// Counts around each size of header, at each place where one is counted.
	for _, n := range []int{14, 15, 16, 17, 300} {
		as, bs := manyAttrs("k", n), manyAttrs("l", n)
		group := func(key string, as ...slog.Attr) slog.Attr { return slog.Attr{Key: key, Value: slog.GroupValue(as...)} }
		rows = append(rows, conformRow{fmt.Sprint(n, " attrs everywhere"), func(t testing.TB, h slog.Handler) {
			handle(t, with(with(with(h, as...).WithGroup("g"), bs...).WithGroup("h"), group("i", as...)), record(0, "m", append(bs[:n:n], group("j", as...), none, a)...))
		}, append(as[:n:n], group("g", append(bs[:n:n], group("h", append(append([]slog.Attr{group("i", as...)}, bs...), group("j", as...), a)...))...))})
	}
	return rows
}

// Every format in every profile writes the same fields with the same values, in
// the same order.
func TestConform(t *testing.T) {
	rows := conformRows()
	forEachWire(t, func(t *testing.T, f handler.Format, p namedProfile) {
		for _, r := range rows {
			for optName, opt := range map[string]handler.Option{"": nil, " with ReplaceAttr": handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr { return a }), " with dedup": handler.WithDedup()} {
				if optName == " with dedup" && r.name == "With twice" {
					continue
				}
				os := logged(t, f, p.Profile, func(h slog.Handler) {
					r.log(t, h)
					r.log(t, h)
				}, opt)
				if len(os) != 2 {
					t.Fatalf("%s%s: %d records", r.name, optName, len(os))
				}
				first, last := ownMembers(f, p.name, record(0, "m"), nil)
				want := append(append(first, wantObject(f, p.Profile, r.want)...), last...)
				for _, o := range os {
					if s := unequal(f, o, want); s != "" {
						t.Errorf("%s%s: %s", r.name, optName, s)
					}
				}
			}
		}
	})
}

// With prefixes and groups of more fields than 16 bits count.
func TestConformManyFields(t *testing.T) {
	if raceEnabled {
		t.Skip("nothing is shared here, and it takes long")
	}
	const n = 66000
	as := manyAttrs("", n)
	for _, f := range []handler.Format{handler.MessagePack, handler.Forward} {
		os := logged(t, f, handler.Slog(), func(h slog.Handler) {
			h = h.WithAttrs(as[:n/2]).WithGroup("g").WithAttrs(as)
			handle(t, h, record(0, "m", slog.Attr{Key: "h", Value: slog.GroupValue(as...)}, slog.Int("last", 1)))
		}, handler.WithMaxRecordSize(-1))
		if s := os[0].keys(); !strings.HasSuffix(s, fmt.Sprintf(" %d g", n/2-1)) {
			t.Errorf("%v: the outer keys end with %q", f, s[len(s)-30:])
		}
		want := wantObject(f, handler.Slog(), append(as[:n:n], slog.Attr{Key: "h", Value: slog.GroupValue(as...)}, slog.Int("last", 1)))
		g, _ := os[0].at("g")
		if s := unequal(f, g, want); s != "" {
			t.Errorf("%v: %s", f, s)
		}
	}
}

// The record's own fields, profile by profile as the design has them: level,
// message and source of one record with all of them.
func TestConformOwnFields(t *testing.T) {
	r := record(slog.LevelWarn+1, "a message", slog.Int("a", 1))
	r.PC = somePC()
	fs := runtime.CallersFrames([]uintptr{r.PC})
	frame, _ := fs.Next()
	forEachWire(t, func(t *testing.T, f handler.Format, p namedProfile) {
		for optName, opt := range map[string]handler.Option{"": nil, " with ReplaceAttr": handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr { return a })} {
			first, last := ownMembers(f, p.name, r, &frame)
			want := append(append(first, member{"a", int64(1)}), last...)
			if s := unequal(f, loggedOne(t, f, p.Profile, r, handler.WithSource(), opt), want); s != "" {
				t.Errorf("with source%s: %s", optName, s)
			}
			first, last = ownMembers(f, p.name, r, nil)
			want = append(append(first, member{"a", int64(1)}), last...)
			if s := unequal(f, loggedOne(t, f, p.Profile, r, opt), want); s != "" {
				t.Errorf("without source%s: %s", optName, s)
			}
		}
	})
}
