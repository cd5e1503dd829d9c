package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
)

// An output is where a conversion goes. A file is written under a temporary
// name beside the one it gets, so that whoever reads that name sees the old
// file or the whole new one, never a part.
type output struct {
	f      *os.File
	target string // the name that f gets; empty: f has it already
	mu     sync.Mutex
	done   bool // committed or discarded
	ending bool // discarded because the program ends
}

// create opens the output called name; "" and "-" are standard output.
func (a *app) create(name string) (*output, error) {
	if name == "" || name == "-" {
		return &output{f: a.stdout}, nil
	}
	mode := os.FileMode(0)
	old, err := os.Stat(name)
	switch {
	case err == nil && old.IsDir():
		return nil, fmt.Errorf("%s is a directory", name)
	case err == nil && !old.Mode().IsRegular():
		// A device or a pipe is written to, not replaced.
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		return &output{f: f}, err
	case err == nil:
		// Renaming would replace a file that may not be written to.
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		f.Close()
		mode = old.Mode().Perm()
		// The file is replaced, not the link to it.
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return nil, err
		}
	case !errors.Is(err, os.ErrNotExist):
		return nil, err
	}
	// Before there is anything to leave behind.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	f, err := temporary(name, mode)
	if err != nil {
		signal.Stop(signals)
		return nil, err
	}
	o := &output{f: f, target: name}
	go a.guard(o, signals)
	return o, nil
}

// temporary makes a new file beside name, with the given permissions, or
// those that any new file has.
func temporary(name string, mode os.FileMode) (*os.File, error) {
	first := os.FileMode(0o666)
	if mode != 0 {
		first = 0o600 // until the others are set
	}
	dir, base := filepath.Split(name)
	for range 100 {
		temp := fmt.Sprintf("%s.%s.tmp%08x", dir, base, rand.Uint32())
		f, err := os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, first)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err == nil && mode != 0 {
			if err = f.Chmod(mode); err != nil {
				f.Close()
				os.Remove(temp)
			}
		}
		return f, err
	}
	return nil, fmt.Errorf("%s: no free temporary name beside it", name)
}

// at says where ConvertAt may write, behind the first n bytes, and nil if the
// output is none that it could work on.
func (o *output) at(n int64) io.WriterAt {
	if o.target == "" {
		return nil
	}
	return &offsetFile{o.f, n}
}

// commit gives the output its name.
func (o *output) commit() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done || o.target == "" {
		return nil
	}
	o.done = true
	err := o.f.Close()
	if err == nil {
		err = os.Rename(o.f.Name(), o.target)
	}
	if err != nil {
		os.Remove(o.f.Name())
	}
	return err
}

// discard removes what has been written to a file. It says whether there was
// one that had not got its name yet.
func (o *output) discard() bool { return o.drop(false) }

func (o *output) drop(ending bool) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done || o.target == "" {
		return false
	}
	o.done, o.ending = true, ending
	o.f.Close()
	os.Remove(o.f.Name())
	return true
}

// guard discards the output and ends the program when a signal asks it to
// end. Standard output needs none: signals end the program as they do.
func (a *app) guard(o *output, signals <-chan os.Signal) {
	<-signals
	if o.drop(true) {
		a.say("interrupted; %s is not written", o.target)
		os.Exit(exitUsage)
	}
}

// waitForEnd returns unless a signal has taken the file away: then that is
// being said, and all errors that follow from it are not worth a word.
func (o *output) waitForEnd() {
	o.mu.Lock()
	ending := o.ending
	o.mu.Unlock()
	if ending {
		select {}
	}
}

// An offsetFile is a file from an offset on: one input behind another.
type offsetFile struct {
	f    *os.File
	base int64
}

func (o *offsetFile) WriteAt(p []byte, off int64) (int, error) { return o.f.WriteAt(p, o.base+off) }

// Truncate lets ConvertAt take back a document that failed.
func (o *offsetFile) Truncate(size int64) error { return o.f.Truncate(o.base + size) }
