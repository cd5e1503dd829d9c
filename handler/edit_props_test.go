package handler_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/slogpack/slogpack/handler"
)

// deduped is what WithDedup makes of a value: in each object the later member
// stands, at its place.
func deduped(v any) any {
	switch v := v.(type) {
	case object:
		o, last := object{}, make(map[string]int)
		for i, m := range v {
			last[m.key] = i
		}
		for i, m := range v {
			if last[m.key] == i {
				o = append(o, member{m.key, deduped(m.value)})
			}
		}
		return o
	case []any:
		a := []any{}
		for _, e := range v {
			a = append(a, deduped(e))
		}
		return a
	}
	return v
}

// checkTruncated fails unless got is whole, shortened as promised: the same
// keys without some attrs at the end, texts that begin alike, "truncated" last.
func checkTruncated(t testing.TB, fromEnd bool, got, whole object) {
	t.Helper()
	if n := len(got) - 1; n < 0 || got[n].key != "truncated" || got[n].value != true {
		t.Fatalf("nothing says that it is truncated: %s", brief(got))
	}
	got = got[:len(got)-1]
	if fromEnd && !strings.HasPrefix(whole.keys(), got.keys()) {
		t.Fatalf("keys %q of %q: %s of %s", got.keys(), whole.keys(), brief(got), brief(whole))
	}
	if s := shortened(got, whole); s != "" {
		t.Fatal(s)
	}
}

func shortened(got, whole any) string {
	switch w := whole.(type) {
	case string:
		if g, ok := got.(string); ok && strings.HasPrefix(w, g) {
			return ""
		}
	case []any:
		if g, ok := got.(string); ok && (strings.HasPrefix(g, "[") || g == "") {
			return ""
		}
		g, ok := got.([]any)
		if ok && len(g) == len(w) {
			for i := range w {
				if s := shortened(g[i], w[i]); s != "" {
					return s
				}
			}
			return ""
		}
	case object:
		g, ok := got.(object)
		if ok && len(g) <= len(w) {
			at := 0
			for _, m := range g {
				for at < len(w) && w[at].key != m.key {
					at++
				}
				if at == len(w) {
					return fmt.Sprintf("keys %q of %q", g.keys(), w.keys())
				}
				if s := shortened(m.value, w[at].value); s != "" {
					return m.key + ": " + s
				}
				at++
			}
			return ""
		}
	default:
		if show(got) == show(whole) {
			return ""
		}
	}
	return fmt.Sprintf("%s of %s", brief(got), brief(whole))
}

// checkEdits runs a program with limits and deduplication and holds the result
// against the same record without.
func checkEdits(t testing.TB, n int, limit int, prog *program) {
	t.Helper()
	p := diffProfile(n / 3)
	f := formats[n%3]
	p.ProtectBuiltins = true // as WithDedup has it
	base := []handler.Option{handler.WithHandlerOptions(&prog.opts), handler.WithMaxRecordSize(-1)}
	run := func(opts ...handler.Option) ([]object, [][]byte) {
		_, w, out := diffWriter(n / 11)
		runChain(t, newHandler(w, wireOptions(f, p.Profile, append(base, opts...)...)...), prog)
		return decodeRecords(t, f, out()), splitRecords(t, f, out())
	}
	plain, raw := run()
	dedup, rawDedup := run(handler.WithDedup())
	limited, rawLimited := run(handler.WithMaxRecordSize(limit))
	both, rawBoth := run(handler.WithDedup(), handler.WithMaxRecordSize(limit))
	limit = max(limit, 256)
	for i := range plain {
		if plain[i].containsClock() {
			continue
		}
		where := fmt.Sprintf("%v %s, record %d, limit %d: ", f, p.name, i, limit)
		if s := unequal(f, dedup[i], deduped(plain[i])); s != "" {
			t.Fatalf("%sdedup: %s\n%s", where, s, prog)
		}
		for _, c := range []struct {
			got, whole       object
			raw, rawOfLonger []byte
		}{{limited[i], plain[i], rawLimited[i], raw[i]}, {both[i], dedup[i], rawBoth[i], rawDedup[i]}} {
			if len(c.raw) > limit {
				t.Fatalf("%s%d bytes\n%s", where, len(c.raw), prog)
			}
			if len(c.rawOfLonger) <= limit {
				if string(c.raw) != string(c.rawOfLonger) {
					t.Fatalf("%schanged without need: %s\n%s", where, brief(c.got), brief(c.whole))
				}
				continue
			}
			// ReplaceAttr makes own fields ordinary ones, which can go earlier.
			checkTruncated(t, p.Order == handler.TimeFirst && prog.opts.ReplaceAttr == nil, c.got, c.whole)
			if t.Failed() {
				t.Fatalf("%s%s", where, prog)
			}
		}
		if s := unequal(f, both[i], deduped(both[i])); s != "" {
			t.Fatalf("%sdedup of a truncated one: %s\n%s", where, s, prog)
		}
	}
}

