package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// A catter shows what it reads: records in MessagePack, lines of JSON and
// lines of text, in any mixture, told apart by how each begins.
type catter struct {
	a      *app
	o      *catOptions
	out    *bufio.Writer
	layout layout
	broken bool // something could not be shown

	// Of the input being read.
	called string
	buf    []byte
	start  int   // buf[start:] has not been shown
	base   int64 // offset of buf[start]
	first  bool  // nothing has been shown
	binary bool  // the last thing shown was MessagePack
	sizer  sizer // of the object at buf[start]
	seen   int   // bytes of the line at buf[start] without a newline

	lost    lost   // see resync.go
	lastKey []byte // the first key of the last record in MessagePack

	rec  record
	conv *jsonmsgpack.Converter
	wire []byte // of a line of JSON
	text []byte
}

// errDamage: the input is broken, and it has been said how.
var errDamage = errors.New("damage")

// newLineConverter returns what makes MessagePack of lines of JSON: one way to
// look at records is enough.
func newLineConverter() *jsonmsgpack.Converter {
	return jsonmsgpack.NewConverter(jsonmsgpack.Lax(), jsonmsgpack.DeepText())
}

const (
	window = 64 << 10
	// What is longer is no record, and no line.
	maxRecord = defaultDocument
)

// copy shows what r holds.
func (c *catter) copy(r io.Reader, called string) error {
	c.called, c.buf, c.start = called, c.buf[:0], 0
	c.restart()
	for {
		// Whatever is whole is on the screen before waiting for more.
		if err := c.out.Flush(); err != nil {
			return err
		}
		n, err := c.read(r)
		var again *restartError
		// Who stops reading a file that grows does not ask for its end.
		final := err != nil && !errors.Is(err, context.Canceled)
		if n > 0 || final {
			if serr := c.show(final); serr != nil {
				return serr
			}
		}
		switch {
		case errors.As(err, &again):
			c.out.Flush()
			c.a.say("%s: %s", called, again.why)
			c.restart()
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

func (c *catter) restart() {
	c.base, c.first, c.binary, c.seen = 0, true, false, 0
	c.lost, c.lastKey = lost{}, nil
	c.sizer.reset()
}

// read reads once, behind what has not been shown.
func (c *catter) read(r io.Reader) (int, error) {
	if c.start > 0 && len(c.buf)+window > cap(c.buf) {
		c.buf = c.buf[:copy(c.buf, c.buf[c.start:])]
		c.start = 0
	}
	if len(c.buf)+window > cap(c.buf) {
		bigger := make([]byte, len(c.buf), 2*cap(c.buf)+2*window)
		copy(bigger, c.buf)
		c.buf = bigger
	}
	for range 100 {
		n, err := r.Read(c.buf[len(c.buf) : len(c.buf)+window])
		c.buf = c.buf[:len(c.buf)+n]
		if n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// show shows all that is whole; final says that nothing follows.
func (c *catter) show(final bool) error {
	for c.start < len(c.buf) {
		n, err := c.step(c.buf[c.start:], final)
		c.start += n
		c.base += int64(n)
		if err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
		c.first = false
	}
	if final {
		return c.giveUp()
	}
	return nil
}

// step shows the first thing in src and returns its length, 0 if it is not
// whole. If final, it always is.
func (c *catter) step(src []byte, final bool) (int, error) {
	if c.lost.is {
		return c.seek(src, final)
	}
	switch c.what(src, final) {
	case isObject:
		return c.object(src, final)
	case isLine:
		return c.line(src, final)
	case isNeither:
		return c.damage(src, "no record begins here")
	}
	return 0, nil
}

type thing uint8

const (
	isUnknown thing = iota // more must be seen of it
	isObject
	isLine
	isNeither
)

// what tells what src begins with. Only maps and arrays count as MessagePack:
// logs have no others, and 7b is both a brace and the number 123.
func (c *catter) what(src []byte, final bool) thing {
	if len(src) < 64 && !final && !c.sizer.begun && src[0] >= utf8.RuneSelf {
		// What decides lies in the first bytes. An object that is shorter shows
		// that by being whole.
		var z sizer
		if z.next(src) == sizeMore {
			return isUnknown
		}
	}
	switch {
	case c.sizer.begun:
		return isObject
	case beginsContainer(src) && (c.first || c.binary || beginsRecord(src)):
		return isObject
	case !c.binary && !c.o.resync:
		return isLine
	}
	// Between records in MessagePack, text is what a program writes for people,
	// such as a panic. Anything else is damage.
	end := bytes.IndexByte(src, '\n')
	switch {
	case end >= 0:
		if src = src[:end]; c.isJSON(src) {
			return isLine
		}
	case !final && len(src) < window && clean(src):
		return isUnknown
	}
	if clean(src) {
		return isLine
	}
	return isNeither
}

// isJSON says whether the line is an object in JSON.
func (c *catter) isJSON(line []byte) bool {
	if len(line) == 0 || line[0] != '{' {
		return false
	}
	wire, err := c.conv.Append(c.wire[:0], line)
	c.wire = wire[:0]
	return err == nil
}

// beginsContainer says whether src begins with a map or an array. The first
// bytes of those with 16 and 32 bits of count begin characters of UTF-8 too,
// but only with counts from 32768 up.
func beginsContainer(src []byte) bool {
	switch b := src[0]; {
	case b >= 0x80 && b < 0xa0:
		return true
	case b >= 0xdc && b <= 0xdf:
		return len(src) == 1 || src[1] < 0x80 || src[1] >= 0xc0
	}
	return false
}

// beginsRecord says whether src begins as logged records do: with a map whose
// first key is a short printable str, or with an entry of the Forward
// protocol.
func beginsRecord(src []byte) bool {
	o, _, ok := readObject(src)
	switch {
	case !ok:
		return false
	case o.kind == kindArray && o.n == 2:
		t, _, _ := readObject(src[o.size:])
		if t.kind == kindArray && t.n == 2 {
			t, _, _ = readObject(src[o.size+t.size:])
		}
		_, _, isTime := t.eventTime()
		if !isTime {
			_, isTime = epoch(t)
		}
		return isTime
	case o.kind == kindMap && o.n > 0:
		k, _, ok := readObject(src[o.size:])
		return ok && k.kind == kindStr && len(k.data) > 0 && len(k.data) <= 256 &&
			utf8.Valid(k.data) && bytes.IndexFunc(k.data, func(r rune) bool { return !printable(r) }) < 0
	}
	return false
}

// object shows the MessagePack object that src begins with.
func (c *catter) object(src []byte, final bool) (int, error) {
	z := &c.sizer
	switch z.next(src) {
	case sizeMore:
		if z.need > maxRecord {
			return c.damage(src, fmt.Sprintf("a record that claims %d bytes", z.need))
		}
		if final {
			return c.torn(src)
		}
		return 0, nil
	case sizeBad:
		return c.damage(src, fmt.Sprintf("a record that is broken after %d bytes: %s", z.at, z.why))
	}
	n := z.at
	switch c.swallows(src, n, final) {
	case candidateYes:
		return c.damage(src, "a record that goes on into another one")
	case candidateWait:
		return 0, nil
	}
	z.reset()
	c.binary = true
	if c.rec.parse(src[:n]) {
		c.lastKey = append(c.lastKey[:0], c.rec.firstKey()...)
		return n, c.record(&c.rec, nil)
	}
	// Some other object: what it holds, as JSON.
	c.text = append(appendSafe(c.text[:0], appendJSON(nil, src[:n]), safeJSON), '\n')
	return n, c.put(c.text, c.text)
}

// line shows the line that src begins with.
func (c *catter) line(src []byte, final bool) (int, error) {
	n := bytes.IndexByte(src[c.seen:], '\n')
	line := src
	switch {
	case n >= 0:
		line = src[:c.seen+n]
		n = len(line) + 1
	case !final && len(src) < maxRecord:
		c.seen = len(src)
		return 0, nil
	default:
		n = len(src)
	}
	c.seen = 0
	c.binary = false
	line = bytes.TrimSuffix(line, []byte{'\r'})
	if text := bytes.TrimLeft(line, " \t"); len(text) > 0 && text[0] == '{' {
		wire, err := c.conv.Append(c.wire[:0], text)
		c.wire = wire[:0]
		if err == nil && c.rec.parse(wire) {
			return n, c.record(&c.rec, text)
		}
		if n == len(line) && final && errors.Is(err, io.ErrUnexpectedEOF) {
			c.broken = true
			defer c.warn("offset %d: the last line is torn: its JSON ends after %d bytes, in the middle of the object", c.base, len(line))
		}
	}
	if c.o.json {
		return n, nil
	}
	c.text = append(appendSafe(c.text[:0], line, safeText), '\n')
	return n, c.put(c.text, c.text)
}

// record shows a record, of which text is the JSON if it came as such.
func (c *catter) record(r *record, text []byte) error {
	if c.o.level != "" && r.hasRank && r.rank < c.o.minRank {
		return nil
	}
	plain := layout{}
	if c.o.json {
		c.text = append(appendRecordJSON(c.text[:0], r, text), '\n')
		if c.o.grep == nil {
			return c.put(c.text, nil)
		}
		return c.put(c.text, plain.append(nil, r))
	}
	c.text = c.layout.append(c.text[:0], r)
	if c.o.grep != nil && (c.layout.color || c.layout.pretty) {
		return c.put(c.text, plain.append(nil, r))
	}
	return c.put(c.text, c.text)
}

// put writes text unless the pattern is not in plain, which is text as it is
// shown in one line without colours.
func (c *catter) put(text, plain []byte) error {
	if c.o.grep != nil && !c.o.grep.Match(bytes.TrimSuffix(plain, []byte{'\n'})) {
		return nil
	}
	_, err := c.out.Write(text)
	return err
}

// warn reports on standard error, below what has been shown so far.
func (c *catter) warn(format string, args ...any) {
	c.out.Flush()
	c.a.say("%s: %s", c.called, fmt.Sprintf(format, args...))
}
