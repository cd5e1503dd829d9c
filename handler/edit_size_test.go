package handler_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/slogpack/slogpack/handler"
)

// sizes returns the length of the one record that log makes, and the record.
func sized(t testing.TB, f handler.Format, p handler.Profile, r slog.Record, opts ...handler.Option) (int, object) {
	t.Helper()
	var w sliceWriter
	handle(t, newHandler(&w, wireOptions(f, p, opts...)...), r)
	os := decodeRecords(t, f, w.b)
	if len(os) != 1 {
		t.Fatalf("%d records", len(os))
	}
	return len(w.b), os[0]
}

// Where the limit comes from.
func TestSizeDefaults(t *testing.T) {
	long := record(0, "m", slog.String("long", strings.Repeat("x", 2_000_000)))
	own := handler.Slog()
	own.MaxRecordSize = 5000
	tiny := handler.Slog()
	tiny.MaxRecordSize = 3
	for _, c := range []struct {
		f    handler.Format
		p    handler.Profile
		opt  handler.Option
		want int // 0: whole
	}{
		{handler.JSON, handler.Slog(), nil, 0}, {handler.MessagePack, handler.Slog(), nil, 0}, {handler.Forward, handler.Slog(), nil, 1_000_000}, {handler.Forward, handler.OTel(), nil, 1_000_000},
		{handler.JSON, handler.GoogleCloud(), nil, 250_000}, {handler.MessagePack, handler.GoogleCloud(), nil, 250_000}, {handler.Forward, handler.GoogleCloud(), nil, 250_000}, {handler.JSON, handler.ECS(), nil, 0},
		{handler.JSON, handler.GoogleCloud(), handler.WithMaxRecordSize(-1), 0}, {handler.Forward, handler.OTel(), handler.WithMaxRecordSize(-7), 0}, {handler.JSON, handler.GoogleCloud(), handler.WithMaxRecordSize(0), 250_000},
		{handler.JSON, handler.Slog(), handler.WithMaxRecordSize(1), 256}, {handler.Forward, handler.OTel(), handler.WithMaxRecordSize(256), 256}, {handler.JSON, handler.GoogleCloud(), handler.WithMaxRecordSize(1000), 1000},
		{handler.JSON, own, nil, 5000}, {handler.MessagePack, own, nil, 5000}, {handler.JSON, own, handler.WithMaxRecordSize(0), 5000}, {handler.JSON, tiny, nil, 256},
	} {
		n, o := sized(t, c.f, c.p, long, c.opt)
		v, _ := o.at("long")
		switch {
		case c.want == 0 && len(v.(string)) != 2_000_000:
			t.Errorf("%v: %d bytes, want it whole", c.f, n)
		case c.want > 0 && (n > c.want || n < c.want-3): // nothing is given away
			t.Errorf("%v: %d bytes, want %d", c.f, n, c.want)
		}
	}
}

