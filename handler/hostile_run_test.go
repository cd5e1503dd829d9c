package handler_test

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/slogpack/slogpack/handler"
)

// A setting puts a hostile attr among neighbours somewhere in a record; path
// leads to the object that holds the three of them.
type setting struct {
	name string
	log  func(t testing.TB, h slog.Handler, before, a, after slog.Attr)
	path []string
}

func settings() []setting {
	return []setting{
		{"record", func(t testing.TB, h slog.Handler, before, a, after slog.Attr) {
			handle(t, h, record(0, "m", before, a, after))
		}, nil},
		{"record of many", func(t testing.TB, h slog.Handler, before, a, after slog.Attr) {
			handle(t, h, record(0, "m", slog.Int("1", 1), slog.Int("2", 2), slog.Int("3", 3), slog.Int("4", 4), slog.Int("5", 5), before, a, after))
		}, nil},
		{"With", func(t testing.TB, h slog.Handler, before, a, after slog.Attr) {
			handle(t, h.WithAttrs([]slog.Attr{before, a, after}), record(0, "m", slog.Int("last", 1)))
		}, nil},
		{"With alone", func(t testing.TB, h slog.Handler, before, a, after slog.Attr) {
			handle(t, h.WithAttrs([]slog.Attr{before}).WithAttrs([]slog.Attr{a}).WithAttrs([]slog.Attr{after}), record(0, "m"))
		}, nil},
		{"group", func(t testing.TB, h slog.Handler, before, a, after slog.Attr) {
			handle(t, h, record(0, "m", slog.Group("g", before, a, after), slog.Int("last", 1)))
		}, []string{"g"}},
		{"nested groups", func(t testing.TB, h slog.Handler, before, a, after slog.Attr) {
			handle(t, h, record(0, "m", slog.Group("g", slog.Group("h", before, a, after)), slog.Int("last", 1)))
		}, []string{"g", "h"}},
		{"WithGroup", func(t testing.TB, h slog.Handler, before, a, after slog.Attr) {
			handle(t, h.WithGroup("g"), record(0, "m", before, a, after))
		}, []string{"g"}},
		{"With in WithGroup", func(t testing.TB, h slog.Handler, before, a, after slog.Attr) {
			h = h.WithGroup("g").WithAttrs([]slog.Attr{before, a, after}).WithGroup("deeper")
			handle(t, h, record(0, "m", slog.Int("last", 1)))
		}, []string{"g"}},
		{"group in With", func(t testing.TB, h slog.Handler, before, a, after slog.Attr) {
			handle(t, h.WithAttrs([]slog.Attr{slog.Group("g", before, a, after)}), record(0, "m", slog.Int("last", 1)))
		}, []string{"g"}},
		{"from a LogValue", func(t testing.TB, h slog.Handler, before, a, after slog.Attr) {
			handle(t, h, record(0, "m", slog.Any("g", toValue{slog.GroupValue(before, a, after)}), slog.Int("last", 1)))
		}, []string{"g"}},
	}
}

// checkHostile logs a value in every setting, with and without ReplaceAttr, by
// every kind of writer. The record must be one valid line, its neighbours
// whole, and a record logged afterwards untouched.
func checkHostile(t *testing.T, v slog.Value, want string) {
	t.Helper()
	checkSettings(t, v, want)
}

