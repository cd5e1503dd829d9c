package handler

import (
	"math"
	"time"

	"github.com/slogpack/slogpack/internal/jsonwire"
)

const yearRange = "time.Time year outside of range [0,9999]"

// jsonTime appends the record's own time.
func (p *pair) jsonTime(dst []byte, t time.Time) []byte {
	if p.c.keys.time == "" {
		return dst
	}
	dst = append(dst, p.c.keys.time...)
	return append(p.jsonTimeValue(dst, t, true), ',')
}

// jsonTimeValue appends t in the profile's form. own says that it is a record's
// own time.
func (p *pair) jsonTimeValue(dst []byte, t time.Time, own bool) []byte {
	if p.c.profile.Time >= UnixSeconds {
		if n, ok := unixTime(t, p.c.profile.Time); ok {
			return jsonwire.AppendInt(dst, n)
		}
	}
	return append(p.timeText(append(dst, '"'), t, own), '"')
}

// timeText appends t as text in the profile's form, escaped where the format
// is JSON.
func (p *pair) timeText(dst []byte, t time.Time, own bool) []byte {
	c := p.c
	if c.profile.UTC {
		t = t.UTC()
	}
	mark := len(dst)
	if own {
		dst = p.times.AppendTime(dst, t, c.digits)
	} else {
		dst = p.times.AppendAttrTime(dst, t, c.digits)
	}
	if c.profile.AnyYear || fourDigits(dst[mark:]) {
		return dst
	}
	if p.packed {
		return append(dst[:mark], string([]rune(c.profile.FailurePrefix+yearRange))...)
	}
	return jsonwire.AppendEscaped(dst[:mark], c.profile.FailurePrefix+yearRange, c.dialect)
}

// fourDigits reports whether the year in an RFC 3339 text is within 0 and 9999.
// Other years are an error in encoding/json. The text is asked and not the
// time, since a zone may be any number of years from UTC.
func fourDigits(text []byte) bool {
	return len(text) > 4 && text[4] == '-' && text[0] != '-'
}

// timeDigits is the number of decimals that form f has, -1 for what is needed.
func timeDigits(f TimeForm) int {
	switch f {
	case RFC3339:
		return 0
	case RFC3339Millis:
		return 3
	case RFC3339Micros:
		return 6
	}
	return -1
}

// unixTime returns t in one of the forms that count from 1970, or false where
// the number does not fit.
func unixTime(t time.Time, f TimeForm) (int64, bool) {
	sec := t.Unix()
	switch f {
	case UnixSeconds:
		return sec, true
	case UnixMillis:
		return t.UnixMilli(), fits(sec, 1e3)
	case UnixMicros:
		return t.UnixMicro(), fits(sec, 1e6)
	case UnixNanos:
		return t.UnixNano(), fits(sec, 1e9)
	}
	return 0, false
}

// fits reports whether sec seconds and a fraction are within int64 in units of
// which per make a second.
func fits(sec, per int64) bool {
	return sec > math.MinInt64/per && sec < math.MaxInt64/per
}
