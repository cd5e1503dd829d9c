package handler_test

import (
	"bufio"
	"bytes"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
)

// What JSON says, MessagePack and Forward say: random programs, all formats,
// all profiles. JSON itself is held against log/slog elsewhere.

// diffVariant is what a program is run with besides its own options.
type diffVariant struct {
	name string
	opts []handler.Option
}

func diffVariants() []diffVariant {
	redact := handler.WithRedactKeys("k", "DROP", "x")
	return []diffVariant{
		{"", nil},
		{" redacted", []handler.Option{redact}},
		{" deduplicated", []handler.Option{handler.WithDedup()}},
		{" redacted and deduplicated", []handler.Option{handler.WithDedup(), redact}},
	}
}

// diffProfile is the nth profile; the second half has times as text in
// MessagePack, so that they can be compared to the letter.
func diffProfile(n int) namedProfile {
	ps := namedProfiles()
	p := ps[n%len(ps)]
	if n/len(ps)%2 == 1 {
		p.name += " with text times"
		p.PackTime = handler.PackTimeText
	}
	p.MaxRecordSize = 0
	return p
}

// diffWriter picks one of the ways of writing.
func diffWriter(n int) (string, io.Writer, func() []byte) {
	switch n % 4 {
	case 0:
		w := new(bytes.Buffer)
		return "bytes.Buffer", w, w.Bytes
	case 1:
		out := new(bytes.Buffer)
		w := bufio.NewWriterSize(out, 300)
		return "bufio.Writer", w, func() []byte { w.Flush(); return out.Bytes() }
	case 2:
		w := &protoStream{mu: make(chan struct{}, 1), room: 400}
		return "StreamWriter", w, w.bytes
	}
	w := new(sliceWriter)
	return "plain writer", w, func() []byte { return w.b }
}

func runChain(t testing.TB, h slog.Handler, p *program) {
	chain := []slog.Handler{h}
	for _, s := range p.steps {
		h = s.apply(h)
		chain = append(chain, h)
	}
	for i := len(chain) - 1; i >= 0; i-- {
		handle(t, chain[i], p.records[i])
	}
}

func compareFormats(t testing.TB, n int, prog *program) {
	t.Helper()
	p := diffProfile(n / 3)
	variant := diffVariants()[n%4]
	opts := append(variant.opts, handler.WithHandlerOptions(&prog.opts), handler.WithMaxRecordSize(-1))
	for i := range prog.records {
		// Times that an EventTime cannot hold have a test of their own.
		if r := &prog.records[i]; !r.Time.IsZero() && (r.Time.Unix() < 0 || r.Time.Unix() > 1<<32-1) {
			r.Time = time.Unix(1<<31, 5)
		}
	}
	for _, f := range formats[1:] {
		ref := p.Profile
		if f == handler.Forward {
			ref.TimeKey = "" // it is in the entry
			if ref.ProtectBuiltins || n%4 > 1 {
				// Attrs may not have its key all the same.
				ref.Static = append(ref.Static[:len(ref.Static):len(ref.Static)], slog.String("time", "static"))
			}
			if n%4 > 1 && prog.opts.ReplaceAttr != nil {
				continue // what ReplaceAttr leaves of the time would meet that field
			}
		}
		var w sliceWriter
		runChain(t, newHandler(&w, wireOptions(handler.JSON, ref, opts...)...), prog)
		want := decodeRecords(t, handler.JSON, w.b)
		wname, pw, out := diffWriter(n / 7)
		runChain(t, newHandler(pw, wireOptions(f, p.Profile, opts...)...), prog)
		got := decodeRecords(t, f, out())
		if len(got) != len(want) {
			t.Fatalf("%v: %d records, JSON has %d\n%s", f, len(got), len(want), prog)
		}
		for i := range want {
			g, w := got[i], want[i]
			if f == handler.Forward {
				g = g[1:]
				w = withoutStaticTime(w)
			}
			if s := (agreement{f, p.Profile}).differ(w, g); s != "" {
				t.Fatalf("%v, %s%s by %s, record %d: %s\nJSON %s\ngot  %s\n%s", f, p.name, variant.name, wname, i, clip(s), clip(show(w)), clip(show(g)), prog)
			}
		}
		if ps, ok := pw.(*protoStream); ok {
			checkPackStream(t, ps)
		}
	}
}

// checkPackStream is protoStream.check without what it knows of JSON.
func checkPackStream(t testing.TB, w *protoStream) {
	t.Helper()
	for _, f := range w.faults {
		if !strings.HasPrefix(f, "Commit of something else than one record") {
			t.Error(f)
		}
	}
	if w.holder.Load() != 0 {
		t.Error("a reservation was never committed")
	}
}

// fewer is n where many random cases cost little, else a part of them: nothing
// is shared in most of these tests, which the race detector slows down tenfold.
func fewer(n int) int {
	if raceEnabled || testing.Short() {
		return n / 6
	}
	return n
}

// withoutStaticTime removes the field that makes JSON protect "time" as well.
func withoutStaticTime(o object) object {
	for i, m := range o {
		if m.key == "time" && m.value == "static" {
			return append(o[:i:i], o[i+1:]...)
		}
	}
	return o
}

func FuzzFormatsAgree(f *testing.F) {
	for i, s := range programSeeds() {
		f.Add(uint8(i), s)
	}
	f.Fuzz(func(t *testing.T, n uint8, b []byte) {
		compareFormats(t, int(n), newProgramReader(b).program())
	})
}

// TestFormatsAgree is the fuzz test over a fixed lot of random programs.
func TestFormatsAgree(t *testing.T) {
	n := fewer(1000)
	reps := len(replacers())
	for i := range n {
		b := randomProgram(uint64(i)+77, 60+i%5*60, func(b []byte) {
			if b[1] = 0; i%3 == 0 { // ReplaceAttr rules streaming out
				b[1] = byte(i / 3 % reps)
			}
		})
		compareFormats(t, i, newProgramReader(b).program())
		if t.Failed() {
			t.Fatalf("program %d", i)
		}
	}
}

// TestFormatsAgreeEachValue has every pooled value in every profile.
func TestFormatsAgreeEachValue(t *testing.T) {
	var values []slog.Value
	r := newProgramReader(nil)
	for _, v := range r.anys {
		values = append(values, slog.AnyValue(v), slog.AnyValue([]any{1, v}), slog.AnyValue(map[string]any{"k": v, "a": 1}))
	}
	for _, v := range r.floats {
		values = append(values, slog.Float64Value(v))
	}
	for _, v := range r.times {
		values = append(values, slog.TimeValue(v), slog.AnyValue([]any{v}), slog.AnyValue([]time.Time{v}))
	}
	for _, v := range r.strings {
		values = append(values, slog.StringValue(v))
	}
	for i, v := range values {
		if raceEnabled && i%6 > 0 {
			continue
		}
		a := slog.Attr{Key: "v", Value: v}
		p := &program{steps: []step{{attrs: []slog.Attr{a}}, {group: "g"}}}
		p.records = []slog.Record{
			record(0, "m", slog.Int("x", 1), a, slog.Int("y", 2)),
			record(0, "m", slog.Group("g", a), slog.Group("g", slog.Int("x", 1), a, slog.Group("", a))),
			record(0, "m", a),
		}
		for k := range 5 { // the profiles, variants and writers take turns
			compareFormats(t, 13*i+k*7, p)
			if t.Failed() {
				break
			}
		}
	}
}
