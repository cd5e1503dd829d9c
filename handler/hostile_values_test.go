package handler_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"
)

// A hostile value costs at most its own field. want is the raw JSON of that
// field: … stands for any text up to the end of a string, "" for no field at
// all, "?" for any valid value where the contract fixes no text.
type hostile struct {
	name  string
	value slog.Value
	want  string
}

func text(s string) string { b, _ := json.Marshal(s); return string(b) }

type (
	valueError   struct{ s string } // Error on the value: a nil pointer panics
	valueJSON    struct{ n int }
	valueText    struct{ s string }
	stringPanics struct{ with any }
	halfWriter   struct{}
	deepJSON     int
)

func (e valueError) Error() string               { return e.s }
func (v valueJSON) MarshalJSON() ([]byte, error) { return json.Marshal(v.n) }
func (v valueText) MarshalText() ([]byte, error) { return []byte(v.s), nil }
func (s stringPanics) String() string            { panic(s.with) }
func (halfWriter) MarshalJSON() ([]byte, error) {
	return []byte(`{"half":1}`), errors.New("then failed")
}
func (d deepJSON) MarshalJSON() ([]byte, error) {
	return []byte(strings.Repeat("[", int(d)) + strings.Repeat("]", int(d))), nil
}

// nilDeref panics with a runtime error.
type nilDeref struct{ p *int }

func (n nilDeref) Error() string        { return fmt.Sprint(*n.p) }
func (n nilDeref) LogValue() slog.Value { return slog.IntValue(*n.p) }

type nilDerefJSON struct{ p *int }

func (n nilDerefJSON) MarshalJSON() ([]byte, error) { return []byte(fmt.Sprint(*n.p)), nil }

