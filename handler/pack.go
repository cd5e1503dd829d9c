package handler

import (
	"log/slog"
	"math"
	"strconv"
	"time"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// In this generator fields are appended and counted in p.fields, which belongs
// to the innermost map.

// packRecord appends the whole record, of any kind. Most take packQuick.
func (p *pair) packRecord(dst []byte, h *Handler, r *slog.Record, as *[]slog.Attr, lf *levelForm) []byte {
	c := p.c
	if c.format == Forward {
		dst = p.packEntry(dst, r.Time)
	}
	start := len(dst)
	p.maps, p.fields = 1, 0
	dst = append(dst, 0x80)
	if c.replace != nil || c.profile.Order == LevelFirst {
		dst = p.ownFirst(dst, r, lf)
	} else {
		dst = p.packOwn(dst, r, lf)
	}
	if c.format == Forward && clamped(r.Time) {
		dst = p.packText(dst, clampedKey, string(p.timeText(nil, r.Time, false)))
	}
	dst = p.packRest(dst, h, r, as)
	return closeMap(dst, start, p.fields)
}

// packOwn appends the record's own fields where the time comes first.
func (p *pair) packOwn(dst []byte, r *slog.Record, lf *levelForm) []byte {
	if !r.Time.IsZero() {
		dst = p.packTime(dst, r.Time)
	}
	p.fields += lf.n
	return p.packMessage(p.ownSource(append(dst, lf.field...), r), r)
}

func (p *pair) packMessage(dst []byte, r *slog.Record) []byte {
	if p.c.noMessage(r) {
		return dst
	}
	p.fields++
	return appendText(append(dst, p.c.keys.message...), r.Message)
}

// packRest appends what follows the record's own fields, and those that come last.
func (p *pair) packRest(dst []byte, h *Handler, r *slog.Record, as *[]slog.Attr) []byte {
	c := p.c
	p.open = p.open[:0]
	if c.nStatic > 0 {
		dst = append(dst, c.static...)
		p.fields += c.nStatic
	}
	for _, a := range p.ctxAttrs {
		dst = p.attr(dst, a)
	}
	if len(h.pre.pack.buf) > 0 {
		dst = p.resume(dst, &h.pre.pack)
	}
	switch {
	case h.asText():
		dst = p.packDeepAttrs(dst, h, r, as)
	case h.nOpen < len(h.groups):
		dst = p.packPending(dst, h, r, as)
	case p.special:
		dst = p.recordAttrs(dst, h, r, as)
	default:
		dst = p.plainAttrs(dst, r, as)
	}
	if c.profile.Order == LevelFirst {
		dst = p.ownLast(p.packClose(dst), r)
	}
	return p.packClose(dst)
}

// packEntry appends what comes before the map in an entry.
func (p *pair) packEntry(dst []byte, t time.Time) []byte {
	if t.IsZero() {
		t = time.Now()
	}
	return jsonmsgpack.AppendEventTime(append(dst, 0x92), t)
}

// clampedKey is the key of the text of a time that an EventTime cannot say. It
// is kept free in all records, so that a reader may trust it.
const clampedKey = "time"

// clamped reports whether t is beyond what an EventTime can say.
func clamped(t time.Time) bool {
	sec := t.Unix()
	return !t.IsZero() && (sec < 0 || sec > math.MaxUint32)
}

// packPending appends the attrs of r in the groups of h that are not yet open.
func (p *pair) packPending(dst []byte, h *Handler, r *slog.Record, as *[]slog.Attr) []byte {
	mark, outer := len(dst), len(p.open)
	dst = p.packOpen(dst, h, h.nOpen, len(h.groups))
	dst = p.recordAttrs(dst, h, r, as)
	if p.fields > 0 {
		return dst
	}
	for len(p.open) > outer {
		p.fields = p.mapPop().outer
	}
	return dst[:mark]
}

// packOpen opens the groups of h from one index to another.
func (p *pair) packOpen(dst []byte, h *Handler, from, to int) []byte {
	for i := from; i < to; i++ {
		name := h.groups[i]
		if i == 0 {
			name = p.c.outermost(name)
		}
		dst = p.mapOpen(appendText(dst, name))
	}
	return dst
}

// packClose closes the groups of With.
func (p *pair) packClose(dst []byte) []byte {
	for len(p.open) > 0 {
		m := p.mapPop()
		dst = closeMap(dst, m.pos, p.fields)
		p.fields = m.outer + 1
	}
	return dst
}

// packWith formats attrs behind what h has.
func (p *pair) packWith(h *Handler, attrs []slog.Attr) (prefix, bool) {
	if h.asText() {
		return p.packDeepWith(h, attrs)
	}
	dst := p.packOpen(p.packBegin(h), h, h.nOpen, len(h.groups))
	// What is in the prefix already does not count.
	before := p.fields
	p.enterGroups(h)
	for _, a := range attrs {
		dst = p.attr(dst, a)
	}
	p.leaveGroups(h)
	p.buf.B = dst
	if p.fields == before {
		return prefix{}, false
	}
	return prefix{pack: p.suspend(dst, 1)}, true
}

// packBegin opens a record's map, in one byte, with what h has in it.
func (p *pair) packBegin(h *Handler) []byte {
	p.open, p.maps, p.fields = p.open[:0], 1, 0
	return p.resume(append(p.buf.B[:0], 0x80), &h.pre.pack)
}

// packText appends a field of text.
func (p *pair) packText(dst []byte, key, text string) []byte {
	p.fields++
	return appendText(appendText(dst, key), text)
}

func (p *pair) packUint(dst []byte, v uint64) []byte {
	if v > math.MaxInt64 && p.c.format == Forward {
		return jsonmsgpack.AppendString(dst, strconv.FormatUint(v, 10))
	}
	return jsonmsgpack.AppendUint(dst, v)
}

func (p *pair) packFloat(dst []byte, f float64) []byte {
	if f-f != 0 && p.c.format == Forward {
		return jsonmsgpack.AppendString(dst, p.nonFinite(f))
	}
	return jsonmsgpack.AppendFloat64(dst, f)
}

// packTime appends the record's own time.
func (p *pair) packTime(dst []byte, t time.Time) []byte {
	if p.c.profile.TimeKey == "" {
		return dst
	}
	p.fields++
	return p.packTimeValue(appendText(dst, p.c.profile.TimeKey), t, true)
}

func (p *pair) packTimeValue(dst []byte, t time.Time, own bool) []byte {
	pr := &p.c.profile
	if p.c.format != Forward {
		switch pr.PackTime {
		case PackTimestamp:
			return jsonmsgpack.AppendTime(dst, t)
		case PackEventTime:
			return jsonmsgpack.AppendEventTime(dst, t)
		}
	}
	if pr.Time >= UnixSeconds {
		if n, ok := unixTime(t, pr.Time); ok {
			return jsonmsgpack.AppendInt(dst, n)
		}
	}
	var text [64]byte
	b := p.timeText(text[:0], t, own)
	return jsonmsgpack.AppendString(dst, b)
}