// containsClock reports whether the entry's time is that of the run, and a
// LogValue's panic has frames, which are not the same twice.
func (o object) containsClock() bool {
	s := show(o)
	return strings.Contains(s, "LogValue panicked") || len(o) > 0 && o[0].key == "@" && o[0].value.(eventTime).sec > 1767225600 && o[0].value.(eventTime).sec < 1<<31
}

// splitRecords cuts out into records, Forward entries whole.
func splitRecords(t testing.TB, f handler.Format, out []byte) (rs [][]byte) {
	t.Helper()
	for len(out) > 0 {
		var rest []byte
		if f == handler.JSON {
			rest = out[strings.IndexByte(string(out), '\n')+1:]
		} else {
			_, r, err := decodePack(out)
			if err != nil {
				t.Fatal(err)
			}
			rest = r
		}
		rs = append(rs, out[:len(out)-len(rest)])
		out = rest
	}
	return rs
}

func FuzzEdits(f *testing.F) {
	for i, s := range programSeeds() {
		f.Add(uint8(i), uint16(i*7%600), s)
	}
	f.Fuzz(func(t *testing.T, n uint8, limit uint16, b []byte) {
		checkEdits(t, int(n), int(limit)+1, newProgramReader(b).program())
	})
}

func TestEdits(t *testing.T) {
	n := fewer(1000)
	reps := len(replacers())
	for i := range n {
		b := randomProgram(uint64(i)+4321, 100+i%7*200, func(b []byte) {
			if b[1] = 0; i%3 == 0 {
				b[1] = byte(i / 3 % reps)
			}
		})
		checkEdits(t, i, 200+i%13*50, newProgramReader(b).program())
		if t.Failed() {
			t.Fatalf("program %d", i)
		}
	}
}

// Duplicates that are spelled differently are duplicates.
func TestDedupSpellings(t *testing.T) {
	for _, f := range formats {
		for _, v := range []any{
			json.RawMessage(`{"a":1,"\u0061":2,"b":{"\u0041":1,"A":2}}`), rawMarshaler("{\"\xff\":1,\"\\ufffd\":2,\"\ufffd\":3,\"a\":1,\"a\":2}"),
			packsItself{[]byte("\x82\xa1a\x01\xd9\x01a\x02")}, map[string]int{"\xff": 1, "\xfe": 2}, map[string]string{"\xff": "1", "\xfe": "2"}, map[string]any{"\xff": 1, "\ufffd": 2},
		} {
			o := loggedOne(t, f, handler.Slog(), record(0, "m", slog.Any("v", v), slog.Int("k\xff", 1), slog.Int("k\ufffd", 2)), handler.WithDedup())
			if s := unequal(f, o, deduped(o)); s != "" {
				t.Errorf("%v, %T: %s", f, v, s)
			}
			if k, _ := o.at("k\ufffd"); k != int64(2) {
				t.Errorf("%v, %T: the earlier one stands: %s", f, v, brief(o))
			}
		}
	}
}

// An attr of the name of the mark does not make two of it.
func TestDedupTruncated(t *testing.T) {
	forEachWire(t, func(t *testing.T, f handler.Format, p namedProfile) {
		r := record(0, "m", slog.Bool("truncated", false), slog.String("long", strings.Repeat("x", 500)), slog.Group("g", slog.Bool("truncated", false)))
		o := loggedOne(t, f, p.Profile, r, handler.WithDedup(), handler.WithMaxRecordSize(400))
		if s := unequal(f, o, deduped(o)); s != "" || o[len(o)-1].value != true {
			t.Errorf("%s in %s", clip(s), brief(o))
		}
		if v, _ := o.at("g", "truncated"); v != false {
			t.Errorf("the one in a group: %s", brief(o))
		}
	})
}
