package handler

import (
	"strings"
	"testing"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// wantText is appendText said plainly.
func wantText(s string) string {
	return "x" + string(jsonmsgpack.AppendString(nil, strings.ToValidUTF8(string([]rune(s)), "�")))
}

// TestAppendText puts every kind of byte at every place of texts of every
// length that the words it is copied by make a difference to.
func TestAppendText(t *testing.T) {
	for n := range 100 {
		base := []byte(strings.Repeat("abcdefgh", 20)[:n])
		check := func(s string) {
			t.Helper()
			if got := string(appendText([]byte("x"), s)); got != wantText(s) {
				t.Errorf("%q: got %x, want %x", s, got, wantText(s))
			}
		}
		check(string(base))
		for i := range n {
			for _, c := range []string{"\x00", "\x7f", "\x80", "\xff", "\xc3", "é", "世", "😀"} {
				check(string(base[:i]) + c + string(base[i+1:]))
			}
		}
	}
}

func FuzzAppendText(f *testing.F) {
	for _, s := range []string{"", "a", "grüße, 世界", "\xff", "key", strings.Repeat("é", 40)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := string(appendText([]byte("x"), s)); got != wantText(s) {
			t.Errorf("%q: got %x, want %x", s, got, wantText(s))
		}
	})
}
