package handler

import "log/slog"

// maxForwardMaps is how many containers may be open in a Forward entry's
// record. Receivers drop or refuse deeper ones; what lies deeper is the text of
// its JSON.
const maxForwardMaps = 32

// maxForwardGroups is how many groups of With have maps of their own: one map is
// the record's.
const maxForwardGroups = maxForwardMaps - 1

// asText reports whether the innermost groups of h are the text of their JSON,
// from groups[maxForwardGroups] on. Their prefix has that text in its json,
// from the first brace on.
func (h *Handler) asText() bool {
	return len(h.groups) > maxForwardGroups && h.c.format == Forward
}

// packDeepAttrs is packAttrs for handlers whose innermost groups are text.
func (p *pair) packDeepAttrs(dst []byte, h *Handler, r *slog.Record, as *[]slog.Attr) []byte {
	if r.NumAttrs() == 0 && (as == nil || len(*as) == 0) && len(h.pre.json) == 0 {
		return dst
	}
	if p.stream.active {
		dst = p.leave(dst) // attrs are not appended to dst now
	}
	b, start := h.deepText()
	fields := p.fields
	p.packed = false
	b = p.recordAttrs(b, h, r, as)
	p.packed, p.fields = true, fields
	open := len(h.groups)
	if len(b) == start {
		if len(h.pre.json) == 0 {
			return dst
		}
		b, open = append(b[:0], h.pre.json...), h.nOpen
	}
	dst = p.packOpen(dst, h, min(h.nOpen, maxForwardGroups), maxForwardGroups)
	b = closeGroups(b, open-maxForwardGroups)
	return p.packText(dst, h.groups[maxForwardGroups], string(b))
}

// packDeepWith is packWith for them.
func (p *pair) packDeepWith(h *Handler, attrs []slog.Attr) (prefix, bool) {
	b, start := h.deepText()
	p.enterGroups(h)
	p.packed = false
	for _, a := range attrs {
		b = p.attr(b, a)
	}
	p.packed = true
	p.leaveGroups(h)
	if len(b) == start {
		return prefix{}, false
	}
	dst := p.packOpen(p.packBegin(h), h, min(h.nOpen, maxForwardGroups), maxForwardGroups)
	p.buf.B = dst
	return prefix{pack: p.suspend(dst, 1), json: b}, true
}

// deepText returns a copy of the text so far, with all groups open; what is
// behind start is new.
func (h *Handler) deepText() (b []byte, start int) {
	b = append(b, h.pre.json...)
	if len(b) == 0 {
		b = append(b, '{')
	}
	for _, name := range h.groups[min(max(h.nOpen, maxForwardGroups+1), len(h.groups)):] {
		b = append(appendKey(b, name, h.c.dialect), '{')
	}
	return b, len(b)
}

// groupAsText appends a group as its JSON.
func (p *pair) groupAsText(dst []byte, key string, attrs []slog.Attr) []byte {
	if p.stream.active {
		dst = p.leave(dst) // attrs are not appended to dst now
	}
	b := []byte{'{'}
	fields := p.fields
	p.packed = false
	for i := range attrs {
		b = p.attr(b, attrs[i])
	}
	p.packed, p.fields = true, fields
	if len(b) == 1 {
		return dst
	}
	return p.packText(dst, key, string(closeGroups(b, 1)))
}

// roomBelow is how many containers a value at the present place may nest before
// they become text.
func (p *pair) roomBelow() int {
	limit := maxDepth
	if p.c.format == Forward {
		limit = maxForwardMaps
	}
	return max(limit-p.maps-len(p.anyPath), 0)
}
