package jsonmsgpack

import (
	"errors"
	"time"
)

// A Packer appends MessagePack to a buffer, objects of known values and
// containers whose counts nobody has to know beforehand: EndMap and EndArray
// patch them, and Bytes widens those that outgrew their one byte, so that all
// headers are minimal. In a map, keys and values are packed in turn.
//
// The zero value is ready. A Packer may be copied only while it is empty, and
// is not safe for concurrent use. In the long run its methods allocate
// nothing; Reset keeps what the Packer has learned.
//
// Mistakes (an End without its Begin, a key without a value, a string over
// 2^32-1 bytes) are kept and returned by Bytes.
type Packer struct {
	buf   []byte
	nodes []node // containers open or outgrown, in the order of their offsets
	n     int64  // objects in the innermost open container
	top   int32  // index+1 in nodes of the innermost open container
	depth int32
	base  int // where this Packer's part of buf begins
	wide  bool
	err   error
}

var (
	errEnd = errors.New("jsonmsgpack: Packer: End without its Begin")
	errOdd = errors.New("jsonmsgpack: Packer: map with a key without a value")
)

// NewPacker returns an empty Packer. Of the options Wide has a meaning here.
func NewPacker(opts ...Option) *Packer {
	return &Packer{wide: newConfig(opts).wide}
}

// Reset forgets everything packed and every mistake, and packs behind
// buf[:len(buf)] from now on, whose bytes are not touched. The Packer owns
// buf's spare room until Bytes or the next Reset.
func (p *Packer) Reset(buf []byte) {
	p.buf, p.base = buf, len(buf)
	p.nodes = p.nodes[:0]
	p.n, p.top, p.depth = 0, 0, 0
	p.err = nil
}

// Bytes settles all headers and returns the buffer: what Reset was given and
// all that was packed since. It stays the Packer's, which may pack more,
// until Reset. If a mistake was made, Bytes returns what Reset was given and
// the mistake; with containers left open, an error that is ErrUnfinished, and
// the Packer is as it was: close them and ask again.
func (p *Packer) Bytes() ([]byte, error) {
	if p.err != nil {
		return p.buf[:p.base], p.err
	}
	if p.top != 0 {
		return p.buf[:p.base], errOpen
	}
	if len(p.nodes) > 0 {
		p.buf = sweep(p.buf, p.nodes)
		p.nodes = p.nodes[:0]
	}
	return p.buf, nil
}

// BeginMap opens a map. Its keys and values follow in turn.
func (p *Packer) BeginMap() { p.begin(kindMap) }

// EndMap closes the map that is open.
func (p *Packer) EndMap() { p.end(kindMap) }

// BeginArray opens an array. Its elements follow.
func (p *Packer) BeginArray() { p.begin(kindArray) }

// EndArray closes the array that is open.
func (p *Packer) EndArray() { p.end(kindArray) }

func (p *Packer) begin(k kind) {
	if p.top != 0 {
		p.nodes[p.top-1].n = p.n + 1
	}
	at := len(p.buf)
	if len(p.nodes) == cap(p.nodes) || cap(p.buf)-at < room {
		p.nodes, p.buf = grow(p.nodes, 1), grow(p.buf, room)
	}
	p.nodes = p.nodes[:len(p.nodes)+1]
	nd := &p.nodes[len(p.nodes)-1]
	nd.pos, nd.parent, nd.kind, nd.state = int64(at), p.top, k, nodeOpen
	p.top = int32(len(p.nodes))
	p.depth++
	p.n = 0
	if p.wide {
		at += 4
	}
	p.buf = p.buf[:at+1]
}

