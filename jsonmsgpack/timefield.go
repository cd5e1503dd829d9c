package jsonmsgpack

import "time"

// timeField converts the string at src[i], the value of a time field: to a
// timestamp if it is one in the form of RFC 3339, to a str otherwise. It
// returns as str does.
func (c *Converter) timeField(dst []byte, o int, src []byte, i int) ([]byte, int, int, status) {
	dst, end, next, st := c.str(dst, o, src, i, 0)
	if st != statDone {
		return dst, o, next, st
	}
	text := strBody(dst[o:end])
	// The longest is 2006-01-02T15:04:05.999999999+07:00. Looked at first,
	// because an error of UnmarshalText is an allocation.
	if len(text) < 20 || len(text) > 35 || text[4] != '-' || text[10] != 'T' {
		return dst, end, next, st
	}
	var t time.Time
	if t.UnmarshalText(text) != nil {
		return dst, end, next, st
	}
	return dst, len(AppendTime(dst[:o], t)), next, st
}
