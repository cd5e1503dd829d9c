package sink

import (
	"sync"
	"time"
)

// waiters are the goroutines that wait for the Buffer to change. There are
// some when it is full, and at Flush, Close and records from the flush level
// up; what they need is kept in a pool, so that these cost no garbage either.
type waiters []*waiter

type waiter struct {
	woken chan struct{} // has room for one
	timer *time.Timer
}

var waiterPool = sync.Pool{New: func() any {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return &waiter{woken: make(chan struct{}, 1), timer: t}
}}

// wake has all waiters look again. b.mu is held.
func (b *Buffer) wake() {
	for i, w := range b.waiters {
		w.woken <- struct{}{} // it is in the list once, and the room was empty
		b.waiters[i] = nil
	}
	b.waiters = b.waiters[:0]
}

// sleep gives up b.mu until the next wake, or for d if that is not negative, or
// until done. It reports whether it was woken.
func (b *Buffer) sleep(d time.Duration, done <-chan struct{}) bool {
	w := waiterPool.Get().(*waiter)
	b.waiters = append(b.waiters, w)
	var timeout <-chan time.Time
	if d >= 0 {
		w.timer.Reset(d)
		timeout = w.timer.C
	}
	b.mu.Unlock()
	woken := false
	select {
	case <-w.woken:
		woken = true
	case <-timeout:
	case <-done:
	}
	if d >= 0 {
		w.timer.Stop()
	}
	b.mu.Lock()
	if !woken && !b.forget(w) {
		<-w.woken // just now
		woken = true
	}
	waiterPool.Put(w)
	return woken
}

// forget takes w off the list, and reports whether it was there.
func (b *Buffer) forget(w *waiter) bool {
	for i := range b.waiters {
		if b.waiters[i] == w {
			last := len(b.waiters) - 1
			b.waiters[i] = b.waiters[last]
			b.waiters[last] = nil
			b.waiters = b.waiters[:last]
			return true
		}
	}
	return false
}

// waitUntil sleeps until ok, or until d is over since start, and returns ok's
// last answer. b.mu is held, and while ok is called.
func (b *Buffer) waitUntil(start time.Time, d time.Duration, ok func() bool) bool {
	for !ok() {
		left := d - time.Since(start)
		if left <= 0 {
			return false
		}
		b.sleep(left, nil)
	}
	return true
}
