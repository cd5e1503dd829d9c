package main

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// build builds the example, so that it is tested as users run it.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "shutdown.exe")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// However the program ends, its file has every record.
func TestEnds(t *testing.T) {
	program := build(t)
	for end, want := range map[string]struct {
		code       int
		level, msg string // of the last record
		stderr     string
	}{
		"sigterm":   {0, "INFO", "stopping", ""},
		"panic":     {2, "ERROR", "panic", "index out of range"},
		"goroutine": {2, "ERROR", "panic", "in a goroutine"},
		"exit":      {3, "ERROR", "cannot go on", ""},
		"fatal":     {1, "ERROR", "fatal: no configuration", ""},
	} {
		if end == "sigterm" && runtime.GOOS == "windows" {
			continue
		}
		path := filepath.Join(t.TempDir(), "log")
		code, stderr, err := endProgram(program, end, path)
		if err != nil {
			if strings.Contains(err.Error(), "exec format error") {
				t.Skip("this test runs emulated, and the machine cannot start what it built")
			}
			t.Fatal(err)
		}
		n, last, err := read(path)
		if err != nil {
			t.Errorf("%s: %v", end, err)
		}
		if n != records || last.Level != want.level || last.Msg != want.msg {
			t.Errorf("%s: %d records of work, want %d; then %s %q, want %s %q", end, n, records, last.Level, last.Msg, want.level, want.msg)
		}
		if code != want.code || !strings.Contains(stderr, want.stderr) {
			t.Errorf("%s: exit code %d, want %d; standard error: %s", end, code, want.code, stderr)
		}
	}
	if len(ends) != 5 {
		t.Errorf("%d ways to end, 5 are tested", len(ends))
	}
}

func TestUnknownEnd(t *testing.T) {
	if err := run("by boredom", filepath.Join(t.TempDir(), "log")); err == nil {
		t.Error("no error")
	}
}
