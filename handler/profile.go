package handler

import (
	"log/slog"
	"sync"
	"sync/atomic"
)

// Format is a wire format.
type Format uint8

const (
	// JSON is one JSON object a record, in one line that ends with a newline.
	JSON Format = iota
)

// String returns the format's name.
func (f Format) String() string { return "JSON" }

// Profile says how the fields that every record has are called and written. It
// is a value: take one from a constructor such as [Slog], change what should be
// different, and give it to [WithProfile].
type Profile struct {
	// The keys of the record's own fields. An empty key leaves the field out.
	TimeKey, LevelKey, MessageKey, SourceKey string

	// LevelText returns the text of a level; nil is [slog.Level.String]. It is
	// called at most a few times a level, and its result is kept. It must be
	// safe for concurrent use.
	LevelText func(slog.Level) string
}

// Slog returns the profile of log/slog's own JSON handler: time, level, source
// and msg, in this order.
func Slog() Profile {
	return Profile{
		TimeKey:    slog.TimeKey,
		LevelKey:   slog.LevelKey,
		MessageKey: slog.MessageKey,
		SourceKey:  slog.SourceKey,
	}
}

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

// levelForm is one level, ready to be appended.
type levelForm struct {
	text  string // as LevelText has it
	field string // the whole JSON field, `"level":"INFO",`
	head  string // field and the message's key, where these are neighbours
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
	f := &levelForm{text: c.levelText(l)}
	c.plan.setLevel(f)
	return f
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
