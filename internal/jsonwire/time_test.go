package jsonwire

import (
	"math"
	"testing"
	"time"
)

// zones are what a log may meet: fixed, with seconds, negative below an hour,
// with daylight saving, and absurd ones.
func zones(t testing.TB) []*time.Location {
	t.Helper()
	out := []*time.Location{time.UTC, time.Local}
	for _, sec := range []int{0, 3600, -3600, 19800, -34200, 1, 59, -1, -59, -60, 5400 + 7, -5400 - 7,
		86399, -86399, 86400, -86400, 359999, -360000, 400000, math.MaxInt32, math.MinInt32} {
		out = append(out, time.FixedZone("", sec))
	}
	for _, name := range []string{"Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Africa/Monrovia"} {
		// A machine without a zone database has only the fixed ones.
		if loc, err := time.LoadLocation(name); err == nil {
			out = append(out, loc)
		}
	}
	return out
}

var timeCases = []time.Time{
	{},
	time.Unix(0, 0),
	time.Unix(-1, 999999999),
	time.Date(2024, 2, 29, 23, 59, 59, 123456789, time.UTC),
	time.Date(2024, 10, 27, 0, 59, 59, 100, time.UTC), // Berlin leaves summer time
	time.Date(2024, 10, 27, 1, 0, 0, 120000000, time.UTC),
	time.Date(2024, 3, 31, 1, 0, 0, 999999990, time.UTC),
	time.Date(1900, 2, 28, 23, 59, 59, 1, time.UTC), // before zones had whole minutes
	time.Date(1900, 3, 1, 0, 0, 0, 10, time.UTC),
	time.Date(2000, 12, 31, 12, 30, 30, 123000000, time.UTC),
	time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC),
	time.Date(0, 1, 2, 0, 0, 0, 0, time.UTC),
	time.Date(-1, 12, 31, 23, 59, 59, 0, time.UTC),
	time.Date(-12345, 6, 7, 8, 9, 10, 11, time.UTC),
	time.Date(9999, 12, 30, 23, 59, 59, 999999999, time.UTC),
	time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC),
	time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
	time.Date(123456, 7, 8, 9, 10, 11, 12, time.UTC),
	time.Unix(math.MaxInt64, 0),
	time.Unix(math.MinInt64, 0),
}

func TestTimes(t *testing.T) {
	var c TimeCache
	for _, loc := range zones(t) {
		for _, tm := range timeCases {
			checkTime(t, &c, tm.In(loc))
		}
		// Every day of four centuries, at changing times of day.
		if loc == time.UTC {
			for day := range 146097 * 2 {
				tm := time.Unix(int64(day)*86400-62135596800+int64(day)*7919%86400, int64(day)*7907%1e9).UTC()
				if got, want := string(AppendTime(nil, tm, -1)), tm.Format(time.RFC3339Nano); got != want {
					t.Fatalf("AppendTime = %s, want %s", got, want)
				}
			}
		}
	}
}

// checkTime compares every form with AppendFormat, through the function and
// through both slots of c, which hold whatever came before.
func checkTime(t *testing.T, c *TimeCache, tm time.Time) {
	t.Helper()
	for _, digits := range []int{-1, 0, 3, 6, 9} {
		want := "x" + tm.Format(layout(digits))
		for name, got := range map[string][]byte{
			"AppendTime":     AppendTime([]byte("x"), tm, digits),
			"first time":     c.AppendTime([]byte("x"), tm, digits),
			"second time":    c.AppendTime([]byte("x"), tm, digits),
			"AppendAttrTime": c.AppendAttrTime([]byte("x"), tm, digits),
		} {
			if string(got) != want {
				t.Fatalf("%s(digits %d) = %s, want %s", name, digits, got, want)
			}
		}
	}
}

// TestTimeCacheSecondAndZone goes back and forth between neighbours that share
// all but one part of the key.
func TestTimeCacheSecondAndZone(t *testing.T) {
	var c TimeCache
	base := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	east, west := time.FixedZone("", 3600), time.FixedZone("", -3600)
	for _, tm := range []time.Time{
		base, base.Add(1), base.Add(time.Second - 1), base.Add(time.Second), base.Add(-1), base,
		base.In(east), base.In(west), base.In(east).Add(5e8), base.In(time.FixedZone("", 3600)), base,
		time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC), base, {}, base,
	} {
		for _, digits := range []int{-1, 0, 3, 6, 9} {
			if got, want := string(c.AppendTime(nil, tm, digits)), tm.Format(layout(digits)); got != want {
				t.Fatalf("AppendTime = %s, want %s", got, want)
			}
		}
	}
}

// TestTimeCacheSlotsAreApart shows that times in attrs leave the record's slot
// alone.
func TestTimeCacheSlotsAreApart(t *testing.T) {
	var c TimeCache
	now := time.Unix(1700000000, 5)
	c.AppendTime(nil, now, -1)
	kept := c.record
	c.AppendAttrTime(nil, now.Add(time.Hour), -1)
	if c.record != kept {
		t.Error("AppendAttrTime changed the record's slot")
	}
	if c.attr == (timeSlot{}) {
		t.Error("AppendAttrTime remembered nothing")
	}
}

func FuzzTime(f *testing.F) {
	for i, tm := range timeCases {
		f.Add(tm.Unix(), int64(tm.Nanosecond()), i*1000)
	}
	locs := zones(f)
	f.Fuzz(func(t *testing.T, sec, nsec int64, zone int) {
		loc := time.FixedZone("", zone)
		if zone >= 0 && zone < len(locs) {
			loc = locs[zone]
		}
		var c TimeCache
		tm := time.Unix(sec, nsec).In(loc)
		checkTime(t, &c, tm)
		checkTime(t, &c, tm.Add(time.Second/2))
		checkTime(t, &c, time.Unix(sec%1e11, nsec).In(loc))
	})
}

func BenchmarkAppendTime(b *testing.B) {
	now := time.Date(2024, 5, 6, 7, 8, 9, 123456789, time.Local)
	dst := make([]byte, 0, 64)
	var c TimeCache
	b.Run("cached", func(b *testing.B) {
		for b.Loop() {
			dst = c.AppendTime(dst[:0], now, -1)
		}
	})
	b.Run("cachedmillis", func(b *testing.B) {
		for b.Loop() {
			dst = c.AppendTime(dst[:0], now, 3)
		}
	})
	b.Run("cachedseconds", func(b *testing.B) {
		for b.Loop() {
			dst = c.AppendTime(dst[:0], now, 0)
		}
	})
	b.Run("uncached", func(b *testing.B) {
		for b.Loop() {
			dst = AppendTime(dst[:0], now, -1)
		}
	})
	b.Run("AppendFormat", func(b *testing.B) {
		for b.Loop() {
			dst = now.AppendFormat(dst[:0], time.RFC3339Nano)
		}
	})
}
