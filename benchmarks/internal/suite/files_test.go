package suite

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestFiles: every contender's records are in its file when a run ends, so that
// none is fast by leaving them elsewhere.
func TestFiles(t *testing.T) {
	const n = 7
	dir := t.TempDir()
	cases, end, err := Files(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for _, c := range cases {
		if c.Name == NoFile || c.Name == SinkDiscard {
			c.Run(n)
			continue
		}
		before := lines(t, dir)
		c.Run(n)
		if got := lines(t, dir) - before; got != n {
			t.Errorf("%s: %s: %d records in files after %d", c.Group, c.Name, got, n)
		}
		if c.Lost != nil && c.Lost() != 0 {
			t.Errorf("%s: %s: lost %v", c.Group, c.Name, c.Lost())
		}
		files++
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	if names, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(names) != files {
		t.Errorf("%d files for %d contenders: %v", len(names), files, err)
	}
}

// lines counts the records in all files.
func lines(t *testing.T, dir string) (n int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			if !json.Valid(line) {
				t.Fatalf("%s: %q", name, line)
			}
			n++
		}
	}
	return n
}
