package handler

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// encoded by encoding/json as the handler has it.
func stdJSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		text, _ := json.Marshal("!ERROR:" + err.Error())
		return string(text)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func anyAsJSON(v any, opts ...Option) string {
	var b bytes.Buffer
	l := slog.New(New(&b, opts...))
	l.Info("", "v", v)
	_, text, _ := strings.Cut(b.String(), `"v":`)
	return strings.TrimSuffix(text, "}\n")
}

// nested is n slices, one in the other.
func nested(n int) any {
	var v any = "core"
	for range n {
		v = []any{v}
	}
	return v
}

func commonCases() []any {
	texts := []string{"", "a", `"q"`, "<b>&amp;", "\x00\b\f\n\x7f", "\u2028", "bad \xff utf8", "grüße 世界 😀", strings.Repeat("long ", 40)}
	return []any{
		[]string(nil), []string{}, []string{"a"}, texts,
		[]int(nil), []int{}, []int{0, -1, math.MaxInt, math.MinInt}, []int64{1, math.MinInt64}, []int64(nil),
		[]time.Duration{time.Second, -1}, []time.Duration(nil),
		[]float64(nil), []float64{}, []float64{0, math.Copysign(0, -1), 1.5, 1e-7, 1e21, math.MaxFloat64}, []float64{1, math.NaN()},
		[]float64{math.Inf(-1)}, []bool(nil), []bool{true, false},
		map[string]string(nil), map[string]string{}, map[string]string{"b": "1", "a": "2", "": "", "\xff": "x", "ü": "y"},
		[]any(nil), []any{}, []any{nil, "s", true, 1, int64(2), uint64(math.MaxUint64), 2.5, time.Second, []byte("bytes"), []byte(nil)},
		[]any{int8(1), uint(2), float32(0.1), json.Number("1e5"), struct{ A int }{1}, &struct{}{}},
		[]any{time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), errorText("e"), slog.LevelInfo},
		[]any{1, math.NaN()}, []any{1, func() {}}, []any{make(chan int)},
		map[string]any(nil), map[string]any{}, map[string]any{"z": nil, "a": []any{1, map[string]any{"x": "y"}}, "m": map[string]string{"k": "v"}},
		map[string]any{"a": math.Inf(1)}, map[string]any{"<": ">", "k": []string{"a"}, "": []int{1}},
		nested(maxCommonDepth), nested(maxCommonDepth + 1), nested(200),
		map[string]any{"n": nested(maxCommonDepth - 1)}, map[string]any{"n": nested(maxCommonDepth)},
		named{"a"}, namedMap{"k": 1},
	}
}

type (
	errorText string
	named     []string
	namedMap  map[string]any
)

func (e errorText) Error() string { return string(e) }

func TestCommonAsEncodingJSON(t *testing.T) {
	for _, v := range commonCases() {
		if got, want := anyAsJSON(v), stdJSON(v); got != want {
			t.Errorf("%T %.60v:\n got %s\nwant %s", v, v, got, want)
		}
	}
	// One handler for all: a pooled pair must not carry anything over.
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		v := randomCommon(r, 0)
		if got, want := anyAsJSON(v), stdJSON(v); v != nil && got != want {
			t.Fatalf("%T %v:\n got %s\nwant %s", v, v, got, want)
		}
	}
}

func randomCommon(r *rand.Rand, depth int) any {
	n := r.IntN(4)
	if depth > 3 {
		n = 0
	}
	switch r.IntN(12) {
	case 0:
		v := make([]any, n)
		for i := range v {
			v[i] = randomCommon(r, depth+1)
		}
		return v
	case 1:
		v := map[string]any{}
		for range n {
			v[randomText(r)] = randomCommon(r, depth+1)
		}
		return v
	case 2:
		v := map[string]string{}
		for range n {
			v[randomText(r)] = randomText(r)
		}
		return v
	case 3:
		return []string{randomText(r), randomText(r)}
	case 4:
		return []float64{r.NormFloat64(), float64(r.IntN(1000)) / 100}
	case 5:
		return []int{r.Int() >> r.IntN(63), -r.IntN(100)}
	case 6:
		return []bool{r.IntN(2) == 0}
	case 7:
		return []int64{r.Int64()}
	case 8:
		if depth > 0 && r.IntN(5) == 0 {
			return math.NaN()
		}
		return []any{r.Float64(), r.Uint64(), nil}
	case 9:
		return []time.Duration{time.Duration(r.Int64())}
	}
	if depth == 0 {
		return []any{randomText(r)}
	}
	return randomText(r)
}

func randomText(r *rand.Rand) string {
	const letters = "abc\"\\\n\x01\x7f<>& üß世\u2028\xff"
	var b strings.Builder
	for range r.IntN(12) {
		b.WriteByte(letters[r.IntN(len(letters))])
	}
	return b.String()
}

// What contains itself costs its field, as with encoding/json, whose text it is.
func TestCommonCycles(t *testing.T) {
	s := []any{1, nil}
	s[1] = s
	m := map[string]any{"a": 1}
	m["self"] = []any{m}
	for _, v := range []any{s, m} {
		if got := anyAsJSON(v); !strings.HasPrefix(got, `"!ERROR:json: unsupported value: encountered a cycle`) {
			t.Errorf("%T: %s", v, got)
		}
	}
}

func TestCommonRedacted(t *testing.T) {
	v := map[string]any{"password": "a", "b": []any{map[string]string{"Password": "c", "d": "e"}}}
	got := anyAsJSON(v, WithRedactKeys("password"))
	if want := `{"b":[{"Password":"[REDACTED]","d":"e"}],"password":"[REDACTED]"}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The keys of a large map do not stay in the pool.
func TestCommonKeepsNoKeys(t *testing.T) {
	p := newPair()
	p.c = New(nil).c
	m := map[string]any{}
	for i := range maxMapKeys + 10 {
		m[fmt.Sprint(i)] = map[string]string{"a": "b"}
	}
	for _, v := range []any{m, map[string]any{"a": map[string]any{"b": math.NaN()}}} {
		p.jsonCommon(nil, v, 0)
		if len(p.mapKeys) != 0 || cap(p.mapKeys) > maxMapKeys {
			t.Fatalf("%d keys in room for %d are kept", len(p.mapKeys), cap(p.mapKeys))
		}
		for _, k := range p.mapKeys[:cap(p.mapKeys)] {
			if k != "" {
				t.Fatalf("key %q is kept", k)
			}
		}
	}
}

// The keys of a large map stay where they are while the maps in it come and go:
// to move them for each costs the square of their number.
func TestCommonLargeMapsInOne(t *testing.T) {
	const n = 4 * maxMapKeys
	p := newPair()
	p.c = New(nil).c
	m := map[string]any{}
	for i := range n {
		m[fmt.Sprint(i)] = map[string]any{"a": map[string]string{"b": "c"}}
	}
	var dst []byte
	for name, appendMap := range map[string]func() bool{
		"JSON":        func() (ok bool) { dst, ok = p.jsonCommon(dst[:0], m, 0); return ok },
		"MessagePack": func() (ok bool) { dst, ok = p.packCommon(dst[:0], m); return ok },
	} {
		if allocs := testing.AllocsPerRun(3, func() { _ = appendMap() }); allocs > n/50 {
			t.Errorf("%s: %v allocations for %d maps in one", name, allocs, 2*n)
		}
	}
	if dst, _ = p.jsonCommon(dst[:0], m, 0); string(dst) != stdJSON(m) {
		t.Error("other bytes than encoding/json's")
	}
}
