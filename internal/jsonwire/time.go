package jsonwire

import (
	"encoding/binary"
	"time"
)

// AppendTime appends t as RFC 3339 in its own zone, without quotes, and returns
// the extended slice: the bytes of t.AppendFormat, for any year and zone. digits
// is the number of fractional digits, 0, 3, 6 or 9; anything else, by custom -1,
// means nanoseconds with trailing zeros cut, as time.RFC3339Nano.
func AppendTime(dst []byte, t time.Time, digits int) []byte {
	var s timeSlot
	return s.append(dst, t, digits)
}

// TimeCache formats times as the function [AppendTime] does and remembers the
// last second it formatted: one for the records' own times, one for times in
// attrs, so that neither evicts the other. The zero value is ready. It is not
// safe for concurrent use: it belongs in a pooled object.
type TimeCache struct {
	record, attr timeSlot
}

// AppendTime appends a record's own time, as the function [AppendTime] does.
func (c *TimeCache) AppendTime(dst []byte, t time.Time, digits int) []byte {
	return c.record.append(dst, t, digits)
}

// AppendAttrTime appends a time from an attr: the same bytes, remembered apart.
func (c *TimeCache) AppendAttrTime(dst []byte, t time.Time, digits int) []byte {
	return c.attr.append(dst, t, digits)
}

// timeSlot is one formatted second. The zone is part of what it stands for,
// because the offset belongs to the second: it changes with daylight saving.
type timeSlot struct {
	loc     *time.Location // nil: empty; Time.Location is never nil
	sec     int64          // since 1970
	zone    uint64         // "Z" or "+hh:mm", from the lowest byte up
	zoneLen int
	text    [20]byte // "2006-01-02T15:04:05."
}

// TimeRoom is the longest time and two bytes more, since the zone is written as
// a word.
const TimeRoom = 20 + 9 + 8

// PutTime is AppendTime into an array. It returns the length, or 0 where the
// time has not the usual width and was not written.
func (c *TimeCache) PutTime(out *[TimeRoom]byte, t time.Time, digits int) int {
	return c.record.put(out, t, digits)
}

func (s *timeSlot) append(dst []byte, t time.Time, digits int) []byte {
	n := len(dst)
	if cap(dst)-n < TimeRoom {
		dst = grow(dst, TimeRoom)
	}
	if k := s.put((*[TimeRoom]byte)(dst[n:n+TimeRoom]), t, digits); k > 0 {
		return dst[:n+k]
	}
	return t.AppendFormat(dst, layout(digits))
}

func (s *timeSlot) put(out *[TimeRoom]byte, t time.Time, digits int) int {
	if sec, loc := t.Unix(), t.Location(); sec != s.sec || loc != s.loc {
		if !s.set(t, sec, loc) {
			return 0
		}
	}
	*(*[20]byte)(out[:]) = s.text
	end := 19
	if digits != 0 {
		end = putFraction(out, uint32(t.Nanosecond()), digits)
	}
	binary.LittleEndian.PutUint64(out[end:end+8], s.zone)
	return end + s.zoneLen
}

// putFraction writes the digits behind the point at out[19] and returns where
// they end: at 19, before the point, if none is left.
func putFraction(out *[TimeRoom]byte, nsec uint32, digits int) int {
	w := digits8(nsec / 10)
	last := '0' + byte(nsec%10)
	binary.LittleEndian.PutUint64(out[20:], w)
	out[28] = last
	switch digits {
	case 3, 6, 9:
		return 20 + digits
	}
	if last != '0' {
		return 29
	}
	if w == asciiZeros {
		return 19
	}
	return 28 - trailingZeroDigits(w)
}

// set fills the slot with t's second. It reports false, and leaves the slot as it
// is, for times that do not have the usual width.
func (s *timeSlot) set(t time.Time, sec int64, loc *time.Location) bool {
	_, offset := t.Zone()
	// Years 0 to 9999, a day short at both ends so that no offset leads out.
	const first, last = -62167219200 + 86400, 253402300800 - 86400
	if sec < first || sec >= last || offset <= -86400 || offset >= 86400 {
		return false
	}
	s.zone, s.zoneLen = zoneText(offset)
	local := sec - first + int64(offset) + 86400 // since the year 0
	day, inDay := uint32(local/86400), uint32(local%86400)
	year, month, mday := civil(day)
	putPair(s.text[0:2], year/100)
	putPair(s.text[2:4], year%100)
	s.text[4] = '-'
	putPair(s.text[5:7], month)
	s.text[7] = '-'
	putPair(s.text[8:10], mday)
	s.text[10] = 'T'
	putPair(s.text[11:13], inDay/3600)
	s.text[13] = ':'
	putPair(s.text[14:16], inDay/60%60)
	s.text[16] = ':'
	putPair(s.text[17:19], inDay%60)
	s.text[19] = '.'
	s.sec, s.loc = sec, loc
	return true
}

// civil returns the date of a day counted from 0000-01-01 in the Gregorian
// calendar. It counts years from March on, which puts the leap day last and makes
// the months' lengths a straight line: 153 days in five of them.
func civil(day uint32) (year, month, mday uint32) {
	day += 146097 - 60 // from 1 March of the year -400, where a cycle of 400 years begins
	era := day / 146097
	inEra := day % 146097
	yearOfEra := (inEra - inEra/1460 + inEra/36524 - inEra/146096) / 365
	inYear := inEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	m := (5*inYear + 2) / 153
	mday = inYear - (153*m+2)/5 + 1
	year = era*400 + yearOfEra - 400
	month = m + 3
	if month > 12 {
		month -= 12
		year++
	}
	return year, month, mday
}

// zoneText returns "Z" for no offset, else "+hh:mm", and its length. Seconds of
// the offset are cut, as package time does.
func zoneText(offset int) (uint64, int) {
	if offset == 0 {
		return 'Z', 1
	}
	sign := uint64('+')
	minutes := offset / 60
	if minutes < 0 {
		sign, minutes = '-', -minutes
	}
	h, m := uint64(pairs[minutes/60&127]), uint64(pairs[minutes%60&127])
	return sign | h<<8 | ':'<<24 | m<<32, 6
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
