package handler

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/slogpack/slogpack/internal/jsonwire"
)

// parseJSON takes apart src, which is one valid JSON value.
func (d *document) parseJSON(src []byte) {
	d.src, d.nodes, d.packed = src, d.nodes[:0], false
	parent := int32(-1)
	keyStart, keyEnd := 0, 0
	for i := 0; i < len(src); {
		switch c := src[i]; c {
		case ' ', '\t', '\n', '\r', ',', ':':
			i++
			continue
		case '}', ']':
			i++
			d.close(parent, i)
			parent = d.nodes[parent].parent
			continue
		}
		if parent >= 0 && d.nodes[parent].kind == docObject && keyEnd == 0 {
			keyStart, keyEnd = i, stringEnd(src, i)
			i = keyEnd
			continue
		}
		n := docNode{start: i, keyStart: keyStart, keyEnd: keyEnd}
		n.oddKey = bytes.IndexByte(src[keyStart:keyEnd], '\\') >= 0
		keyStart, keyEnd = 0, 0
		switch src[i] {
		case '{':
			n.kind = docObject
		case '[':
			n.kind = docArray
			if d.whole && parent >= 0 {
				n.end = valueEnd(src, i)
				i = n.end
				d.open(n, parent)
				continue
			}
		case '"':
			n.kind, n.end = docText, stringEnd(src, i)
			n.textStart, n.textEnd = i+1, n.end-1
		default:
			n.end = i
			for n.end < len(src) && !endsLiteral(src[n.end]) {
				n.end++
			}
		}
		at := d.open(n, parent)
		if n.kind == docObject || n.kind == docArray {
			parent = at
			i++
		} else {
			i = n.end
		}
	}
}

func endsLiteral(c byte) bool {
	return c == ',' || c == '}' || c == ']' || c <= ' '
}

// stringEnd returns the index behind the string that begins at i.
func stringEnd(src []byte, i int) int {
	for i++; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(src)
}

// appendJSON writes the document again.
func (d *document) appendJSON(dst []byte, dialect jsonwire.Dialect) []byte {
	i := int32(0)
	parent := int32(-1)
	for {
		// Containers end where their last node does.
		for parent >= 0 && i >= d.nodes[parent].next {
			if parent == 0 && d.truncated {
				dst = append(dst, `"`+truncatedKey+`":true,`...)
			}
			closing := byte('}')
			if d.nodes[parent].kind == docArray {
				closing = ']'
			}
			if last := len(dst) - 1; dst[last] == ',' {
				dst[last] = closing
			} else {
				dst = append(dst, closing)
			}
			dst = append(dst, ',')
			parent = d.nodes[parent].parent
		}
		if int(i) >= len(d.nodes) {
			return dst[:len(dst)-1] // without the comma
		}
		n := &d.nodes[i]
		if n.fate == fateGone {
			i = n.next
			continue
		}
		if n.keyEnd > 0 {
			dst = append(append(dst, d.key(n)...), ':')
		}
		switch {
		case n.fate == fateSecret:
			dst = append(dst, `"`+redactedText+`"`...)
		case n.fate == fateCut && n.kind == docText:
			text := d.src[n.textStart:n.textEnd]
			dst = append(append(append(dst, '"'), text[:cutJSON(text, n.keep)]...), '"')
		case n.fate == fateCut:
			mark := len(dst) + 1
			// Escapes make nothing shorter, so that the rest is not needed; a
			// rune that is cut here is cut away below.
			end := min(n.end, n.start+n.keep+utf8.UTFMax)
			dst = jsonwire.AppendEscaped(append(dst, '"'), d.src[n.start:end], dialect)
			dst = append(dst[:mark+cutJSON(dst[mark:], n.keep)], '"')
		case n.kind == docObject:
			dst, parent = append(dst, '{'), i
			i++
			continue
		case n.kind == docArray && !(d.whole && i > 0):
			dst, parent = append(dst, '['), i
			i++
			continue
		default:
			dst = append(dst, d.src[n.start:n.end]...)
		}
		dst = append(dst, ',')
		i = n.next
	}
}

// cutJSON returns how much of the inside of a string, at most max bytes, can
// be kept without cutting a rune or an escape.
func cutJSON(text []byte, max int) int {
	if len(text) <= max {
		return len(text)
	}
	i := 0
	for i < max {
		n := 1
		switch c := text[i]; {
		case c == '\\' && text[i+1] == 'u':
			n = 6
			// The halves of a surrogate pair belong together.
			if surrogate(text[i:], '8', 'b') && surrogate(text[i+6:], 'c', 'f') {
				n = 12
			}
		case c == '\\':
			n = 2
		case c >= utf8.RuneSelf:
			_, n = utf8.DecodeRune(text[i:])
		}
		if i+n > max {
			break
		}
		i += n
	}
	return i
}

// surrogate reports whether text begins with the escape of a surrogate whose
// second digit is within first and last.
func surrogate(text []byte, first, last byte) bool {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' || text[2]|0x20 != 'd' {
		return false
	}
	digit := text[3] | 0x20 // lower case
	return first <= digit && digit <= last
}

// redactJSON redacts the JSON value in dst[mark:].
func (p *pair) redactJSON(dst []byte, mark int) []byte {
	p.doc.parseJSON(dst[mark:])
	if p.doc.redact(p.secretJSON) {
		b := p.doc.appendJSON(make([]byte, 0, len(dst)-mark), p.c.dialect)
		dst = append(dst[:mark], b...)
	}
	p.doc.release()
	return dst
}

// jsonKey is the key of n without its quotes and escapes.
func (d *document) jsonKey(n *docNode) string {
	key := d.src[n.keyStart+1 : n.keyEnd-1]
	if n.oddKey {
		var s string
		_ = json.Unmarshal(d.key(n), &s) // it is valid
		return s
	}
	return string(key)
}

func (p *pair) secretJSON(n *docNode) bool {
	return p.c.redacted.find(p.doc.jsonKey(n)) != ""
}
