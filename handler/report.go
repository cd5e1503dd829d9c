package handler

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// reports tells somebody about errors: the error handler or, where there is
// none, standard error, rarely.
type reports struct {
	onError func(error)
	running atomic.Int32 // calls of onError under way
	inside  sync.Map     // the goroutines that these are in

	writer  string // the writer's type
	silent  bool   // the writer is standard error itself
	mu2     sync.Mutex
	next    time.Time // when standard error may be told again
	skipped int       // errors since it was told
}

const reportEvery = time.Minute

func (r *reports) init(w io.Writer, f func(error)) {
	r.onError = f
	r.writer = fmt.Sprintf("%T", w)
	r.silent = w == io.Writer(os.Stderr)
}

// report must be called without any lock held.
func (r *reports) report(err error) {
	if r.onError == nil {
		r.toStderr(err)
		return
	}
	id := goroutine()
	if r.running.Load() > 0 {
		if _, ok := r.inside.Load(id); ok {
			return // an error of the error handler's own logging
		}
	}
	r.running.Add(1)
	r.inside.Store(id, true)
	defer func() {
		r.inside.Delete(id)
		r.running.Add(-1)
		_ = recover()
	}()
	r.onError(err)
}

// goroutine identifies the calling goroutine, by the first line of its stack.
// Only errors come here, so that its cost does not matter.
func goroutine() string {
	var b [64]byte
	line := b[:runtime.Stack(b[:], false)]
	// "goroutine 18 [running]:"
	if i := bytes.IndexByte(line, '['); i > 0 {
		line = line[:i]
	}
	return string(line)
}

// toStderr tells standard error of the first error, and then at most once a
// minute.
func (r *reports) toStderr(err error) {
	if r.silent {
		return
	}
	r.mu2.Lock()
	now := time.Now()
	if now.Before(r.next) {
		r.skipped++
		r.mu2.Unlock()
		return
	}
	skipped := r.skipped
	r.next, r.skipped = now.Add(reportEvery), 0
	r.mu2.Unlock()
	more := ""
	if skipped > 0 {
		more = fmt.Sprintf(" (and %d more errors before)", skipped)
	}
	fmt.Fprintf(os.Stderr, "slogpack: logging to %s: %s%s\n", r.writer, strings.TrimPrefix(errText(err), "slogpack: "), more)
}

// errText is err's text, which a writer's own error type may panic over.
func errText(err error) (s string) {
	defer func() {
		if r := recover(); r != nil {
			s = new(userCalls).panicText(r)
		}
	}()
	return err.Error()
}
