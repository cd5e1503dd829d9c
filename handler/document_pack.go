package handler

import (
	"encoding/binary"
	"errors"
	"unicode/utf8"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

var errPack = errors.New("not one whole MessagePack object")

// maxPackDepth bounds the depth of objects that values make of themselves.
const maxPackDepth = 512

// packFrame is a container that parsePack is in.
type packFrame struct {
	left int64 // objects to come
	key  bool  // the next one is a key
	node int32
}

// parsePack takes apart the object that src begins with, and returns its
// length. Unlike parseJSON it does not trust src; containers may nest limit
// deep.
func (d *document) parsePack(src []byte, limit int) (int, error) {
	d.src, d.nodes, d.packed = src, d.nodes[:0], true
	d.stack = d.stack[:0]
	parent := int32(-1)
	keyStart, keyEnd, oddKey := 0, 0, false
	for i := 0; ; {
		h, ok := packHeader(src, i)
		if !ok {
			return 0, errPack
		}
		end := i + h.header + h.payload
		depth := len(d.stack)
		if depth > 0 && d.stack[depth-1].key {
			if h.kind == docObject || h.kind == docArray {
				return 0, errPack // no reader of records takes these as keys
			}
			keyStart, keyEnd = i, end
			i = end
			d.stack[depth-1].key = false
			oddKey = h.kind != docText || h.header != textHeader(h.payload)
			continue
		}
		if h.kind == docArray && d.whole && depth > 0 && h.count > 0 {
			size, _, err := d.scanPack(src[i:], limit-depth)
			if err != nil {
				return 0, err
			}
			end, h.count = i+size, 0
		}
		n := docNode{kind: h.kind, start: i, end: end, keyStart: keyStart, keyEnd: keyEnd, oddKey: oddKey}
		if h.kind == docText {
			n.textStart, n.textEnd = i+h.header, end
		}
		keyStart, keyEnd, oddKey = 0, 0, false
		at := d.open(n, parent)
		i = end
		if h.count > 0 {
			if depth == limit {
				return 0, errPack
			}
			d.stack = append(d.stack, packFrame{left: h.count, key: h.kind == docObject, node: at})
			parent = at
			continue
		}
		for ; depth > 0; depth-- {
			f := &d.stack[depth-1]
			if f.left--; f.left > 0 {
				f.key = d.nodes[f.node].kind == docObject
				break
			}
			d.close(f.node, i)
			parent = d.nodes[f.node].parent
			d.stack = d.stack[:depth-1]
		}
		if depth == 0 {
			return i, nil
		}
	}
}

// packHead is what an object's first bytes say.
type packHead struct {
	kind            docKind
	header, payload int
	count           int64 // values in a container
}

// packHeader reads the head of the object at src[i:], and reports whether it,
// and its payload, is there.
func packHeader(src []byte, i int) (h packHead, ok bool) {
	if i >= len(src) {
		return h, false
	}
	b := src[i]
	size := func(n int) (int64, bool) { // of a length field of n bytes
		if i+1+n > len(src) {
			return 0, false
		}
		h.header = 1 + n
		switch f := src[i+1:]; n {
		case 1:
			return int64(f[0]), true
		case 2:
			return int64(binary.BigEndian.Uint16(f)), true
		}
		return int64(binary.BigEndian.Uint32(src[i+1:])), true
	}
	h.header = 1
	n := int64(0) // payload
	ok = true
	switch {
	case b < 0x80 || b >= 0xe0 || b == 0xc0 || b == 0xc2 || b == 0xc3:
	case b < 0x90:
		h.kind, h.count = docObject, int64(b&15)
	case b < 0xa0:
		h.kind, h.count = docArray, int64(b&15)
	case b < 0xc0:
		h.kind, n = docText, int64(b&31)
	case b >= 0xc4 && b <= 0xc6:
		n, ok = size(1 << (b - 0xc4))
	case b >= 0xc7 && b <= 0xc9:
		if n, ok = size(1 << (b - 0xc7)); ok {
			n++
		}
	case b == 0xca || b == 0xcb:
		n = 4 << (b - 0xca)
	case b >= 0xcc && b <= 0xcf:
		n = 1 << (b - 0xcc)
	case b >= 0xd0 && b <= 0xd3:
		n = 1 << (b - 0xd0)
	case b >= 0xd4 && b <= 0xd8:
		n = 1 + 1<<(b-0xd4)
	case b >= 0xd9 && b <= 0xdb:
		h.kind = docText
		n, ok = size(1 << (b - 0xd9))
	case b == 0xdc || b == 0xdd:
		h.kind = docArray
		h.count, ok = size(2 << (b - 0xdc))
	case b == 0xde || b == 0xdf:
		h.kind = docObject
		h.count, ok = size(2 << (b - 0xde))
	default: // 0xc1
		return h, false
	}
	if !ok || int64(len(src)-i-h.header) < n {
		return h, false
	}
	h.payload = int(n)
	return h, true
}

// appendPack writes the document again.
func (d *document) appendPack(dst []byte) []byte {
	for i := int32(0); int(i) < len(d.nodes); {
		n := &d.nodes[i]
		if n.fate == fateGone {
			i = n.next
			continue
		}
		dst = append(dst, d.key(n)...)
		switch {
		case n.fate == fateSecret:
			dst = jsonmsgpack.AppendString(dst, redactedText)
		case n.fate == fateRepair:
			dst = appendText(dst, string(d.src[n.textStart:n.textEnd]))
		case n.fate == fateCut && n.kind == docText:
			text := d.src[n.textStart:n.textEnd]
			dst = jsonmsgpack.AppendString(dst, text[:cutText(text, n.keep)])
		case n.fate == fateCut:
			text := d.arrayText(i)
			dst = jsonmsgpack.AppendString(dst, text[:cutText(text, n.keep)])
		case n.kind == docObject || n.kind == docArray && !(d.whole && i > 0):
			count := 0
			d.children(i, func(int32) { count++ })
			if i == 0 && d.truncated {
				count++
			}
			dst = appendContainer(dst, n.kind, count)
			i++
			continue
		default:
			dst = append(dst, d.src[n.start:n.end]...)
		}
		i = n.next
	}
	if d.truncated {
		dst = jsonmsgpack.AppendBool(jsonmsgpack.AppendString(dst, truncatedKey), true)
	}
	return dst
}

// appendContainer appends the smallest header of a container.
func appendContainer(dst []byte, kind docKind, n int) []byte {
	fix, long := byte(0x90), byte(0xdc)
	if kind == docObject {
		fix, long = 0x80, 0xde
	}
	switch {
	case n < 16:
		return append(dst, fix|byte(n))
	case n <= 0xffff:
		return append(dst, long, byte(n>>8), byte(n))
	}
	return binary.BigEndian.AppendUint32(append(dst, long+1), uint32(n))
}

// cutText returns how much of text, at most max bytes, can be kept without
// cutting a rune.
func cutText(text []byte, max int) int {
	if len(text) <= max {
		return len(text)
	}
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	return max
}

// arrayText is the JSON of an array, made once.
func (d *document) arrayText(i int32) []byte {
	text, ok := d.texts[i]
	if !ok {
		n := &d.nodes[i]
		text, _, _ = jsonmsgpack.AppendJSON(nil, d.src[n.start:n.end], jsonmsgpack.BadKeys(jsonmsgpack.Text))
		if d.texts == nil {
			d.texts = make(map[int32][]byte)
		}
		d.texts[i] = text
	}
	return text
}

// cleanPack makes b, which a value made of itself, a part of a record: its texts
// in UTF-8, and without secrets. It reports false if b is not exactly one
// object.
func (p *pair) cleanPack(b []byte) (out []byte, ok bool) {
	d := &p.doc
	n, clean, err := d.scanPack(b, maxPackDepth)
	if err != nil || n != len(b) {
		return nil, false
	}
	if clean && len(p.c.redacted.keys) == 0 {
		return b, true
	}
	defer d.release()
	if _, err := d.parsePack(b, maxPackDepth); err != nil {
		return nil, false
	}
	changed := false
	for i := range d.nodes {
		n := &d.nodes[i]
		if n.kind == docText && !utf8.Valid(b[n.textStart:n.textEnd]) {
			n.fate = fateRepair
			changed = true
		}
		if n.keyEnd > 0 && d.textKey(n) && !utf8.ValidString(d.packKey(n)) {
			return appendText(nil, p.c.profile.FailurePrefix+"an object with a key that is not UTF-8"), true
		}
	}
	if len(p.c.redacted.keys) > 0 && d.redact(p.secretPack) {
		changed = true
	}
	if changed {
		b = d.appendPack(make([]byte, 0, len(b)))
	}
	return b, true
}

func (d *document) textKey(n *docNode) bool {
	h, _ := packHeader(d.src, n.keyStart)
	return h.kind == docText
}

// packKey is the key of n; one that is no text is no text here either.
func (d *document) packKey(n *docNode) string {
	key := d.key(n)
	h, _ := packHeader(key, 0)
	if h.kind != docText {
		return "\xc1" + string(key)
	}
	return string(key[h.header:])
}

// textHeader is the length of the smallest header of a text of n bytes.
func textHeader(n int) int {
	switch {
	case n < 32:
		return 1
	case n <= 0xff:
		return 2
	case n <= 0xffff:
		return 3
	}
	return 5
}

// secretPack takes a key that is a bin for the text that some programs mean by
// it.
func (p *pair) secretPack(n *docNode) bool {
	key := p.doc.key(n)
	h, _ := packHeader(key, 0)
	if h.kind != docText && (key[0] < 0xc4 || key[0] > 0xc6) {
		return false
	}
	return p.c.redacted.find(string(key[h.header:])) != ""
}
