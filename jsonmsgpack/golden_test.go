package jsonmsgpack

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGolden compares with what python's msgpack and nlohmann's json make of
// the same documents; see testdata/golden/make.sh.
func TestGolden(t *testing.T) {
	read := func(name string) []string {
		b, err := os.ReadFile(filepath.Join("testdata", "golden", name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n"), "\n")
	}
	inputs := read("inputs.jsonl")
	for _, encoder := range []string{"python.hex", "nlohmann.hex"} {
		outputs := read(encoder)
		if len(outputs) != len(inputs) {
			t.Fatalf("%s: %d outputs for %d inputs", encoder, len(outputs), len(inputs))
		}
		compared := 0
		for i, src := range inputs {
			if outputs[i] == "-" {
				continue
			}
			compared++
			if got := convertHex(t, src); got != outputs[i] {
				t.Errorf("%s, line %d: %.200s\n%.300s, want\n%.300s", encoder, i+1, src, got, outputs[i])
			}
		}
		if compared < 50 {
			t.Errorf("%s: only %d compared", encoder, compared)
		}
	}
}
