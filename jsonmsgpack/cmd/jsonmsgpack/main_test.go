package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// command is the built command; empty if this machine cannot run what it
// builds, as where 32-bit tests are emulated.
var command string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "jsonmsgpack")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "jsonmsgpack")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	switch out, err := exec.Command(path, "version").CombinedOutput(); {
	case err == nil:
		command = path
	case !strings.Contains(err.Error(), "exec format error"):
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// patience is how long a test waits for what must come. It is a failure, not
// a measurement.
const patience = time.Minute

func needCommand(t testing.TB) {
	t.Helper()
	if command == "" {
		t.Skip("this machine cannot run what it builds")
	}
}

// result is what a run of the command left.
type result struct {
	out, err string
	code     int
}

// newCommand prepares a run that is killed when it takes too long.
func newCommand(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	needCommand(t)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Env = append(os.Environ(), "NO_COLOR=", "TERM=xterm")
	return cmd
}

// run runs the command with the given standard input.
func jm(t testing.TB, stdin string, args ...string) result {
	t.Helper()
	cmd := newCommand(t, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	r := result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
	if strings.Contains(r.err, "goroutine ") || strings.Contains(r.err, "internal error") {
		t.Errorf("%q: %s", args, r.err)
	}
	return r
}

// check fails the test unless the run ended as it should, with all of the
// words on standard error.
func (r result) check(t testing.TB, code int, words ...string) result {
	t.Helper()
	if r.code != code {
		t.Errorf("exit status %d, want %d\n%s", r.code, code, r.err)
	}
	for _, w := range words {
		if !strings.Contains(r.err, w) {
			t.Errorf("standard error lacks %q:\n%s", w, r.err)
		}
	}
	if code == 0 && len(words) == 0 && r.err != "" {
		t.Errorf("standard error:\n%s", r.err)
	}
	return r
}

func (r result) wantOut(t testing.TB, want string) {
	t.Helper()
	if r.out != want {
		t.Errorf("got  %q\nwant %q", r.out, want)
	}
}

// write makes a file in a directory of its own and returns its name.
func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// pack converts lines of JSON to MessagePack.
func pack(t testing.TB, lines ...string) string {
	t.Helper()
	return jm(t, strings.Join(lines, "\n"), "encode", "--lines").check(t, 0).out
}
