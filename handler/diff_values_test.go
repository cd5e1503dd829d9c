package handler_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/big"
	"net"
	"strings"
	"time"
)

// Values of kind Any for the differential test. All of them are pure: they
// print the same each time, so that one program can be run by several handlers.

type point struct {
	X, Y int
	Name string `json:"name,omitempty"`
	Quot int64  `json:",string"`
	T    time.Time
	D    time.Duration
	Err  error
	In   *point
	priv int
}

type (
	badMarshaler   struct{}
	textMarshaler  string
	failMarshaler  struct{}
	failsWith      struct{ err error }
	panicMarshaler struct{ with any }
	ptrMarshaler   struct{ n int }
	rawMarshaler   string
	jsonError      struct{}
	ptrError       struct{ s string }
	panicError     struct{ with any }
	panicText      struct{}
	namedInt       int
	namedString    string
)

func (badMarshaler) MarshalJSON() ([]byte, error) { return []byte(`{"a":`), nil }
func (m textMarshaler) MarshalText() ([]byte, error) {
	if m == "" {
		return nil, errors.New("empty \"text\"")
	}
	return []byte(m), nil
}
func (failMarshaler) MarshalJSON() ([]byte, error)    { return nil, errors.New("bad\nluck") }
func (f failsWith) MarshalJSON() ([]byte, error)      { return nil, f.err }
func (m panicMarshaler) MarshalJSON() ([]byte, error) { panic(m.with) }
func (m *ptrMarshaler) MarshalJSON() ([]byte, error)  { return json.Marshal(m.n) }
func (m rawMarshaler) MarshalJSON() ([]byte, error)   { return []byte(m), nil }
func (jsonError) Error() string                       { return "as error" }
func (jsonError) MarshalJSON() ([]byte, error)        { return []byte(`{"as": "json"}`), nil }
func (e *ptrError) Error() string                     { return e.s }
func (e panicError) Error() string                    { panic(e.with) }
func (panicText) MarshalText() ([]byte, error)        { panic("text") }

// LogValuers.
type (
	toValue  struct{ v slog.Value }
	endless  struct{}
	panicker struct{ with any }
	ptrValue struct{ n int }
)

func (l toValue) LogValue() slog.Value   { return l.v }
func (l endless) LogValue() slog.Value   { return slog.AnyValue(l) }
func (l panicker) LogValue() slog.Value  { panic(l.with) }
func (l *ptrValue) LogValue() slog.Value { return slog.IntValue(l.n) }

func cyclicMap() map[string]any {
	m := map[string]any{"a": 1}
	m["m"] = m
	return m
}

func cyclicPointer() *point {
	p := &point{X: 1}
	p.In = p
	return p
}

func nested(n int) any {
	var v any = n
	for range n {
		v = []any{v}
	}
	return v
}

// anyPool are the values of kind Any (and LogValuer) that the generator picks from.
func anyPool() []any {
	n, s := 7, "pointed"
	pp := &point{X: 1, Name: "in"}
	var nilPoint *point
	var nilErr *ptrError
	var nilMarshaler *ptrMarshaler
	var nilValuer *ptrValue
	var nilText *textMarshaler
	joined := errors.Join(errors.New("one"), fmt.Errorf("two: %w", errors.New("\x1b[31m\u2028")))
	return []any{
		nil, errors.New("plain"), joined, jsonError{}, &ptrError{"by pointer"}, nilErr, panicError{"x"}, panicError{errors.New("e\n")},
		panicError{nil}, panicError{slog.IntValue(3)}, panicText{}, []error{errors.New("in a slice")},
		point{X: 1, Y: -2, Quot: 5, priv: 3}, pp, &pp, nilPoint, point{In: pp, Err: errors.New("lost"), T: time.Unix(1, 5).UTC(), D: 3},
		&n, &s, (*int)(nil), struct{}{}, struct{ A any }{[]int{}}, [3]int{1, 2, 3}, [2]byte{1, 2}, []byte("bytes\xff"), []byte{}, []byte(nil),
		[]int(nil), []int{}, []string{"a", "<b>", "\xfe\n\u2029\b\f\x7f"}, []any{1, "x", nil, 2.5, true}, []float64{1, 1e21, 1e-7, math.Copysign(0, -1), 3.5},
		map[string]int{"b": 1, "a": 2, "": 3, "\xff": 4, "q\"": 5}, map[int]string{3: "c", -1: "a"}, map[string]any{"n": map[string]any{"x": []any{}}},
		map[string]any(nil), map[textMarshaler]int{"k": 1}, map[bool]int{true: 1}, map[float64]int{1.5: 1}, map[[2]int]int{},
		json.RawMessage(`{"raw" : [1, 2] }`), json.RawMessage(`{"bro`), json.RawMessage(""), json.RawMessage(nil), json.RawMessage("\"a\u2028\""),
		json.RawMessage("[1,\n2]"), json.RawMessage("1 2"), json.Number("12.50"), json.Number("1x"), json.Number(""),
		badMarshaler{}, failMarshaler{}, panicMarshaler{"boom \"q\""}, panicMarshaler{errors.New("err")}, panicMarshaler{12}, &ptrMarshaler{4}, ptrMarshaler{4}, nilMarshaler,
		failsWith{panicError{"in the error"}}, failsWith{(*ptrError)(nil)}, failsWith{jsonError{}}, []any{failsWith{panicError{1}}},
		[]any{badMarshaler{}}, []any{panicMarshaler{"deep"}}, rawMarshaler(`"nl\n"`), rawMarshaler("  [ ]  "), rawMarshaler("\x00"), rawMarshaler(`"é\ud800"`),
		textMarshaler("text"), textMarshaler(""), textMarshaler("\x00<&>\u2028\xf0"), nilText, []textMarshaler{"a", ""},
		slog.LevelWarn, slog.Level(3), slog.Level(-9), new(slog.LevelVar), time.Month(3), namedInt(3), namedString("ns"),
		&slog.Source{}, (*slog.Source)(nil), &slog.Source{Function: "f", File: "dir/x.go", Line: 3}, &slog.Source{Line: 9}, slog.Source{File: "v"}, []*slog.Source{{Line: 1}},
		make(chan int), func() {}, complex(1, 2), uintptr(9), big.NewInt(0).Lsh(big.NewInt(1), 80), net.IPv4(1, 2, 3, 4), new(strings.Builder),
		[]slog.Attr{}, []slog.Attr{slog.Int("a", 1), {}}, []any{slog.IntValue(1), slog.Int("a", 1)}, slog.Int("attr", 1), []slog.Value{slog.IntValue(1)},
		cyclicMap(), cyclicPointer(), nested(50), math.Inf(1), []float64{math.NaN()}, float32(0.1), int8(-3), uint16(9), []time.Duration{1},
		toValue{slog.StringValue("resolved")}, toValue{slog.AnyValue(toValue{slog.IntValue(2)})}, toValue{slog.GroupValue()}, toValue{slog.GroupValue(slog.Attr{})},
		toValue{slog.GroupValue(slog.Int("a", 1), slog.Any("l", toValue{slog.GroupValue(slog.Int("drop", 1))}))}, toValue{slog.AnyValue(nil)},
		toValue{slog.AnyValue(&slog.Source{File: "from a LogValue"})}, toValue{slog.AnyValue(errors.New("error from LogValue"))}, toValue{slog.GroupValue(slog.Any("none", toValue{slog.GroupValue()}))},
		endless{}, panicker{"in LogValue"}, panicker{nil}, panicker{errors.New("e")}, &ptrValue{3}, nilValuer, ptrValue{3}, []any{toValue{slog.IntValue(1)}},
		[]slog.Attr{slog.Any("p", panicker{1}), slog.Any("q", endless{})},
	}
}

