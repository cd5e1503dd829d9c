package main

import (
	"math"
	"slices"
	"strconv"
	"time"
)

// A field is one pair of a map; both are slices of the record's bytes.
type field struct {
	key  []byte
	val  object
	wire []byte // all of val
}

// A record is a map, looked at as something a program has logged.
type record struct {
	wire   []byte // the map
	fields []field

	when     time.Time
	whenText []byte // instead of when: a time that is no RFC 3339
	envelope bool   // when is of the Forward entry around the map

	// Indices into fields, -1 for those that the record lacks.
	time, level, msg, number int

	levelTxt []byte // nil: the record has no level
	rank     int    // of the level, as log/slog numbers them
	hasRank  bool
}

// The keys that each part of a record goes by, the surest first: log/slog's,
// zerolog's, ECS's, Google's, OpenTelemetry's and those of a few others.
var (
	timeKeys   = [...]string{"time", "@timestamp", "timestamp", "ts", "Timestamp"}
	levelKeys  = [...]string{"level", "severity", "log.level", "lvl", "severity_text", "severityText", "SeverityText"}
	msgKeys    = [...]string{"msg", "message", "body", "Body", "log"}
	numberKeys = [...]string{"severity_number", "severityNumber", "SeverityNumber"}
)

// parse takes the object that src is, which is known to be whole, apart. It
// returns false if that is no map, nor an entry of the Forward protocol. The
// record refers to src.
func (r *record) parse(src []byte) bool {
	*r = record{fields: r.fields[:0], time: -1, level: -1, msg: -1, number: -1}
	o, _, _ := readObject(src)
	if o.kind == kindArray && o.n == 2 {
		if src = r.entry(src[o.size:]); src == nil {
			return false
		}
		o, _, _ = readObject(src)
	}
	if o.kind != kindMap {
		return false
	}
	r.wire = src
	r.readFields(src)
	r.find()
	return true
}

// readFields reads the pairs of the map that src is.
func (r *record) readFields(src []byte) {
	o, _, _ := readObject(src)
	src = src[o.size:]
	for range o.n {
		k, _, _ := readObject(src)
		key := k.data
		// Binaries as keys come from writers that knew no str.
		if k.kind != kindStr && k.kind != kindBin {
			key = appendScalar(nil, src[:k.size])
		}
		src = src[k.size:]
		v, _, _ := readObject(src)
		n := skip(src)
		r.fields = append(r.fields, field{key, v, src[:n]})
		src = src[n:]
	}
}

// entry reads the first element of [time, record], or of Fluent Bit's
// [[time, metadata], record], and returns what follows it; nil if it is none.
func (r *record) entry(src []byte) []byte {
	o, _, _ := readObject(src)
	rest := src[o.size:]
	if o.kind == kindArray && o.n == 2 {
		o, _, _ = readObject(rest)
		rest = src[skip(src):]
	}
	if sec, nsec, ok := o.eventTime(); ok {
		r.when = time.Unix(int64(sec), int64(nsec)).UTC()
	} else if r.when, ok = epoch(o); !ok {
		return nil
	}
	r.envelope = true
	return rest
}

// find looks for the time, level and message among the fields.
func (r *record) find() {
	if !r.envelope {
		r.time = r.pick(timeKeys[:], func(f *field) bool {
			var ok bool
			r.when, r.whenText, ok = f.timeOf()
			return ok
		})
	}
	r.msg = r.pick(msgKeys[:], func(f *field) bool { return f.val.kind == kindStr })
	r.number = r.pick(numberKeys[:], func(f *field) bool { return f.val.kind == kindUint })
	r.level = r.pick(levelKeys[:], func(f *field) bool {
		switch f.val.kind {
		case kindStr:
			r.levelTxt = f.val.data
			r.rank, r.hasRank = rankOfText(f.val.data)
			return true
		case kindUint, kindInt:
			r.rank, r.hasRank = rankOfNumber(int64(f.val.n)), true
			r.levelTxt = appendRank(nil, r.rank)
			return true
		}
		return false
	})
	if r.level < 0 {
		r.findNested()
	}
	if r.number >= 0 && r.levelTxt == nil {
		// OpenTelemetry's numbers: 9 is INFO, four for each level.
		r.rank, r.hasRank = int(min(r.fields[r.number].val.n, 24))-9, true
		r.levelTxt = appendRank(nil, r.rank)
		r.level, r.number = r.number, -1
	}
}

// findNested looks for ECS's log.level where log is an object.
func (r *record) findNested() {
	for i := range r.fields {
		f := &r.fields[i]
		if string(f.key) != "log" || f.val.kind != kindMap {
			continue
		}
		var group record
		group.readFields(f.wire)
		for _, g := range group.fields {
			if string(g.key) == "level" && g.val.kind == kindStr {
				r.levelTxt = g.val.data
				r.rank, r.hasRank = rankOfText(g.val.data)
			}
		}
	}
}

