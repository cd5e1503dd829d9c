package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"
)

// lost is the state of looking for the next whole record after damage.
type lost struct {
	is   bool
	at   int64  // where the damage begins
	why  string // what is wrong there
	last byte   // the last byte skipped
	work int    // bytes of possible records looked at

	sizer sizer
}

// maxFound is how long a record may be that is found again. What claims to be
// longer rather is damage that looks like the beginning of a record.
const maxFound = 1 << 20

// foundDepth is how deep it may nest.
const foundDepth = 100

// Damage may be made to look like the beginnings of many long records. Once
// looking at them has cost maxWork bytes, only short and shallow ones are
// looked for.
const (
	maxWork      = 32 << 20
	shortFound   = 1 << 10
	shallowFound = 8
)

// damage is for what cannot be shown. Without --resync it ends the input.
func (c *catter) damage(src []byte, why string) (int, error) {
	c.broken = true
	c.sizer.reset()
	if c.o.resync {
		c.lost = lost{is: true, at: c.base, why: why, last: src[0], sizer: c.lost.sizer}
		return 1, nil
	}
	c.warn("offset %d: %s%s", c.base, why, c.advice(src))
	return 0, errDamage
}

// advice tells of --resync if that would help.
func (c *catter) advice(src []byte) string {
	for p := 1; p < len(src); p++ {
		if c.candidate(src[p:], src[p-1], true) == candidateYes {
			return fmt.Sprintf("; --resync goes on with the record at offset %d", c.base+int64(p))
		}
	}
	return ""
}

// torn is for a record that the end of the input cuts off.
func (c *catter) torn(src []byte) (int, error) {
	why := fmt.Sprintf("the last record is torn: %s%d bytes are there, at least %d more are missing",
		c.wholeFields(src), len(src), c.sizer.need-uint64(len(src)))
	return c.damage(src, why)
}

// wholeFields says what can be read of a torn record.
func (c *catter) wholeFields(src []byte) string {
	o, _, ok := readObject(src)
	if ok && o.kind == kindArray && o.n == 2 {
		var entry record
		n := 0
		var z sizer
		if z.next(src[o.size:]) == sizeWhole {
			n = o.size + z.at
		}
		if n == 0 || entry.entry(src[o.size:]) == nil {
			return ""
		}
		src = src[n:]
		o, _, ok = readObject(src)
	}
	if !ok || o.kind != kindMap {
		return ""
	}
	whole, end := uint64(0), o.size
	for at := end; whole < o.n; whole++ {
		for range 2 {
			var z sizer
			if z.next(src[at:]) != sizeWhole {
				at = -1
				break
			}
			at += z.at
		}
		if at < 0 {
			break
		}
		end = at
	}
	text := fmt.Sprintf("%d of %d fields are whole", whole, o.n)
	if whole > 0 {
		// What is whole, as a map of that many pairs.
		part := append([]byte{0xdf, byte(whole >> 24), byte(whole >> 16), byte(whole >> 8), byte(whole)}, src[o.size:end]...)
		var r record
		r.parse(part)
		var l layout
		line := bytes.TrimSpace(l.append(nil, &r))
		if len(line) > 400 {
			line = append(line[:400:400], "..."...)
		}
		text += fmt.Sprintf(" (%s)", line)
	}
	return text + "; "
}

// swallows says whether the record src[:n], which is whole by its lengths, is
// a torn one that took the beginning of another for its own: in it begins a
// record that ends behind it, which no group does. It is candidateWait where
// that depends on more.
func (c *catter) swallows(src []byte, n int, final bool) candidate {
	for p := 1; p < n; p++ {
		if src[p] < 0x80 || !beginsContainer(src[p:]) || !beginsRecord(src[p:]) {
			continue
		}
		z := c.found()
		switch z.next(src[p:min(len(src), p+maxFound)]) {
		case sizeWhole:
			if z.at > n-p && c.candidate(src[p:], src[p-1], final) == candidateYes {
				return candidateYes
			}
		case sizeMore:
			// Text has many beginnings of maps in it. Only for one that is most
			// likely a record's shall a record that is whole wait.
			if !final && z.need <= maxFound && bytes.Equal(c.lastKey, keyAt(src[p:])) {
				return candidateWait
			}
		}
		if c.lost.work += z.at; c.lost.work > maxWork {
			break
		}
	}
	c.lost.work = 0
	return candidateNo
}

// found returns a sizer for what may be a record.
func (c *catter) found() *sizer {
	c.lost.sizer.depth = foundDepth
	if c.lost.work > maxWork {
		c.lost.sizer.depth = shallowFound
	}
	c.lost.sizer.reset()
	return &c.lost.sizer
}

// keyAt returns the first key of a map, or what firstKey has for an entry.
func keyAt(src []byte) []byte {
	o, _, _ := readObject(src)
	if o.kind == kindArray {
		return []byte(entryKey)
	}
	k, _, _ := readObject(src[o.size:])
	return k.data
}

