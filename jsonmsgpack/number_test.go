package jsonmsgpack

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestPow128 computes the table again.
func TestPow128(t *testing.T) {
	for e := minPow; e <= maxPow; e++ {
		v := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(e, -e))), nil)
		if e < 0 {
			// 1/v, with more bits than are wanted.
			v.Div(new(big.Int).Lsh(big.NewInt(1), uint(v.BitLen())+140), v)
		}
		if n := v.BitLen(); n > 128 {
			v.Rsh(v, uint(n-128))
		} else {
			v.Lsh(v, uint(128-n))
		}
		hi := new(big.Int).Rsh(v, 64).Uint64()
		lo := new(big.Int).And(v, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
		if got := pow128[e-minPow]; got != [2]uint64{hi, lo} {
			t.Errorf("1e%d: %#x, want %#x %#x", e, got, hi, lo)
		}
	}
}

func TestWords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 20000 {
		n := r.Uint64N(100000000)
		text := fmt.Sprintf("%08d", n)
		if got := digits8(load8([]byte(text), 0)); got != n {
			t.Fatalf("digits8(%s) = %d", text, got)
		}
		// Any eight bytes, often near the borders of the classes.
		b := make([]byte, 8)
		for i := range b {
			b[i] = " !\"#/09:[\\]\x00\x1f\x7f\x80\xff"[r.IntN(16)]
			if r.IntN(4) == 0 {
				b[i] = byte(r.Uint32())
			}
		}
		w := load8(b, 0)
		for name, c := range map[string]struct {
			got int
			is  func(ch byte) bool
		}{
			"special":  {first(special(w)), func(ch byte) bool { return ch == '"' || ch == '\\' || ch < ' ' || ch >= 0x80 }},
			"ending":   {first(ending(w)), func(ch byte) bool { return ch == '"' || ch == '\\' || ch < ' ' }},
			"nonDigit": {first(nonDigit(w)), func(ch byte) bool { return ch < '0' || ch > '9' }},
		} {
			want := 0
			for want < 8 && !c.is(b[want]) {
				want++
			}
			if c.got != want {
				t.Fatalf("%s(%q) = %d, want %d", name, b, c.got, want)
			}
		}
	}
}

func TestSkipSpace(t *testing.T) {
	for _, src := range []string{"", "x", " x", "\n\t\r x", strings.Repeat(" ", 7) + "x", "\n" + strings.Repeat(" ", 8) + "x", strings.Repeat(" \n", 20),
		strings.Repeat(" ", 16), "\x0b", "\n" + strings.Repeat(" ", 17) + "\n\n x", " \x1fx", "        \t        \"", "\x80"} {
		want := len(src) - len(strings.TrimLeft(src, " \t\r\n"))
		if got := skipSpace([]byte(src), 0); got != want {
			t.Errorf("skipSpace(%q) = %d, want %d", src, got, want)
		}
	}
	for n := range 40 {
		b := []byte("\n" + strings.Repeat(" ", n))
		if got := indented(b); got != (n >= 8) {
			t.Errorf("indented, %d spaces: %v", n, got)
		}
		for i := range b {
			b[i] ^= 1
			if indented(b) {
				t.Errorf("indented(%q)", b)
			}
			b[i] ^= 1
		}
	}
}

// checkFloat compares the conversion of the number s, in front of others and
// alone, with strconv's.
func checkFloat(t *testing.T, s string) {
	t.Helper()
	want, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return
	}
	for _, src := range []string{s, "[" + s + "]          ", s + "          "} {
		out, err := Append(nil, []byte(src))
		if err != nil {
			t.Errorf("%q: %v", src, err)
			return
		}
		if got := out[len(out)-8:]; len(out) < 9 || math.Float64bits(want) != binaryUint64(got) {
			t.Errorf("%q: %x, want %x", src, out, math.Float64bits(want))
		}
	}
}

func binaryUint64(b []byte) (v uint64) {
	for _, x := range b {
		v = v<<8 | uint64(x)
	}
	return v
}

