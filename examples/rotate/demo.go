package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
)

const rotations = 3

// demo runs this program once more, rotates its file and counts what is in the
// parts.
func demo() error {
	if runtime.GOOS == "windows" {
		fmt.Println("an open file cannot be renamed on this system; see lumberjack/")
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "rotate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "app.log")
	parts, err := rotate(self, path)
	if err != nil {
		return err
	}
	next := 0
	for _, part := range parts {
		first := next
		if next, err = count(part, next); err != nil {
			return err
		}
		fmt.Printf("%-10s records %d to %d\n", filepath.Base(part), first, next-1)
	}
	return nil
}

// rotate starts program and rotates its log, each time when something is in it.
// It returns the files, the oldest first.
func rotate(program, path string) (parts []string, err error) {
	cmd := exec.Command(program, "-log="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); { // ready, then reopened
		if len(parts) == rotations {
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				return nil, err
			}
			break
		}
		if err := grow(path); err != nil {
			return nil, err
		}
		part := fmt.Sprintf("%s.%d", path, rotations-len(parts))
		if err := errors.Join(os.Rename(path, part), cmd.Process.Signal(syscall.SIGHUP)); err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	if err := cmd.Wait(); err != nil {
		return nil, err
	}
	return append(parts, path), nil
}

// grow waits until something is in the file.
func grow(path string) error {
	for {
		info, err := os.Stat(path)
		if err != nil || info.Size() > 0 {
			return err
		}
		runtime.Gosched()
	}
}

// count checks that path has whole records, numbered from next on without a
// gap, and returns the number of the next one.
func count(path string, next int) (int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return next, err
	}
	for line := range bytes.Lines(text) {
		var record struct{ N *int }
		if err := json.Unmarshal(line, &record); err != nil {
			return next, fmt.Errorf("%s: %w: %q", path, err, line)
		}
		if record.N == nil || *record.N != next {
			return next, fmt.Errorf("%s: %q where record %d should be", path, line, next)
		}
		next++
	}
	return next, nil
}
