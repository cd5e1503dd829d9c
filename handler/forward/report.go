package forward

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// reports takes errors to the error handler, in a goroutine of its own: they
// arise under locks, and in goroutines that have better things to do.
type reports struct {
	onError func(error)
	mu      sync.Mutex
	queue   []error
	missed  int
	wake    chan struct{} // capacity 1
	done    chan struct{} // closed when the goroutine has ended

	next    time.Time // when standard error may be told again
	skipped int
}

const (
	maxReports  = 64
	stderrEvery = time.Minute
)

func newReports(onError func(error)) *reports {
	r := &reports{onError: onError, wake: make(chan struct{}, 1), done: make(chan struct{})}
	if r.onError == nil {
		r.onError = r.toStderr
	}
	go r.run()
	return r
}

// add never waits.
func (r *reports) add(err error) {
	r.mu.Lock()
	if len(r.queue) < maxReports {
		r.queue = append(r.queue, err)
	} else {
		r.missed++
	}
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// stop ends the goroutine after what has been added. Nothing may be added
// afterwards.
func (r *reports) stop() { close(r.wake) }

func (r *reports) run() {
	defer close(r.done)
	for open := true; open; {
		_, open = <-r.wake
		r.mu.Lock()
		queue, missed := r.queue, r.missed
		r.queue, r.missed = nil, 0
		r.mu.Unlock()
		for _, err := range queue {
			r.call(err)
		}
		if missed > 0 {
			r.call(fmt.Errorf("forward: %d more errors, not told because the error handler was slow", missed))
		}
	}
}

func (r *reports) call(err error) {
	defer func() { _ = recover() }()
	r.onError(err)
}

// toStderr tells of the first error, and then at most once a minute.
func (r *reports) toStderr(err error) {
	now := time.Now()
	if now.Before(r.next) {
		r.skipped++
		return
	}
	more := ""
	if r.skipped > 0 {
		more = fmt.Sprintf(" (and %d more errors before)", r.skipped)
	}
	r.next, r.skipped = now.Add(stderrEvery), 0
	fmt.Fprintf(os.Stderr, "slogpack: %s%s\n", strings.TrimPrefix(err.Error(), "forward: "), more)
}
