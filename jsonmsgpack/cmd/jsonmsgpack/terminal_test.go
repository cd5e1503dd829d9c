//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// onTerminal runs a shell command line on a terminal of its own and returns
// every byte that the terminal gets.
func onTerminal(t *testing.T, line string, env ...string) string {
	t.Helper()
	needCommand(t)
	script, err := exec.LookPath("script")
	if err != nil {
		t.Skip("no script command, which gives programs a terminal")
	}
	cmd := exec.Command(script, "-qec", line, os.DevNull)
	cmd.Env = append(os.Environ(), "TERM=xterm", "NO_COLOR=", "SHELL=/bin/sh", "JM="+command)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdin = strings.NewReader("")
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(out), "\r\n", "\n")
}

// Colours are for terminals, with --pretty, unless NO_COLOR is set.
func TestTerminalColors(t *testing.T) {
	in := "IN=" + write(t, "in", `{"level":"ERROR","msg":"m"}`+"\n")
	colored := "\x1b[31mERROR\x1b[0m \x1b[1mm\x1b[0m\n"
	tests := []struct {
		line, want string
		env        string
	}{
		{`"$JM" cat "$IN"`, "ERROR m\n", ""},
		{`"$JM" cat --pretty "$IN"`, colored, ""},
		{`"$JM" cat --pretty <"$IN"`, colored, ""},
		{`"$JM" cat --pretty "$IN"`, "ERROR m\n", "NO_COLOR=1"},
		{`"$JM" cat --pretty --color always "$IN"`, colored, "NO_COLOR=1"},
		{`"$JM" cat --pretty --color never "$IN"`, "ERROR m\n", ""},
		{`"$JM" cat --pretty "$IN"`, "ERROR m\n", "TERM=dumb"},
		{`"$JM" cat --pretty "$IN" | cat`, "ERROR m\n", ""},
	}
	for _, test := range tests {
		if got := onTerminal(t, test.line, in, test.env); got != test.want {
			t.Errorf("%s %s: %q, want %q", test.env, test.line, got, test.want)
		}
	}
}

// What reaches a terminal is safe there, whatever the command.
func TestTerminalIsSafe(t *testing.T) {
	var in strings.Builder
	for _, h := range hostile {
		fmt.Fprintf(&in, "\x81\xa3msg\xd9%c%s", len(h), h)
	}
	name := "IN=" + write(t, "in", in.String())
	for _, line := range []string{`"$JM" cat "$IN"`, `"$JM" cat --json "$IN"`, `"$JM" decode "$IN"`, `"$JM" encode "$IN"`, `"$JM" encode --lines -o /dev/null "$IN"`} {
		if bad := unsafeIn(onTerminal(t, line, name)); bad != "" {
			t.Errorf("%s: %s reaches the terminal", line, bad)
		}
	}
	// And what decode shows there is JSON still, with the same text.
	if got := onTerminal(t, `"$JM" decode "$IN"`, name); strings.Count(got, "\n") != len(hostile) || !strings.Contains(got, `{"msg":"\u009b31m"}`) {
		t.Errorf("decode: %q", got)
	}
}

// MessagePack is not for terminals.
func TestTerminalEncode(t *testing.T) {
	in := "IN=" + write(t, "in", "[1]")
	if got := onTerminal(t, `"$JM" encode "$IN"; echo $?`, in); !strings.Contains(got, "not for terminals") || !strings.HasSuffix(got, "\n2\n") {
		t.Errorf("%q", got)
	}
	if got := onTerminal(t, `"$JM" encode -o - "$IN"`, in); got != "\x91\x01" {
		t.Errorf("-o -: %q", got)
	}
	if got := onTerminal(t, `"$JM" encode "$IN" >/dev/null; echo $?`, in); got != "0\n" {
		t.Errorf("to the null device: %q", got)
	}
	if got := onTerminal(t, `"$JM" decode`, in); !strings.Contains(got, "reading from the terminal") {
		t.Errorf("from a terminal: %q", got)
	}
}

// The progress of a large conversion is shown on a terminal, one line that is
// written over, and nowhere else.
func TestProgress(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	f, err := os.Create(in)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// Large enough to take a while on any machine: a file with a hole would be
	// no JSON, so it is lines of the same.
	block := strings.Repeat(`{"n":0.1234567890123,"s":"\u00e9\u00e9\u00e9\u00e9"}`+"\n", 20000)
	for range 150 {
		if _, err := f.WriteString(block); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"IN=" + in, "OUT=" + filepath.Join(dir, "out")}
	got := onTerminal(t, `"$JM" encode --lines -o "$OUT" "$IN"`, env...)
	line := regexp.MustCompile(`^( *\d+\.\d %  [\d.]+ [kMG]B of [\d.]+ [kMG]B, [\d.]+ [kMG]B/s, \d+:\d\d left *|[ ]*|[\d.]+ MB in [\d.]+ m?s, [\d.]+ [kMG]B/s\n)$`)
	parts := strings.Split(got, "\r")
	for _, p := range parts {
		if !line.MatchString(p) || len(p) > 79 {
			t.Errorf("no line of progress: %q", p)
		}
	}
	if len(parts) < 3 || !strings.HasSuffix(got, "B/s\n") {
		t.Errorf("progress: %q", got)
	}
	for _, line := range []string{
		`"$JM" encode --lines -o "$OUT" "$IN" 2>"$OUT.err"; cat "$OUT.err"`,
		`"$JM" encode --lines "$IN" 2>&1 >/dev/null | cat`,
	} {
		if got := onTerminal(t, line, env...); got != "" {
			t.Errorf("%s: %q", line, got)
		}
	}
	// A message takes the place of the line and does not mix with it.
	if _, err := f.WriteString("nope\n"); err != nil {
		t.Fatal(err)
	}
	got = onTerminal(t, `"$JM" encode --lines -o "$OUT" "$IN"`, env...)
	if !regexp.MustCompile(`\r *\rjsonmsgpack: .*: line \d+, column \d+ [^\r\n]*\n`).MatchString(got) {
		t.Errorf("message: %q", got)
	}
}

func TestProgressTexts(t *testing.T) {
	tests := []struct{ got, want string }{
		{progressLine(500e6, 1e9, 2e9), " 50.0 %  500.0 MB of 1.0 GB, 250.0 MB/s, 0:02 left"},
		{progressLine(1, 1e13, 1e9), "  0.0 %  1 bytes of 10.0 TB, 1 bytes/s, 999:59:59 left"},
		{progressLine(20e6, -1, 1e9), "20.0 MB, 20.0 MB/s"},
		{progressLine(3e9, 1e9, 3e9), "100.0 %  3.0 GB of 3.0 GB, 1.0 GB/s, 0:00 left"},
		{bytesText(999949), "999.9 kB"}, {bytesText(999950), "1.0 MB"}, {bytesText(1 << 62), "4.6 EB"},
		{leftText(3600e9 + 61e9), "1:01:01"}, {leftText(1), "0:01"}, {leftText(0), "0:00"},
		{tookText(1500e6), "1.5 s"}, {tookText(65e9), "1m5s"}, {tookText(120e9), "2m"},
	}
	for _, test := range tests {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}