// timePool is the times the generator picks from: odd zones, odd years.
func timePool() []time.Time {
	zone := func(name string, sec int) *time.Location { return time.FixedZone(name, sec) }
	base := time.Date(2024, 2, 29, 23, 59, 59, 123456789, time.UTC)
	eras := int64(1) << 40 // as an int, this is nought where int has 32 bits
	return []time.Time{
		base, base.Truncate(time.Second), base.In(zone("x", 3600)), base.In(zone("neg", -9*3600-1800)), base.In(zone("secs", 1172)),
		base.In(zone("negsecs", -1)), base.In(zone("far", 30*3600)), base.In(zone("farther", -100*3600-59)), {}, time.Unix(0, 0).UTC(),
		time.Unix(0, 1).UTC(), time.Unix(0, 1000).UTC(), time.Unix(-1, 999999999).UTC(), time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC), time.Date(1, 1, 1, 0, 0, 0, 100, zone("x", -3600)), time.Now(),
		time.Date(9999, 12, 31, 23, 0, 0, 0, time.UTC).In(zone("over", 3600*2)), time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).In(zone("under", -3600)),
		// Outside 0..9999, or inside only in their zone.
		time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(1<<62, 0), time.Unix(-1<<62, 0).UTC(),
		time.Date(9970, 1, 1, 0, 0, 0, 0, time.UTC).In(zone("decades", 1<<31-1)), time.Date(30, 1, 1, 0, 0, 0, 0, time.UTC).In(zone("decades", -1<<31)),
		base.In(zone("eras", int(eras))), base.In(zone("eras", -int(eras))),
		time.Date(2262, 4, 11, 23, 47, 16, 854775807, time.UTC), time.Date(2262, 4, 12, 0, 0, 0, 0, time.UTC), time.Date(1677, 9, 21, 0, 12, 43, 0, time.UTC),
	}
}

func floatPool() []float64 {
	return []float64{0, math.Copysign(0, -1), 1, -1, 1.5, 0.1, 1e20, 1e21, 123456789012345680000, 1e-6, 1e-7, 9.99e-7, 1e9, 1e10, 3.14159, 100, 1e100,
		math.MaxFloat64, math.SmallestNonzeroFloat64, math.NaN(), math.Inf(1), math.Inf(-1), 1 << 53, 1<<53 + 2, 0.30000000000000004, 2.5e-10, 1e-10, 12.34, 99.995}
}

func stringPool() []string {
	return []string{"", "a", "k", "plain text", "msg", "time", "level", "source", "file", "line", "function", "drop", "empty", "nest", "ren", "ret", "lazy",
		"q\"uote\\", "nl\nnl\r\t", "\x00\x01\x1f\x7f\b\f", "\u2028\u2029", "<&>", "bad\xffutf8\xc3", "日本語 é 😀", "\xed\xa0\x80", "\ufffd", "{", "}", "a{", "[", ",",
		strings.Repeat("0123456789", 31), strings.Repeat("x", 63) + "\"", strings.Repeat("é", 40) + "\x80", "exactly8", "exactly 8\n", "\x1b[31mred\x1b[0m", "%d{}"}
}
