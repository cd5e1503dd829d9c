package handler

import (
	"log/slog"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

// sourceCache maps a PC to its formatted source. Readers take no lock: the
// table is open addressing over atomic pointers, replaced by one of twice the
// size when half full. A program has a fixed number of call sites, but a record
// may carry any PC, so the table stops growing at maxSources.
type sourceCache struct {
	table atomic.Pointer[[]atomic.Pointer[sourceForm]]
	mu    sync.Mutex
	n     int
}

const (
	minSources = 64
	maxSources = 1 << 16
)

// sourceForm is one call site, ready to be appended.
type sourceForm struct {
	pc    uintptr
	field string // its fields, as the format has them; "" if nothing is known
	n     int    // MessagePack: how many
}

// source returns the form of pc, which is not zero.
func (c *config) source(pc uintptr) *sourceForm {
	if t := c.sources.table.Load(); t != nil {
		if f := findSource(*t, pc); f != nil {
			return f
		}
	}
	f := &sourceForm{pc: pc}
	f.field, f.n = c.fixed(c.profile.sourceFields(sourceOf(pc)), true)
	c.sources.add(f)
	return f
}

func findSource(t []atomic.Pointer[sourceForm], pc uintptr) *sourceForm {
	mask := uintptr(len(t) - 1)
	for i := hashPC(pc) & mask; ; i = (i + 1) & mask {
		f := t[i].Load()
		if f == nil || f.pc == pc {
			return f
		}
	}
}

// hashPC spreads PCs, which differ mostly in their low and middle bits.
func hashPC(pc uintptr) uintptr { return (pc ^ pc>>15) * 0x9E3779B1 >> 7 }

func (s *sourceCache) add(f *sourceForm) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.table.Load()
	if t == nil {
		n := make([]atomic.Pointer[sourceForm], minSources)
		t = &n
		s.table.Store(t)
	}
	if s.n >= len(*t)/2 {
		if len(*t) >= maxSources {
			return
		}
		grown := make([]atomic.Pointer[sourceForm], 2*len(*t))
		for i := range *t {
			if f := (*t)[i].Load(); f != nil {
				putSource(grown, f)
			}
		}
		t = &grown
		s.table.Store(t)
	}
	if putSource(*t, f) {
		s.n++
	}
}

// putSource reports whether f is new; another goroutine may have been faster.
func putSource(t []atomic.Pointer[sourceForm], f *sourceForm) bool {
	mask := uintptr(len(t) - 1)
	for i := hashPC(f.pc) & mask; ; i = (i + 1) & mask {
		switch have := t[i].Load(); {
		case have == nil:
			t[i].Store(f)
			return true
		case have.pc == f.pc:
			return false
		}
	}
}

// sourceOf does what slog.Record.Source does, which Go 1.24 does not export.
func sourceOf(pc uintptr) *slog.Source {
	if pc == 0 {
		return &slog.Source{}
	}
	fs := runtime.CallersFrames([]uintptr{pc})
	f, _ := fs.Next()
	return &slog.Source{Function: f.Function, File: f.File, Line: f.Line}
}

// sourceFields returns the fields that the record of a call at s has.
func (p *Profile) sourceFields(s *slog.Source) []slog.Attr {
	if p.SourceKey == "" || s == nil || *s == (slog.Source{}) {
		return nil
	}
	as := make([]slog.Attr, 0, 3)
	add := func(key, v string) {
		if v != "" {
			as = append(as, slog.String(key, v))
		}
	}
	line := func(key string) {
		if s.Line != 0 {
			as = append(as, slog.Int(key, s.Line))
		}
	}
	switch p.Source {
	case SourceText:
		return append(as, slog.String(p.SourceKey, s.File+":"+strconv.Itoa(s.Line)))
	case SourceGoogle:
		add("file", s.File)
		if s.Line != 0 {
			add("line", strconv.Itoa(s.Line))
		}
		add("function", s.Function)
	case SourceECS:
		add("function", s.Function)
		add("file.name", s.File)
		line("file.line")
	case SourceOTel:
		add(p.SourceKey+".function.name", s.Function)
		add(p.SourceKey+".file.path", s.File)
		line(p.SourceKey + ".line.number")
		return as
	default:
		as = sourceAttrs(s)
	}
	return []slog.Attr{{Key: p.SourceKey, Value: slog.GroupValue(as...)}}
}

// sourceAttrs returns the fields of s that say something, as log/slog has them.
func sourceAttrs(s *slog.Source) []slog.Attr {
	if s == nil {
		return nil
	}
	as := make([]slog.Attr, 0, 3)
	if s.Function != "" {
		as = append(as, slog.String("function", s.Function))
	}
	if s.File != "" {
		as = append(as, slog.String("file", s.File))
	}
	if s.Line != 0 {
		as = append(as, slog.Int("line", s.Line))
	}
	return as
}