func hostileValues() []hostile {
	anyOf := func(name string, v any, want string) hostile { return hostile{name, slog.AnyValue(v), want} }
	timeOf := func(name string, t time.Time, want string) hostile { return hostile{name, slog.TimeValue(t), want} }
	const nilRef = `"!PANIC: runtime error: invalid memory address or nil pointer dereference"`
	return []hostile{
		// Panics in the methods of values.
		anyOf("Error panics", panicError{"boom"}, `"!PANIC: boom"`),
		anyOf("Error panics with quotes and newline", panicError{"a\"b\nc"}, `"!PANIC: a\"b\nc"`),
		anyOf("Error panics with an error", panicError{errors.New("e")}, `"!PANIC: e"`),
		anyOf("Error panics with nil", panicError{nil}, `"!PANIC: …`),
		anyOf("Error panics with itself", panicsTwice{}, `"!PANIC: …`),
		anyOf("Error panics with a panicking Stringer", panicError{stringPanics{"again"}}, `"!PANIC: …`),
		anyOf("Error panics with panics within panics", panicError{stringPanics{stringPanics{stringPanics{"x"}}}}, `"!PANIC: …`),
		anyOf("Error panics with a nil pointer Stringer", panicError{(*stringPanics)(nil)}, `"!PANIC: …`),
		anyOf("Error dereferences nil", nilDerefError{nilDeref{}}, nilRef),
		anyOf("MarshalJSON panics", panicMarshaler{"boom"}, `"!PANIC: boom"`),
		anyOf("MarshalJSON panics with panics", panicMarshaler{panicsTwice{}}, `"!PANIC: …`),
		anyOf("MarshalJSON dereferences nil", nilDerefJSON{}, nilRef),
		anyOf("MarshalText panics", panicText{}, `"!PANIC: text"`),
		anyOf("panics deep inside", map[string]any{"a": []any{1, panicMarshaler{"deep"}}}, `"!PANIC: deep"`),
		anyOf("LogValue panics", panicker{"boom"}, `"LogValue panicked\n…`),
		anyOf("LogValue panics with panics", panicker{panicsTwice{}}, `"LogValue panicked\n…`),
		anyOf("LogValue dereferences nil", nilDerefValuer{nilDeref{}}, `"LogValue panicked\n…`),
		anyOf("LogValue panics second", toValue{slog.AnyValue(panicker{"boom"})}, `"LogValue panicked\n…`),
		anyOf("LogValue panics inside a group", []slog.Attr{slog.Int("x", 1), slog.Any("p", panicker{1}), slog.Int("y", 2)},
			`{"x":1,"p":"LogValue panicked\n…,"y":2}`),
		anyOf("LogValue without end", endless{}, text("LogValue called too many times on Value of type handler_test.endless")),

		// Nil pointers of types with methods.
		anyOf("nil *error", (*ptrError)(nil), `"<nil>"`),
		anyOf("nil pointer to an error value", (*valueError)(nil), `"<nil>"`),
		anyOf("nil pointer to a Marshaler value", (*valueJSON)(nil), `null`),
		anyOf("nil *Marshaler", (*ptrMarshaler)(nil), `null`),
		anyOf("nil pointer to a TextMarshaler value", (*valueText)(nil), `null`),
		anyOf("nil LogValuer pointer", (*ptrValue)(nil), `"LogValue panicked\n…`),
		anyOf("nil *time.Time", (*time.Time)(nil), `null`),
		anyOf("nil *slog.Source", (*slog.Source)(nil), ""),
		anyOf("zero *slog.Source", &slog.Source{}, ""),
		anyOf("nil *slog.LevelVar", (*slog.LevelVar)(nil), `?`),
		anyOf("nil error inside a slice", []error{nil, (*ptrError)(nil)}, `[null,null]`),
		anyOf("nil", nil, `null`),

		// Cycles of data.
		anyOf("cyclic map", cyclicMap(), `"!ERROR:…`),
		anyOf("cyclic pointer", cyclicPointer(), `"!ERROR:…`),
		anyOf("cyclic slice", func() any { s := make([]any, 1); s[0] = s; return s }(), `"!ERROR:…`),
		anyOf("deep JSON of a marshaler", deepJSON(10001), `"!ERROR:…`),

		// Marshalers that fail or print something else than JSON.
		anyOf("MarshalJSON fails", failMarshaler{}, `"!ERROR:json: error calling MarshalJSON for type …`),
		anyOf("MarshalJSON writes, then fails", halfWriter{}, `"!ERROR:…`),
		anyOf("MarshalJSON fails with an error that panics", failsWith{panicError{"in the error"}}, `?`),
		anyOf("MarshalJSON fails with an error that panics with panics", failsWith{panicsTwice{}}, `?`),
		anyOf("MarshalJSON fails with a nil pointer", failsWith{(*ptrError)(nil)}, `?`),
		anyOf("MarshalJSON of an embedded nil pointer", struct{ *valueJSON }{}, `?`),
		anyOf("map key whose MarshalText panics", map[panicText]int{{}: 1}, `"!PANIC: text"`),
		anyOf("MarshalText fails", textMarshaler(""), `"!ERROR:…`),
		anyOf("broken JSON", badMarshaler{}, `"!ERROR:…`),
		anyOf("empty JSON", rawMarshaler(""), `"!ERROR:…`),
		anyOf("two values", rawMarshaler("1 2"), `"!ERROR:…`),
		anyOf("closes the record", rawMarshaler(`1},"evil":{"x":2`), `"!ERROR:…`),
		anyOf("newlines between", rawMarshaler("{\n\"a\" :\r\n [ 1,\n2 ] }\n"), `{"a":[1,2]}`),
		anyOf("newline in a string", rawMarshaler("\"a\nb\""), `"!ERROR:…`),
		anyOf("control character", rawMarshaler("\"a\x01b\""), `"!ERROR:…`),
		anyOf("NUL", rawMarshaler("\x00"), `"!ERROR:…`),
		anyOf("broken RawMessage", json.RawMessage(`{"a"`), `"!ERROR:…`),
		anyOf("RawMessage with newline", json.RawMessage("[\n1]"), `[1]`),
		anyOf("json.Number of letters", json.Number("1e"), `"!ERROR:…`),
		anyOf("lone surrogates", rawMarshaler(`"\ud800 \udfff"`), `?`),
		anyOf("invalid UTF-8 in MarshalJSON", rawMarshaler("\"a\xffb\xc3\""), `?`),
		anyOf("invalid UTF-8 in a key of MarshalJSON", rawMarshaler("{\"\xff\":{\"\xc3\x28\":\"\xed\xa0\x80\"}}"), `?`),
		anyOf("invalid UTF-8 in RawMessage", json.RawMessage("[\"\xf8\"]"), `?`),
		anyOf("invalid UTF-8 in MarshalText", textMarshaler("\xff"), `?`),
		anyOf("invalid UTF-8 in an error", errors.New("\xff\x00\n"), `?`),
		anyOf("escapes for terminals", errors.New("\x1b]0;owned\x07\u009b31m"), `?`),

		// What encoding/json refuses.
		anyOf("channel", make(chan int), `"!ERROR:json: unsupported type: chan int"`),
		anyOf("func", func() {}, `"!ERROR:json: unsupported type: func()"`),
		anyOf("complex", complex(1, 2), `"!ERROR:json: unsupported type: complex128"`),
		anyOf("map of structs", map[struct{ A int }]int{{1}: 1}, `"!ERROR:…`),
		anyOf("channel in a struct", struct{ C chan int }{}, `"!ERROR:…`),
		{"NaN", slog.Float64Value(math.NaN()), `"!ERROR:json: unsupported value: NaN"`},
		{"Inf", slog.Float64Value(math.Inf(1)), `"!ERROR:json: unsupported value: +Inf"`},
		{"-Inf", slog.Float64Value(math.Inf(-1)), `"!ERROR:json: unsupported value: -Inf"`},
		anyOf("NaN in a slice", []float64{1, math.NaN()}, `"!ERROR:json: unsupported value: NaN"`),

		// Times.
		timeOf("year 10000", time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), yearText),
		timeOf("year -1", time.Date(-1, 12, 31, 0, 0, 0, 0, time.UTC), yearText),
		timeOf("far future", time.Unix(1<<60, 0), yearText),
		timeOf("far past", time.Unix(-1<<60, 0), yearText),
		timeOf("year 10000 in its zone", time.Date(9999, 12, 31, 23, 0, 0, 0, time.UTC).In(time.FixedZone("", 7200)), yearText),
		timeOf("year 10038 in its zone", time.Date(9970, 1, 1, 0, 0, 0, 0, time.UTC).In(time.FixedZone("", 1<<31-1)), yearText),
		timeOf("year -39 in its zone", time.Date(30, 1, 1, 0, 0, 0, 0, time.UTC).In(time.FixedZone("", -1<<31)), yearText),
		timeOf("zone with seconds", time.Date(2024, 1, 2, 3, 4, 5, 0, time.FixedZone("LMT", 1172)), `"2024-01-02T03:04:05+00:19"`),
		timeOf("zone of 100 hours", time.Date(2024, 1, 2, 3, 4, 5, 0, time.FixedZone("far", 360000)), `"2024-01-02T03:04:05+100:00"`),
		timeOf("zero time", time.Time{}, `"0001-01-01T00:00:00Z"`),
		anyOf("year 10000 in a slice", []time.Time{time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, `"!ERROR:…`),

		// slog's own types in odd places.
		anyOf("[]slog.Attr", []slog.Attr{slog.Int("x", 1), {}, slog.Group("", slog.Int("y", 2))}, `{"x":1,"y":2}`),
		anyOf("slog.Value", slog.IntValue(3), `3`),
		anyOf("slog.Values in a slice", []any{slog.IntValue(3), slog.Int("a", 1)}, `[{},{"Key":"a","Value":{}}]`),
		anyOf("slog.Record", slog.Record{}, `?`),
		anyOf("group in a map", map[string]any{"g": slog.GroupValue(slog.Int("a", 1))}, `{"g":{}}`),
		{"zero Value", slog.Value{}, `null`},
		anyOf("the handler itself", newHandler(nil), `?`),

		// Strings.
		{"controls", slog.StringValue("\x00\x01\x08\x0b\x0c\x1f\x7f\n\r\t"), `"\u0000\u0001\u0008\u000b\u000c\u001f` + "\x7f" + `\n\r\t"`},
		{"quotes", slog.StringValue(`","evil":"`), `"\",\"evil\":\""`},
		{"line separators", slog.StringValue("\u2028\u2029"), `"\u2028\u2029"`},
		{"invalid UTF-8", slog.StringValue("a\xffb\xc3"), `?`},
		{"long", slog.StringValue(strings.Repeat("\"\n", 1<<9)), text(strings.Repeat("\"\n", 1<<9))},
		{"long error", slog.AnyValue(errors.New(strings.Repeat("x", 1<<12))), text(strings.Repeat("x", 1<<12))},
	}
}

type nilDerefError struct{ n nilDeref }

func (n nilDerefError) Error() string { return n.n.Error() }

type nilDerefValuer struct{ n nilDeref }

func (n nilDerefValuer) LogValue() slog.Value { return n.n.LogValue() }

func TestHostileValues(t *testing.T) {
	for _, h := range hostileValues() {
		t.Run(h.name, func(t *testing.T) { checkHostile(t, h.value, h.want) })
	}
}
