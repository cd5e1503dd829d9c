package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The example, built and run as users do: after renames and signals every
// record is in one of the files, once, whole and in order.
func TestRotation(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be renamed on this system")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "rotate")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	parts, err := rotate(program, filepath.Join(dir, "app.log"))
	if err != nil {
		if strings.Contains(err.Error(), "exec format error") {
			t.Skip("this test runs emulated, and the machine cannot start what it built")
		}
		t.Fatal(err)
	}
	if len(parts) != rotations+1 {
		t.Fatalf("files: %v", parts)
	}
	next := 0
	for i, part := range parts {
		first := next
		if next, err = count(part, next); err != nil {
			t.Fatal(err)
		}
		if i < rotations && next == first {
			t.Errorf("%s is empty", part)
		}
	}
}

func TestCountFindsGaps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	for _, text := range []string{"{\"n\":0}\n{\"n\":2}\n", "{\"n\":0}\n{\"n\":1", "{\"msg\":\"x\"}\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := count(path, 0); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}
