package jsonwire

import "time"

// AppendTime appends t as RFC 3339 in its own zone, without quotes: the bytes
// of t.AppendFormat. digits is the number of fractional digits, 0, 3, 6 or 9;
// -1 is nanoseconds with trailing zeros cut, as time.RFC3339Nano. Any other
// number of digits counts as -1.
func AppendTime(dst []byte, t time.Time, digits int) []byte {
	return t.AppendFormat(dst, layout(digits))
}

func layout(digits int) string {
	switch digits {
	case 0:
		return time.RFC3339
	case 3:
		return "2006-01-02T15:04:05.000Z07:00"
	case 6:
		return "2006-01-02T15:04:05.000000Z07:00"
	case 9:
		return "2006-01-02T15:04:05.000000000Z07:00"
	}
	return time.RFC3339Nano
}

// TimeCache formats times as the function [AppendTime] does and remembers the
// last second it formatted, once for record times and once for attr times, so
// that neither evicts the other. The zero value is ready. It is not safe for
// concurrent use: it belongs in a pooled object.
type TimeCache struct {
	record, attr timeSlot
}

// timeSlot is one remembered second.
type timeSlot struct {
	sec int64
	loc *time.Location
}

// AppendTime appends a record's own time; see the function [AppendTime].
func (c *TimeCache) AppendTime(dst []byte, t time.Time, digits int) []byte {
	return AppendTime(dst, t, digits)
}

// AppendAttrTime appends the time in an attr; the bytes are those of AppendTime.
func (c *TimeCache) AppendAttrTime(dst []byte, t time.Time, digits int) []byte {
	return AppendTime(dst, t, digits)
}
