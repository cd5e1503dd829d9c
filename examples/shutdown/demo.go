package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
)

// demo ends a program in each way, and looks into its file.
func demo() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "shutdown")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, end := range slices.Sorted(mapKeys) {
		if end == "sigterm" && runtime.GOOS == "windows" {
			continue // has no signals to send
		}
		path := filepath.Join(dir, end+".log")
		code, _, err := endProgram(self, end, path)
		if err != nil {
			return fmt.Errorf("%s: %w", end, err)
		}
		n, last, err := read(path)
		if err != nil {
			return fmt.Errorf("%s: %w", end, err)
		}
		fmt.Printf("%-10s exit code %d, %d records of work, then %s %q\n", end, code, n, last.Level, last.Msg)
		if n != records {
			return fmt.Errorf("%s: %d records are lost", end, records-n)
		}
	}
	return nil
}

func mapKeys(yield func(string) bool) {
	for k := range ends {
		if !yield(k) {
			return
		}
	}
}

// endProgram runs program, which ends in the way named, and returns its exit
// code and what it wrote on standard error.
func endProgram(program, end, path string) (code int, stderr string, err error) {
	cmd := exec.Command(program, "-end="+end, "-log="+path)
	var text bytes.Buffer
	cmd.Stderr = &text
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, "", err
	}
	if err := cmd.Start(); err != nil {
		return 0, "", err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() == "ready" {
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				return 0, "", err
			}
		}
	}
	err = cmd.Wait()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		return 0, "", err
	}
	return cmd.ProcessState.ExitCode(), text.String(), nil
}

// record is a line of the log, as far as it matters here.
type record struct {
	Level, Msg string
	N          *int
}

// read returns how many records of work are in the file, in order and without a
// gap, and the last record of all.
func read(path string) (n int, last record, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, last, err
	}
	for line := range bytes.Lines(text) {
		last = record{}
		if err := json.Unmarshal(line, &last); err != nil {
			return n, last, fmt.Errorf("%w: %q", err, line)
		}
		if last.Msg != "work" {
			continue
		}
		if *last.N != n {
			return n, last, fmt.Errorf("record %d where %d should be", *last.N, n)
		}
		n++
	}
	return n, last, nil
}