func TestFloats(t *testing.T) {
	for _, s := range []string{
		"1e23", "8.5e22", "9007199254740993e0", "9007199254740992.5", "9007199254740993.5", "1e22", "1e-22", "123456789012345678e-20",
		"1.7976931348623157e308", "1.7976931348623158e308", "4.9406564584124654e-324", "2.4703282292062328e-324", "2.2250738585072011e-308",
		"0.000000000000000000000000000000000000001e40", "10000000000000000000000000000000000000000e-40",
		"1090544144181609348671888949248e0", "1090544144181609348835077142190e0", "0.500000000000000166533453693773481063544750213623046875",
		"3.518437208883201171875e13", "62.5364939768271845828", "8.10109172351e-10", "1.50000000000000011102230246251565", "9214843084008499.0",
		"18446744073709551615.5", "1844674407370955161.65", "9999999999999999999.9", "123456789012345678901234567890.5e-10",
		"0.0000000", "0e5", "0.0e-400", "6929495644600919.5e0", "7450580596923828125e-27", "5e-324", "1e-64", "1e64", "1e65", "1e-65",
	} {
		checkFloat(t, s)
		checkFloat(t, "-"+s)
	}
	r := rand.New(rand.NewPCG(2, 3))
	n := 200000
	if testing.Short() || raceEnabled {
		n = 20000
	}
	for range n {
		f := math.Float64frombits(r.Uint64())
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		switch r.IntN(4) {
		case 0:
			checkFloat(t, strconv.FormatFloat(f, 'e', -1, 64))
		case 1:
			checkFloat(t, strconv.FormatFloat(f, 'e', r.IntN(25), 64))
		case 2:
			checkFloat(t, strconv.FormatFloat(r.NormFloat64()*100, 'f', 1+r.IntN(20), 64))
		case 3:
			// Exactly between two floats, or a digit beside it.
			m := new(big.Float).SetPrec(200).SetInt64(1<<53 + r.Int64N(1<<53))
			m.Add(m, big.NewFloat(0.5))
			m.SetMantExp(m, r.IntN(120)-90)
			s := m.Text('e', 60)
			checkFloat(t, s)
			s = m.Text('e', 17+r.IntN(30))
			checkFloat(t, s)
		}
	}
}

// TestIntegers compares with strconv around all powers of two and ten.
func TestIntegers(t *testing.T) {
	var all []uint64
	for i := range 64 {
		for d := range uint64(5) {
			all = append(all, 1<<i+d-2)
		}
	}
	for p := uint64(1); p < 1e19; p *= 10 {
		all = append(all, p-1, p, p+1, p*3)
	}
	all = append(all, math.MaxUint64, math.MaxUint64-1, 1e19)
	for _, v := range all {
		s := strconv.FormatUint(v, 10)
		checkSame(t, s)
		checkSame(t, "["+s+","+s+"]        ")
		checkSame(t, "-"+s)
		checkSame(t, "[-"+s+",-"+s+"]        ")
		// The Packer has its own way to the same bytes.
		if got, want := AppendUint(nil, v), convertHex(t, s); hex.EncodeToString(got) != want {
			t.Errorf("AppendUint(%d): %x, want %s", v, got, want)
		}
		for _, n := range []int64{int64(v), -int64(v)} {
			if got, want := AppendInt(nil, n), convertHex(t, strconv.FormatInt(n, 10)); hex.EncodeToString(got) != want {
				t.Errorf("AppendInt(%d): %x, want %s", n, got, want)
			}
		}
	}
}

// TestSurvives compares the two ways to tell whether a number survives.
func TestSurvives(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	yes, no, doubts := 0, 0, 0
	for range 100000 {
		mant := r.Uint64() >> r.IntN(14)
		exp := r.IntN(maxPow-minPow+1) + minPow
		f, ok := eiselLemire(mant, exp)
		if !ok || mant == 0 {
			continue
		}
		if r.IntN(2) == 0 {
			// A float's own digits.
			s := strconv.FormatFloat(f, 'e', 16, 64)
			m, e, _ := strings.Cut(s, "e")
			mant, _ = strconv.ParseUint(strings.Replace(m, ".", "", 1), 10, 64)
			exp, _ = strconv.Atoi(e)
			if exp -= 16; exp < minPow || exp > maxPow {
				continue
			}
		}
		exact := survives([]byte(fmt.Sprintf("%de%d", mant, exp)), f)
		quick := keepsDigits(mant, exp, f)
		switch {
		case quick && !exact:
			t.Fatalf("%de%d: %v taken to survive", mant, exp, f)
		case exact && !quick:
			doubts++
		case exact:
			yes++
		default:
			no++
		}
	}
	if yes < 10000 || no < 10000 || doubts > yes/5 {
		t.Errorf("%d survive, %d do not, %d not seen by the quick way", yes, no, doubts)
	}
	for _, c := range []struct {
		s    string
		want bool
	}{
		{"0.1", true}, {"0.30000000000000004", true}, {"0.30000000000000005", false}, {"9007199254740993", false}, {"9007199254740994", true},
		{"123456789012345.678", false}, {"1.0000000000000000000000", true}, {"0.000", true}, {"5e-324", true}, {"4.9e-324", true}, {"4.8e-324", false},
		{"1e-400", false}, {"1e23", true}, {"0.1000000000000000055511151231257827021181583404541015625", true},
		{"0.1000000000000000055511151231257827021181583404541015626", false},
	} {
		f, _ := strconv.ParseFloat(c.s, 64)
		if got := survives([]byte(c.s), f); got != c.want {
			t.Errorf("survives(%s) = %v", c.s, got)
		}
	}
}