// checkSettings is checkHostile in the settings named only, for slow values.
func checkSettings(t *testing.T, v slog.Value, want string, only ...string) {
	t.Helper()
	opts := map[string][]handler.Option{
		"":                  nil,
		" with ReplaceAttr": {handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr { return a })},
	}
	type result struct {
		setting
		where string
		out   []byte
	}
	var results []result
	within(t, func() {
		for _, s := range settings() {
			if only != nil && !slices.Contains(only, s.name) {
				continue
			}
			for optName, o := range opts {
				for _, k := range writerKinds() {
					w, out := k.open()
					h := newHandler(w, o...)
					s.log(t, h, slog.String("before", "b"), slog.Attr{Key: "h", Value: v}, slog.Int("after", 2))
					handle(t, h, record(0, "later", slog.Int("a", 1)))
					results = append(results, result{s, s.name + optName + " to " + k.name, out()})
					if ps, ok := w.(*protoStream); ok {
						ps.check(t)
					}
				}
			}
		}
	})
	for _, r := range results {
		lines, err := splitLines(r.out)
		if err != nil || len(lines) != 2 {
			t.Fatalf("%s: %d lines, %v:\n%s", r.where, len(lines), err, clip(r.out))
		}
		checkNeighbours(t, r.where, lines[0], r.path, want)
		if want := recordHead + `"msg":"later","a":1}`; lines[1] != want {
			t.Errorf("%s: the record after it is %s", r.where, clip(lines[1]))
		}
		if t.Failed() {
			return // the other settings say the same
		}
	}
}

func checkNeighbours(t *testing.T, where, line string, path []string, want string) {
	t.Helper()
	object, ok := rawAt(t, line, path...)
	if !ok || !strings.HasPrefix(object, "{") {
		t.Errorf("%s: no object at %v: %s", where, path, clip(line))
		return
	}
	var keys string
	raws := make(map[string]string)
	for _, f := range fieldsOf(t, object) {
		keys += f.key + " "
		raws[f.key] = f.raw
	}
	wantKeys := "before h after"
	if want == "" {
		wantKeys = "before after"
	}
	if !strings.Contains(keys, wantKeys) {
		t.Errorf("%s: keys %q, want %q in it: %s", where, keys, wantKeys, clip(line))
		return
	}
	if b := raws["before"]; b != `"b"` {
		t.Errorf("%s: the attr before is %s", where, clip(b))
	}
	if a := raws["after"]; a != "2" {
		t.Errorf("%s: the attr after is %s", where, clip(a))
	}
	if strings.Contains(line, `"last"`) != (strings.Count(line, `"last":1`) == 1) {
		t.Errorf("%s: the last attr is damaged: %s", where, clip(line))
	}
	if want == "" || want == "?" {
		return
	}
	if raw := raws["h"]; !matches(raw, want) {
		t.Errorf("%s: field is %s, want %s", where, clip(raw), clip(want))
	}
}

