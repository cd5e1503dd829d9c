package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// All records are in the files, and each file has whole ones.
func TestRun(t *testing.T) {
	const n = 20_000
	dir := t.TempDir()
	if err := run(dir, n); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil || len(files) < 2 {
		t.Fatalf("files %v, %v", files, err)
	}
	seen := make([]bool, n)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > 1<<20 {
			t.Errorf("%s has %d bytes", name, len(text))
		}
		for line := range bytes.Lines(text) {
			record := struct{ N int }{-1}
			if err := json.Unmarshal(line, &record); err != nil || record.N < 0 || record.N >= n || seen[record.N] {
				t.Fatalf("%s: %v: %q", name, err, line)
			}
			seen[record.N] = true
		}
	}
	for i, ok := range seen {
		if !ok {
			t.Fatalf("record %d is lost", i)
		}
	}
}
