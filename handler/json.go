package handler

import (
	"log/slog"
	"strconv"

	"github.com/slogpack/slogpack/internal/jsonwire"
)

// In this generator every field ends with its comma, and the brace that closes
// an object overwrites the last one. So no field needs to know whether it is
// the first, and an object that got no field is seen by its length and taken
// back.

func appendKey(dst []byte, key string, d jsonwire.Dialect) []byte {
	return append(jsonwire.AppendString(dst, key, d), ':')
}

// jsonRecord appends the whole record.
func (p *pair) jsonRecord(dst []byte, h *Handler, r *slog.Record, as *[]slog.Attr, lf *levelForm) []byte {
	c := p.c
	levelFirst := c.profile.Order == LevelFirst
	if c.replace != nil {
		dst = p.ownFirst(append(dst, '{'), r, lf)
	} else if levelFirst {
		dst = append(dst, lf.open...)
	} else {
		dst = p.jsonHead(dst, r, lf)
	}
	// An append of nothing costs a call.
	if len(c.static) > 0 {
		dst = append(dst, c.static...)
	}
	for _, a := range p.ctxAttrs {
		dst = p.attr(dst, a)
	}
	if len(h.pre.json) > 0 {
		dst = append(dst, h.pre.json...)
	}
	open := h.nOpen // groups to close
	// Not even the question whether there are attrs is free: each call of a
	// method of slog.Record copies it.
	mark := len(dst)
	if len(h.pending) > 0 {
		dst = append(dst, h.pending...)
	}
	start := len(dst)
	if p.special {
		dst = p.recordAttrs(dst, h, r, as)
	} else {
		dst = p.plainAttrs(dst, r, as)
	}
	if len(dst) > start {
		open = len(h.groups)
	} else {
		dst = dst[:mark]
	}
	if levelFirst {
		if open > 0 {
			dst = append(closeGroups(dst, open), ',')
		}
		if c.replace != nil {
			dst = p.ownLast(dst, r)
		} else {
			dst = p.jsonHead(dst, r, lf)
		}
		open = 0
	}
	if last := len(dst) - 1; open == 0 && dst[last] == ',' {
		dst[last] = '}'
		return append(dst, '\n')
	}
	return append(closeGroups(dst, 1+open), '\n')
}

// closeGroups appends n braces, the first in place of a comma.
func closeGroups(dst []byte, n int) []byte {
	if last := len(dst) - 1; dst[last] == ',' {
		dst = dst[:last]
	}
	const braces = "}}}}}}}}"
	for ; n > len(braces); n -= len(braces) {
		dst = append(dst, braces...)
	}
	return append(dst, braces[:n]...)
}

// plainAttrs appends the attrs of r, none of which needs a look.
func (p *pair) plainAttrs(dst []byte, r *slog.Record, as *[]slog.Attr) []byte {
	if p.packed {
		return p.packAttrs(dst, r, as)
	}
	if as != nil {
		for i := range *as {
			dst = p.jsonValue(dst, (*as)[i])
		}
		return dst
	}
	r.Attrs(func(a slog.Attr) bool {
		dst = p.jsonValue(dst, a)
		return true
	})
	return dst
}

// recordAttrs appends the attrs of r, which are in the groups of h, where some may
// need a look.
func (p *pair) recordAttrs(dst []byte, h *Handler, r *slog.Record, as *[]slog.Attr) []byte {
	if !p.stream.active && !p.c.everyAttr {
		return p.keyedAttrs(dst, h, r, as)
	}
	p.enterGroups(h)
	if as != nil {
		for i := range *as {
			dst = p.attr(dst, (*as)[i])
		}
	} else {
		r.Attrs(func(a slog.Attr) bool {
			dst = p.attr(dst, a)
			return true
		})
	}
	p.leaveGroups(h)
	return dst
}

// keyedAttrs is recordAttrs where only the keys outside groups have to be looked
// at.
func (p *pair) keyedAttrs(dst []byte, h *Handler, r *slog.Record, as *[]slog.Attr) []byte {
	p.place(len(h.groups) == 0)
	if !p.special {
		dst = p.plainAttrs(dst, r, as)
		p.place(true)
		return dst
	}
	if as != nil {
		for i := range *as {
			dst = p.attr(dst, (*as)[i])
		}
		return dst
	}
	keys := &p.c.protected
	if p.packed {
		p.out = dst
		n := len(dst)
		r.Attrs(func(a slog.Attr) bool {
			if keys.mayHave(a.Key) {
				a.Key = p.c.outermost(a.Key)
			}
			n = p.packAttr(n, &a)
			return true
		})
		return p.out[:n]
	}
	r.Attrs(func(a slog.Attr) bool {
		key := a.Key
		if keys.mayHave(key) {
			key = p.c.outermost(key)
		}
		dst = p.jsonValue(dst, slog.Attr{Key: key, Value: a.Value})
		return true
	})
	return dst
}

