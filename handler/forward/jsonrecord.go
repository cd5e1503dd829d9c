package forward

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/slogpack/slogpack/jsonmsgpack"
	"github.com/slogpack/slogpack/pool"
)

// converter turns the JSON of other loggers into entries.
type converter struct {
	json      *jsonmsgpack.Converter
	buf       pool.Buffer // the entry
	committed []byte      // JSON that lay in a batch and has to leave it
}

// newConverter converts by the rules of package handler's Forward format: what
// has a flaw or does not fit becomes text, what nests too deep its JSON.
func newConverter() *converter {
	return &converter{json: jsonmsgpack.NewConverter(jsonmsgpack.Lax(), jsonmsgpack.Int64Only(),
		jsonmsgpack.BigNumbers(jsonmsgpack.Text), jsonmsgpack.MaxDepth(maxDepth), jsonmsgpack.DeepText())}
}

// entry returns the entry of one JSON object. It is valid until the next call.
// now is its time if it has none of its own.
func (cv *converter) entry(line []byte, now time.Time) ([]byte, error) {
	dst := append(cv.buf.B[:0], entryByte)
	dst = jsonmsgpack.AppendEventTime(dst, now)
	dst, err := cv.json.Append(dst, line)
	cv.buf.B = dst
	if err != nil {
		return nil, err
	}
	if end, err := checkRecord(dst, entryStart); err != nil || end != len(dst) {
		// JSON has nothing else that this could complain of.
		dst = finiteFloats(dst[:entryStart:entryStart], dst[entryStart:])
		cv.buf.B = dst
	}
	dst, t, ok := takeTime(dst)
	if ok {
		_ = jsonmsgpack.AppendEventTime(dst[:1], t)
	}
	cv.buf.B = dst
	return dst, nil
}

// finiteFloats appends the objects of src with text in the place of floats
// that are not finite.
func finiteFloats(dst, src []byte) []byte {
	for i := 0; i < len(src); {
		o, st := head(src, i)
		if st != good {
			break
		}
		end := i + o.header + o.payload
		if o.kind == kindFloat && !finite(o.num) {
			word := "NaN"
			switch f := math.Float64frombits(o.num); {
			case math.IsInf(f, 1):
				word = "+Inf"
			case math.IsInf(f, -1):
				word = "-Inf"
			}
			dst = jsonmsgpack.AppendString(dst, word)
		} else {
			dst = append(dst, src[i:end]...)
		}
		i = end
	}
	return dst
}

// takeTime looks for the time in the record of an entry: the first field "time"
// that parses. Text in the form of RFC 3339 says all that the entry's own time
// says, and leaves the record. A number counts as seconds, milli-, micro- or
// nanoseconds since 1970, by its size, and stays, since its unit was guessed.
func takeTime(entry []byte) (out []byte, t time.Time, ok bool) {
	o, _ := head(entry, entryStart)
	i := entryStart + o.header
	for left := o.count; left > 0; left-- {
		key, value, isText := text(entry, i)
		end, st := skip(entry, value)
		if !isText || st != good {
			return entry, t, false
		}
		if string(key) == "time" {
			v, _ := head(entry, value)
			if v.kind == kindStr {
				if t, ok = parseTime(entry[value+v.header : end]); ok {
					return cutPair(entry, o, i, end), t, true
				}
			} else if t, ok = unixTime(v); ok {
				return entry, t, true
			}
		}
		i = end
	}
	return entry, t, false
}

// parseTime parses RFC 3339; times that the entry's own cannot hold do not.
func parseTime(b []byte) (t time.Time, ok bool) {
	// Looked at first, because an error of UnmarshalText is an allocation.
	if len(b) < len("2006-01-02T15:04:05Z") || len(b) > len("2006-01-02T15:04:05.999999999+07:00") ||
		b[4] != '-' || b[10] != 'T' || t.UnmarshalText(b) != nil {
		return t, false
	}
	return t, fits(t)
}

func fits(t time.Time) bool {
	sec := t.Unix()
	return sec >= 0 && sec <= math.MaxUint32
}

// unixTime takes a number for a time since 1970 in the largest unit in which it
// is one within the entry's range.
func unixTime(o object) (time.Time, bool) {
	switch o.kind {
	case kindUint:
		for _, perSecond := range [...]uint64{1, 1e3, 1e6, 1e9} {
			if o.num/perSecond <= math.MaxUint32 {
				return time.Unix(int64(o.num/perSecond), int64(o.num%perSecond*(1e9/perSecond))), true
			}
		}
	case kindFloat:
		if f := math.Float64frombits(o.num); f >= 0 && f <= math.MaxUint32 {
			sec, frac := math.Modf(f)
			return time.Unix(int64(sec), int64(frac*1e9)), true
		}
	}
	return time.Time{}, false
}

// cutPair takes the pair at entry[from:to] out of the record, whose head is o.
func cutPair(entry []byte, o object, from, to int) []byte {
	n := o.count - 1
	var buf [5]byte
	start := entryStart
	var h []byte
	switch {
	case n < 16:
		h = append(buf[:0], 0x80|byte(n))
	case n <= math.MaxUint16:
		h = append(buf[:0], 0xde, byte(n>>8), byte(n))
	default:
		h = binary.BigEndian.AppendUint32(append(buf[:0], 0xdf), uint32(n))
	}
	at := start + copy(entry[start:], h)
	at += copy(entry[at:], entry[start+o.header:from])
	at += copy(entry[at:], entry[to:])
	return entry[:at]
}
