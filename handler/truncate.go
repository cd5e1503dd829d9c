package handler

// Records that are longer than WithMaxRecordSize allows.

const (
	minRecordSize = 256
	// minText is how short texts are made before attrs are dropped. It is
	// longer than any time, so that times stay times.
	minText = 40
)

const truncatedKey = "truncated"

// WithMaxRecordSize limits how long a record may be: n bytes in all, with the
// newline in JSON or the entry's envelope in Forward, at least 256. Of a longer
// record the longest texts (message, strings, what is in values of kind Any)
// are shortened, between runes, until it fits; only if that is not enough are
// attrs left out, from the end. Such a record ends with "truncated":true.
//
// The default is 250 000 in the [GoogleCloud] profile, whose reader refuses
// longer ones, 1 MB (1 000 000) in the Forward format, and else none. A
// negative n is no limit, 0 the default.
func WithMaxRecordSize(n int) Option {
	return optionFunc(func(c *config) {
		switch {
		case n < 0:
			n = -1
		case n > 0:
			n = max(n, minRecordSize)
		}
		c.maxSize = n
	})
}

// maxSizeForward keeps entries well below what receivers refuse.
const maxSizeForward = 1_000_000

func (c *config) defaultMaxSize() int {
	switch {
	case c.profile.MaxRecordSize > 0:
		return max(c.profile.MaxRecordSize, minRecordSize)
	case c.format == Forward:
		return maxSizeForward
	}
	return 0
}

// fit shortens the document until write, which writes it again, makes at most
// limit bytes of it, and returns what it made.
func (d *document) fit(limit int, write func() []byte) []byte {
	if b := d.shorten(limit, minText, write); b != nil {
		return b
	}
	// ReplaceAttr can make the record's own fields long ones.
	d.cutOwn = true
	if b := d.shorten(limit, minText, write); b != nil {
		return b
	}
	d.cutOwn = false
	d.cutAll(minText)
	if b := d.drop(limit, write); b != nil {
		return b
	}
	// Only the record's own fields are left, and their texts are long.
	for i := range d.nodes {
		d.nodes[i].role = roleAttr
	}
	d.cutOwn = true
	if b := d.shorten(limit, 0, write); b != nil {
		return b
	}
	if b := d.drop(limit, write); b != nil {
		return b
	}
	for i := 1; i < len(d.nodes); i++ {
		d.nodes[i].fate = fateGone // keys of hundreds of bytes
	}
	return write()
}

// shorten finds the greatest length of texts, at least floor, with which the
// document fits, and returns it written, or nil if there is none.
func (d *document) shorten(limit, floor int, write func() []byte) []byte {
	longest := floor
	for i := range d.nodes {
		if n := &d.nodes[i]; d.cuttable(n) {
			longest = max(longest, n.length())
		}
	}
	var best []byte
	// A text longer than the limit does not fit, whatever the others do.
	for lo, hi := floor, min(longest, max(limit, floor)); lo <= hi; {
		mid := lo + (hi-lo)/2
		d.cutAll(mid)
		if b := write(); len(b) <= limit {
			best = append(best[:0], b...)
			lo = mid + 1
		} else {
			hi = mid - 1
		}
	}
	if best == nil {
		d.cutAll(floor)
	}
	return best
}

// cutAll cuts all texts, and arrays as texts, to max bytes.
func (d *document) cutAll(max int) {
	for i := range d.nodes {
		n := &d.nodes[i]
		if n.fate == fateCut {
			n.fate = fateSame
		}
		if n.fate == fateSame && d.cuttable(n) && n.length() > max {
			n.fate, n.keep = fateCut, max
		}
	}
}

// cuttable reports whether n is a text, or an array: only values of kind Any
// have these, and what is left of one makes sense as text alone.
func (d *document) cuttable(n *docNode) bool {
	if n.role == roleOwn && !d.cutOwn {
		return false
	}
	return n.kind == docText || n.kind == docArray && n.keyEnd > 0
}

func (n *docNode) length() int {
	if n.kind == docText {
		return n.textEnd - n.textStart
	}
	return n.end - n.start
}

// drop leaves out attrs from the end until the document fits, and returns it
// written, or nil if the record's own fields alone are too long. Groups lose
// what is in them first, and vanish when that was all.
func (d *document) drop(limit int, write func() []byte) []byte {
	leaves := d.leaves()
	// How many leaves can stay is found by halving, since each attempt costs a
	// whole record.
	var best []byte
	for lo, hi := 0, len(leaves)-1; lo <= hi; {
		mid := lo + (hi-lo)/2
		d.keepLeaves(leaves, mid)
		if b := write(); len(b) <= limit {
			best = append(best[:0], b...)
			lo = mid + 1
		} else {
			hi = mid - 1
		}
	}
	if best == nil {
		d.keepLeaves(leaves, 0)
	}
	return best
}

// leaves lists the fields that may be dropped: what is in objects, at any
// depth, but is no object itself.
func (d *document) leaves() []int32 {
	var list []int32
	for i := int32(1); int(i) < len(d.nodes); {
		n := &d.nodes[i]
		switch {
		case n.role != roleAttr || n.fate == fateGone:
			i = n.next
		case n.kind == docObject && n.next > i+1:
			i++
		default:
			list = append(list, i)
			i = n.next
		}
	}
	return list
}

// keepLeaves has the first n leaves stay and the others go, with the objects
// that end up empty.
func (d *document) keepLeaves(leaves []int32, n int) {
	for i := range d.nodes {
		if m := &d.nodes[i]; m.dropped {
			m.fate, m.dropped = fateSame, false
			if d.cuttable(m) && m.length() > minText {
				m.fate, m.keep = fateCut, minText
			}
		}
	}
	for _, i := range leaves[n:] {
		d.nodes[i].fate, d.nodes[i].dropped = fateGone, true
	}
	for i := len(d.nodes) - 1; i > 0; i-- {
		m := &d.nodes[i]
		if m.kind != docObject || m.role != roleAttr || m.fate == fateGone || int(m.next) == i+1 {
			continue
		}
		left := 0
		d.children(int32(i), func(int32) { left++ })
		if left == 0 {
			m.fate, m.dropped = fateGone, true
		}
	}
}
