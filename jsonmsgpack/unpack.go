package jsonmsgpack

import (
	"encoding/base64"
	"encoding/binary"
	"io"
	"math"
	"time"

	"github.com/slogpack/slogpack/internal/jsonwire"
)

// An unpacker writes MessagePack as JSON. Like run it is iterative, and goes
// on in another src where the last one ended.
type unpacker struct {
	cfg      config
	frames   []unpackFrame
	need     int // bytes that the object at the stop takes, as far as known
	replaced int64
	bad      SyntaxError
	inner    *unpacker // for keys that are containers
	scratch  []byte
}

// An unpackFrame is an open container. Memory grows with the depth, never
// with the counts that the input claims.
type unpackFrame struct {
	left  uint64 // objects still to come, keys and values each counted
	isMap bool
	begun bool
}

// An object is one MessagePack object without what a container holds.
type object struct {
	head byte   // one byte for each format: fixint, fixstr and so on are folded
	num  uint64 // its bits, or the number of objects a container holds
	data []byte // of str, bin and ext
	typ  int8   // of ext
}

// Folded first bytes, of which the formats themselves make no use here.
const (
	objInt = i64
	objStr = str32
	objBin = bin32
	objExt = ext32
	objArr = array32
	objMap = map32
)

// read takes the object at src[i] apart. It returns the index behind it. When
// src ends before that, it notes in u.need how long the object is as far as
// it tells.
func (u *unpacker) read(src []byte, i int) (ob object, next int, st status) {
	b := src[i]
	width := int(widths[b]) // of what follows the first byte, without data
	u.need = 1 + width
	if len(src)-i <= width {
		return ob, i, statMore
	}
	var v uint64
	for _, x := range src[i+1 : i+1+width] {
		v = v<<8 | uint64(x)
	}
	next = i + 1 + width
	ob = object{head: b, num: v}
	size := uint64(0)
	switch {
	case b < fixMap:
		ob.head, ob.num = u64, uint64(b)
	case b >= 0xe0:
		ob.head, ob.num = objInt, uint64(int8(b))
	case b < fixArray:
		ob.head, ob.num = objMap, uint64(b&15)
	case b < fixStr:
		ob.head, ob.num = objArr, uint64(b&15)
	case b < wireNil:
		ob.head, size = objStr, uint64(b&31)
	}
	switch b {
	case wireNone:
		u.bad = SyntaxError{Offset: int64(i), Expected: "a first byte other than c1", Err: errFormat}
		return ob, i, statBad
	case u8, u16, u32:
		ob.head = u64
	case i8:
		ob.head, ob.num = objInt, uint64(int8(v))
	case i16:
		ob.head, ob.num = objInt, uint64(int16(v))
	case i32:
		ob.head, ob.num = objInt, uint64(int32(v))
	case str8, str16, str32:
		ob.head, size = objStr, v
	case bin8, bin16, bin32:
		ob.head, size = objBin, v
	case array16:
		ob.head = objArr
	case map16:
		ob.head = objMap
	case fixExt1, fixExt2, fixExt4, fixExt8, fixExt16:
		ob.head, ob.typ, size = objExt, int8(v), 1<<(b-fixExt1)
	case ext8, ext16, ext32:
		// The type is the last byte of what was read as one number.
		ob.head, ob.typ, size = objExt, int8(v), v>>8
	}
	if size > uint64(len(src)-next) {
		// At most 4 GiB and a header, which 32-bit machines cannot count.
		u.need = int(min(uint64(next-i)+size, math.MaxInt))
		return ob, i, statMore
	}
	ob.data = src[next : next+int(size)]
	return ob, next + int(size), statDone
}

// widths is how many bytes of length, type or value follow a first byte.
var widths = [256]uint8{
	bin8: 1, bin16: 2, bin32: 4, ext8: 2, ext16: 3, ext32: 5, f32: 4, f64: 8,
	u8: 1, u16: 2, u32: 4, u64: 8, i8: 1, i16: 2, i32: 4, i64: 8,
	fixExt1: 1, fixExt2: 1, fixExt4: 1, fixExt8: 1, fixExt16: 1,
	str8: 1, str16: 2, str32: 4, array16: 2, array32: 4, map16: 2, map32: 4,
}

func (u *unpacker) reset() { u.frames = u.frames[:0] }

// run appends the JSON of the rest of one top-level object, from src[i:], to
// dst. It returns where it stopped: behind the object, or at the first byte
// of one inside of it that src does not hold whole.
func (u *unpacker) run(dst, src []byte, i int) ([]byte, int, status) {
	for {
		mark := len(dst)
		key := false
		if n := len(u.frames); n > 0 {
			f := &u.frames[n-1]
			if f.left == 0 {
				if f.isMap {
					dst = append(dst, '}')
				} else {
					dst = append(dst, ']')
				}
				u.frames = u.frames[:n-1]
				if n == 1 {
					return dst, i, statDone
				}
				continue
			}
			key = f.isMap && f.left&1 == 0
			if f.isMap && !key {
				dst = append(dst, ':')
			} else if f.begun {
				dst = append(dst, ',')
			}
		}
		if i >= len(src) {
			u.need = 1
			return u.stop(dst[:mark], src, i)
		}
		ob, next, st := u.read(src, i)
		if st == statDone && key {
			dst, next, st = u.key(dst, src, i, ob, next)
		} else if st == statDone {
			dst, st = u.value(dst, i, ob)
		}
		if st == statMore {
			return u.stop(dst[:mark], src, i)
		}
		if st == statBad {
			return dst[:mark], i, st
		}
		i = next
		if n := len(u.frames); n > 0 {
			// A container that value just opened counts in the one around.
			f := &u.frames[n-1]
			if !key && (ob.head == objArr || ob.head == objMap) {
				if f = nil; n > 1 {
					f = &u.frames[n-2]
				}
			}
			if f != nil {
				f.left--
				f.begun = true
			}
		}
		if len(u.frames) == 0 {
			return dst, i, statDone
		}
	}
}

