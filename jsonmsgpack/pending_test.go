package jsonmsgpack

import (
	"strings"
	"testing"
)

// TestPending: a token that arrives a byte at a time is tried again only when
// it is whole, and each of its bytes is looked at once.
func TestPending(t *testing.T) {
	for _, tok := range []string{`"abc"`, `""`, `"\""`, `"\\"`, `"a\\\"b\u0022\\"`, `"` + strings.Repeat(`日本語\"x`, 20) + `"`,
		`[]`, `[[],["]\"]",{"a":"}"}]]`, `{"a":[{}]}`, `{"\\":"\""}`} {
		var p pending
		for n := 1; n <= len(tok); n++ {
			before := p.at
			if got := p.ready([]byte(tok[:n])); got != (n == len(tok)) {
				t.Fatalf("%q: ready %v with %d of %d bytes", tok, got, n, len(tok))
			}
			if p.at < before || p.at > n {
				t.Fatalf("%q: at %d, then at %d, of %d bytes", tok, before, p.at, n)
			}
		}
	}
	// A number ends with what follows it, a word is short enough to try.
	var p pending
	if p.ready([]byte("12")) || p.ready([]byte("12.5e")) || !p.ready([]byte("12.5e7 ")) {
		t.Error("number")
	}
	p = pending{}
	if !p.ready([]byte("nu")) {
		t.Error("word")
	}
}
