package handler

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// checkFraction compares with what encoding/json makes of the quotient.
func checkFraction(t *testing.T, d time.Duration) {
	t.Helper()
	for digits, unit := range map[int]time.Duration{6: time.Millisecond, 9: time.Second} {
		want, err := json.Marshal(float64(d) / float64(unit))
		if err != nil {
			t.Fatal(err)
		}
		if got := appendFraction(nil, d, unit, digits); string(got) != string(want) {
			t.Errorf("%d by %d: got %s, want %s", int64(d), int64(unit), got, want)
		}
	}
}

func TestAppendFraction(t *testing.T) {
	for _, d := range []time.Duration{0, 1, 9, 10, 999, 1000, 1001, 999_999, 1_000_000, 1_000_001, 1234567,
		time.Second - 1, time.Second, time.Second + 1, time.Second + 100, time.Hour, maxExact - 1, maxExact, maxExact + 1,
		math.MaxInt64, math.MinInt64, math.MinInt64 + 1} {
		checkFraction(t, d)
		checkFraction(t, -d)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		checkFraction(t, time.Duration(rng.Uint64()>>rng.IntN(64)))
	}
}

func FuzzAppendFraction(f *testing.F) {
	for _, d := range []int64{0, 1, 1000, 1234567, maxExact, math.MinInt64} {
		f.Add(d)
	}
	f.Fuzz(func(t *testing.T, d int64) { checkFraction(t, time.Duration(d)) })
}
