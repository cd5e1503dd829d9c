package handler

import (
	"log/slog"
)

// What happens to an attr before it is appended, whatever the format.

// attr appends one attr, or nothing if it is empty.
func (p *pair) attr(dst []byte, a slog.Attr) []byte {
	if !p.special {
		return p.value(dst, a)
	}
	if p.stream.active {
		dst = p.watch(dst, a)
	}
	c := p.c
	if c.replace != nil {
		if a.Value.Kind() == slog.KindLogValuer {
			a.Value = p.resolve(a.Value)
		}
		if a.Value.Kind() != slog.KindGroup {
			a = p.callReplace(a)
		}
	}
	// What is a secret under its own name is one under its new name, too.
	secret := p.secret > 0 || c.secretKey(a.Key)
	if p.top && c.protected.mayHave(a.Key) {
		if to := c.protected.find(a.Key); to != "" {
			a.Key = to
			secret = secret || c.secretKey(to)
		}
	}
	if secret {
		return p.secretAttr(dst, a)
	}
	return p.value(dst, a)
}

// secretAttr appends the key of a and nothing of its value.
func (p *pair) secretAttr(dst []byte, a slog.Attr) []byte {
	if a.Value.Kind() == slog.KindLogValuer {
		a.Value = p.resolve(a.Value)
	}
	switch {
	case a.Value.Kind() == slog.KindGroup && a.Key == "":
		return p.value(dst, a) // what is in it has keys of its own
	case a.Value.Kind() == slog.KindGroup && len(a.Value.Group()) == 0:
		return dst
	case a.Key == "" && a.Value.Kind() == slog.KindAny && a.Value.Any() == nil:
		return dst
	}
	return p.text(dst, a.Key, redactedText)
}

// value appends an attr that nothing changes any more.
func (p *pair) value(dst []byte, a slog.Attr) []byte {
	if p.packed {
		return p.packValue(dst, a)
	}
	return p.jsonValue(dst, a)
}

// text appends a field of text that is not the user's.
func (p *pair) text(dst []byte, key, text string) []byte {
	return p.value(dst, slog.String(key, text))
}

// The record's own fields. ReplaceAttr sees them by log/slog's keys and types;
// what keeps its key and type is written in the profile's way, anything else as
// an ordinary attr. p.hidden is set meanwhile.

// ownFirst appends those that come before the attrs.
func (p *pair) ownFirst(dst []byte, r *slog.Record, lf *levelForm) []byte {
	p.hidden = p.c.replace != nil
	if p.c.profile.Order == LevelFirst {
		dst = p.ownLevel(dst, r, lf)
	} else {
		dst = p.ownTime(dst, r)
		dst = p.ownLevel(dst, r, lf)
		dst = p.ownSource(dst, r)
		dst = p.ownMessage(dst, r)
	}
	p.hidden = false
	return dst
}

// ownLast appends those that come after the attrs where the level is first.
func (p *pair) ownLast(dst []byte, r *slog.Record) []byte {
	p.hidden = p.c.replace != nil
	dst = p.ownTime(dst, r)
	dst = p.ownSource(dst, r)
	dst = p.ownMessage(dst, r)
	p.hidden = false
	return dst
}

func (p *pair) ownTime(dst []byte, r *slog.Record) []byte {
	t := r.Time
	if t.IsZero() {
		return dst
	}
	if p.c.replace != nil {
		a := p.callReplace(slog.Time(slog.TimeKey, t.Round(0)))
		if a.Key != slog.TimeKey || a.Value.Kind() != slog.KindTime {
			return p.changedOwn(dst, a)
		}
		t = a.Value.Time()
	}
	if p.packed {
		return p.packTime(dst, t)
	}
	return p.jsonTime(dst, t)
}

func (p *pair) ownLevel(dst []byte, r *slog.Record, lf *levelForm) []byte {
	if p.c.replace != nil {
		a := p.callReplace(slog.Any(slog.LevelKey, r.Level))
		l, ok := a.Value.Any().(slog.Level)
		if !ok || a.Key != slog.LevelKey {
			return p.changedOwn(dst, a)
		}
		if l != lf.level {
			lf = p.c.level(l, &p.user)
		}
	}
	p.fields += lf.n
	return append(dst, lf.field...)
}

func (p *pair) ownSource(dst []byte, r *slog.Record) []byte {
	if !p.c.addSource {
		return dst
	}
	if p.c.replace == nil {
		if r.PC == 0 {
			return dst
		}
		f := p.c.source(r.PC)
		p.fields += f.n
		return append(dst, f.field...)
	}
	// log/slog calls it with an empty source where the PC is zero.
	a := p.callReplace(slog.Any(slog.SourceKey, sourceOf(r.PC)))
	s, ok := a.Value.Any().(*slog.Source)
	if !ok || a.Key != slog.SourceKey {
		return p.changedOwn(dst, a)
	}
	if p.c.profile.SourceKey == "" {
		return dst
	}
	if p.c.profile.Source == SourceObject {
		// log/slog has ReplaceAttr see what is in the object as well.
		return p.group(dst, p.c.profile.SourceKey, sourceAttrs(s))
	}
	// Other forms are the profile's own business.
	p.ours = true
	p.place(p.top)
	for _, a := range p.c.profile.sourceFields(s) {
		dst = p.value(dst, a)
	}
	p.ours = false
	p.place(p.top)
	return dst
}

func (p *pair) ownMessage(dst []byte, r *slog.Record) []byte {
	msg := r.Message
	if p.c.replace != nil {
		a := p.callReplace(slog.String(slog.MessageKey, msg))
		if a.Key != slog.MessageKey || a.Value.Kind() != slog.KindString {
			return p.changedOwn(dst, a)
		}
		msg = a.Value.String()
	}
	if p.c.profile.MessageKey == "" || msg == "" && p.c.profile.OmitEmptyMessage {
		return dst
	}
	return p.text(dst, p.c.profile.MessageKey, msg)
}

// changedOwn appends what ReplaceAttr made of one of the record's own fields, if
// that is an ordinary attr now.
func (p *pair) changedOwn(dst []byte, a slog.Attr) []byte {
	if p.c.secretKey(a.Key) {
		return p.secretAttr(dst, a)
	}
	return p.value(dst, a)
}

// group appends a group, inline if it has no key, or nothing if it ends up
// empty.
func (p *pair) group(dst []byte, key string, attrs []slog.Attr) []byte {
	if len(attrs) == 0 {
		return dst
	}
	if !p.nest.enter(attrs, len(dst)) {
		return p.text(dst, key, tooDeep)
	}
	switch {
	case key == "":
		for i := range attrs {
			dst = p.attr(dst, attrs[i])
		}
	case p.special:
		dst = p.specialGroup(dst, key, attrs)
	case p.packed:
		dst = p.packKeyedMap(dst, key, attrs)
	default:
		dst = p.jsonGroup(dst, key, attrs)
	}
	p.nest.leave()
	return dst
}

// specialGroup is group where something may have to look at attrs. In a group
// there is less to look at than outside, never more.
func (p *pair) specialGroup(dst []byte, key string, attrs []slog.Attr) []byte {
	p.push(key)
	top := p.top
	p.place(false)
	if p.packed {
		dst = p.packKeyedMap(dst, key, attrs)
	} else {
		dst = p.jsonGroup(dst, key, attrs)
	}
	p.place(top)
	p.pop()
	return dst
}