// stop notes that src ends too early, in case nothing follows.
func (u *unpacker) stop(dst, src []byte, i int) ([]byte, int, status) {
	u.bad = SyntaxError{Offset: int64(len(src)), Err: io.ErrUnexpectedEOF}
	return dst, i, statMore
}

func (u *unpacker) fail(off int, expected string, err error) status {
	u.bad = SyntaxError{Offset: int64(off), Expected: expected, Err: err}
	return statBad
}

// value appends ob, found at offset off. Of a container it appends the
// bracket and opens it.
func (u *unpacker) value(dst []byte, off int, ob object) ([]byte, status) {
	switch ob.head {
	case wireNil:
		return append(dst, "null"...), statDone
	case wireF:
		return append(dst, "false"...), statDone
	case wireT:
		return append(dst, "true"...), statDone
	case u64:
		return jsonwire.AppendUint(dst, ob.num), statDone
	case objInt:
		return jsonwire.AppendInt(dst, int64(ob.num)), statDone
	case f64:
		return u.float(dst, off, math.Float64frombits(ob.num), 64)
	case f32:
		return u.float(dst, off, float64(math.Float32frombits(uint32(ob.num))), 32)
	case objStr:
		return u.str(dst, off, ob.data)
	case objBin:
		dst = base64.StdEncoding.AppendEncode(append(dst, '"'), ob.data)
		return append(dst, '"'), statDone
	case objExt:
		return u.ext(dst, ob), statDone
	}
	if len(u.frames) >= u.cfg.maxDepth {
		return dst, u.fail(off, "", ErrDepth)
	}
	if ob.head == objMap {
		u.frames = append(u.frames, unpackFrame{left: 2 * ob.num, isMap: true})
		return append(dst, '{'), statDone
	}
	u.frames = append(u.frames, unpackFrame{left: ob.num})
	return append(dst, '['), statDone
}

// str appends s as a JSON string.
func (u *unpacker) str(dst []byte, off int, s []byte) ([]byte, status) {
	if bad := invalidUTF8(s); bad >= 0 {
		if u.cfg.utf8 == Fail {
			return dst, u.fail(off, "", errUTF8)
		}
		u.replaced += int64(countInvalid(s[bad:]))
	}
	return jsonwire.AppendString(dst, s, jsonwire.JSON), statDone
}

// float appends f so that it reads as a float again: with a point or an
// exponent.
func (u *unpacker) float(dst []byte, off int, f float64, size int) ([]byte, status) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		switch u.cfg.nonFinite {
		case Null:
			return append(dst, "null"...), statDone
		case Text:
			return append(append(append(dst, '"'), nonFiniteText(f)...), '"'), statDone
		}
		return dst, u.fail(off, "a finite number", errNonFinite)
	}
	n := len(dst)
	dst = jsonwire.AppendFloat(dst, f, size)
	for _, ch := range dst[n:] {
		if ch == '.' || ch == 'e' {
			return dst, statDone
		}
	}
	return append(dst, ".0"...), statDone
}

func nonFiniteText(f float64) string {
	switch {
	case f > 0:
		return "Infinity"
	case f < 0:
		return "-Infinity"
	}
	return "NaN"
}

// ext appends a timestamp as text in the form of RFC 3339, anything else, and
// a timestamp that this form cannot hold, with its type and its bytes.
func (u *unpacker) ext(dst []byte, ob object) []byte {
	if t, ok := timestamp(ob); ok {
		return append(jsonwire.AppendTime(append(dst, '"'), t, -1), '"')
	}
	dst = jsonwire.AppendInt(append(dst, `{"type":`...), int64(ob.typ))
	dst = base64.StdEncoding.AppendEncode(append(dst, `,"data":"`...), ob.data)
	return append(dst, `"}`...)
}

// timestamp returns the time that ob is, if it is one of the years 0 to 9999.
func timestamp(ob object) (time.Time, bool) {
	if ob.typ != extTimestamp {
		return time.Time{}, false
	}
	var sec int64
	var nsec uint32
	switch d := ob.data; len(d) {
	case 4:
		sec = int64(binary.BigEndian.Uint32(d))
	case 8:
		v := binary.BigEndian.Uint64(d)
		sec, nsec = int64(v&(1<<34-1)), uint32(v>>34)
	case 12:
		nsec, sec = binary.BigEndian.Uint32(d), int64(binary.BigEndian.Uint64(d[4:]))
	default:
		return time.Time{}, false
	}
	if nsec > 999999999 || sec < -62167219200 || sec > 253402300799 {
		return time.Time{}, false
	}
	return time.Unix(sec, int64(nsec)).UTC(), true
}