func (p *Packer) end(k kind) {
	if p.top == 0 || p.nodes[p.top-1].kind != k {
		p.fail(errEnd)
		return
	}
	nd := &p.nodes[p.top-1]
	n := p.n
	if k == kindMap {
		if n&1 != 0 {
			p.fail(errOdd)
		}
		n /= 2
	}
	switch {
	case n <= 15 && !p.wide:
		if p.buf[nd.pos] = fixArray | byte(n); k == kindMap {
			p.buf[nd.pos] = fixMap | byte(n)
		}
		nd.state = nodeSettled
	case n > maxLen:
		p.fail(errCount)
	case p.wide:
		putHeader(p.buf[nd.pos:], k, n, 5)
		nd.state = nodeSettled
	default:
		nd.n, nd.state = n, nodeGrown
	}
	parent := nd.parent
	// A settled container is of no further interest, but only the last can
	// leave the list without moving others.
	if nd.state == nodeSettled && int(p.top) == len(p.nodes) {
		p.nodes = p.nodes[:p.top-1]
	}
	p.top = parent
	p.depth--
	if p.n = 0; parent != 0 {
		p.n = p.nodes[parent-1].n
	}
}

// fail keeps the first mistake.
func (p *Packer) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// long keeps ErrTooLarge for n bytes that the format cannot name, and reports
// whether it did. What is packed then is of no matter, Bytes never returns it.
func (p *Packer) long(n int) bool {
	if uint64(n) > maxLen {
		p.fail(errLength)
		return true
	}
	return false
}

// Nil packs nil.
func (p *Packer) Nil() { p.buf = append(p.buf, wireNil); p.n++ }

// Bool packs v.
func (p *Packer) Bool(v bool) { p.buf = AppendBool(p.buf, v); p.n++ }

// Int packs v in the smallest integer form that holds it.
func (p *Packer) Int(v int64) {
	p.n++
	if n := len(p.buf); uint64(v)+32 < 160 && n < cap(p.buf) {
		p.buf = p.buf[:n+1]
		p.buf[n] = byte(v)
		return
	}
	p.buf = AppendInt(p.buf, v)
}

// Uint packs v in the smallest unsigned form that holds it.
func (p *Packer) Uint(v uint64) { p.buf = AppendUint(p.buf, v); p.n++ }

// Float64 packs v as float64, never as an integer.
func (p *Packer) Float64(v float64) { p.buf = AppendFloat64(p.buf, v); p.n++ }

// Float32 packs v as float32.
func (p *Packer) Float32(v float32) { p.buf = AppendFloat32(p.buf, v); p.n++ }

// String packs s as str. It should be UTF-8; that is not checked.
func (p *Packer) String(s string) {
	p.n++
	// To slice p.buf anew stores a length, to append to it also a pointer,
	// with a write barrier: for short strings that is most of the work.
	if n := len(p.buf); len(s) < 32 && cap(p.buf)-n > 32 {
		p.buf = p.buf[:n+1+len(s)]
		p.buf[n] = fixStr | byte(len(s))
		copy(p.buf[n+1:], s)
		return
	}
	if !p.long(len(s)) {
		p.buf = AppendString(p.buf, s)
	}
}

// StringBytes packs s as str. It should be UTF-8; that is not checked.
func (p *Packer) StringBytes(s []byte) {
	if !p.long(len(s)) {
		p.buf = AppendString(p.buf, s)
	}
	p.n++
}

// Binary packs b as bin.
func (p *Packer) Binary(b []byte) {
	if !p.long(len(b)) {
		p.buf = AppendBinary(p.buf, b)
	}
	p.n++
}

// Time packs t as the specification's timestamp, as AppendTime does.
func (p *Packer) Time(t time.Time) { p.buf = AppendTime(p.buf, t); p.n++ }

// EventTime packs t as Fluentd's EventTime, as AppendEventTime does.
func (p *Packer) EventTime(t time.Time) { p.buf = AppendEventTime(p.buf, t); p.n++ }

// Ext packs data as an extension object of type typ.
func (p *Packer) Ext(typ int8, data []byte) {
	if !p.long(len(data)) {
		p.buf = AppendExt(p.buf, typ, data)
	}
	p.n++
}

// Raw packs one ready MessagePack object. It is not checked.
func (p *Packer) Raw(msgpack []byte) { p.buf = append(p.buf, msgpack...); p.n++ }

// JSON packs one JSON value, converted as Append does it with opts. On an
// error, which is Append's, nothing is packed and the Packer goes on as if
// JSON had not been called.
func (p *Packer) JSON(src []byte, opts ...Option) error {
	buf, err := Append(p.buf, src, opts...)
	if err != nil {
		return err
	}
	p.buf = buf
	p.n++
	return nil
}
