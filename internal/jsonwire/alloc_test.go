package jsonwire

import (
	"math"
	"strings"
	"testing"
	"time"
)

// TestNoAllocs: with room in dst nothing allocates, not even for []byte.
func TestNoAllocs(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	dst := make([]byte, 0, 4096)
	var c TimeCache
	now := time.Unix(1700000000, 123456789)
	texts := []string{"", "abc", "request_id", strings.Repeat("x", 100), "a\nb\"c\"\x00", "grün 請求 😀 \u2028", "\xff\xfe broken"}
	for _, s := range texts {
		b := []byte(s)
		for _, d := range dialects {
			check(t, "AppendString "+d.name+" "+s, func() { dst = AppendString(dst[:0], s, d.d) })
			check(t, "AppendString bytes "+d.name+" "+s, func() { dst = AppendString(dst[:0], b, d.d) })
			check(t, "AppendEscaped "+d.name+" "+s, func() { dst = AppendEscaped(dst[:0], s, d.d) })
			check(t, "AppendEscaped bytes "+d.name+" "+s, func() { dst = AppendEscaped(dst[:0], b, d.d) })
		}
	}
	for _, v := range []int64{0, -1, 12345, math.MinInt64} {
		check(t, "AppendInt", func() { dst = AppendInt(dst[:0], v) })
		check(t, "AppendUint", func() { dst = AppendUint(dst[:0], uint64(v)) })
	}
	for _, f := range []float64{0, 1.5, 1.0 / 3, 1e300, -1e-9} {
		check(t, "AppendFloat", func() { dst = AppendFloat(dst[:0], f, 64) })
		check(t, "AppendFloat 32", func() { dst = AppendFloat(dst[:0], float64(float32(f/1e270)), 32) })
	}
	for _, digits := range []int{-1, 0, 3, 6, 9} {
		check(t, "AppendTime", func() { dst = AppendTime(dst[:0], now, digits) })
		check(t, "TimeCache", func() {
			now = now.Add(time.Second / 3)
			dst = c.AppendTime(dst[:0], now, digits)
			dst = c.AppendAttrTime(dst, now.Add(time.Hour), digits)
		})
	}
}

func check(t *testing.T, what string, f func()) {
	t.Helper()
	if n := testing.AllocsPerRun(20, f); n != 0 {
		t.Errorf("%s: %v allocations", what, n)
	}
}