var hostileStrings = []string{"", "\x00", "\n", "a\"b", `\`, "\u2028", "bad\xff", "\xc3", "\xed\xa0\x80", "\x7f", "\x1b[2J", `","x":"`, "}{", "é日", "time", "level", "msg",
	"source", "a.b", " ", "\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8", "12345678\x00", "1234567\"", strings.Repeat("k", 5000) + "\n"}

// Keys, group names, messages and texts come out as they went in, invalid
// UTF-8 apart.
func TestHostileNames(t *testing.T) {
	clean := func(s string) string { return string([]rune(s)) }
	forEachWriter(t, func(t *testing.T, k writerKind) {
		for _, s := range hostileStrings {
			w, out := k.open()
			var h slog.Handler = newHandler(w)
			handle(t, h, record(0, s, slog.String(s, s), slog.Int("after", 1)))
			handle(t, h, record(0, "m", slog.Group("g", slog.Int(s, 1), slog.Int("after", 1))))
			handle(t, h.WithAttrs([]slog.Attr{slog.String(s, s)}), record(0, "m", slog.Int("after", 1)))
			handle(t, h, record(0, "m", slog.Group(s, slog.Int("in", 1)), slog.Int("after", 1)))
			handle(t, h.WithGroup(s).WithAttrs([]slog.Attr{slog.Int("w", 1)}), record(0, "m", slog.Int("after", 1)))
			lines := checkLines(t, out(), 5)
			last := func(object string, back int) field {
				fs := fieldsOf(t, object)
				return fs[len(fs)-1-back]
			}
			if msg := fieldsOf(t, lines[0])[2]; msg.key != "msg" || decoded(t, msg.raw) != clean(s) {
				t.Errorf("message %q came out as %s", s, clip(msg.raw))
			}
			for _, l := range []string{lines[0], lines[2]} {
				if f := last(l, 1); f.key != clean(s) || decoded(t, f.raw) != clean(s) {
					t.Errorf("attr %q came out as %q: %s", s, f.key, clip(f.raw))
				}
			}
			if f := last(last(lines[1], 0).raw, 1); f.key != clean(s) || f.raw != "1" {
				t.Errorf("key %q in a group came out as %q", s, f.key)
			}
			group, withGroup := last(lines[3], 1), last(lines[4], 0)
			if s == "" {
				if group.key != "in" || withGroup.key != "after" {
					t.Errorf("empty group names: %s %s", lines[3], lines[4])
				}
				continue
			}
			if group.key != clean(s) || group.raw != `{"in":1}` {
				t.Errorf("group %q came out as %q: %s", s, group.key, clip(group.raw))
			}
			if withGroup.key != clean(s) || withGroup.raw != `{"w":1,"after":1}` {
				t.Errorf("WithGroup %q came out as %q: %s", s, withGroup.key, clip(withGroup.raw))
			}
		}
	})
}

func decoded(t *testing.T, raw string) string {
	t.Helper()
	return fieldsOf(t, `{`+raw+`:0}`)[0].key
}

// What a MarshalJSON returns must be UTF-8 in the record whatever it is, and
// lose nothing but the bytes that are not.
func TestHostileRawUTF8(t *testing.T) {
	got := one(t, record(0, "m", slog.Any("h", rawMarshaler("{\"k\xff\":\"a\xffb\xc3\",\"é\":\"\xe2\x82\"}"))))
	raw, _ := rawAt(t, got, "h")
	if strings.HasPrefix(raw, `"!ERROR:`) {
		return // newer versions of encoding/json refuse it
	}
	var text []string
	for _, f := range fieldsOf(t, raw) {
		text = append(text, fmt.Sprintf("%q %q", f.key, decoded(t, f.raw)))
	}
	want := fmt.Sprintf("%q %q, %q %q", "k\ufffd", "a\ufffdb\ufffd", "é", "\ufffd\ufffd")
	if got := strings.Join(text, ", "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !utf8.ValidString(got) {
		t.Errorf("not UTF-8: %q", got)
	}
}

func TestHostileDuplicateKeys(t *testing.T) {
	a := slog.Int("k", 1)
	got := one(t, record(0, "m", a, a, slog.String("msg", "x"), slog.Group("k", a, a), slog.Int("", 1), slog.Int("", 2), slog.Any("", panicker{1})))
	want := `"msg":"m","k":1,"k":1,"msg":"x","k":{"k":1,"k":1},"":1,"":2,"":"LogValue panicked`
	if !strings.HasPrefix(got, recordHead+want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A message, a key and values far above any pooled buffer.
func TestHostileHuge(t *testing.T) {
	huge := strings.Repeat("\"\n\xff", 1<<15)
	clean := strings.Repeat("\"\n\ufffd", 1<<15)
	forEachWriter(t, func(t *testing.T, k writerKind) {
		w, out := k.open()
		h := newHandler(w)
		handle(t, h, record(0, huge, slog.String("a", huge), slog.String(huge, "k"), slog.Any("e", errors.New(huge)), slog.Int("last", 1)))
		handle(t, h, record(0, "later", slog.Int("a", 1)))
		lines := checkLines(t, out(), 2)
		fs := fieldsOf(t, lines[0])
		if len(fs) != 7 || decoded(t, fs[2].raw) != clean || decoded(t, fs[3].raw) != clean || fs[4].key != clean || decoded(t, fs[5].raw) != clean {
			t.Error("a huge text came out as another one")
		}
		if lines[1] != recordHead+`"msg":"later","a":1}` {
			t.Errorf("later record: %s", lines[1])
		}
	})
}
