package jsonmsgpack

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A tree is a document to be written in several ways.
type tree struct {
	kind  kind
	elems []*tree // nil for a scalar; of a map only the values
}

// randomTree has containers of all sizes around the borders of headers.
func randomTree(r *rand.Rand, depth int, budget *int) *tree {
	*budget--
	if depth == 0 || *budget <= 0 || r.IntN(4) == 0 {
		return &tree{}
	}
	n := r.IntN(5)
	switch r.IntN(8) {
	case 0:
		n = 14 + r.IntN(4)
	case 1:
		n = r.IntN(40)
	}
	t := &tree{kind: kind(r.IntN(2)), elems: []*tree{}}
	for range n {
		t.elems = append(t.elems, randomTree(r, depth-1, budget))
	}
	return t
}

func (t *tree) json(b *strings.Builder) {
	switch {
	case t.elems == nil:
		b.WriteString("7")
		return
	case t.kind == kindMap:
		b.WriteString("{")
	default:
		b.WriteString("[")
	}
	for i, e := range t.elems {
		if i > 0 {
			b.WriteString(",")
		}
		if t.kind == kindMap {
			fmt.Fprintf(b, `"%d":`, i)
		}
		e.json(b)
	}
	if t.kind == kindMap {
		b.WriteString("}")
	} else {
		b.WriteString("]")
	}
}

// reference writes the tree with every container in a buffer of its own, so
// that its count is known: the slow way that cannot be wrong. With wide,
// headers have five bytes.
func (t *tree) reference(wide bool) []byte {
	if t.elems == nil {
		return []byte{7}
	}
	w := headerLen(int64(len(t.elems)))
	if wide {
		w = 5
	}
	out := make([]byte, w)
	putHeader(out, t.kind, int64(len(t.elems)), w)
	for i, e := range t.elems {
		if t.kind == kindMap {
			out = AppendString(out, fmt.Sprint(i))
		}
		out = append(out, e.reference(wide)...)
	}
	return out
}

func (t *tree) pack(p *Packer) {
	switch {
	case t.elems == nil:
		p.Int(7)
		return
	case t.kind == kindMap:
		p.BeginMap()
	default:
		p.BeginArray()
	}
	for i, e := range t.elems {
		if t.kind == kindMap {
			p.String(fmt.Sprint(i))
		}
		e.pack(p)
	}
	if t.kind == kindMap {
		p.EndMap()
	} else {
		p.EndArray()
	}
}

// TestStrategies: patched headers, by the converter and by the Packer, are
// byte for byte those of buffers in buffers, minimal and wide.
func TestStrategies(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	narrow, wide := NewConverter(), NewConverter(Wide())
	p, pw := NewPacker(), NewPacker(Wide())
	for range 2000 {
		budget := r.IntN(400)
		tr := randomTree(r, 1+r.IntN(12), &budget)
		var b strings.Builder
		tr.json(&b)
		for _, c := range []struct {
			conv   *Converter
			packer *Packer
			wide   bool
		}{{narrow, p, false}, {wide, pw, true}} {
			want := tr.reference(c.wide)
			got, err := c.conv.Append([]byte("x"), []byte(b.String()))
			if err != nil || !bytes.Equal(got[1:], want) {
				t.Fatalf("wide %v: %s\n%x, want\n%x, %v", c.wide, b.String(), got[1:], want, err)
			}
			c.packer.Reset([]byte("x"))
			tr.pack(c.packer)
			got, err = c.packer.Bytes()
			if err != nil || !bytes.Equal(got[1:], want) {
				t.Fatalf("Packer, wide %v: %s\n%x, want\n%x, %v", c.wide, b.String(), got[1:], want, err)
			}
		}
	}
}

func TestHeaderBorders(t *testing.T) {
	for _, n := range []int{0, 1, 15, 16, 17, 255, 256, 65535, 65536, 65537} {
		head := make([]byte, headerLen(int64(n)))
		putHeader(head, kindArray, int64(n), len(head))
		out, err := Append(nil, []byte("["+strings.TrimSuffix(strings.Repeat("1,", n), ",")+"]"))
		if err != nil || string(out) != string(head)+strings.Repeat("\x01", n) {
			t.Errorf("array of %d: %x…, %v", n, out[:min(9, len(out))], err)
		}
		putHeader(head, kindMap, int64(n), len(head))
		out, err = Append(nil, []byte("{"+strings.TrimSuffix(strings.Repeat(`"":1,`, n), ",")+"}"))
		if err != nil || string(out) != string(head)+strings.Repeat("\xa0\x01", n) {
			t.Errorf("map of %d: %x…, %v", n, out[:min(9, len(out))], err)
		}
	}
	// What the format cannot name is refused when it closes.
	c := NewConverter()
	c.nodes = append(c.nodes, node{})
	if _, ok := c.settle(nil, 1, maxLen+1); ok || c.bad.Err != ErrTooLarge {
		t.Errorf("2^32 elements: %v", c.bad.Err)
	}
}

// sixteen is an array that outgrows its byte, n times nested in small ones.
func sixteen(n int) string {
	return strings.Repeat("[", n) + "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]" + strings.Repeat("]", n)
}

// TestListStaysSmall: small containers around large ones stay in the list for
// a while, but never outnumber those that must be in it by much.
func TestListStaysSmall(t *testing.T) {
	c := NewConverter()
	var b strings.Builder
	b.WriteString("[0")
	for range 2000 {
		b.WriteString("," + sixteen(40))
	}
	b.WriteString("]")
	out, err := c.Append(nil, []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	one := strings.Repeat("\x91", 40) + "\xdc\x00\x10\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10"
	if want := "\xdc\x07\xd1\x00" + strings.Repeat(one, 2000); string(out) != want {
		t.Fatal("wrong output")
	}
	if cap(c.nodes) > 16000 {
		t.Errorf("list of %d for 2000 large containers among 80000 small ones", cap(c.nodes))
	}
}

// TestDeepIsLinear: the bytes that the sweep moves are at most those of the
// output, however deep it nests. Moved at each close instead, a string under
// n large containers would be moved n times.
func TestDeepIsLinear(t *testing.T) {
	const depth = 1000
	text := strings.Repeat("x", 1<<20)
	src := strings.Repeat("[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,", depth) + `"` + text + `"` + strings.Repeat("]", depth)
	c := NewConverter()
	c.reset()
	out, _, st := c.run(nil, []byte(src), 0, true)
	if st != statDone || len(c.nodes) != depth {
		t.Fatalf("%d, %d containers to widen", st, len(c.nodes))
	}
	// Every segment ends where the one behind it begins: no byte is in two.
	moved, end := 0, len(out)
	for i := len(c.nodes) - 1; i >= 0; i-- {
		moved += end - int(c.nodes[i].pos) - 1
		end = int(c.nodes[i].pos)
	}
	if moved > len(out) {
		t.Errorf("%d bytes moved of %d", moved, len(out))
	}
	out = c.finish(out)
	if want := len(text) + 5 + depth*(15+3); len(out) != want {
		t.Errorf("%d bytes, want %d", len(out), want)
	}

	// Memory: as much as for flat data of the same size, within a factor.
	flat := "[" + strings.Repeat("[],", 5000) + "[]]"
	deep := strings.Repeat("[", 7500) + strings.Repeat("]", 7500)
	for _, s := range []string{flat, deep} {
		c := NewConverter()
		if _, err := c.Append(nil, []byte(s)); err != nil {
			t.Fatal(err)
		}
		if cap(c.nodes) > len(s) {
			t.Errorf("%d nodes for %d bytes", cap(c.nodes), len(s))
		}
	}
}
