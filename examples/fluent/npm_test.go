package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// installed installs npm's package for a test, where there is Node.js and npm's
// registry, or its cache.
func installed(t *testing.T) (dir string) {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED: it asks npm's registry")
	}
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("SKIPPED: %v", err)
		}
	}
	dir = t.TempDir()
	if err := install(context.Background(), dir, io.Discard); err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	return dir
}

// TestNPM is the example as it runs without arguments, and as it ends when its
// receiver dies.
func TestNPM(t *testing.T) {
	dir := installed(t)
	var out, errs output
	c := config{tag: "t.npm", level: slog.LevelDebug, demo: true, grace: time.Minute, modules: dir}
	if err := run(context.Background(), c, &out, &errs); err != nil {
		t.Fatalf("%v\n%s%s", err, out.String(), errs.String())
	}
	n := 0
	for line := range strings.Lines(out.String()) {
		text, ok := strings.CutPrefix(line, "received  ")
		if !ok {
			continue
		}
		n++
		var e struct {
			Tag    string
			Time   time.Time
			Record struct{ Level, Message string }
		}
		if err := json.Unmarshal([]byte(text), &e); err != nil || e.Tag != "t.npm" || e.Record.Level == "" || e.Record.Message == "" || time.Since(e.Time) > time.Hour {
			t.Errorf("%v: %s", err, line)
		}
	}
	if n != 12 {
		t.Errorf("%d records:\n%s", n, out.String())
	}

	r, err := startReceiver(context.Background(), dir, &out)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-r.ended
	c.addr, c.grace = r.addr, time.Millisecond
	if err := run(context.Background(), c, io.Discard, &errs); err == nil || !strings.Contains(err.Error(), "12 records not acknowledged") {
		t.Error(err)
	}
	if err := r.stop(); err == nil || !strings.Contains(err.Error(), "ended by itself") {
		t.Error(err)
	}
}

// TestNoReceiver: what cannot be started is told in words.
func TestNoReceiver(t *testing.T) {
	t.Setenv("PATH", "")
	if _, err := startReceiver(context.Background(), t.TempDir(), io.Discard); err == nil || !strings.Contains(err.Error(), "node is missing") {
		t.Error(err)
	}
	if err := install(context.Background(), t.TempDir(), io.Discard); err == nil || !strings.Contains(err.Error(), "npm is missing") {
		t.Error(err)
	}
	if err := install(context.Background(), "main.go/x", io.Discard); err == nil {
		t.Error("a file was taken for a directory")
	}
}