// enterGroups makes the groups of h known to what looks at attrs.
func (p *pair) enterGroups(h *Handler) {
	if p.c.replace != nil {
		p.setGroups(h.groups)
	}
	p.place(len(h.groups) == 0)
	p.secret += h.secret
}

func (p *pair) leaveGroups(h *Handler) {
	p.setGroups(nil)
	p.place(true)
	p.secret -= h.secret
}

// jsonWith formats attrs behind what h has.
func (p *pair) jsonWith(h *Handler, attrs []slog.Attr) (prefix, bool) {
	b := append(p.buf.B[:0], h.pre.json...)
	b = append(b, h.pending...)
	start := len(b)
	p.enterGroups(h)
	for _, a := range attrs {
		b = p.attr(b, a)
	}
	p.leaveGroups(h)
	p.buf.B = b
	if len(b) == start {
		return prefix{}, false
	}
	return prefix{json: append([]byte(nil), b...)}, true
}

// jsonValue appends an attr that nothing changes any more.
func (p *pair) jsonValue(dst []byte, a slog.Attr) []byte {
	d := p.c.dialect
	switch a.Value.Kind() {
	case slog.KindString:
		dst = jsonwire.AppendString(appendKey(dst, a.Key, d), a.Value.String(), d)
	case slog.KindInt64:
		dst = jsonwire.AppendInt(appendKey(dst, a.Key, d), a.Value.Int64())
	case slog.KindUint64:
		dst = jsonwire.AppendUint(appendKey(dst, a.Key, d), a.Value.Uint64())
	case slog.KindBool:
		dst = appendBool(appendKey(dst, a.Key, d), a.Value.Bool())
	case slog.KindDuration:
		dst = appendKey(dst, a.Key, d)
		if v := a.Value.Duration(); p.c.profile.Duration == DurationNanos {
			dst = jsonwire.AppendInt(dst, int64(v))
		} else {
			dst = p.jsonDuration(dst, v)
		}
	case slog.KindFloat64:
		dst = p.jsonFloat(appendKey(dst, a.Key, d), a.Value.Float64())
	case slog.KindTime:
		dst = p.jsonTimeValue(appendKey(dst, a.Key, d), a.Value.Time(), false)
	case slog.KindGroup:
		return p.group(dst, a.Key, a.Value.Group())
	case slog.KindLogValuer:
		a.Value = p.resolve(a.Value)
		return p.jsonValue(dst, a)
	default:
		return p.jsonAny(dst, a)
	}
	return append(dst, ',')
}

// jsonGroup appends a group that has a key, or nothing if it ends up empty.
func (p *pair) jsonGroup(dst []byte, key string, attrs []slog.Attr) []byte {
	mark := len(dst)
	dst = append(appendKey(dst, key, p.c.dialect), '{')
	start := len(dst)
	if p.special {
		for i := range attrs {
			dst = p.attr(dst, attrs[i])
		}
	} else {
		for i := range attrs {
			dst = p.jsonValue(dst, attrs[i])
		}
	}
	if len(dst) == start {
		return dst[:mark]
	}
	dst[len(dst)-1] = '}'
	return append(dst, ',')
}

func appendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, "true"...)
	}
	return append(dst, "false"...)
}

// jsonFloat appends f as encoding/json does, which has no form for NaN and
// infinities.
func (p *pair) jsonFloat(dst []byte, f float64) []byte {
	if f-f == 0 {
		return jsonwire.AppendFloat(dst, f, 64)
	}
	return jsonwire.AppendString(dst, p.nonFinite(f), p.c.dialect)
}

// nonFinite is the text for an f that is not a number or infinite.
func (p *pair) nonFinite(f float64) string {
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if p.c.profile.NonFinite == NonFiniteText {
		return s
	}
	return p.c.profile.FailurePrefix + "json: unsupported value: " + s
}
