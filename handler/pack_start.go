package handler

import (
	"encoding/binary"
	"log/slog"
	"math"
)

// The beginning of most records. What comes before the message differs by the
// level alone, but for the eight bytes of the time: it is kept ready, copied whole,
// and the time put into it.

const (
	// startRoom is for a beginning and all that is stored on the way.
	startRoom = 256
	startText = 64
	// lead is left free in front of the record: the map's header takes it where
	// there are more than 15 fields, so that nothing has to be moved for it.
	lead = 2
)

// packStart is a level's beginning of a record.
type packStart struct {
	text    [startText]byte
	n       int // its length with the message's key
	noKey   int // and without
	stamp   int // where the time is
	header  int // where the map's header is
	nFields int // without the message
	// The times that it is for: their seconds from 1970 are less, their nanoseconds
	// no less. Others take more bytes or fewer.
	maxSec, minNsec uint64
}

// packStart makes the one for a level's fields, of which there are n, or one that is
// for no time.
func (c *config) packStart(level string, n int) (q packStart) {
	entry := ""
	keys := c.keys
	switch {
	case c.dedup || c.replace != nil || c.profile.Order == LevelFirst:
		return q
	case c.format == Forward:
		entry, keys.time = "\x92\xd7\x00\x00\x00\x00\x00\x00\x00\x00\x00", ""
	case keys.time == "":
		return q
	case c.profile.PackTime == PackTimestamp:
		keys.time += "\xd7\xff\x00\x00\x00\x00\x00\x00\x00\x00"
	case c.profile.PackTime == PackEventTime:
		keys.time += "\xd7\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	default:
		return q
	}
	text := entry + "\x80" + keys.time + level
	if len(text)+len(keys.message) > startText {
		return q
	}
	q.noKey = copy(q.text[:], text)
	q.n = q.noKey + copy(q.text[q.noKey:], keys.message)
	q.header, q.nFields = len(entry), n
	if q.maxSec, q.minNsec = 1<<34, 1; c.ownEvent {
		q.maxSec, q.minNsec = 1<<32, 0
	}
	q.stamp = len(entry)
	if c.format != Forward {
		q.nFields++
		q.stamp = 1 + len(keys.time)
	}
	q.stamp -= 8
	return q
}

// packQuick returns the whole record, made in p.buf's bytes.
func (p *pair) packQuick(h *Handler, r *slog.Record, as *[]slog.Attr, lf *levelForm) []byte {
	c, q, b := p.c, &lf.start, p.buf.B
	sec, nsec := uint64(r.Time.Unix()), uint64(r.Time.Nanosecond())
	var stamp uint64
	if stamp = nsec<<34 | sec; c.ownEvent {
		stamp = sec<<32 | nsec
	}
	// The zero time, for one, is far off.
	if sec >= q.maxSec || nsec < q.minNsec || cap(b) < startRoom {
		b = p.record(b[:0], h, r, as, lf)
		p.buf.B = b
		return b
	}
	out := (*[startRoom]byte)(b[:startRoom])
	*(*[startText]byte)(out[lead:]) = q.text
	at := lead + q.stamp&127
	binary.BigEndian.PutUint64(out[at:at+8], stamp)
	p.fields, p.maps = q.nFields, 1
	var dst []byte
	if c.plainMessage && (len(r.Message) > 0 || !c.profile.OmitEmptyMessage) {
		p.fields++
		// appendText would ask the same: a call less.
		if dst = b[:lead+q.n]; len(r.Message) > shortText {
			dst = appendLongText(dst, r.Message)
		} else {
			dst = appendText(dst, r.Message)
		}
	} else {
		dst = p.packMessage(p.ownSource(b[:lead+q.noKey], r), r)
	}
	if !c.plainRest || len(h.groups) > 0 || len(p.ctxAttrs) > 0 {
		dst = p.packRest(dst, h, r, as)
	} else {
		if len(h.pre.pack.buf) > 0 {
			dst = append(dst, h.pre.pack.buf...)
			p.fields += h.pre.pack.fields
		}
		dst = p.packAttrs(dst, r, as)
	}
	p.buf.B = dst
	at = lead + q.header
	n := p.fields
	switch {
	case n <= 15:
		dst[at] = 0x80 | byte(n)
		dst = dst[lead:]
	case n <= math.MaxUint16:
		copy(dst[:q.header], dst[lead:at])
		dst[q.header], dst[q.header+1], dst[q.header+2] = 0xde, byte(n>>8), byte(n)
	default:
		dst = widenMap(dst[lead:], q.header, n)
	}
	if len(dst) > c.maxLen {
		dst = p.edit(dst)
	}
	return dst
}
