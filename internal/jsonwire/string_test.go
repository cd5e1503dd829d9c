package jsonwire

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

var dialects = []struct {
	name string
	d    Dialect
}{{"Slog", Slog}, {"JSON", JSON}, {"Zerolog", Zerolog}}

// stringCases are the seeds of the fuzz targets too. want is in the dialects'
// order; an empty one is the one before.
var stringCases = []struct {
	in   string
	want [3]string
}{
	{"", [3]string{`""`}},
	{"a", [3]string{`"a"`}},
	{"request_id", [3]string{`"request_id"`}},
	{"</script>&", [3]string{`"</script>&"`}},
	{`say "hi"`, [3]string{`"say \"hi\""`}},
	{`C:\dir`, [3]string{`"C:\\dir"`}},
	{"a\nb\rc\td", [3]string{`"a\nb\rc\td"`}},
	{"\b\f", [3]string{`"\u0008\u000c"`, `"\b\f"`}},
	{"\x00\x1f\x0b", [3]string{`"\u0000\u001f\u000b"`}},
	{"\x7f", [3]string{"\"\x7f\"", "", `"\u007f"`}},
	{"1234567\x7f", [3]string{"\"1234567\x7f\"", "", `"1234567\u007f"`}},
	{"\u2028\u2029", [3]string{`"\u2028\u2029"`, "", "\"\u2028\u2029\""}},
	{"\u2027\u202a", [3]string{"\"\u2027\u202a\""}},
	{"\ufffd", [3]string{"\"\ufffd\""}},
	{"grün 請求 😀", [3]string{`"grün 請求 😀"`}},
	{strings.Repeat("x", 31) + "\"", [3]string{`"` + strings.Repeat("x", 31) + `\""`}},
}

// brokenUTF8 holds one broken sequence of each kind there is.
var brokenUTF8 = []string{
	"\xff", "\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2a", "\xe0\x9f\xbf", "\xe2\x80", "\xe2\x80a",
	"\xe2", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf", "\xf0\x90\x80", "\xf0\x90\x80a", "\xf4\x90\x80\x80",
	"\xe8", "\xe8a", "\xe8\x80", "\xe8\x80a", "\xe8\x80\xe8\x80\x80", "\xe8\xc0\x80", "\xc3\xc3\xb1", "\xee\x80",
	"\xf5\x80\x80\x80", "\xf8\x88\x80\x80\x80", "\xe2\x80\xa8\xe2\x80", "\xf0\x9f\x98", "ok\xffok", "\xc3\xb1\xc3",
}

func TestAppendStringTable(t *testing.T) {
	for _, c := range stringCases {
		want := ""
		for i, d := range dialects {
			if c.want[i] != "" {
				want = c.want[i]
			}
			if got := string(AppendString(nil, c.in, d.d)); got != want {
				t.Errorf("%s: AppendString(%q) = %s, want %s", d.name, c.in, got, want)
			}
		}
	}
}

func TestBrokenUTF8(t *testing.T) {
	for _, in := range brokenUTF8 {
		for _, pad := range []string{"", "x", "1234567", "12345678", strings.Repeat("y", 40)} {
			checkString(t, pad+in)
			checkString(t, in+pad)
			checkString(t, pad+in+pad)
		}
	}
}

// TestEveryByteEverywhere puts each byte at each position of strings of length 0
// to 80, so that every branch by length meets every special byte at every place
// in a word.
func TestEveryByteEverywhere(t *testing.T) {
	plain := []byte(strings.Repeat("abcdefghij", 8))
	dst := make([]byte, 0, 1024)
	for n := 0; n <= 80; n++ {
		for at := 0; at < min(n, 41); at++ {
			s := append([]byte(nil), plain[:n]...)
			for b := range 256 {
				s[at] = byte(b)
				for _, d := range dialects {
					// Only one byte differs from plain text, so the
					// reference needs no scan of its own here.
					want := refByte(byte(b), d.d)
					dst = AppendString(dst[:0], s, d.d)
					ok := len(dst) == n+1+len(want) && dst[0] == '"' && dst[len(dst)-1] == '"' &&
						string(dst[1:1+at]) == string(plain[:at]) && string(dst[1+at:1+at+len(want)]) == want &&
						string(dst[1+at+len(want):len(dst)-1]) == string(plain[at+1:n])
					if !ok {
						t.Fatalf("%s: AppendString(%q) = %s", d.name, s, dst)
					}
				}
			}
		}
	}
}

