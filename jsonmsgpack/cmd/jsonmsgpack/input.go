package main

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// inputs returns the names of what to read: standard input if none is given.
func inputs(files []string) []string {
	if len(files) == 0 {
		return []string{"-"}
	}
	return files
}

// open opens an input by name and says what it is called in messages.
func (a *app) open(name string) (f *os.File, called string, err error) {
	if name == "-" {
		if isTerminal(a.stdin) {
			a.say("reading from the terminal; end with Ctrl-D, or see: jsonmsgpack -h")
		}
		return a.stdin, "standard input", nil
	}
	f, err = os.Open(name)
	if err != nil {
		return nil, name, err
	}
	st, err := f.Stat()
	if err == nil && st.IsDir() {
		err = fmt.Errorf("%s is a directory", name)
	}
	if err != nil {
		f.Close()
		return nil, name, err
	}
	return f, name, nil
}

// advise adds to the error of a missing input what was probably meant: the
// output's name, which other commands take as their second argument.
func advise(err error, files []string, i int, output string) error {
	if errors.Is(err, os.ErrNotExist) && len(files) == 2 && i == 1 && output == "" {
		return fmt.Errorf("%w (to write to it: -o %s)", err, files[1])
	}
	return err
}

// total returns how many bytes the inputs have, or -1 where that is unknown.
func (a *app) total(files []string) (n int64) {
	for _, name := range files {
		var st os.FileInfo
		var err error
		at := int64(0)
		if name == "-" {
			if st, err = a.stdin.Stat(); err == nil && st.Mode().IsRegular() {
				at, _ = a.stdin.Seek(0, io.SeekCurrent)
			}
		} else {
			st, err = os.Stat(name)
		}
		if err != nil || !st.Mode().IsRegular() {
			return -1
		}
		n += max(0, st.Size()-at)
	}
	return n
}
