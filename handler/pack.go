package handler

import (
	"log/slog"
	"math"
	"strconv"
	"time"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// In this generator fields are appended to dst and counted in p.fields; the
// packer only knows of the maps. It is told of the fields, by sync, whenever a
// map opens or closes.

// sync tells the packer of what was appended. keys is 1 where dst ends with
// the key of a map to come.
func (p *pair) sync(dst []byte, keys int) {
	p.packer.SetBuffer(dst, 2*p.fields+keys)
	p.fields = 0
}

// packRecord appends the whole record.
func (p *pair) packRecord(dst []byte, h *Handler, r *slog.Record, lf *levelForm) []byte {
	c := p.c
	if c.format == Forward {
		dst = p.packEntry(dst, r.Time)
	}
	p.packer.Reset(dst)
	p.packer.BeginMap()
	p.fields = 0
	if c.replace != nil || c.profile.Order == LevelFirst {
		dst = p.ownFirst(p.packer.Buffer(), r, lf)
	} else {
		dst = p.packHead(p.packer.Buffer(), r, lf)
	}
	if c.format == Forward && clamped(r.Time) {
		dst = p.packText(dst, clampedKey, string(p.timeText(nil, r.Time, false)))
	}
	dst = append(dst, c.static...)
	p.fields += c.nStatic
	for _, a := range p.ctxAttrs {
		dst = p.attr(dst, a)
	}
	if h.pre.pack.Len() > 0 {
		p.sync(dst, 0)
		p.packer.Resume(&h.pre.pack)
		dst = p.packer.Buffer()
	}
	switch {
	case h.asText():
		dst = p.packDeepAttrs(dst, h, r)
	case r.NumAttrs() > 0:
		dst = p.packAttrs(dst, h, r)
	}
	if c.profile.Order == LevelFirst {
		dst = p.packClose(dst, 1)
		dst = p.ownLast(dst, r)
	}
	dst = p.packClose(dst, 0)
	p.packer.SetBuffer(dst, 0)
	b, err := p.packer.Bytes()
	if err != nil {
		// A string of 4 GiB, or as many fields in one map.
		return p.packFailed(b, err)
	}
	return b
}

// packHead appends the record's own fields where nothing rewrites them and the
// time comes first.
func (p *pair) packHead(dst []byte, r *slog.Record, lf *levelForm) []byte {
	c := p.c
	if !r.Time.IsZero() && c.keys.time != "" {
		dst = p.packTimeValue(append(dst, c.keys.time...), r.Time, true)
		p.fields++
	}
	p.fields += lf.n
	switch {
	case c.keys.message == "" || len(r.Message) == 0 && c.profile.OmitEmptyMessage:
		return p.ownSource(append(dst, lf.field...), r)
	case c.addSource && r.PC != 0:
		dst = append(p.ownSource(append(dst, lf.field...), r), c.keys.message...)
	default:
		dst = append(dst, lf.head...)
	}
	p.fields++
	return appendText(dst, r.Message)
}

// packEntry appends what comes before the map in an entry.
func (p *pair) packEntry(dst []byte, t time.Time) []byte {
	if t.IsZero() {
		t = time.Now()
	}
	return jsonmsgpack.AppendEventTime(append(dst, 0x92), t)
}

// clampedKey is the key of the text of a time that an EventTime cannot say. It
// is kept free in all records, so that a reader may trust it.
const clampedKey = "time"

// clamped reports whether t is beyond what an EventTime can say.
func clamped(t time.Time) bool {
	sec := t.Unix()
	return !t.IsZero() && (sec < 0 || sec > math.MaxUint32)
}

// packFailed appends a record that says why there is no other.
func (p *pair) packFailed(dst []byte, err error) []byte {
	dst = appendContainer(dst, docObject, 1)
	return appendText(jsonmsgpack.AppendString(dst, badKey), p.c.profile.FailurePrefix+err.Error())
}

// packAttrs appends the attrs of r in the groups of h that are not yet open.
func (p *pair) packAttrs(dst []byte, h *Handler, r *slog.Record) []byte {
	pending := h.groups[h.nOpen:]
	if len(pending) == 0 {
		return p.recordAttrs(dst, h, r)
	}
	p.sync(dst, 0)
	mark := p.packer.Mark()
	dst = p.packOpen(p.packer.Buffer(), h, pending)
	dst = p.recordAttrs(dst, h, r)
	if p.packEmpty() {
		return p.packRollback(dst, mark)
	}
	return dst
}

// packOpen opens groups of With.
func (p *pair) packOpen(dst []byte, h *Handler, names []string) []byte {
	for i, name := range names {
		if len(names)-i == len(h.groups) {
			name = p.c.outermost(name)
		}
		p.sync(appendText(dst, name), 1)
		p.packer.BeginMap()
		dst = p.packer.Buffer()
	}
	return dst
}

// packClose closes maps until depth are left.
func (p *pair) packClose(dst []byte, depth int) []byte {
	p.sync(dst, 0)
	for p.packer.Depth() > depth {
		p.packer.EndMap()
	}
	return p.packer.Buffer()
}

// packEmpty reports whether the innermost map has nothing in it.
func (p *pair) packEmpty() bool { return p.fields == 0 && p.packer.Count() == 0 }

// packRollback takes back what was opened since mark, in which nothing is. The
// packer has to be told of dst first: what it knows may be the writer's buffer,
// which a streamed record has left since.
func (p *pair) packRollback(dst []byte, mark jsonmsgpack.Mark) []byte {
	p.sync(dst, 0)
	p.packer.Rollback(mark)
	return p.packer.Buffer()
}

// packWith formats attrs behind what h has.
func (p *pair) packWith(h *Handler, attrs []slog.Attr) (prefix, bool) {
	if h.asText() {
		return p.packDeepWith(h, attrs)
	}
	p.packer.Reset(p.buf.B[:0])
	p.packer.BeginMap() // the record's
	p.fields = 0
	start := p.packer.Mark()
	p.packer.Resume(&h.pre.pack)
	dst := p.packOpen(p.packer.Buffer(), h, h.groups[h.nOpen:])
	// What is in the prefix already does not count.
	before := p.packer.Count()
	p.enterGroups(h)
	for _, a := range attrs {
		dst = p.attr(dst, a)
	}
	p.leaveGroups(h)
	p.sync(dst, 0)
	p.buf.B = dst
	if p.packer.Count() == before {
		return prefix{}, false
	}
	return prefix{pack: p.packer.Snapshot(start)}, true
}

// packValue appends an attr that nothing changes any more.
func (p *pair) packValue(dst []byte, a slog.Attr) []byte {
	switch a.Value.Kind() {
	case slog.KindString:
		return p.packText(dst, a.Key, a.Value.String())
	case slog.KindInt64:
		dst = jsonmsgpack.AppendInt(appendText(dst, a.Key), a.Value.Int64())
	case slog.KindUint64:
		dst = p.packUint(appendText(dst, a.Key), a.Value.Uint64())
	case slog.KindBool:
		dst = jsonmsgpack.AppendBool(appendText(dst, a.Key), a.Value.Bool())
	case slog.KindDuration:
		dst = p.packDuration(appendText(dst, a.Key), a.Value.Duration())
	case slog.KindFloat64:
		dst = p.packFloat(appendText(dst, a.Key), a.Value.Float64())
	case slog.KindTime:
		dst = p.packTimeValue(appendText(dst, a.Key), a.Value.Time(), false)
	case slog.KindGroup:
		return p.group(dst, a.Key, a.Value.Group())
	case slog.KindLogValuer:
		a.Value = p.resolve(a.Value)
		return p.packValue(dst, a)
	default:
		return p.packAny(dst, a)
	}
	p.fields++
	return dst
}

// packGroup appends a group that has a key, or nothing if it ends up empty.
func (p *pair) packGroup(dst []byte, key string, attrs []slog.Attr) []byte {
	p.sync(dst, 0)
	if p.c.format == Forward && p.packer.Depth() >= maxForwardMaps {
		return p.groupAsText(p.packer.Buffer(), key, attrs)
	}
	mark := p.packer.Mark()
	p.sync(appendText(p.packer.Buffer(), key), 1)
	p.packer.BeginMap()
	dst = p.packer.Buffer()
	for i := range attrs {
		dst = p.attr(dst, attrs[i])
	}
	if p.packEmpty() {
		return p.packRollback(dst, mark)
	}
	p.sync(dst, 0)
	p.packer.EndMap()
	return p.packer.Buffer()
}

// packText appends a field of text.
func (p *pair) packText(dst []byte, key, text string) []byte {
	p.fields++
	return appendText(appendText(dst, key), text)
}

func (p *pair) packUint(dst []byte, v uint64) []byte {
	if v > math.MaxInt64 && p.c.format == Forward {
		return jsonmsgpack.AppendString(dst, strconv.FormatUint(v, 10))
	}
	return jsonmsgpack.AppendUint(dst, v)
}

func (p *pair) packFloat(dst []byte, f float64) []byte {
	if f-f != 0 && p.c.format == Forward {
		return jsonmsgpack.AppendString(dst, p.nonFinite(f))
	}
	return jsonmsgpack.AppendFloat64(dst, f)
}

func (p *pair) packDuration(dst []byte, d time.Duration) []byte {
	switch p.c.profile.Duration {
	case DurationMillisFloat:
		return jsonmsgpack.AppendFloat64(dst, float64(d)/float64(time.Millisecond))
	case DurationSecondsFloat:
		return jsonmsgpack.AppendFloat64(dst, d.Seconds())
	case DurationText:
		return jsonmsgpack.AppendString(dst, d.String())
	}
	return jsonmsgpack.AppendInt(dst, int64(d))
}

// packTime appends the record's own time.
func (p *pair) packTime(dst []byte, t time.Time) []byte {
	if p.c.profile.TimeKey == "" {
		return dst
	}
	p.fields++
	return p.packTimeValue(appendText(dst, p.c.profile.TimeKey), t, true)
}

func (p *pair) packTimeValue(dst []byte, t time.Time, own bool) []byte {
	pr := &p.c.profile
	if p.c.format != Forward {
		switch pr.PackTime {
		case PackTimestamp:
			return jsonmsgpack.AppendTime(dst, t)
		case PackEventTime:
			return jsonmsgpack.AppendEventTime(dst, t)
		}
	}
	if pr.Time >= UnixSeconds {
		if n, ok := unixTime(t, pr.Time); ok {
			return jsonmsgpack.AppendInt(dst, n)
		}
	}
	var text [64]byte
	b := p.timeText(text[:0], t, own)
	return jsonmsgpack.AppendString(dst, b)
}
