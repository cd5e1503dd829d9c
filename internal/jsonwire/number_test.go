package jsonwire

import (
	"math"
	"math/rand"
	"strconv"
	"testing"
)

// TestInts compares with strconv around every power of ten and of two, and with
// each amount of room left.
func TestInts(t *testing.T) {
	var vs []uint64
	for p := uint64(1); ; p *= 10 {
		for d := uint64(0); d < 3; d++ {
			vs = append(vs, p-d, p+d, 9*p, p/2)
		}
		if p == 1e19 {
			break
		}
	}
	for s := range 64 {
		vs = append(vs, 1<<s, 1<<s-1, 1<<s+1)
	}
	for v := range uint64(20000) {
		vs = append(vs, v, v*9973, v*99999989)
	}
	vs = append(vs, math.MaxUint64, math.MaxInt64, 1<<63)
	for _, v := range vs {
		checkInt(t, v)
	}
}

func TestDigits8(t *testing.T) {
	check := func(v uint32) {
		w := digits8(v)
		u := uint32(0)
		for range 8 {
			u = u*10 + uint32(byte(w)-'0')
			if byte(w) < '0' || byte(w) > '9' {
				t.Fatalf("digits8(%d): %#x is no digit", v, byte(w))
			}
			w >>= 8
		}
		if u != v {
			t.Fatalf("digits8(%d) gave %d", v, u)
		}
	}
	// Each half goes through every value; the halves do not touch each other.
	for v := range uint32(10000) {
		check(v)
		check(v * 10000)
		check(v*10000 + 9999)
		check(99990000 + v)
	}
}

func checkInt(t *testing.T, v uint64) {
	t.Helper()
	for _, room := range []int{0, 5, 24, 64} {
		dst := make([]byte, 1, 1+room)
		if got, want := string(AppendUint(dst, v)[1:]), strconv.FormatUint(v, 10); got != want {
			t.Fatalf("room %d: AppendUint(%d) = %s", room, v, got)
		}
		if got, want := string(AppendInt(dst, int64(v))[1:]), strconv.FormatInt(int64(v), 10); got != want {
			t.Fatalf("room %d: AppendInt(%s) = %s", room, want, got)
		}
	}
}

func FuzzInt(f *testing.F) {
	for _, v := range []uint64{0, 9, 10, 99, 100, 1e8 - 1, 1e8, 1e16 - 1, 1e16, math.MaxUint64} {
		f.Add(v)
	}
	f.Fuzz(checkInt)
}

var floatCases = []struct {
	in   float64
	want string
}{
	{0, "0"},
	{math.Copysign(0, -1), "-0"},
	{1, "1"},
	{-1, "-1"},
	{0.5, "0.5"},
	{-12.345, "-12.345"},
	{0.1, "0.1"},
	{1.10, "1.1"},
	{0.000001, "0.000001"},
	{0.000001234, "0.000001234"},
	{0.0000001, "1e-7"},
	{9.99e-7, "9.99e-7"},
	{1e-10, "1e-10"},
	{0.30000000000000004, "0.30000000000000004"},
	{100, "100"},
	{999999.999999999, "999999.999999999"},
	{123456789.123456, "123456789.123456"},
	{1e15, "1000000000000000"},
	{1 << 53, "9007199254740992"},
	{1<<53 + 2, "9007199254740994"},
	{1e20, "100000000000000000000"},
	{1e21, "1e+21"},
	{math.MaxFloat64, "1.7976931348623157e+308"},
	{math.SmallestNonzeroFloat64, "5e-324"},
	{math.Pi, "3.141592653589793"},
}

func TestFloatTable(t *testing.T) {
	for _, c := range floatCases {
		if got := string(AppendFloat(nil, c.in, 64)); got != c.want {
			t.Errorf("AppendFloat(%g) = %s, want %s", c.in, got, c.want)
		}
	}
}

// TestFloats compares with encoding/json at the borders of every branch, in
// steps of one unit in the last place, and on decimals of each length.
func TestFloats(t *testing.T) {
	edges := []float64{0, 1e-7, 1e-6, 1e-5, 1e-3, 0.1, 1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e9, 1e12, 1e15,
		1 << 23, 1 << 24, 1 << 25, 1 << 52, 1 << 53, 1 << 54, 1e20, 1e21, 1e22, 1e38}
	for _, e := range edges {
		up, down := e, e
		for range 50 {
			checkFloat(t, up)
			checkFloat(t, down)
			up, down = math.Nextafter(up, math.Inf(1)), math.Nextafter(down, 0)
		}
		up32, down32 := float32(e), float32(e)
		for range 50 {
			checkFloat(t, float64(up32))
			checkFloat(t, float64(down32))
			up32, down32 = math.Nextafter32(up32, math.MaxFloat32), math.Nextafter32(down32, 0)
		}
	}
	rng := rand.New(rand.NewSource(1))
	for range 20000 {
		f := float64(rng.Int63n(1e16)) / math.Pow10(rng.Intn(18))
		checkFloat(t, f)
		checkFloat(t, math.Nextafter(f, 0))
		checkFloat(t, math.Float64frombits(rng.Uint64()))
		checkFloat(t, float64(math.Float32frombits(rng.Uint32())))
		checkFloat(t, float64(rng.Intn(2000000))/math.Pow10(rng.Intn(8)))
	}
}

func checkFloat(t *testing.T, f float64) {
	t.Helper()
	for _, v := range []float64{f, -f} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return
		}
		if got, want := string(AppendFloat([]byte("x"), v, 64)), "x"+byEncodingJSON(t, v); got != want {
			t.Fatalf("AppendFloat(%x, 64) = %s, want %s", v, got, want)
		}
		v32 := float32(v)
		if math.IsInf(float64(v32), 0) {
			continue
		}
		if got, want := string(AppendFloat(nil, float64(v32), 32)), byEncodingJSON(t, v32); got != want {
			t.Fatalf("AppendFloat(%x, 32) = %s, want %s", v32, got, want)
		}
	}
}

func FuzzFloat(f *testing.F) {
	for _, c := range floatCases {
		f.Add(math.Float64bits(c.in))
	}
	f.Fuzz(func(t *testing.T, bits uint64) { checkFloat(t, math.Float64frombits(bits)) })
}

// FuzzDecimal makes floats as people write them: few digits, few decimals.
func FuzzDecimal(f *testing.F) {
	f.Add(int64(12345), uint8(3))
	f.Add(int64(999999999999999), uint8(9))
	f.Fuzz(func(t *testing.T, n int64, k uint8) { checkFloat(t, float64(n)/math.Pow10(int(k%24))) })
}
