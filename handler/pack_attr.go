package handler

import (
	"encoding/binary"
	"log/slog"
	"math"
	"math/bits"
	"slices"
	"unicode/utf8"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// Attrs, written in place: p.out is where the record is, of which n bytes are
// written. Most attrs are small. Where there is room for such a one no store has
// to ask for it, and what goes from call to call is a number in place of a slice,
// whose pointer would have to be stored under the collector's eyes.

const (
	// attrRoom is room for a key and a value up to shortText bytes each, and what
	// is written behind them.
	attrRoom = 64 + textRoom
	textRoom = 48
)

// packAttrs appends the attrs of r, none of which needs a look.
func (p *pair) packAttrs(dst []byte, r *slog.Record, as *[]slog.Attr) []byte {
	p.out = dst
	n := len(dst)
	if as != nil {
		for i := range *as {
			n = p.packAttr(n, &(*as)[i])
		}
	} else {
		r.Attrs(func(a slog.Attr) bool {
			n = p.packAttr(n, &a)
			return true
		})
	}
	return p.out[:n]
}

// packValue is packAttr for a record in dst.
func (p *pair) packValue(dst []byte, a slog.Attr) []byte {
	p.out = dst
	n := p.packAttr(len(dst), &a)
	return p.out[:n]
}

// keep takes what was appended to p.out.
func (p *pair) keep(dst []byte) int {
	p.out = dst
	return len(dst)
}

// packAttr appends an attr that nothing changes any more, behind n bytes, and
// returns how many there are then.
func (p *pair) packAttr(n int, a *slog.Attr) int {
	dst, end := p.out, n+attrRoom
	if uint(end) > uint(cap(dst)) {
		p.grow(n)
		return p.packAttr(n, a)
	}
	all := (*[attrRoom]byte)(dst[n:end])
	kind := a.Value.Kind()
	at := 0
	var out *[textRoom]byte
	// The key, and then the value if it is a text, by one piece of code, which is
	// that of appendText: a call for each costs as much again.
	s := a.Key
	for isKey := true; ; isKey = false {
		at &= 63
		out = (*[textRoom]byte)(all[at : at+textRoom])
		var high uint64
		switch k := len(s); {
		case k >= 8:
			if k > shortText {
				return p.packLong(n, n+at, a)
			}
			a, b := load8(s, 0), load8(s, k-8)
			high = a | b
			binary.LittleEndian.PutUint64(out[1:], a)
			if k > 16 {
				c, d := load8(s, 8), load8(s, k-16)
				high |= c | d
				binary.LittleEndian.PutUint64(out[9:], c)
				binary.LittleEndian.PutUint64(out[(k-15)&31:], d)
			}
			binary.LittleEndian.PutUint64(out[(k-7)&31:], b)
		case k >= 4:
			a, b := load4(s, 0), load4(s, k-4)
			// The high bits of four bytes are where those of eight are.
			high = uint64(a | b)
			binary.LittleEndian.PutUint32(out[1:], a)
			binary.LittleEndian.PutUint32(out[(k-3)&15:], b)
		case k > 0:
			// First, middle and last are all there is of one to three bytes.
			a, b, c := s[0], s[k/2], s[k-1]
			high = uint64(a | b | c)
			out[1], out[(k/2+1)&3], out[k&3] = a, b, c
		}
		if high&highs != 0 && !utf8.ValidString(s) {
			return p.packLong(n, n+at, a)
		}
		out[0] = 0xa0 | byte(len(s))
		at += 1 + len(s)
		if kind != slog.KindString {
			break
		}
		if !isKey {
			p.fields++
			return n + at
		}
		s = a.Value.String()
	}
	at &= 63
	out = (*[textRoom]byte)(all[at : at+textRoom])
	var num int64
	switch kind {
	case slog.KindInt64:
		num = a.Value.Int64()
	case slog.KindBool:
		out[0] = 0xc2
		if a.Value.Bool() {
			out[0] = 0xc3
		}
		p.fields++
		return n + at + 1
	case slog.KindDuration:
		if p.c.profile.Duration != DurationNanos {
			return p.packBehindKey(n, n+at, a)
		}
		num = int64(a.Value.Duration())
	case slog.KindUint64:
		if num = int64(a.Value.Uint64()); num < 0 {
			return p.packBehindKey(n, n+at, a)
		}
	case slog.KindFloat64:
		f := a.Value.Float64()
		if f-f != 0 {
			return p.packBehindKey(n, n+at, a)
		}
		out[0] = 0xcb
		binary.BigEndian.PutUint64(out[1:], math.Float64bits(f))
		p.fields++
		return n + at + 9
	case slog.KindGroup:
		return p.packGroup(n, n+at, a)
	default:
		return p.packBehindKey(n, n+at, a)
	}
	p.fields++
	if uint64(num)+32 < 160 {
		out[0] = byte(num)
		return n + at + 1
	}
	if num < 0 {
		return p.keep(jsonmsgpack.AppendInt(p.out[:n+at], num))
	}
	class := intClass[bits.Len64(uint64(num))&63]
	out[0] = 0xcc + class
	size := 8 << (class & 3)
	binary.BigEndian.PutUint64(out[1:], uint64(num)<<((64-size)&63))
	return n + at + 1 + size>>3
}

// intClass is, for a number of so many bits, the binary logarithm of the bytes it
// takes.
const intClass = "\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x01\x01\x01\x01\x01\x01\x01\x01" +
	"\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02" +
	"\x03\x03\x03\x03\x03\x03\x03\x03\x03\x03\x03\x03\x03\x03\x03\x03" +
	"\x03\x03\x03\x03\x03\x03\x03\x03\x03\x03\x03\x03\x03\x03\x03"

// grow makes room for an attr behind n bytes.
func (p *pair) grow(n int) {
	p.out = slices.Grow(p.out[:n], attrRoom)
}

// packLong is packAttr where the key, or the text behind it, is long or is not
// UTF-8. n is where that is to be.
func (p *pair) packLong(mark, n int, a *slog.Attr) int {
	if n == mark {
		n = p.keep(appendText(p.out[:n], a.Key))
	}
	return p.packBehindKey(mark, n, a)
}

// packBehindKey appends a's value behind its key, which begins at mark, or takes the
// key back.
func (p *pair) packBehindKey(mark, n int, a *slog.Attr) int {
	dst := p.out[:n]
	switch a.Value.Kind() {
	case slog.KindString:
		dst = appendText(dst, a.Value.String())
	case slog.KindInt64:
		dst = jsonmsgpack.AppendInt(dst, a.Value.Int64())
	case slog.KindUint64:
		dst = p.packUint(dst, a.Value.Uint64())
	case slog.KindBool:
		dst = jsonmsgpack.AppendBool(dst, a.Value.Bool())
	case slog.KindDuration:
		dst = p.packDuration(dst, a.Value.Duration())
	case slog.KindFloat64:
		dst = p.packFloat(dst, a.Value.Float64())
	case slog.KindTime:
		dst = p.packTimeValue(dst, a.Value.Time(), false)
	case slog.KindGroup:
		return p.packGroup(mark, n, a)
	case slog.KindLogValuer:
		return p.packAttr(mark, &slog.Attr{Key: a.Key, Value: p.resolve(a.Value)})
	default:
		return p.packAny(mark, n, a)
	}
	p.fields++
	return p.keep(dst)
}

// packGroup appends the attrs of a, whose key is written.
func (p *pair) packGroup(mark, n int, a *slog.Attr) int {
	attrs := a.Value.Group()
	if len(attrs) == 0 {
		return mark
	}
	if a.Key == "" || p.special || p.maps >= maxForwardMaps {
		return p.keep(p.group(p.out[:mark], a.Key, attrs))
	}
	if !p.nest.enter(attrs, n) {
		return p.keep(p.text(p.out[:mark], a.Key, tooDeep))
	}
	n = p.packMap(mark, n, attrs)
	p.nest.leave()
	return n
}

// packMap appends attrs as a map behind its key, or takes the key back where nothing
// comes of them.
func (p *pair) packMap(mark, n int, attrs []slog.Attr) int {
	if n == cap(p.out) {
		p.grow(n)
	}
	pos, outer := n, p.fields
	p.out[:pos+1][pos] = 0x80
	n++
	p.maps++
	p.fields = 0
	if p.special {
		dst := p.out[:n]
		for i := range attrs {
			dst = p.attr(dst, attrs[i])
		}
		n = p.keep(dst)
	} else {
		for i := range attrs {
			n = p.packAttr(n, &attrs[i])
		}
	}
	p.maps--
	fields := p.fields
	if fields == 0 {
		p.fields = outer
		return mark
	}
	p.fields = outer + 1
	if fields <= 15 {
		p.out[:pos+1][pos] = 0x80 | byte(fields)
		return n
	}
	return p.keep(widenMap(p.out[:n], pos, fields))
}

// packKeyedMap is packMap with its key, for a record in dst.
func (p *pair) packKeyedMap(dst []byte, key string, attrs []slog.Attr) []byte {
	if p.c.format == Forward && p.maps >= maxForwardMaps {
		return p.groupAsText(dst, key, attrs)
	}
	mark := len(dst)
	p.out = appendText(dst, key)
	n := p.packMap(mark, len(p.out), attrs)
	return p.out[:n]
}
