package forward

import (
	"context"
	"time"
)

// While a receiver other than the first is in use, those before it are tried
// again after their recovery wait, beside the traffic. When one answers, no
// further frames go out on the old connection, and it is left as soon as those
// on their way are acknowledged.

// probeAt returns when to try for a better receiver than l's, or zero.
func (w *Writer) probeAt(l *link) (at time.Time) {
	if l.probing || l.leaving {
		return time.Time{}
	}
	for i := range l.server {
		at = earlier(at, w.down[i])
	}
	if at.IsZero() && l.server > 0 {
		at = time.Now()
	}
	return at
}

// probe tries, in a goroutine of its own, the receivers before l's whose wait
// is over.
func (w *Writer) probe(l *link) {
	l.probing = true
	now := time.Now()
	var which []int
	for i := range l.server {
		if !now.Before(w.down[i]) {
			which = append(which, i)
			w.markDown(i) // until it is known to be up
		}
	}
	ctx, cancel := context.WithCancel(w.ctx)
	l.unprobe = cancel
	go func() { l.probed <- w.first(ctx, which) }()
}

// first returns a connection to the first of these receivers that can be
// reached, or nil.
func (w *Writer) first(ctx context.Context, which []int) *link {
	for _, i := range which {
		if b, err := w.dial(ctx, i); err == nil {
			return b
		}
	}
	return nil
}

// found takes the result of a probe.
func (l *link) found(b *link) {
	l.unprobe()
	l.probing = false
	l.nextOne = b
	l.leaving = b != nil
}

// better returns the connection to go on with after l, or nil where one has to
// be made.
func (l *link) better(w *Writer) *link {
	if l.probing {
		l.unprobe()
		l.found(<-l.probed)
	}
	b := l.nextOne
	if b == nil {
		return nil
	}
	if w.finished() {
		_ = b.raw.Close()
		return nil
	}
	w.connected(b)
	return b
}
