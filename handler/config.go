package handler

import (
	"context"
	"io"
	"log/slog"
	"math"
	"reflect"

	"github.com/slogpack/slogpack/internal/jsonwire"
)

// An Option changes what [New] builds. Options are made by the With functions
// of this package and of the packages beside it; later ones win over earlier
// ones where both set the same thing, and a nil Option is skipped.
type Option interface{ apply(*config) }

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// config is what all options collapse into. It is built by New, shared by all
// handlers derived from one New, and never changed afterwards.
type config struct {
	format     Format
	formatSet  bool
	profile    Profile
	profileSet bool

	minLevel slog.Level   // the level where leveler is nil
	leveler  slog.Leveler // asked at each record

	addSource bool
	replace   func(groups []string, a slog.Attr) slog.Attr
	contexts  []func(context.Context) []slog.Attr
	filters   []func(context.Context, slog.Record) bool
	values    []ValueEncoder
	onError   func(error)

	concurrent bool
	streamFrom int // length of records in bytes, the constant of that name
	dedup      bool
	maxSize    int    // bytes, 0 for no limit
	redacted   keySet // to be written "[REDACTED]"

	refusal error // why the writer does not take the format asked for

	// What follows is worked out from the above.

	protected    keySet // keys that attrs outside groups must not have
	special      bool   // some attrs are looked at before they are written
	everyAttr    bool   // all are, not only those outside groups
	maxLen       int    // maxSize, or more than any record has
	plainMessage bool   // MessagePack: nothing comes between the level and the message
	plainRest    bool   // and nothing behind that but attrs that need no look
	ownEvent     bool   // the record's own time is an EventTime
	quickJSON    bool   // JSON, and records are looked at for their length only
	streams      bool   // records may be formatted in the writer's buffer
	dialect      jsonwire.Dialect
	digits       int // of times in text
	keys         ownKeys
	open         opening
	static       string // fields, as the format has them
	nStatic      int
	levels       levelCache
	sources      sourceCache
}

func newConfig(w io.Writer, opts []Option) *config {
	c := &config{streamFrom: streamFrom}
	for _, o := range opts {
		if o != nil {
			o.apply(c)
		}
	}
	if fw, ok := w.(FormatWriter); ok && (!c.formatSet || !c.profileSet) {
		format, profile := fw.LogFormat()
		if !c.formatSet {
			c.format, c.formatSet = format, true
		}
		// A profile for files or consoles is none for Forward's receivers, which
		// look for the message under its name in OTel.
		if !c.profileSet && (c.format != Forward || format == Forward) {
			c.profile, c.profileSet = profile, true
		}
	}
	if c.format > Forward {
		c.format = JSON
	}
	if ck, ok := w.(FormatChecker); ok {
		if c.refusal = ck.CheckFormat(c.format); c.refusal != nil {
			c.format = JSON
		}
	}
	if !c.profileSet {
		if c.profile = Slog(); c.format == Forward {
			c.profile = OTel()
		}
	}
	c.settle()
	return c
}

// settle works out what follows from the options.
func (c *config) settle() {
	p := &c.profile
	p.settle()
	if c.format == Forward {
		p.TimeKey = "" // the entry has the time outside of its record
	}
	if p.Escapes == EscapeZerolog {
		c.dialect = jsonwire.Zerolog
	}
	c.digits = timeDigits(p.Time)
	c.keys = ownKeys{time: c.key(p.TimeKey), message: c.key(p.MessageKey)}
	c.open = c.opening()
	if p.ProtectBuiltins || c.dedup {
		for _, k := range c.ownKeys() {
			c.protected.add(k, renamed(k))
		}
	}
	if c.maxSize == 0 {
		c.maxSize = c.defaultMaxSize()
	}
	if c.maxLen = c.maxSize; c.maxLen <= 0 {
		c.maxLen = math.MaxInt
	}
	c.plainMessage = c.keys.message != "" && !c.addSource
	c.ownEvent = c.format == Forward || p.PackTime == PackEventTime
	c.quickJSON = c.format == JSON && !c.dedup
	c.streams = c.replace == nil && !c.dedup
	c.everyAttr = c.replace != nil || len(c.redacted.keys) > 0
	c.special = c.everyAttr || len(c.protected.keys) > 0
	replace := c.replace
	c.replace = nil // which does not see static attrs
	c.static, c.nStatic = c.fixed(p.Static, false)
	c.replace = replace
	c.plainRest = !c.special && c.nStatic == 0
}

// ownKeys are keys of the record's own fields, ready to be appended, or empty.
type ownKeys struct{ time, message string }

// key formats a key, an empty one as nothing.
func (c *config) key(k string) string {
	switch {
	case k == "":
		return ""
	case c.format == JSON:
		return string(appendKey(nil, k, c.dialect))
	}
	return string(appendText(nil, k))
}

// fixed formats attrs that are the same in every record, and counts them. ours
// says that they are the record's own fields, which are not redacted.
func (c *config) fixed(as []slog.Attr, ours bool) (fields string, n int) {
	p := newPair()
	p.c = c
	p.packed = c.format != JSON
	p.maps = 1
	p.ours = ours
	p.place(false)
	var dst []byte
	for _, a := range as {
		dst = p.attr(dst, a)
	}
	n = p.fields
	return string(dst), n
}

// setLevel takes a leveler apart once, so that the ordinary constant level
// costs no interface call at a record.
func (c *config) setLevel(l slog.Leveler) {
	switch l := l.(type) {
	case nil:
		return
	case slog.Level:
		c.minLevel, c.leveler = l, nil
		return
	}
	if v := reflect.ValueOf(l); v.Kind() == reflect.Pointer && v.IsNil() && !usable(l) {
		// A nil *slog.LevelVar, or a type like it: no level was chosen.
		c.minLevel, c.leveler = slog.LevelInfo, nil
		return
	}
	c.leveler = l
}

// usable reports whether a nil pointer's Level method works all the same.
func usable(l slog.Leveler) (ok bool) {
	defer func() { ok = recover() == nil && ok }()
	l.Level()
	return true
}
