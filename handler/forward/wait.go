package forward

import (
	"errors"
	"fmt"
	"os"
	"time"
)

var (
	// ErrClosed is the error of writes after Close.
	ErrClosed = fmt.Errorf("forward: write to a closed Writer: %w", os.ErrClosed)

	// ErrFull is told to the error handler when records are dropped because
	// the queue is full. Write does not return it: a dropped record is counted,
	// and must not stop an io.MultiWriter that has further writers.
	ErrFull = errors.New("queue full")

	// ErrTooLarge is the error of a record that is longer than the queue, or
	// than some receiver, takes.
	ErrTooLarge = errors.New("record too large")
)

var (
	errDropped = errors.New("dropped")
	errForeign = errors.New("forward: Commit of a buffer that Reserve did not return, or that was filled beyond its capacity")
)

// dropReportEvery is how often the error handler is told of drops.
const dropReportEvery = time.Minute

// makeRoom prepares room for an entry of n bytes, as the policy says. It is
// called with w.mu held and returns so, but gives it up while it waits.
func (w *Writer) makeRoom(n int) error {
	var started time.Time
	for {
		if w.closing {
			return ErrClosed
		}
		if n > w.c.maxEntry {
			w.stats.Invalid++
			return fmt.Errorf("forward: %w: %d bytes, at most %d are taken", ErrTooLarge, n, w.c.maxEntry)
		}
		if w.prepare(n) {
			return nil
		}
		now := time.Now()
		if w.fullSince.IsZero() {
			w.fullSince = now
		}
		if started.IsZero() {
			started = now
		}
		// Nobody waits longer than the timeout, whatever others get; and once
		// nothing has moved for so long, nobody waits at all.
		since := started
		if w.fullSince.Before(since) {
			since = w.fullSince
		}
		left := w.c.blockTimeout - now.Sub(since)
		switch {
		case w.c.policy == Block:
			w.await(0)
		case left > 0:
			w.await(left)
		case w.c.policy == DropOldest && w.dropOldest():
		default:
			w.stats.Accepted++
			w.stats.Dropped++
			w.unreported++
			w.reportDrops(1)
			return errDropped
		}
	}
}

// await gives up w.mu until room was made, or for d; 0 is for ever.
func (w *Writer) await(d time.Duration) {
	if w.room == nil {
		w.room = make(chan struct{})
	}
	room := w.room
	w.waiters++
	w.mu.Unlock()
	w.wakeSender() // what is due may be what is in the way
	if d > 0 {
		timer := time.NewTimer(d)
		select {
		case <-room:
		case <-timer.C:
		}
		timer.Stop()
	} else {
		<-room
	}
	w.mu.Lock()
	w.waiters--
}

// wakeWaiters is called with w.mu held.
func (w *Writer) wakeWaiters() {
	if w.room != nil {
		close(w.room)
		w.room = nil
	}
}

// unroomed gives w.mu back after makeRoom failed.
func (w *Writer) unroomed(err error) error {
	w.mu.Unlock()
	if err == errDropped {
		return nil
	}
	return err
}

// reportDrops tells the error handler of drops, now and then. It is called
// with w.mu held.
func (w *Writer) reportDrops(n int64) {
	w.untold += n
	now := time.Now()
	if now.Before(w.tellNext) {
		return
	}
	w.tellNext = now.Add(dropReportEvery)
	w.reports.add(fmt.Errorf("forward: %w (%d bytes): %d records dropped", ErrFull, w.c.bufferBytes, w.untold))
	w.untold = 0
}
