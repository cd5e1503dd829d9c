package handler

import "unicode/utf8"

// Looking at what is not to be taken apart: a node takes many times the memory
// of a small value.

// scanFrame is a container that scanPack is in.
type scanFrame struct {
	left   int64 // objects to come, keys and values each counted
	object bool
}

// scanPack returns the length of the object that src begins with, and whether
// its texts are UTF-8. It accepts what parsePack accepts; containers may nest
// limit deep.
func (d *document) scanPack(src []byte, limit int) (n int, clean bool, err error) {
	d.scan = d.scan[:0]
	clean = true
	for i := 0; ; {
		h, ok := packHeader(src, i)
		if !ok {
			return 0, false, errPack
		}
		end := i + h.header + h.payload
		depth := len(d.scan)
		key := depth > 0 && d.scan[depth-1].object && d.scan[depth-1].left&1 == 0
		if key && (h.kind == docObject || h.kind == docArray) {
			return 0, false, errPack
		}
		if h.kind == docText && clean {
			clean = utf8.Valid(src[end-h.payload : end])
		}
		i = end
		if h.count > 0 {
			if depth == limit {
				return 0, false, errPack
			}
			f := scanFrame{left: h.count, object: h.kind == docObject}
			if f.object {
				f.left *= 2
			}
			d.scan = append(d.scan, f)
			continue
		}
		for ; depth > 0; depth-- {
			if d.scan[depth-1].left--; d.scan[depth-1].left > 0 {
				break
			}
			d.scan = d.scan[:depth-1]
		}
		if depth == 0 {
			return i, clean, nil
		}
	}
}

// valueEnd returns the index behind the JSON container that begins at i, whose
// JSON is valid.
func valueEnd(src []byte, i int) int {
	depth := 0
	for i < len(src) {
		switch src[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			i = stringEnd(src, i)
			continue
		}
		i++
	}
	return i
}
