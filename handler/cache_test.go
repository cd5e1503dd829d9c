package handler

import (
	"io"
	"log/slog"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// TestSourceCache: every PC gets its own form, from many goroutines, through
// all sizes of the table, and beyond its limit.
func TestSourceCache(t *testing.T) {
	c := newConfig(nil, []Option{WithSource()})
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for pc := uintptr(1); pc < maxSources; pc++ {
				if f := c.source(pc); f.pc != pc {
					t.Errorf("goroutine %d: the form of PC %d is of %d", g, pc, f.pc)
					return
				}
			}
		}()
	}
	wg.Wait()
	if n := len(*c.sources.table.Load()); n > maxSources {
		t.Errorf("the table has %d slots, more than %d", n, maxSources)
	}
	first, again := c.source(7), c.source(7)
	if first != again {
		t.Error("a cached form was made again")
	}
}

func TestSourceForm(t *testing.T) {
	c := newConfig(nil, []Option{WithSource()})
	pc, file, line, _ := runtime.Caller(0)
	want := `"source":{"function":"github.com/slogpack/slogpack/handler.TestSourceForm","file":` +
		strconv.Quote(file) + `,"line":` + strconv.Itoa(line) + `},`
	if got := c.source(pc).field; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := c.source(1).field; got != "" {
		t.Errorf("a PC outside the program gave %s", got)
	}
}

// TestLevelText: LevelText is called once a level, also for levels beyond the
// small range that has slots, and a program that makes up levels without end
// does not fill the memory.
func TestLevelText(t *testing.T) {
	var calls atomic.Int32
	p := Slog()
	p.LevelText = func(l slog.Level) string { calls.Add(1); return "<" + l.String() + ">" }
	c := newConfig(nil, []Option{WithProfile(p)})
	levels := []slog.Level{-1 << 30, -100, -17, -16, -4, 0, 1, 8, 47, 48, 100, 1 << 30}
	for range 3 {
		for _, l := range levels {
			if got, want := c.level(l, new(userCalls)).field, `"level":"<`+l.String()+`>",`; got != want {
				t.Errorf("level %d: got %s, want %s", int(l), got, want)
			}
		}
	}
	if n := int(calls.Load()); n != len(levels) {
		t.Errorf("LevelText was called %d times for %d levels", n, len(levels))
	}
	for l := range slog.Level(10 * maxFarLevel) {
		c.level(l+1000, new(userCalls))
	}
	n := 0
	c.levels.far.Range(func(any, any) bool { n++; return true })
	if n > maxFarLevel {
		t.Errorf("%d levels are kept, more than %d", n, maxFarLevel)
	}
}

func TestLevelTextPanics(t *testing.T) {
	p := Slog()
	p.LevelText = func(slog.Level) string { panic("no name") }
	c := newConfig(nil, []Option{WithProfile(p)})
	if got, want := c.level(0, new(userCalls)).field, `"level":"!PANIC: no name",`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestPairForgets: nothing of a record stays in the pool.
func TestPairForgets(t *testing.T) {
	h := New(io.Discard, WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr { return a }))
	p := newPair()
	p.begin(h)
	p.setGroups([]string{"a", "b", "c"})
	p.ctxAttrs = append(p.ctxAttrs, slog.Any("k", new(int)))
	p.record(p.buf.B, h, &slog.Record{Message: "m"}, nil, h.c.level(0, new(userCalls)))
	p.attr(nil, slog.Group("g", slog.Group("h", slog.Int("i", 1))))
	if !p.reset() {
		t.Fatal("a sound pair was refused")
	}
	for _, g := range p.groups[:cap(p.groups)] {
		if g != "" {
			t.Errorf("group name %q is still there", g)
		}
	}
	for _, a := range p.ctxAttrs[:cap(p.ctxAttrs)] {
		if !a.Equal(slog.Attr{}) {
			t.Errorf("context attr %v is still there", a)
		}
	}
	for _, o := range p.nest.open {
		if o.first != nil {
			t.Error("an attr of a group is still there")
		}
	}
}
