package main

import "encoding/binary"

// A kind is what an object is, whatever form it has on the wire.
type kind uint8

const (
	kindBad kind = iota // c1, which begins no object
	kindNil
	kindBool
	kindInt
	kindUint
	kindFloat
	kindStr
	kindBin
	kindExt
	kindArray
	kindMap
)

// An object is one MessagePack object, of a container its header only.
type object struct {
	kind kind
	typ  int8   // of an ext
	n    uint64 // elements of a container, the bits of a number as 64 of its kind
	data []byte // of str, bin and ext
	size int    // bytes of it
}

// forms gives the kind and the bytes of number or length for c0 to df.
var forms = [32]struct {
	kind  kind
	width uint8
}{
	{kindNil, 0}, {kindBad, 0}, {kindBool, 0}, {kindBool, 0},
	{kindBin, 1}, {kindBin, 2}, {kindBin, 4},
	{kindExt, 1}, {kindExt, 2}, {kindExt, 4},
	{kindFloat, 4}, {kindFloat, 8},
	{kindUint, 1}, {kindUint, 2}, {kindUint, 4}, {kindUint, 8},
	{kindInt, 1}, {kindInt, 2}, {kindInt, 4}, {kindInt, 8},
	{kindExt, 0}, {kindExt, 0}, {kindExt, 0}, {kindExt, 0}, {kindExt, 0},
	{kindStr, 1}, {kindStr, 2}, {kindStr, 4},
	{kindArray, 2}, {kindArray, 4}, {kindMap, 2}, {kindMap, 4},
}

// readObject reads the object at the beginning of src. If src does not hold
// it whole, ok is false and need how many bytes it has as far as src tells.
func readObject(src []byte) (o object, need uint64, ok bool) {
	if len(src) == 0 {
		return o, 1, false
	}
	b := src[0]
	o.size = 1
	length := uint64(0)
	switch {
	case b < 0x80:
		o.kind, o.n = kindUint, uint64(b)
	case b < 0x90:
		o.kind, o.n = kindMap, uint64(b&15)
	case b < 0xa0:
		o.kind, o.n = kindArray, uint64(b&15)
	case b < 0xc0:
		o.kind, length = kindStr, uint64(b&31)
	case b >= 0xe0:
		o.kind, o.n = kindInt, uint64(int8(b))
	default:
		form := forms[b-0xc0]
		o.kind = form.kind
		o.size += int(form.width)
		if len(src) < o.size {
			return o, uint64(o.size), false
		}
		v := uint64(0)
		for _, x := range src[1:o.size] {
			v = v<<8 | uint64(x)
		}
		o.n = v
		switch o.kind {
		case kindBool:
			o.n = uint64(b & 1)
		case kindInt:
			shift := 64 - 8*uint(form.width)
			o.n = uint64(int64(v<<shift) >> shift)
		case kindStr, kindBin:
			length = v
		case kindExt:
			if length = v; form.width == 0 {
				length = 1 << (b - 0xd4)
			}
			if len(src) <= o.size {
				return o, uint64(o.size) + 1 + length, false
			}
			o.typ = int8(src[o.size])
			o.size++
		}
	}
	if length > uint64(len(src)-o.size) {
		return o, uint64(o.size) + length, false
	}
	o.data = src[o.size : o.size+int(length)]
	o.size += int(length)
	return o, uint64(o.size), true
}

// isFloat32 says that a float's bits are those of 32.
func (o object) isFloat32() bool { return o.kind == kindFloat && o.size == 5 }

// maxDepth is how deep records may nest: as deep as AppendJSON goes.
const maxDepth = 10000

// A sizer finds where an object ends, and goes on where it stopped when more
// bytes of it are there. The zero value is ready for an object.
type sizer struct {
	at     int    // bytes that are done with
	need   uint64 // after sizeMore: bytes that the object has at least
	why    string // after sizeBad: what is wrong at at
	frames []frame
	begun  bool
	depth  int // how deep the object may nest, 0 for maxDepth
}

// A frame is an open container.
type frame struct {
	left  uint64 // objects to come, keys and values each counted
	isMap bool
}

type sizeState uint8

const (
	sizeMore sizeState = iota
	sizeWhole
	sizeBad
)

func (z *sizer) reset() { *z = sizer{frames: z.frames[:0], depth: z.depth} }

// next looks at src, all that is there of the object from its beginning.
func (z *sizer) next(src []byte) sizeState {
	for {
		for n := len(z.frames); n > 0 && z.frames[n-1].left == 0; n-- {
			z.frames = z.frames[:n-1]
		}
		if z.begun && len(z.frames) == 0 {
			return sizeWhole
		}
		o, need, ok := readObject(src[z.at:])
		if !ok {
			z.need = uint64(z.at) + need + z.open()
			return sizeMore
		}
		if o.kind == kindBad {
			z.why = "the byte c1, which begins no object"
			return sizeBad
		}
		z.begun = true
		container := o.kind == kindMap || o.kind == kindArray
		if n := len(z.frames); n > 0 {
			f := &z.frames[n-1]
			if container && f.isMap && f.left&1 == 0 {
				z.why = "a map or array in the place of a key"
				return sizeBad
			}
			f.left--
		}
		if container {
			if n := len(z.frames); n == maxDepth || n == z.depth && n > 0 {
				z.why = "nested too deep"
				return sizeBad
			}
			f := frame{left: o.n}
			if o.kind == kindMap {
				f = frame{left: 2 * o.n, isMap: true}
			}
			z.frames = append(z.frames, f)
		}
		z.at += o.size
	}
}

// open returns how many bytes the open containers need at least, apart from
// the object being read: one for each object to come.
func (z *sizer) open() uint64 {
	sum := uint64(0)
	for _, f := range z.frames {
		// Bounded, as no count is believed: 10000 times 2^33 is no overflow.
		sum += f.left
	}
	if sum > 0 {
		sum-- // the one being read
	}
	return sum
}

// eventTime returns the seconds and nanoseconds of an ext 0, the time of an
// entry of the Fluent Forward protocol.
func (o object) eventTime() (sec, nsec uint32, ok bool) {
	if o.kind != kindExt || o.typ != 0 || len(o.data) != 8 {
		return 0, 0, false
	}
	return binary.BigEndian.Uint32(o.data), binary.BigEndian.Uint32(o.data[4:]), true
}

// skip returns the length of the object at the beginning of src, which is
// known to be whole.
func skip(src []byte) int {
	o, _, _ := readObject(src)
	if o.kind != kindMap && o.kind != kindArray {
		return o.size
	}
	var z sizer
	z.next(src)
	return z.at
}
