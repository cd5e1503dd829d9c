package handler

import (
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
	if r.running.Load() > 0 && reporting(0) {
		return // an error of the error handler's own logging
	}
	r.callHandler(err)
}

// callHandler is looked for by name in the stack by reporting.
//
//go:noinline
func (r *reports) callHandler(err error) {
	r.running.Add(1)
	defer func() {
		r.running.Add(-1)
		_ = recover()
	}()
	r.onError(err)
}

// reporting reports whether this goroutine is inside an error handler. Only
// errors during errors come here, so that its cost does not matter.
func reporting(skip int) bool {
	pcs := make([]uintptr, 64)
	for {
		n := runtime.Callers(skip, pcs)
		if n == 0 {
			return false
		}
		frames := runtime.CallersFrames(pcs[:n])
		for {
			f, more := frames.Next()
			if strings.HasSuffix(f.Function, "handler.(*reports).callHandler") {
				return true
			}
			if !more {
				break
			}
		}
		skip += n
	}
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
			s = panicText(r)
		}
	}()
	return err.Error()
}