// The longest texts go first, and as little of them as need be.
func TestSizeWhatIsCut(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, f := range formats {
		// The message, a string, an error and what is in an Any share the loss.
		_, o := sized(t, f, handler.OTel(), record(0, x(900), slog.String("a", x(100)), slog.Any("e", errors.New(x(800))), slog.Any("v", map[string]any{"in": x(700), "s": "short"}), slog.Group("g", slog.String("z", x(90)))), handler.WithMaxRecordSize(1200))
		msg, _ := o.at("message")
		a, _ := o.at("a")
		e, _ := o.at("e")
		in, _ := o.at("v", "in")
		z, _ := o.at("g", "z")
		if len(a.(string)) != 100 || len(z.(string)) != 90 {
			t.Errorf("%v: short texts are cut: %s", f, brief(o))
		}
		if n := len(msg.(string)); n < 200 || len(e.(string)) != n || len(in.(string)) != n {
			t.Errorf("%v: the long ones have %d, %d, %d bytes", f, n, len(e.(string)), len(in.(string)))
		}
		// Runes stay whole at every length.
		for n := range 12 {
			for _, r := range []string{"é", "日", "😀", "\n", "\x01", "\xff", "\""} {
				size, o := sized(t, f, handler.Slog(), record(0, "m", slog.String("s", strings.Repeat("x", n)+strings.Repeat(r, 400))), handler.WithMaxRecordSize(300))
				s, _ := o.at("s")
				if whole := strings.Repeat("x", n) + strings.Repeat(string([]rune(r)), 400); !strings.HasPrefix(whole, s.(string)) || !utf8.ValidString(s.(string)) || size > 300 || size < 280 {
					t.Errorf("%v: %d bytes, %q", f, size, s)
				}
			}
		}
		// Many attrs: those at the end go, and empty groups with them.
		size, o := sized(t, f, handler.Slog(), record(0, "m", append(manyAttrs("k", 100), slog.Group("g", slog.Int("a", 1)))...), handler.WithMaxRecordSize(300))
		if k := o.keys(); !strings.Contains(k, "msg k0 k1 k2") || strings.Contains(k, " g ") || !strings.HasSuffix(k, " truncated") || size > 300 || size < 280 {
			t.Errorf("%v: %d bytes, keys %q", f, size, k)
		}
		// A list becomes the beginning of its text.
		_, o = sized(t, f, handler.Slog(), record(0, "m", slog.Any("l", make([]int, 500)), slog.Int("after", 1)), handler.WithMaxRecordSize(300))
		if l, _ := o.at("l"); !strings.HasPrefix(fmt.Sprint(l), "[0,0,0,0") || o.keys()[len(o.keys())-len(" l after truncated"):] != " l after truncated" {
			t.Errorf("%v: the list is %s in %q", f, brief(l), o.keys())
		}
		// Keys alone are too long.
		size, o = sized(t, f, handler.Slog(), record(0, "m", slog.Int(x(400), 1), slog.Int("k", 2)), handler.WithMaxRecordSize(256))
		if !strings.HasSuffix(o.keys(), "level msg truncated") || size > 256 {
			t.Errorf("%v: %d bytes, keys %q", f, size, o.keys())
		}
		p := handler.Slog()
		p.MessageKey, p.Static = x(300), []slog.Attr{slog.Any("numbers", make([]int, 300))}
		size, o = sized(t, f, p, record(0, "m"), handler.WithMaxRecordSize(256))
		if !strings.HasSuffix(o.keys(), "truncated") || size > 256 {
			t.Errorf("%v: %d bytes, keys %q", f, size, o.keys())
		}
	}
}

// No record escapes its limit by its depth or its width, and none takes work
// that grows faster than it does: the guard within would stop that.
func TestSizeExtremes(t *testing.T) {
	if raceEnabled {
		t.Skip("nothing is shared here, and it takes long")
	}
	many := func(n int, same bool) []slog.Attr {
		as := manyAttrs("k", n)
		for i := range as {
			if same {
				as[i].Key = "same"
			}
			if i%3 == 0 {
				as[i].Value = slog.StringValue("some text of a kind")
			}
		}
		return as
	}
	wide := func(n int) []slog.Attr {
		as := []slog.Attr{slog.Attr{Key: "first", Value: slog.GroupValue(many(30000, false)...)}}
		for range n {
			as = append(as, slog.Attr{Key: "g", Value: slog.GroupValue(manyAttrs("f", 20)...)})
		}
		return as
	}
	for _, c := range []struct {
		name string
		as   []slog.Attr
		with int // WithGroups
	}{
		{"100000 fields", many(100000, false), 0}, {"100000 times the same", many(100000, true), 0},
		{"a large object, then many small ones", wide(1500), 0},
		{"700 groups of With", many(300, true), 700},
		{"deep MessagePack", []slog.Attr{slog.Any("v", packsItself{[]byte(strings.Repeat("\x81\xa1k", 511) + "\xda\x10\x00" + strings.Repeat("x", 4096))})}, 90},
		{"deep values", []slog.Attr{{Key: "g", Value: deepGroup(99)}, slog.Any("v", nested(99)), slog.String("s", strings.Repeat("y", 5000))}, 40},
		{"a long list", []slog.Attr{slog.Any("l", make([]any, 50000))}, 0},
		{"long texts", []slog.Attr{slog.String("a", strings.Repeat("\n", 300000)), slog.Any("b", errors.New(strings.Repeat("é", 300000)))}, 0},
	} {
		for _, f := range formats {
			within(t, func() {
				for _, limit := range [][]int{{256}, {50000}, {256}}[f] {
					var w sliceWriter
					var h slog.Handler = newHandler(&w, wireOptions(f, handler.Slog(), handler.WithDedup(), handler.WithMaxRecordSize(limit))...)
					for range c.with {
						h = h.WithGroup("w")
					}
					handle(t, h, record(0, "m", c.as...))
					if len(w.b) > limit {
						t.Errorf("%s in %v: %d bytes, limit %d", c.name, f, len(w.b), limit)
					}
					o := decodeRecords(t, f, w.b)[0]
					if s := unequal(f, o, deduped(o)); s != "" {
						t.Errorf("%s in %v: duplicates: %s", c.name, f, clip(s))
					}
				}
			})
		}
	}
}