// pick returns the index of the first field that goes by the surest of the
// keys and is what it should be.
func (r *record) pick(keys []string, is func(*field) bool) int {
	best, at := len(keys), -1
	for i := range r.fields {
		f := &r.fields[i]
		if k := slices.Index(keys, string(f.key)); k >= 0 && k < best && is(f) {
			best, at = k, i
		}
	}
	return at
}

// roles counts the parts that the record has, to tell records from other maps.
func (r *record) roles() (n int) {
	for _, has := range []bool{r.time >= 0 || r.envelope, r.levelTxt != nil, r.msg >= 0} {
		if has {
			n++
		}
	}
	return n
}

// timeOf returns the field's value as a time, or as the text of one.
func (f *field) timeOf() (t time.Time, text []byte, ok bool) {
	switch f.val.kind {
	case kindStr:
		if t.UnmarshalText(f.val.data) == nil {
			return t, nil, true
		}
		// Times as words are logged too, but no more than a few.
		return time.Time{}, f.val.data, len(f.val.data) > 0 && len(f.val.data) <= 64
	case kindExt:
		text := appendScalar(nil, f.wire)
		if t.UnmarshalText(text) == nil {
			return t, nil, true
		}
		if sec, nsec, ok := f.val.eventTime(); ok {
			return time.Unix(int64(sec), int64(nsec)).UTC(), nil, true
		}
		return t, nil, false
	}
	t, ok = epoch(f.val)
	return t, nil, ok
}

// epoch reads a number as a time since 1970, in seconds, milliseconds,
// microseconds or nanoseconds: which of them, its size tells for all times
// from 1973 to 5138. Smaller ones are no times, rather durations.
func epoch(o object) (time.Time, bool) {
	switch o.kind {
	case kindUint:
		n := int64(min(o.n, math.MaxInt64))
		switch {
		case n < 1e8:
			return time.Time{}, false
		case n < 1e11:
			return time.Unix(n, 0).UTC(), true
		case n < 1e14:
			return time.UnixMilli(n).UTC(), true
		case n < 1e17:
			return time.UnixMicro(n).UTC(), true
		}
		return time.Unix(0, n).UTC(), true
	case kindFloat:
		f := math.Float64frombits(o.n)
		if o.isFloat32() {
			f = float64(math.Float32frombits(uint32(o.n)))
		}
		switch {
		case !(f >= 1e8 && f < 1e14):
			return time.Time{}, false
		case f >= 1e11:
			f /= 1000
		}
		sec, frac := math.Modf(f)
		// No float64 of this size holds more than microseconds.
		return time.Unix(int64(sec), int64(math.Round(frac*1e6))*1000).UTC(), true
	}
	return time.Time{}, false
}

// levels are the names that levels go by, with their numbers in log/slog.
var levels = [...]struct {
	name string
	rank int
}{
	{"trace", -8}, {"debug", -4}, {"info", 0}, {"warn", 4}, {"error", 8}, {"fatal", 12}, {"panic", 16},
	{"information", 0}, {"notice", 2}, {"warning", 4}, {"err", 8}, {"crit", 12}, {"critical", 12}, {"dpanic", 12},
	{"alert", 16}, {"emerg", 16}, {"emergency", 16},
	{"trc", -8}, {"dbg", -4}, {"inf", 0}, {"wrn", 4}, {"ftl", 12}, {"pnc", 16},
}

// rankOfText returns the number of a level's name, in any case; log/slog's
// INFO+2 is two more than INFO.
func rankOfText(s []byte) (int, bool) {
	if len(s) > 24 {
		return 0, false
	}
	name, plus := s, 0
	for i, b := range s {
		if (b == '+' || b == '-') && i > 0 {
			n, err := strconv.Atoi(string(s[i:]))
			if err != nil || n < -1000 || n > 1000 {
				return 0, false
			}
			name, plus = s[:i], n
			break
		}
	}
	for _, l := range levels {
		if len(l.name) == len(name) && equalFold(name, l.name) {
			return l.rank + plus, true
		}
	}
	return 0, false
}

func equalFold(b []byte, lower string) bool {
	for i := range b {
		c := b[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// rankOfNumber returns the number in log/slog of a level that is a number:
// bunyan's and pino's tens, or log/slog's own.
func rankOfNumber(n int64) int {
	if n >= 10 && n%10 == 0 {
		return int(min(n, 60)/10)*4 - 12
	}
	return int(max(-1000, min(n, 1000)))
}

// appendRank appends a level's number as its name.
func appendRank(dst []byte, rank int) []byte {
	name, base := "trace", -8
	for _, l := range levels[:7] {
		if rank >= l.rank {
			name, base = l.name, l.rank
		}
	}
	dst = append(dst, name...)
	if rank != base {
		dst = append(dst, '+')
		if rank < base {
			dst = dst[:len(dst)-1]
		}
		dst = strconv.AppendInt(dst, int64(rank-base), 10)
	}
	return dst
}
