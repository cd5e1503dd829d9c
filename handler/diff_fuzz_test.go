package handler_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/slogpack/slogpack/handler"
)

// frames are the stack frames in the error of a panicking LogValue: they name
// the caller, which differs.
var frames = regexp.MustCompile(`(LogValue panicked)\\n(?:[^"\\]|\\.)*`)

func withoutFrames(s string) string { return frames.ReplaceAllString(s, "$1") }

// runProgram runs p and returns what it wrote. Handlers of all lengths of the
// chain stay in use until the end: the parents log after their children.
func runProgram(t testing.TB, h slog.Handler, p *program, out func() []byte) string {
	chain := []slog.Handler{h}
	for _, s := range p.steps {
		h = s.apply(h)
		chain = append(chain, h)
	}
	for i := len(chain) - 1; i >= 0; i-- {
		handle(t, chain[i], p.records[i])
	}
	return withoutFrames(string(out()))
}

// compareProgram is the whole comparison: the handler in each way of writing
// against the oracle, and against log/slog unless a known fault is in the way.
func compareProgram(t testing.TB, p *program) {
	t.Helper()
	o := &oracle{p.opts, map[fault]bool{}}
	lines := o.lines(p)
	var want string
	for _, l := range lines { // in the order of runProgram
		want = l + "\n" + want
	}
	want = withoutFrames(want)

	if known := o.known(); len(known) == 0 {
		var ref bytes.Buffer
		ours, theirs := newHandler(io.Discard, handler.WithHandlerOptions(&p.opts)), slog.NewJSONHandler(&ref, &p.opts)
		for _, r := range p.records {
			if a, b := ours.Enabled(context.Background(), r.Level), theirs.Enabled(context.Background(), r.Level); a != b {
				t.Errorf("Enabled(%v) = %v, log/slog says %v", r.Level, a, b)
			}
		}
		if got := runProgram(t, theirs, p, ref.Bytes); got != want {
			t.Fatalf("log/slog and the test's oracle differ, faults %v:\n%s\n%s", o.faults, difference(got, want), p)
		}
	}

	var plain sliceWriter
	var buffer bytes.Buffer
	var small, large bytes.Buffer
	b16, b4096 := bufio.NewWriterSize(&small, 100), bufio.NewWriterSize(&large, 4096)
	stream := &protoStream{room: 300}
	flushed := func(w *bufio.Writer, b *bytes.Buffer) func() []byte {
		return func() []byte { w.Flush(); return b.Bytes() }
	}
	for _, c := range []struct {
		name string
		w    io.Writer
		out  func() []byte
	}{
		{"plain writer", &plain, func() []byte { return plain.b }},
		{"bytes.Buffer", &buffer, buffer.Bytes},
		{"bufio.Writer of 100", b16, flushed(b16, &small)},
		{"bufio.Writer of 4096", b4096, flushed(b4096, &large)},
		{"StreamWriter", stream, stream.bytes},
	} {
		got := runProgram(t, newHandler(c.w, handler.WithHandlerOptions(&p.opts)), p, c.out)
		if o.faults[faultInvalidRaw] && toolchainFaults()[faultInvalidRaw] {
			checkLines(t, []byte(got), len(lines))
			continue
		}
		if got != want {
			t.Fatalf("%s, faults %v:\n%s\n%s", c.name, o.faults, difference(got, want), p)
		}
	}
	if plain.calls != len(p.records) {
		t.Errorf("%d writes for %d records", plain.calls, len(p.records))
	}
	for _, f := range stream.faults {
		t.Error(f)
	}
}

func difference(got, want string) string {
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	from := max(0, i-60)
	return fmt.Sprintf("differ at %d:\n got …%q\nwant …%q\nwhole got:\n%s\nwhole want:\n%s", i,
		got[from:min(len(got), i+60)], want[from:min(len(want), i+60)], clip(got), clip(want))
}

func FuzzSameAsSlog(f *testing.F) {
	for _, s := range programSeeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		compareProgram(t, newProgramReader(b).program())
	})
}

// programSeeds hold one program for each value and each ReplaceAttr.
func programSeeds() [][]byte {
	r := newProgramReader(nil)
	var seeds [][]byte
	for i := range replacers() {
		seeds = append(seeds, randomProgram(uint64(i), 200, func(b []byte) { b[1] = byte(i) }))
	}
	add := func(kind, pick byte) {
		// Options, ReplaceAttr, record (flags, time, message, attrs: 2), key, value.
		seeds = append(seeds, []byte{1, kind % 3, 33, 0, 3, 2, 100, 2, kind, pick, 100, 11, 4})
	}
	for i := range r.anys {
		add(10, byte(i))
	}
	for i := range r.floats {
		add(3, byte(i))
	}
	for i := range r.times {
		add(6, byte(i))
	}
	for i := range r.strings {
		add(0, byte(i))
	}
	return seeds
}

func randomProgram(seed uint64, size int, edit func([]byte)) []byte {
	rnd := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(rnd.Uint32())
	}
	if edit != nil {
		edit(b)
	}
	return b
}

// TestSameAsSlog is the fuzz test over a fixed lot of random programs, so that
// each run of the tests covers every value under every behaviour of ReplaceAttr.
func TestSameAsSlog(t *testing.T) {
	n := uint64(4000)
	if raceEnabled || testing.Short() {
		n = 400
	}
	reps := uint64(len(replacers()))
	for i := range n {
		size := 60 + int(i%7)*60
		b := randomProgram(i+1000, size, func(b []byte) { b[1] = byte(i % reps) })
		compareProgram(t, newProgramReader(b).program())
		if t.Failed() {
			t.Fatalf("program %d", i)
		}
	}
}

// TestSameAsSlogEachValue puts every pooled value alone, among others, in
// groups and in With, under every behaviour of ReplaceAttr.
func TestSameAsSlogEachValue(t *testing.T) {
	var values []slog.Value
	r := newProgramReader(nil)
	for _, v := range r.anys {
		values = append(values, slog.AnyValue(v))
	}
	for _, v := range r.floats {
		values = append(values, slog.Float64Value(v))
	}
	for _, v := range r.times {
		values = append(values, slog.TimeValue(v))
	}
	for _, v := range r.strings {
		values = append(values, slog.StringValue(v))
	}
	keys := []string{"v", "k", "", "msg"}
	for n, rep := range replacers() {
		t.Run(rep.name, func(t *testing.T) {
			for i, v := range values {
				if raceEnabled && (i+n/4)%4 != 0 {
					continue // a quarter of the pairs: this is no race test
				}
				key := keys[(n+i)%len(keys)]
				a := slog.Attr{Key: key, Value: v}
				p := &program{replace: rep.name}
				p.opts.ReplaceAttr, p.opts.AddSource = rep.f, i%2 == 0
				p.steps = []step{{attrs: []slog.Attr{a}}, {group: strings.Repeat(key, 2) + "g"}, {attrs: []slog.Attr{a, slog.Int("n", i)}}}
				rec := func(attrs ...slog.Attr) {
					r := record(slog.Level(i%9), key, attrs...)
					if i%3 > 0 {
						r.PC = somePC()
					}
					p.records = append(p.records, r)
				}
				rec(slog.Int("x", 1), a, slog.Int("y", 2))
				rec(slog.Group("g", a), a)
				rec(slog.Group("g", slog.Int("x", 1), a, slog.Group("", a)), slog.String("k", "z"))
				rec(a)
				compareProgram(t, p)
			}
		})
	}
}
