package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// A running command, of which each line is waited for.
type running struct {
	t     testing.TB
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines chan string
	errs  lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func start(t testing.TB, args ...string) *running {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs signals")
	}
	r := &running{t: t, cmd: newCommand(t, args...), lines: make(chan string, 100)}
	r.cmd.Stderr = &r.errs
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if r.stdin, err = r.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(r.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			r.lines <- s.Text()
		}
	}()
	return r
}

// want waits for the lines.
func (r *running) want(lines ...string) {
	r.t.Helper()
	for _, want := range lines {
		select {
		case got, ok := <-r.lines:
			if !ok || got != want {
				r.t.Fatalf("got %q, want %q\n%s", got, want, r.errs.String())
			}
		case <-time.After(patience):
			r.t.Fatalf("no line %q\n%s", want, r.errs.String())
		}
	}
}

// end waits for the end and checks that there is no further line.
func (r *running) end(code int) {
	r.t.Helper()
	for l := range r.lines {
		r.t.Errorf("further line %q", l)
	}
	r.cmd.Wait()
	if got := r.cmd.ProcessState.ExitCode(); got != code {
		r.t.Errorf("exit status %d, want %d\n%s", got, code, r.errs.String())
	}
}

func (r *running) interrupt() {
	r.t.Helper()
	if err := r.cmd.Process.Signal(os.Interrupt); err != nil {
		r.t.Fatal(err)
	}
}

func appendTo(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// Records are shown when they are whole, through rotation by rename, a new
// file that is empty at first, and truncation.
func TestFollow(t *testing.T) {
	packed := pack(t, `{"level":"INFO","msg":"packed"}`)
	name := write(t, "app.log", `{"level":"INFO","msg":"one"}`+"\n")
	r := start(t, "cat", "-f", name)
	r.want("INFO  one")
	appendTo(t, name, packed)
	r.want("INFO  packed")
	appendTo(t, name, packed[:7])
	appendTo(t, name, packed[7:]+"plain\n")
	r.want("INFO  packed", "plain")

	// Between the two steps of a rotation, and while the writer does not know
	// of it, the old file is read on.
	if err := os.Rename(name, name+".1"); err != nil {
		t.Fatal(err)
	}
	appendTo(t, name+".1", "still\n")
	r.want("still")
	appendTo(t, name, "")
	appendTo(t, name+".1", "the old one\n")
	r.want("the old one")
	appendTo(t, name+".1", "last\n")
	appendTo(t, name, `{"level":"WARN","msg":"new"}`+"\n")
	r.want("last", "WARN  new")

	if err := os.Truncate(name, 0); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return strings.Contains(r.errs.String(), "was cut") })
	appendTo(t, name, packed)
	r.want("INFO  packed")
	// A record of which a part is there is not broken.
	appendTo(t, name, packed[:7])
	r.interrupt()
	r.end(0)
	if got := r.errs.String(); !strings.Contains(got, "another file has the name now") || strings.Contains(got, "torn") {
		t.Errorf("standard error: %s", got)
	}
}

// While the new file is empty, its writer may still write to the old one; and
// what it wrote there last comes before the new file's first.
func TestFollowerLooks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be renamed")
	}
	name := write(t, "log", "one ")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	f, err := newFollower(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	buf := make([]byte, 100)
	want := func(read func([]byte) (int, error), text, restart string) {
		t.Helper()
		n, err := read(buf)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if string(buf[:n]) != text || got != restart {
			t.Errorf("%q %q, want %q %q", buf[:n], got, text, restart)
		}
	}
	want(f.Read, "one ", "")
	want(f.look, "", "")
	if err := os.Rename(name, name+".1"); err != nil {
		t.Fatal(err)
	}
	want(f.look, "", "")
	appendTo(t, name, "")
	want(f.look, "", "")
	appendTo(t, name+".1", "two ")
	want(f.Read, "two ", "")
	appendTo(t, name, "new ")
	appendTo(t, name+".1", "last ")
	want(f.look, "last ", "")
	want(f.look, "", "another file has the name now")
	want(f.Read, "new ", "")
	if err := os.Truncate(name, 1); err != nil {
		t.Fatal(err)
	}
	want(f.look, "", "the file was cut, from its beginning")
	want(f.Read, "n", "")
}

// What a rotation leaves of a record is reported, and the new file is shown.
func TestFollowTorn(t *testing.T) {
	packed := pack(t, `{"level":"INFO","msg":"packed"}`)
	name := write(t, "app.log", packed+packed[:9])
	r := start(t, "cat", "--follow", "--resync", name)
	r.want("INFO  packed")
	other := write(t, "app.log", "\n"+packed)
	if err := os.Rename(other, name); err != nil {
		t.Fatal(err)
	}
	r.want("", "INFO  packed")
	r.interrupt()
	r.end(exitFailed)
	if got := r.errs.String(); !strings.Contains(got, "the last record is torn") {
		t.Errorf("standard error: %s", got)
	}
}

// waitFor waits until something is so that no line tells of.
func waitFor(t testing.TB, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain")
		}
	}
}

// From a pipe, each record is shown as it comes, and Ctrl-C, which goes to the
// writer too, does not keep its last words from being shown.
func TestCatPipe(t *testing.T) {
	r := start(t, "cat")
	io.WriteString(r.stdin, "{\"msg\":\"one\"}\n")
	r.want("one")
	io.WriteString(r.stdin, "{\"msg\":")
	io.WriteString(r.stdin, "\"two\"}\n")
	r.want("two")
	r.interrupt()
	io.WriteString(r.stdin, "{\"msg\":\"shutting down\"}\n")
	r.want("shutting down")
	r.stdin.Close()
	r.end(0)

	// The second one ends it.
	r = start(t, "cat")
	io.WriteString(r.stdin, "one\n")
	r.want("one")
	waitFor(t, func() bool {
		r.interrupt()
		return r.cmd.Process.Signal(os.Interrupt) != nil || exited(r)
	})
	r.end(-1)
	if got := r.cmd.ProcessState.String(); got != "signal: interrupt" {
		t.Errorf("ended by %s", got)
	}
}

func exited(r *running) bool {
	select {
	case _, ok := <-r.lines:
		return !ok
	default:
		return false
	}
}

// Encode to standard output writes a document as soon as it is whole.
func TestEncodePipe(t *testing.T) {
	for _, args := range [][]string{{"encode"}, {"encode", "--lines"}, {"encode", "--workers", "2"}} {
		r := start(t, args...)
		io.WriteString(r.stdin, "\"line\\n\"\n")
		r.want("\xa5line")
		r.stdin.Close()
		r.end(0)
	}
	r := start(t, "decode")
	io.WriteString(r.stdin, "\x01")
	r.want("1")
	r.stdin.Close()
	r.end(0)
}

// An interrupted conversion leaves nothing behind and the old file as it was.
func TestInterrupted(t *testing.T) {
	for _, command := range []string{"encode", "decode"} {
		out := write(t, "out", "old")
		r := start(t, command, "-o", out)
		dir := filepath.Dir(out)
		io.WriteString(r.stdin, "1 ")
		waitFor(t, func() bool {
			entries, _ := os.ReadDir(dir)
			return len(entries) == 2
		})
		r.interrupt()
		r.end(exitUsage)
		onlyFile(t, out)
		if got := read(t, out); got != "old" || r.errs.String() != "jsonmsgpack: interrupted; "+out+" is not written\n" {
			t.Errorf("%s: the old file is %q, %s", command, got, r.errs.String())
		}
	}
}
