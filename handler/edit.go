package handler

import "math"

// Options that look at a whole record once it is formatted.

// WithDedup lets the later of two attrs with the same key stand in each object,
// at its place; groups with the same name replace each other whole, they are
// not merged. Attrs outside groups whose key is one of the record's own fields
// are kept under "attr." and that key. Records are taken apart and written
// again where keys repeat, and are not streamed.
func WithDedup() Option {
	return optionFunc(func(c *config) { c.dedup = true })
}

// WithRedactKeys has "[REDACTED]" written in place of the values of these keys,
// groups included, at any depth, also inside the JSON or MessagePack that
// values of kind Any become. ASCII letters match in either case; keys are
// compared after ReplaceAttr, with and without the "attr." that keeps an attr from
// passing for one of the record's own fields. Several WithRedactKeys add up. Messages, the
// texts of errors and whatever else holds a secret inside a longer text are not
// covered.
func WithRedactKeys(keys ...string) Option {
	lower := make([]string, len(keys))
	for i, k := range keys {
		lower[i] = lowerASCII(k)
	}
	return optionFunc(func(c *config) {
		c.redacted.fold = true
		for _, k := range lower {
			c.redacted.add(k, redactedText)
		}
	})
}

// forwardHead is the length of what comes before the map in a Forward entry:
// the array's header and the EventTime.
const forwardHead = 1 + 10

// edit makes dst, a whole record, obey WithDedup and WithMaxRecordSize.
func (p *pair) edit(dst []byte) []byte {
	c := p.c
	limit := c.maxLen
	d := &p.doc
	defer d.release()
	d.whole = !c.dedup
	head, tail := 0, ""
	switch c.format {
	case JSON:
		tail = "\n"
		d.parseJSON(dst[:len(dst)-len(tail)])
	default:
		if c.format == Forward {
			head = forwardHead
		}
		if _, err := d.parsePack(dst[head:], math.MaxInt); err != nil {
			return dst // unheard of: it is ours
		}
	}
	if c.dedup && d.dedup() {
		p.scratch = p.rewrite(p.scratch[:0])
		if head+len(p.scratch)+len(tail) <= limit {
			return append(append(dst[:head], p.scratch...), tail...)
		}
	} else if len(dst) <= limit {
		return dst
	}
	d.truncated = true
	p.markOwn()
	b := d.fit(limit-head-len(tail), func() []byte {
		p.scratch = p.rewrite(p.scratch[:0])
		return p.scratch
	})
	return append(append(dst[:head], b...), tail...)
}

// rewrite appends the document in the record's format.
func (p *pair) rewrite(dst []byte) []byte {
	if p.packed {
		return p.doc.appendPack(dst)
	}
	return p.doc.appendJSON(dst, p.c.dialect)
}

// markOwn finds the record's own fields in the document, before it is shortened.
func (p *pair) markOwn() {
	d := &p.doc
	own := p.c.ownKeys()
	for c := int32(1); int(c) < len(d.nodes); c = d.nodes[c].next {
		n := &d.nodes[c]
		key := d.keyText(n)
		if p.c.dedup && key == truncatedKey {
			n.fate = fateGone // there will be another one
		}
		for _, k := range own {
			if k != key {
				continue
			}
			if n.role = roleOwn; k == p.c.profile.MessageKey {
				n.role = roleMessage
			}
		}
	}
}