func refByte(b byte, d Dialect) string {
	s := refString(string([]byte{b}), d)
	return s[1 : len(s)-1]
}

// TestEveryRune compares every code point, surrogates included, with the
// reference and with encoding/json, alone and inside longer text.
func TestEveryRune(t *testing.T) {
	var all []byte
	for r := rune(0); r <= utf8.MaxRune; r++ {
		one := utf8.AppendRune(nil, r)
		if r >= 0xd800 && r < 0xe000 { // what a careless encoder writes for half a pair
			one = []byte{0xe0 | byte(r>>12), 0x80 | byte(r>>6)&0x3f, 0x80 | byte(r)&0x3f}
		}
		for _, d := range dialects {
			if got, want := string(AppendString(nil, one, d.d)), refString(string(one), d.d); got != want {
				t.Fatalf("%s: U+%04X: got %s, want %s", d.name, r, got, want)
			}
		}
		all = append(all, one...)
		if len(all) > 4000 || r == utf8.MaxRune {
			checkString(t, string(all))
			all = all[:0]
		}
	}
}

func FuzzString(f *testing.F) {
	for _, c := range stringCases {
		f.Add(c.in)
	}
	for _, s := range brokenUTF8 {
		f.Add(s)
		f.Add(strings.Repeat("z", 33) + s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkString(t, s) })
}

// checkString compares s in every dialect and by both argument types with the
// reference, and the two dialects of the standard library with it.
func checkString(t *testing.T, s string) {
	t.Helper()
	for _, d := range dialects {
		want := refString(s, d.d)
		if got := string(AppendString([]byte("head"), s, d.d)); got != "head"+want {
			t.Fatalf("%s: AppendString(%q) = %s, want head%s", d.name, s, got, want)
		}
		if got := string(AppendString(make([]byte, 0, 10), []byte(s), d.d)); got != want {
			t.Fatalf("%s: AppendString([]byte %q) = %s, want %s", d.name, s, got, want)
		}
		if got := string(AppendEscaped([]byte("head"), s, d.d)); got != "head"+want[1:len(want)-1] {
			t.Fatalf("%s: AppendEscaped(%q) = %s, want head%s", d.name, s, got, want)
		}
		if got := string(AppendEscaped(nil, []byte(s), d.d)); got != want[1:len(want)-1] {
			t.Fatalf("%s: AppendEscaped([]byte %q) = %s, want %s", d.name, s, got, want)
		}
	}
	if got, want := string(AppendString(nil, s, JSON)), byEncodingJSON(t, s); got != want {
		t.Fatalf("AppendString(%q, JSON) = %s, encoding/json %s", s, got, want)
	}
	if got, want := string(AppendString(nil, s, Slog)), bySlog(t, s); got != want {
		t.Fatalf("AppendString(%q, Slog) = %s, log/slog %s", s, got, want)
	}
}

func byEncodingJSON(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func bySlog(t *testing.T, msg string) string {
	t.Helper()
	var b bytes.Buffer
	r := slog.NewRecord(time.Time{}, slog.LevelInfo, msg, 0)
	if err := slog.NewJSONHandler(&b, nil).Handle(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	out := strings.TrimPrefix(b.String(), `{"level":"INFO","msg":`)
	return strings.TrimSuffix(out, "}\n")
}

// TestAppendKeepsHead makes sure that nothing before len(dst) is touched and that
// room beyond is used, not reallocated.
func TestAppendKeepsHead(t *testing.T) {
	for n := range 70 {
		s := strings.Repeat("q", n)
		dst := append(make([]byte, 0, 128), "head"...)
		got := AppendString(dst, s, Slog)
		if string(got) != `head"`+s+`"` {
			t.Fatalf("length %d: %s", n, got)
		}
		if &got[0] != &dst[:1][0] {
			t.Fatalf("length %d: reallocated though there was room", n)
		}
	}
}
