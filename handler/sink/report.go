package sink

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// reports tells somebody about errors: the error handler or, where there is
// none, standard error, rarely. Nobody else would: what a Buffer meets comes
// after the call that logged has returned.
type reports struct {
	onError func(error)
	name    string // the writer's type, or the file's path
	silent  bool   // the writer is standard error itself

	mu      sync.Mutex
	next    time.Time // when standard error may be told again
	skipped int       // errors since it was told
}

// reportEvery is how often somebody is told of what goes on happening.
const reportEvery = time.Minute

func (r *reports) init(w io.Writer, f func(error)) {
	r.onError = f
	r.name = fmt.Sprintf("%T", w)
	if f, ok := w.(*File); ok {
		r.name = f.path
	}
	r.silent = w == io.Writer(os.Stderr)
}

// report must be called without any lock held. A nil err is nothing to report.
func (r *reports) report(err error) {
	switch {
	case err == nil:
	case r.onError != nil:
		defer func() { _ = recover() }()
		r.onError(err)
	case !r.silent:
		r.toStderr(err)
	}
}

func (r *reports) toStderr(err error) {
	r.mu.Lock()
	now := time.Now()
	if now.Before(r.next) {
		r.skipped++
		r.mu.Unlock()
		return
	}
	skipped := r.skipped
	r.next, r.skipped = now.Add(reportEvery), 0
	r.mu.Unlock()
	more := ""
	if skipped > 0 {
		more = fmt.Sprintf(" (and %d more errors before)", skipped)
	}
	fmt.Fprintf(os.Stderr, "slogpack: logging to %s: %s%s\n", r.name, strings.TrimPrefix(errText(err), "slogpack: "), more)
}

// errText is err's text, which a writer's own error type may panic over.
func errText(err error) (s string) {
	defer func() {
		if r := recover(); r != nil {
			s = fmt.Sprintf("%T, whose Error method panics", err)
		}
	}()
	return err.Error()
}
