package handler

// A document is a record, or a value in one, that is already formatted, taken
// apart again: for options that look at a whole record, few programs use, and
// every format has to obey. Both wire formats become the same list of nodes,
// and changes are noted in the nodes, to be made while they are written again.
type document struct {
	src    []byte
	packed bool // src is MessagePack
	nodes  []docNode
	stack  []packFrame // for parsePack
	scan   []scanFrame // for scanPack

	// whole has the parsers take arrays, which only values of kind Any have, as
	// one node each.
	whole bool
	texts map[int32][]byte // MessagePack: arrays as text, once made
	keys  map[string]int   // for objects with many fields

	// truncated has appendJSON and appendPack close the outermost object with
	// the field that says so.
	truncated bool
	cutOwn    bool // the record's own fields may be cut as well
}

// docNode is one value. The nodes in a container follow its own, in order.
type docNode struct {
	kind       docKind
	start, end int // of the value in src
	keyStart   int // of its key, header or quotes included; 0, 0 if it has none
	keyEnd     int
	oddKey     bool  // there are other spellings of the same key
	textStart  int   // of a text's content; its end is textEnd
	textEnd    int   //
	next       int32 // index behind the last node in it
	parent     int32 // -1 for the outermost
	fate       docFate
	keep       int  // bytes to keep of the content, where fate is fateCut
	dropped    bool // fateGone to make the record shorter
	role       docRole
}

// docRole says what a field of a record is.
type docRole uint8

const (
	roleAttr    docRole = iota
	roleOwn             // one of the record's own, and not
	roleMessage         // the message
)

type docKind uint8

const (
	docOther docKind = iota // a number, literal, bin, ext
	docText
	docObject
	docArray
)

// docFate says what becomes of a node when the document is written again.
type docFate uint8

const (
	fateSame   docFate = iota
	fateGone           // neither it nor its key is written
	fateCut            // only the beginning of the text, or of an array's text
	fateSecret         // "[REDACTED]" in its place
	fateRepair         // a MessagePack text that is not UTF-8
)

const redactedText = "[REDACTED]"

// open and close keep the tree while a parser goes through src.
func (d *document) open(n docNode, parent int32) int32 {
	n.parent = parent
	d.nodes = append(d.nodes, n)
	i := int32(len(d.nodes) - 1)
	d.nodes[i].next = i + 1
	return i
}

func (d *document) close(i int32, end int) {
	d.nodes[i].end = end
	d.nodes[i].next = int32(len(d.nodes))
}

func (d *document) key(n *docNode) []byte { return d.src[n.keyStart:n.keyEnd] }

// children calls f with the index of each node directly in node i that is not
// gone.
func (d *document) children(i int32, f func(int32)) {
	for c := i + 1; c < d.nodes[i].next; c = d.nodes[c].next {
		if d.nodes[c].fate != fateGone {
			f(c)
		}
	}
}

// keyText is what the key of n says, however it is spelled.
func (d *document) keyText(n *docNode) string {
	if d.packed {
		return d.packKey(n)
	}
	return d.jsonKey(n)
}

func (d *document) sameKey(a, b *docNode) bool {
	if a.oddKey || b.oddKey {
		return d.keyText(a) == d.keyText(b)
	}
	return string(d.key(a)) == string(d.key(b))
}

// dedup lets the later of two fields with the same key stand, in every object,
// and reports whether there were such.
func (d *document) dedup() (changed bool) {
	const many = 16
	for i := range d.nodes {
		if d.nodes[i].kind != docObject {
			continue
		}
		n := 0
		d.children(int32(i), func(c int32) {
			if n++; n > many {
				return
			}
			for b := int32(i) + 1; b < c; b = d.nodes[b].next {
				if d.sameKey(&d.nodes[b], &d.nodes[c]) {
					d.nodes[b].fate = fateGone
					changed = true
				}
			}
		})
		if n > many && d.dedupMany(int32(i)) {
			changed = true
		}
	}
	return changed
}

// maxKeys is how large a map of keys is kept: to clear one takes as long as it
// ever was large, however few keys are in it.
const maxKeys = 256

func (d *document) dedupMany(i int32) (changed bool) {
	if d.keys == nil {
		d.keys = make(map[string]int)
	}
	d.children(i, func(c int32) {
		key := d.keyText(&d.nodes[c])
		if b, ok := d.keys[key]; ok {
			d.nodes[b].fate = fateGone
			changed = true
		}
		d.keys[key] = int(c)
	})
	if len(d.keys) > maxKeys {
		d.keys = nil
	} else {
		clear(d.keys)
	}
	return changed
}

// redact marks the values of keys for which secret says so, at any depth, and
// reports whether there were such.
func (d *document) redact(secret func(n *docNode) bool) (changed bool) {
	for i := range d.nodes {
		if n := &d.nodes[i]; n.keyEnd > 0 && secret(n) {
			n.fate = fateSecret
			changed = true
		}
	}
	return changed
}

// release lets go of src, and of a list too large to keep.
func (d *document) release() {
	d.src, d.texts = nil, nil
	d.truncated, d.cutOwn, d.whole = false, false, false
	if cap(d.nodes) > 4096 {
		d.nodes = nil
	}
}
