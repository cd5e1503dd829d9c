package jsonmsgpack

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestStringLengths: every length around the borders of words and headers,
// of every kind of content, as value, as key and at the end of the input.
func TestStringLengths(t *testing.T) {
	var lengths []int
	for n := range 72 {
		lengths = append(lengths, n)
	}
	lengths = append(lengths, 254, 255, 256, 257, 65534, 65535, 65536, 65537)
	for _, n := range lengths {
		for name, unit := range map[string]string{"ASCII": "abcdefg", "Latin": "äöü", "Japanese": "日本語", "emoji": "🤗x", "quotes": `"a\`, "control": "\x01b\n"} {
			s := strings.Repeat(unit, n/len(unit)+1)[:n]
			for !utf8.ValidString(s) {
				s = s[:len(s)-1] + "x"
				if !utf8.ValidString(s) {
					s = s[:len(s)-2] + "xx"
				}
				if !utf8.ValidString(s) {
					s = s[:len(s)-3] + "xxx"
				}
			}
			quoted, _ := json.Marshal(s)
			want := AppendString(nil, s)
			for _, around := range [][2]string{{"", ""}, {"", "          "}, {`{"a":`, "}"}, {"[", ",1                ]"}} {
				out, err := Append(nil, []byte(around[0]+string(quoted)+around[1]))
				if err != nil || !bytes.Contains(out, want) {
					t.Fatalf("%s, %d bytes in %q: %v", name, n, around, err)
				}
			}
			out, err := Append(nil, []byte("{"+string(quoted)+": 1}"))
			if err != nil || string(out) != "\x81"+string(want)+"\x01" {
				t.Fatalf("%s, key of %d bytes: %v", name, n, err)
			}
			text, _, err := AppendJSON(nil, want)
			var back string
			if err != nil || json.Unmarshal(text, &back) != nil || back != s {
				t.Fatalf("%s, %d bytes back: %v", name, n, err)
			}
		}
	}
}

// TestInvalidUTF8 compares with package utf8: all sequences of two bytes, and
// of three and four the borders of all classes.
func TestInvalidUTF8(t *testing.T) {
	want := func(b []byte) int {
		for i := 0; i < len(b); {
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n == 1 {
				return i
			}
			i += n
		}
		return -1
	}
	check := func(b []byte) {
		if got := invalidUTF8(b); got != want(b) {
			t.Fatalf("invalidUTF8(%q) = %d, want %d", b, got, want(b))
		}
	}
	edges := []byte{0, 'a', 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf7, 0xf8, 0xff}
	for _, a := range edges {
		for _, b := range edges {
			for _, c := range edges {
				for _, d := range edges {
					s := []byte{a, b, c, d}
					check(s)
					check(append(s, "abcdefgh"...))
				}
			}
		}
	}
	for a := range 256 {
		for b := range 256 {
			check([]byte{byte(a), byte(b), 'x', 'y', 'z'})
		}
	}
	r := rand.New(rand.NewPCG(6, 7))
	for range 20000 {
		b := make([]byte, r.IntN(40))
		for i := range b {
			b[i] = "aé日🤗\x80"[r.IntN(11)]
		}
		check(b)
	}
}

func TestReplacement(t *testing.T) {
	c := NewConverter(Lax())
	src := "[\"\xff\xfe\",\"\\ud800\\udc00\\ud800\",\"é\\n\xc3\"]"
	out, err := c.Append(nil, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	// One for each byte, and one for each lone surrogate.
	if want := "\x93\xa6\uFFFD\uFFFD\xa7\U00010000\uFFFD\xa6é\n\uFFFD"; string(out) != want {
		t.Errorf("%q, want %q", out, want)
	}
	var w bytes.Buffer
	st, err := c.Convert(&w, strings.NewReader(src))
	if err != nil || st.Replaced != 4 || w.String() != string(out) {
		t.Errorf("%+v %v", st, err)
	}
	// A wrong escape behind invalid bytes is reported at its own place.
	_, err = c.Append(nil, []byte("[\"\xff\xfe\xfdé\\q\"]"))
	if e, ok := err.(*SyntaxError); !ok || e.Offset != 7 {
		t.Errorf("%v, want offset 7", err)
	}
}
