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
	open  string    // JSON: field behind the brace that a record begins with
	n     int       // MessagePack: fields in field
	tail  piece     // JSON: what follows the time in most records
	start packStart // MessagePack: what comes before the message in most
}

// knownLevel returns the form of l if it is near and has been met. It is apart
// from level so that the compiler inlines it.
func (c *config) knownLevel(l slog.Level) *levelForm {
	if i := uint(l - levelFirst); i < levelsNear {
		return c.levels.near[i].Load()
	}
	return nil
}

// level returns the form of l. It may call the profile's LevelText, and so must
// not be called under a lock.
func (c *config) level(l slog.Level, u *userCalls) *levelForm {
	i := uint(l - levelFirst)
	if i < levelsNear {
		if f := c.levels.near[i].Load(); f != nil {
			return f
		}
		f, keep := c.newLevelForm(l, u)
		if !keep || c.levels.near[i].CompareAndSwap(nil, f) {
			return f
		}
		return c.levels.near[i].Load()
	}
	if f, ok := c.levels.far.Load(l); ok {
		return f.(*levelForm)
	}
	f, keep := c.newLevelForm(l, u)
	if keep && c.levels.nFar.Load() < maxFarLevel {
		c.levels.nFar.Add(1)
		c.levels.far.Store(l, f)
	}
	return f
}

// newLevelForm also reports whether the form is worth keeping: not if LevelText
// failed.
func (c *config) newLevelForm(l slog.Level, u *userCalls) (f *levelForm, keep bool) {
	f, keep = &levelForm{level: l}, true
	var as []slog.Attr
	if k := c.profile.LevelKey; k != "" {
		var text string
		text, keep = c.levelText(l, u)
		as = append(as, slog.String(k, text))
	}
	if k := c.profile.SeverityNumberKey; k != "" {
		as = append(as, slog.Int64(k, severityNumber(l)))
	}
	f.field, f.n = c.fixed(as, true)
	if c.format == JSON {
		f.open = "{" + f.field
		f.tail = c.afterTime(f.field)
	} else {
		f.start = c.packStart(f.field, f.n)
	}
	return f, keep
}

// severityNumber is OpenTelemetry's number of l.
func severityNumber(l slog.Level) int64 {
	return min(max(int64(l), 1-9), 24-9) + 9
}

func (c *config) levelText(l slog.Level, u *userCalls) (s string, ok bool) {
	if c.profile.LevelText == nil {
		return l.String(), true
	}
	if u.noLevel {
		return goexitText, false
	}
	returned := false
	defer func() {
		if !returned {
			r := recover()
			u.caught(r)
			// What prints r may end the goroutine as well.
			u.levelExit, u.noLevel = true, true
			s, ok = u.panicText(r), false
			if r != nil {
				u.levelExit, u.noLevel = false, false
			}
		}
	}()
	s = c.profile.LevelText(l)
	returned = true
	return s, true
}