// entryKey stands for the first key of an entry of the Forward protocol.
const entryKey = "\x00entry"

// seek skips what belongs to no record and returns how many bytes that are, 0
// if more must be seen first.
func (c *catter) seek(src []byte, final bool) (int, error) {
	last := c.lost.last
	for p := range src {
		switch c.candidate(src[p:], last, final) {
		case candidateYes:
			c.lost.is, c.lost.work = false, 0
			c.binary = src[p] != '{'
			at := c.base + int64(p)
			c.warn("offset %d: %s; %d bytes skipped, the next whole record is at offset %d", c.lost.at, c.lost.why, at-c.lost.at, at)
			if p == 0 {
				return c.step(src, final)
			}
			return p, nil
		case candidateWait:
			c.lost.last = last
			return p, nil
		}
		last = src[p]
	}
	c.lost.last = last
	return len(src), nil
}

// giveUp is called at the end of the input.
func (c *catter) giveUp() error {
	if c.lost.is {
		c.lost.is = false
		c.warn("offset %d: %s; no whole record in the %d bytes from there to the end", c.lost.at, c.lost.why, c.base-c.lost.at)
	}
	return nil
}

type candidate uint8

const (
	candidateNo candidate = iota
	candidateYes
	candidateWait // more must be seen of it
)

// candidate says whether src, behind the byte last, begins with a whole
// record. A group inside of a broken record looks much like one, so that more
// is asked for than a map: a time, a level or a message, and the same first key
// as the last record had, or else something behind it that follows records.
func (c *catter) candidate(src []byte, last byte, final bool) candidate {
	if src[0] == '{' && last == '\n' {
		end := bytes.IndexByte(src[:min(len(src), maxFound)], '\n')
		switch {
		case end >= 0 && json.Valid(src[:end]):
			return candidateYes
		case end < 0 && !final && len(src) < maxFound && utf8.Valid(src[:min(len(src), 16)]):
			return candidateWait
		}
		return candidateNo
	}
	if !beginsContainer(src) {
		return candidateNo
	}
	if !beginsRecord(src) {
		// Its first bytes may be too few to tell.
		if o, _, ok := readObject(src); !final && len(src) < 300 && (!ok || o.n > 0) {
			if z := c.found(); z.next(src) == sizeMore && z.need <= maxFound {
				return candidateWait
			}
		}
		return candidateNo
	}
	most := maxFound
	if c.lost.work > maxWork {
		most = shortFound
	}
	z := c.found()
	st := z.next(src[:min(len(src), most)])
	c.lost.work += z.at
	switch {
	case st == sizeMore && !final && len(src) < most && z.need <= uint64(most):
		return candidateWait
	case st != sizeWhole:
		return candidateNo
	}
	var r record
	if !r.parse(src[:z.at]) {
		return candidateNo
	}
	roles := r.roles()
	same := len(c.lastKey) > 0 && bytes.Equal(c.lastKey, r.firstKey())
	switch {
	case same && roles >= 1:
		return candidateYes
	case (same || roles >= 1) && (z.at == len(src) || c.follows(src[z.at:])):
		return candidateYes
	}
	return candidateNo
}

// follows says whether src, not empty, begins as what follows a record does.
func (c *catter) follows(src []byte) bool {
	if beginsContainer(src) {
		o, _, ok := readObject(src)
		// The last bytes may be too few to tell.
		return !ok || len(src) < 300 && len(src) <= o.size+1 || beginsRecord(src) || o.n == 0
	}
	if src[0] >= utf8.RuneSelf {
		return false
	}
	line, _, _ := bytes.Cut(src, []byte{'\n'})
	return len(line) < len(src) && clean(line)
}

// firstKey identifies the shape of the record.
func (r *record) firstKey() []byte {
	switch {
	case r.envelope:
		return []byte(entryKey)
	case len(r.fields) == 0:
		return nil
	}
	return r.fields[0].key
}

// appendRecordJSON appends the record as JSON in one line. One that came as
// JSON keeps its digits; an entry of the Forward protocol becomes the record
// with its time.
func appendRecordJSON(dst []byte, r *record, text []byte) []byte {
	if text != nil && json.Valid(text) {
		var compact bytes.Buffer
		if json.Compact(&compact, text) == nil {
			return appendSafe(dst, compact.Bytes(), safeJSON)
		}
	}
	object := appendJSON(nil, r.wire)
	if r.envelope && r.pick([]string{"time"}, func(*field) bool { return true }) < 0 {
		// In front, and the brace of the object behind it.
		head := r.when.AppendFormat([]byte(`{"time":"`), time.RFC3339Nano+`"`)
		if len(r.fields) > 0 {
			head = append(head, ',')
		}
		object = append(head, object[1:]...)
	}
	return appendSafe(dst, object, safeJSON)
}
