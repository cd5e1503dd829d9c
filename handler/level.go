package handler

import (
	"log/slog"
	"sync"
	"sync/atomic"
)

// levelCache keeps, for each level met, what the generator made of it. Levels
// that programs use lie in a small range and get a slot; the others a map that
// stops growing before a program that makes up levels fills the memory with it.
type levelCache struct {
	near [levelsNear]atomic.Pointer[levelForm]
	far  sync.Map // slog.Level to *levelForm
	nFar atomic.Int32
}

const (
	levelFirst  = -16
	levelsNear  = 64
	maxFarLevel = 1024
)

// levelForm is one level, ready to be appended: its field and the severity
// number's, as the format has them.
type levelForm struct {
	level slog.Level
	field string
	head  string // field and the message's key, where these are neighbours
	quick string // JSON: head behind a time in text
	open  string // JSON: field behind the brace that a record begins with
	n     int    // MessagePack: fields in field
}

// level returns the form of l. It may call the profile's LevelText, and so must
// not be called under a lock.
func (c *config) level(l slog.Level) *levelForm {
	i := uint(l - levelFirst)
	if i < levelsNear {
		if f := c.levels.near[i].Load(); f != nil {
			return f
		}
		f := c.newLevelForm(l)
		if c.levels.near[i].CompareAndSwap(nil, f) {
			return f
		}
		return c.levels.near[i].Load()
	}
	if f, ok := c.levels.far.Load(l); ok {
		return f.(*levelForm)
	}
	f := c.newLevelForm(l)
	if c.levels.nFar.Load() < maxFarLevel {
		c.levels.nFar.Add(1)
		c.levels.far.Store(l, f)
	}
	return f
}

func (c *config) newLevelForm(l slog.Level) *levelForm {
	f := &levelForm{level: l}
	var as []slog.Attr
	if k := c.profile.LevelKey; k != "" {
		as = append(as, slog.String(k, c.levelText(l)))
	}
	if k := c.profile.SeverityNumberKey; k != "" {
		as = append(as, slog.Int64(k, severityNumber(l)))
	}
	f.field, f.n = c.fixed(as)
	f.head = f.field + c.keys.message
	f.quick = `",` + f.head
	f.open = "{" + f.field
	return f
}

// severityNumber is OpenTelemetry's number of l.
func severityNumber(l slog.Level) int64 {
	return min(max(int64(l), 1-9), 24-9) + 9
}

func (c *config) levelText(l slog.Level) (s string) {
	if c.profile.LevelText == nil {
		return l.String()
	}
	defer func() {
		if r := recover(); r != nil {
			s = panicText(r)
		}
	}()
	return c.profile.LevelText(l)
}
