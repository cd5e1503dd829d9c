package convert

import (
	"encoding/binary"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// The three algorithms of the published comparison, over the same tokenizer.

// appendScalar appends a token that is no container.
func appendScalar(dst []byte, t *token) []byte {
	switch t.kind {
	case 's':
		return jsonmsgpack.AppendString(dst, t.text)
	case 'i':
		return jsonmsgpack.AppendInt(dst, t.i)
	case 'u':
		return jsonmsgpack.AppendUint(dst, t.u)
	case 'f':
		return jsonmsgpack.AppendFloat64(dst, t.f)
	case 't', 'F':
		return jsonmsgpack.AppendBool(dst, t.kind == 't')
	}
	return jsonmsgpack.AppendNil(dst)
}

// appendHeader appends the smallest header for n elements.
func appendHeader(dst []byte, object bool, n int) []byte {
	fix, long := byte(0x90), byte(0xdc)
	if object {
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

// Tree builds the document as a tree and writes that.
type Tree struct{}

type treeNode struct {
	token
	children []treeNode // keys and values of an object in turn
}

// Append implements Converter.
func (Tree) Append(dst, src []byte) ([]byte, error) {
	t := tokenizer{src: src}
	root, err := t.tree()
	if err != nil {
		return dst, err
	}
	return root.append(dst), nil
}

func (t *tokenizer) tree() (n treeNode, err error) {
	if n.token, err = t.next(); err != nil {
		return n, err
	}
	switch n.kind {
	case '{', '[':
		for {
			c, err := t.tree()
			if err != nil {
				return n, err
			}
			if c.kind == '}' || c.kind == ']' {
				return n, nil
			}
			if c.kind == 0 {
				return n, errSyntax
			}
			n.children = append(n.children, c)
		}
	case 's':
		n.text = append([]byte(nil), n.text...)
	}
	return n, nil
}

func (n *treeNode) append(dst []byte) []byte {
	switch n.kind {
	case '{':
		dst = appendHeader(dst, true, len(n.children)/2)
	case '[':
		dst = appendHeader(dst, false, len(n.children))
	default:
		return appendScalar(dst, &n.token)
	}
	for i := range n.children {
		dst = n.children[i].append(dst)
	}
	return dst
}

// Nested writes each container to a buffer of its own, and that into its
// parent's when it is whole.
type Nested struct{}

// Append implements Converter.
func (Nested) Append(dst, src []byte) ([]byte, error) {
	t := tokenizer{src: src}
	tok, err := t.next()
	if err != nil {
		return dst, err
	}
	return t.nested(dst, tok)
}

func (t *tokenizer) nested(dst []byte, tok token) ([]byte, error) {
	if tok.kind != '{' && tok.kind != '[' {
		return appendScalar(dst, &tok), nil
	}
	var own []byte
	n := 0
	for {
		c, err := t.next()
		if err != nil {
			return dst, err
		}
		switch c.kind {
		case '}':
			return append(appendHeader(dst, true, n/2), own...), nil
		case ']':
			return append(appendHeader(dst, false, n), own...), nil
		case 0:
			return dst, errSyntax
		}
		if own, err = t.nested(own, c); err != nil {
			return dst, err
		}
		n++
	}
}

// TwoPass is the published offset patching: five bytes for every header, and a
// list of closed containers by which all are patched at the end.
type TwoPass struct{}

type patch struct {
	pos, n int
	object bool
}

// Append implements Converter.
func (TwoPass) Append(dst, src []byte) ([]byte, error) {
	t := tokenizer{src: src}
	var open []*patch
	var closed []*patch
	for {
		tok, err := t.next()
		if err != nil {
			return dst, err
		}
		switch tok.kind {
		case 0:
			for _, p := range closed {
				n := p.n
				if dst[p.pos] = 0xdd; p.object {
					dst[p.pos], n = 0xdf, n/2
				}
				binary.BigEndian.PutUint32(dst[p.pos+1:], uint32(n))
			}
			return dst, nil
		case '{', '[':
			if len(open) > 0 {
				open[len(open)-1].n++
			}
			open = append(open, &patch{pos: len(dst), object: tok.kind == '{'})
			dst = append(dst, 0, 0, 0, 0, 0)
		case '}', ']':
			if len(open) == 0 {
				return dst, errSyntax
			}
			closed = append(closed, open[len(open)-1])
			open = open[:len(open)-1]
		default:
			if len(open) > 0 {
				open[len(open)-1].n++
			}
			dst = appendScalar(dst, &tok)
		}
	}
}
