package handler_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rs/zerolog"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/internal/jsonwire"
)

// TestZerologExceptions has every known difference between the Zerolog profile
// and zerolog, both sides as they are.
func TestZerologExceptions(t *testing.T) {
	d := 1500 * time.Millisecond
	at := time.Date(2026, 1, 2, 3, 4, 5, 500000000, time.UTC)
	_, prefix, _ := net.ParseCIDR("10.0.0.0/8")
	for _, c := range []struct {
		name    string
		zerolog func(*zerolog.Event) *zerolog.Event
		attr    slog.Attr
		theirs  string
		ours    string
	}{
		{"an empty group vanishes", func(e *zerolog.Event) *zerolog.Event { return e.Dict("k", zerolog.Dict()) },
			slog.Group("k"), `,"k":{}`, ``},
		{"slog sees nil and not a nil error", func(e *zerolog.Event) *zerolog.Event { return e.AnErr("k", nil) },
			slog.Any("k", error(nil)), ``, `,"k":null`},
		{"a group without a name is inlined", func(e *zerolog.Event) *zerolog.Event { return e.Dict("", zerolog.Dict().Int("a", 1)) },
			slog.Group("", slog.Int("a", 1)), `,"":{"a":1}`, `,"a":1`},
		{"nil without a key is the empty attr", func(e *zerolog.Event) *zerolog.Event { return e.Interface("", nil) },
			slog.Any("", nil), `,"":null`, ``},
		{"the typed method wins for durations", func(e *zerolog.Event) *zerolog.Event { return e.Interface("k", d) },
			slog.Any("k", d), `,"k":1500000000`, `,"k":1500`},
		{"and for errors", func(e *zerolog.Event) *zerolog.Event { return e.Interface("k", zlError("text")) },
			slog.Any("k", zlError("text")), `,"k":"json"`, `,"k":"text"`},
		{"and for bytes", func(e *zerolog.Event) *zerolog.Event { return e.Interface("k", []byte("text")) },
			slog.Any("k", []byte("text")), `,"k":"dGV4dA=="`, `,"k":"text"`},
		{"slog has float64 only", func(e *zerolog.Event) *zerolog.Event { return e.Float32("k", 0.1) },
			slog.Any("k", float32(0.1)), `,"k":0.1`, `,"k":0.10000000149011612`},
		{"slices are encoding/json's: durations", func(e *zerolog.Event) *zerolog.Event { return e.Durs("k", []time.Duration{d}) },
			slog.Any("k", []time.Duration{d}), `,"k":[1500]`, `,"k":[1500000000]`},
		{"times", func(e *zerolog.Event) *zerolog.Event { return e.Times("k", []time.Time{at}) },
			slog.Any("k", []time.Time{at}), `,"k":["2026-01-02T03:04:05Z"]`, `,"k":["2026-01-02T03:04:05.5Z"]`},
		{"bytes as numbers", func(e *zerolog.Event) *zerolog.Event { return e.Uints8("k", []uint8{1, 2}) },
			slog.Any("k", []uint8{1, 2}), `,"k":[1,2]`, `,"k":"\u0001\u0002"`},
		{"a MAC address is bytes", func(e *zerolog.Event) *zerolog.Event {
			return e.MACAddr("k", net.HardwareAddr{0, 0x14, 0x22, 1, 0x23, 0x45})
		},
			slog.Any("k", net.HardwareAddr{0, 0x14, 0x22, 1, 0x23, 0x45}), `,"k":"00:14:22:01:23:45"`, `,"k":"ABQiASNF"`},
		{"a network is a struct", func(e *zerolog.Event) *zerolog.Event { return e.IPPrefix("k", *prefix) },
			slog.Any("k", *prefix), `,"k":"10.0.0.0/8"`, `,"k":{"IP":"10.0.0.0","Mask":"/wAAAA=="}`},
		{"String methods are not asked", func(e *zerolog.Event) *zerolog.Event { return e.Stringer("k", zlStringer(7)) },
			slog.Any("k", zlStringer(7)), `,"k":"seven"`, `,"k":7`},
		{"marshalers need zerologsink.Values", func(e *zerolog.Event) *zerolog.Event { return e.Object("k", zlObject{1}) },
			slog.Any("k", zlObject{1}), `,"k":{"a":1}`, `,"k":{"A":1}`},
		{"invalid RawJSON stays in its field", func(e *zerolog.Event) *zerolog.Event { return e.RawJSON("k", []byte(`{`)) },
			slog.Any("k", json.RawMessage(`{`)), `,"k":{`,
			`,"k":"marshaling error: ` + jsonFailure(json.RawMessage(`{`)) + `"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var theirs, ours bytes.Buffer
			l := zerolog.New(&theirs)
			c.zerolog(l.Info()).Send()
			r := slog.NewRecord(time.Time{}, slog.LevelInfo, "", 0)
			r.AddAttrs(c.attr)
			if err := newHandler(&ours, handler.WithProfile(handler.Zerolog())).Handle(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			if want := `{"level":"info"` + c.theirs + "}\n"; theirs.String() != want {
				t.Errorf("zerolog: got %s want %s", theirs.String(), want)
			}
			if want := `{"level":"info"` + c.ours + "}\n"; ours.String() != want {
				t.Errorf("ours: got %s want %s", ours.String(), want)
			}
		})
	}
}

type zlStringer int

func (zlStringer) String() string { return "seven" }

type zlObject struct{ A int }

func (o zlObject) MarshalZerologObject(e *zerolog.Event) { e.Int("a", o.A) }

// jsonFailure is why encoding/json does not encode v, in its present words.
func jsonFailure(v any) string {
	_, err := json.Marshal(v)
	return err.Error()
}

// TestZerologTypes: values whose types have event methods of their own in
// zerolog that are encoding/json's forms as well.
func TestZerologTypes(t *testing.T) {
	_, prefix, _ := net.ParseCIDR("10.0.0.0/8")
	for _, c := range []struct {
		name    string
		zerolog func(*zerolog.Event) *zerolog.Event
		v       any
	}{
		{"IPAddr", func(e *zerolog.Event) *zerolog.Event { return e.IPAddr("k", net.IPv4(1, 2, 3, 4)) }, net.IPv4(1, 2, 3, 4)},
		{"Stringer", func(e *zerolog.Event) *zerolog.Event { return e.Stringer("k", prefix) }, prefix.String()},
		{"Strs", func(e *zerolog.Event) *zerolog.Event { return e.Strs("k", []string{"a", "b\n"}) }, []string{"a", "b\n"}},
		{"Ints", func(e *zerolog.Event) *zerolog.Event { return e.Ints("k", []int{1, -2}) }, []int{1, -2}},
		{"Bools", func(e *zerolog.Event) *zerolog.Event { return e.Bools("k", []bool{true, false}) }, []bool{true, false}},
		{"Floats64", func(e *zerolog.Event) *zerolog.Event { return e.Floats64("k", []float64{1.5, 1e30}) }, []float64{1.5, 1e30}},
		{"Float32", func(e *zerolog.Event) *zerolog.Event { return e.Float32("k", 0.5) }, float32(0.5)},
		{"Uint8", func(e *zerolog.Event) *zerolog.Event { return e.Uint8("k", 200) }, uint8(200)},
		{"RawJSON", func(e *zerolog.Event) *zerolog.Event { return e.RawJSON("k", []byte(`{"a":1}`)) }, json.RawMessage(`{"a":1}`)},
		{"Interface(nil)", func(e *zerolog.Event) *zerolog.Event { return e.Interface("k", nil) }, nil},
	} {
		var theirs, ours bytes.Buffer
		l := zerolog.New(&theirs)
		c.zerolog(l.Info()).Send()
		r := slog.NewRecord(time.Time{}, slog.LevelInfo, "", 0)
		r.AddAttrs(slog.Any("k", c.v))
		_ = newHandler(&ours, handler.WithProfile(handler.Zerolog())).Handle(t.Context(), r)
		if ours.String() != theirs.String() {
			t.Errorf("%s: got %s want %s", c.name, ours.String(), theirs.String())
		}
	}
}

// zlString is s as zerolog writes it, in its quotes.
func zlString(buf *bytes.Buffer, s string) []byte {
	buf.Reset()
	l := zerolog.New(buf)
	l.Log().Str("", s).Send()
	return buf.Bytes()[len(`{"":`) : buf.Len()-len("}\n")]
}

// TestZerologEscapes compares the escapes of every byte, alone, in pairs and
// within a longer text, and of every rune.
func TestZerologEscapes(t *testing.T) {
	var buf bytes.Buffer
	check := func(s string) {
		t.Helper()
		want := zlString(&buf, s)
		if got := jsonwire.AppendString(nil, s, jsonwire.Zerolog); !bytes.Equal(got, want) {
			t.Fatalf("%q: got %s want %s", s, got, want)
		}
		if got := jsonwire.AppendString(nil, []byte(s), jsonwire.Zerolog); !bytes.Equal(got, want) {
			t.Fatalf("[]byte %q: got %s want %s", s, got, want)
		}
	}
	check("")
	for a := range 256 {
		check(string([]byte{byte(a)}))
		check("0123456789abcdef0123456789abcdef0123456" + string([]byte{byte(a)}) + "789")
		for b := range 256 {
			check(string([]byte{byte(a), byte(b)}))
		}
	}
	var block []byte // all runes, in texts of 64
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if block = utf8.AppendRune(block, r); r%64 == 63 {
			check(string(block))
			block = block[:0]
		}
	}
}

// FuzzZerologEscapes compares the escapes of any text.
func FuzzZerologEscapes(f *testing.F) {
	for _, s := range []string{"", "plain", "\x7f\u2028\u2029<&>", "\x00\x1f\b\f\n\r\t\"\\/", "\xff\xc0\xaf\xed\xa0\x80", "grüße, 世界 \U0001F600"} {
		f.Add(s)
	}
	var buf bytes.Buffer
	f.Fuzz(func(t *testing.T, s string) {
		want := zlString(&buf, s)
		if got := jsonwire.AppendString(nil, s, jsonwire.Zerolog); !bytes.Equal(got, want) {
			t.Errorf("%q: got %s want %s", s, got, want)
		}
	})
}
