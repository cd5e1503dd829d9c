package handler

import (
	"log/slog"

	"github.com/slogpack/slogpack/internal/jsonwire"
)

// The record's own fields where nothing rewrites them. What is around the time is
// the same in most records: these texts are kept in arrays, since a copy of known
// size is a few moves where an append is a call of memmove. More is copied than
// counts.

const (
	openRoom = 24
	tailRoom = 64
	// headRoom is what the copies may touch, from where the record begins.
	headRoom = 31 + jsonwire.TimeRoom + tailRoom
)

// opening is what is before the time.
type opening struct {
	text [openRoom]byte
	n    int // 0: longer, or the time is not written this way
}

// piece is what is behind the time.
type piece struct {
	text  [tailRoom]byte
	n     int // with the message's key, 0: longer
	level int // without
}

// opening makes the config's opening: a brace, unless the level is first, and
// the time's key.
func (c *config) opening() (o opening) {
	text := c.keys.time + `"`
	if c.profile.Order == TimeFirst {
		text = "{" + text
	}
	if c.format == JSON && c.keys.time != "" && len(text) <= openRoom && c.profile.Time < UnixSeconds {
		o.n = copy(o.text[:], text)
	}
	return o
}

// afterTime makes a level's piece: the end of the time, the level's field unless
// that is first, and the message's key.
func (c *config) afterTime(field string) (t piece) {
	if c.profile.Order == LevelFirst {
		field = ""
	}
	field = `",` + field
	if c.keys.message != "" && len(field)+len(c.keys.message) <= tailRoom {
		t.level = copy(t.text[:], field)
		t.n = t.level + copy(t.text[t.level:], c.keys.message)
	}
	return t
}

// jsonHead appends the brace and the record's own fields where the time comes
// first, and those that follow the attrs where the level does.
func (p *pair) jsonHead(dst []byte, r *slog.Record, lf *levelForm) []byte {
	c := p.c
	n := len(dst)
	if c.open.n > 0 && lf.tail.n > 0 && cap(dst)-n >= headRoom && !r.Time.IsZero() {
		t := r.Time
		if c.profile.UTC {
			t = t.UTC()
		}
		out := (*[headRoom]byte)(dst[n : n+headRoom])
		*(*[openRoom]byte)(out[:]) = c.open.text
		at := c.open.n & 31
		k := p.times.PutTime((*[jsonwire.TimeRoom]byte)(out[at:at+jsonwire.TimeRoom]), t, c.digits)
		if k > 0 {
			at = (at + k) & 63
			*(*[tailRoom]byte)(out[at : at+tailRoom]) = lf.tail.text
			if !c.addSource && (len(r.Message) > 0 || !c.profile.OmitEmptyMessage) {
				dst = jsonwire.AppendString(dst[:n+at+lf.tail.n], r.Message, c.dialect)
				return append(dst, ',')
			}
			return p.jsonMessage(p.ownSource(dst[:n+at+lf.tail.level], r), r)
		}
	}
	if c.profile.Order == TimeFirst {
		dst = append(dst, '{')
	}
	if !r.Time.IsZero() {
		dst = p.jsonTime(dst, r.Time)
	}
	if c.profile.Order == TimeFirst {
		dst = append(dst, lf.field...)
	}
	return p.jsonMessage(p.ownSource(dst, r), r)
}

func (p *pair) jsonMessage(dst []byte, r *slog.Record) []byte {
	c := p.c
	if c.noMessage(r) {
		return dst
	}
	return append(jsonwire.AppendString(append(dst, c.keys.message...), r.Message, c.dialect), ',')
}

// noMessage reports whether r's message is left out.
func (c *config) noMessage(r *slog.Record) bool {
	return c.keys.message == "" || len(r.Message) == 0 && c.profile.OmitEmptyMessage
}
