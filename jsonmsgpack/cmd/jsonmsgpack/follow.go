package main

import (
	"context"
	"errors"
	"io"
	"os"
	"time"
)

// pollInterval is how often a file that is followed is looked at: seldom
// enough to cost nothing, often enough to read along.
const pollInterval = 200 * time.Millisecond

// A restartError says that the input begins again, and why.
type restartError struct{ why string }

func (e *restartError) Error() string { return e.why }

// A follower reads a file that grows, and goes on with the new one when
// another takes its name or when it is cut. At the end of what is there, Read
// waits.
type follower struct {
	ctx  context.Context
	name string
	f    *os.File
	at   int64
}

func newFollower(ctx context.Context, name string) (*follower, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = errors.New(name + " is no file that grows; without -f it is read to its end")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &follower{ctx: ctx, name: name, f: f}, nil
}

func (w *follower) close() { w.f.Close() }

// Read returns what has come, a *restartError when the file begins again, or
// the context's error.
func (w *follower) Read(p []byte) (int, error) {
	for {
		n, err := w.f.Read(p)
		w.at += int64(n)
		if n > 0 || err != nil && err != io.EOF {
			return n, err
		}
		if n, err := w.look(p); n > 0 || err != nil {
			return n, err
		}
		timer := time.NewTimer(pollInterval)
		select {
		case <-w.ctx.Done():
			timer.Stop()
			return 0, w.ctx.Err()
		case <-timer.C:
		}
	}
}

// look finds out whether the file has been cut or replaced.
func (w *follower) look(p []byte) (int, error) {
	old, err := w.f.Stat()
	if err != nil {
		return 0, err
	}
	if old.Size() < w.at {
		w.at, err = w.f.Seek(0, io.SeekStart)
		if err != nil {
			return 0, err
		}
		return 0, &restartError{"the file was cut, from its beginning"}
	}
	// A name that leads nowhere is between a rotation's two steps. A new file
	// that is empty says little more: until its writer has noticed, it goes on
	// with the old one.
	now, err := os.Stat(w.name)
	if err != nil || os.SameFile(old, now) || now.Size() == 0 {
		return 0, nil
	}
	// What was written to the old one before the first byte of the new.
	n, err := w.f.Read(p)
	w.at += int64(n)
	if n > 0 || err != nil && err != io.EOF {
		return n, err
	}
	f, err := os.Open(w.name)
	if err != nil {
		return 0, nil
	}
	w.f.Close()
	w.f, w.at = f, 0
	return 0, &restartError{"another file has the name now"}
}
