package forward

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"time"
)

var (
	errAckTimeout = errors.New("no acknowledgement in time")
	errHangup     = errors.New("the receiver closed the connection")
)

// run is the sender: it keeps a connection and sends what is due, until the
// Writer is closed and nothing is left, or has to stop.
func (w *Writer) run() {
	var l *link
	for {
		if l == nil {
			if l = w.connect(); l == nil {
				break
			}
		}
		l = w.serve(l)
		if l == nil && w.finished() {
			break
		}
	}
	w.timer.Stop()
	w.finish()
}

// finished reports whether the Writer is closed and has nothing left.
func (w *Writer) finished() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ctx.Err() != nil || w.closing && w.idle() && w.unreported == 0
}

// finish drops what is left, when the sender ends.
func (w *Writer) finish() {
	w.mu.Lock()
	w.closing = true
	if w.cur != nil {
		w.seal()
	}
	for _, c := range w.ready {
		w.lost += int64(c.n)
		w.drop(c)
	}
	w.ready = nil
	w.free, w.allocated = nil, 0
	w.stats.Connected = false
	w.settled()
	w.wakeWaiters()
	w.mu.Unlock()
	w.reports.stop()
	close(w.done)
}

// serve sends over l until it breaks, there is nothing left, or a better
// connection is there, which it returns.
func (w *Writer) serve(l *link) (next *link) {
	l.since = time.Now()
	if w.suspectStruck() {
		l.hold = l.since.Add(w.c.grace)
	}
	go w.read(l)
	stop := context.AfterFunc(w.ctx, func() { _ = l.raw.Close() })
	defer stop()
	var broke error
	for broke == nil {
		w.mu.Lock()
		c, until := w.next(l, time.Now())
		broke = l.err
		w.mu.Unlock()
		switch {
		case broke != nil:
		case c != nil:
			broke = w.send(l, c)
		case l.over:
			broke = errOver
		default:
			w.pause(l, until)
		}
	}
	w.unlink(l, broke)
	return l.better(w)
}

// errOver ends a connection that is not needed any more.
var errOver = errors.New("done with this connection")

// suspectStruck reports whether a chunk to be sent has already been refused.
func (w *Writer) suspectStruck() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.ready, func(c *chunk) bool { return c.strikes > 0 })
}

// next says what the sender does now: it sends a chunk, which is in flight from
// here on, or waits for something to happen, or until a time that is not zero.
// l.err and l.over end the connection. w.mu is held.
func (w *Writer) next(l *link, now time.Time) (c *chunk, until time.Time) {
	if len(w.inflight) > 0 {
		until = w.inflight[0].sentAt.Add(w.c.ack)
		if !now.Before(until) {
			l.fail(errAckTimeout)
			return nil, until
		}
	}
	if l.leaving || l.once && l.sent > 0 {
		l.over = len(w.inflight) == 0
		return nil, until
	}
	if w.nacks > 0 || len(w.inflight) >= w.c.window {
		return nil, until
	}
	if w.suspects > 0 {
		// One at a time, so that it is known which one the receiver refuses.
		if len(w.inflight) > 0 {
			return nil, until
		}
		if now.Before(l.hold) {
			return nil, l.hold
		}
		c = w.pickCareful()
	}
	if c == nil && w.suspects == 0 {
		c, until = w.pick(now, until)
	}
	if c == nil {
		l.over = w.closing && w.idle() && w.unreported == 0
		return nil, until
	}
	w.ready = slices.DeleteFunc(w.ready, func(r *chunk) bool { return r == c })
	w.inflight = append(w.inflight, c)
	c.name()
	c.busy, c.acked = true, false
	c.sentAt = now
	return c, until
}

// pick takes the oldest chunk, or the batch being filled if that is due.
// Otherwise it returns when that will be, if before until.
func (w *Writer) pick(now, until time.Time) (*chunk, time.Time) {
	if len(w.ready) == 0 {
		if w.cur != nil && w.cur.entries() > 0 {
			due := w.cur.born.Add(w.c.batchAge)
			if !w.due && !w.closing && now.Before(due) {
				return nil, earlier(until, due)
			}
			w.seal()
		} else if !w.noteIfIdle() {
			return nil, until
		}
	}
	return w.ready[0], until
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// send writes c's frame. It returns why the connection is not to be used any
// more, or nil.
func (w *Writer) send(l *link, c *chunk) error {
	frame := w.framer.frame(c)
	again := c.writes > 0
	c.writes++
	_ = l.conn.SetWriteDeadline(time.Now().Add(w.c.write))
	n, err := l.conn.Write(frame)
	w.mu.Lock()
	defer w.mu.Unlock()
	l.sent++
	c.busy = false
	w.stats.BytesSent += int64(n)
	if err == nil {
		w.stats.Frames++
		if again {
			w.stats.Resent += int64(c.n)
		}
		c.sentAt = time.Now()
	}
	if c.acked || err == nil && w.c.noAcks {
		w.inflight = slices.DeleteFunc(w.inflight, func(r *chunk) bool { return r == c })
		w.acknowledge(c)
	}
	w.judgeNacks(l)
	return err
}

// pause waits for something to happen, or until a time that is not zero.
func (w *Writer) pause(l *link, until time.Time) {
	var timer <-chan time.Time
	if probe := w.probeAt(l); !probe.IsZero() {
		if wait := time.Until(probe); wait <= 0 {
			w.probe(l)
		} else {
			until = earlier(until, probe)
		}
	}
	if !until.IsZero() {
		w.timer.Reset(time.Until(until))
		timer = w.timer.C
	}
	select {
	case <-w.wake:
	case <-timer:
	case b := <-l.probed:
		l.found(b)
	case <-w.ctx.Done():
		w.mu.Lock()
		l.fail(w.ctx.Err())
		w.mu.Unlock()
	}
}

// unlink closes l and takes back what was on its way.
func (w *Writer) unlink(l *link, why error) {
	over := errors.Is(why, errOver)
	if !over && w.ctx.Err() == nil {
		// What the receiver has acknowledged before it hung up may still be
		// there to be read.
		_ = l.conn.SetReadDeadline(time.Now().Add(w.c.grace))
		<-l.gone
	}
	if over {
		_ = l.conn.Close() // with TLS, says goodbye
	}
	_ = l.raw.Close()
	<-l.gone
	over = over || w.ctx.Err() != nil
	w.mu.Lock()
	if l.err != nil && !isTimeout(l.err) {
		why = l.err // the reader knows better than a Write into what it closed
	}
	w.stats.Connected = false
	back := w.inflight
	w.inflight = nil
	w.nacks = 0
	records := int64(0)
	for _, c := range back {
		records += int64(c.n)
	}
	if !over {
		w.stats.Failures++
		w.lastErr = fmt.Errorf("%v: connection lost: %w", w.servers[l.server], why)
		w.blame(back, why)
	}
	progress := w.progress
	w.progress = false
	w.ready = append(back, w.ready...)
	w.mu.Unlock()
	if over {
		return
	}
	if !progress && (len(back) > 0 || l.sent == 0) {
		w.markDown(l.server)
	}
	w.fails++
	if progress || time.Since(l.since) >= w.c.backoffMax {
		w.fails = 0
	}
	if len(back) > 0 || !hungUp(why) {
		w.reports.add(fmt.Errorf("forward: %v: connection lost, %d records will be sent again: %w", w.servers[l.server], records, why))
	}
}

func isTimeout(err error) bool {
	var ne net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &ne) && ne.Timeout()
}

// hungUp reports whether a connection ended by the peer's doing, which may be
// because of what it was sent.
func hungUp(why error) bool {
	var alert tls.AlertError
	return !errors.Is(why, errAckTimeout) && !isTimeout(why) && !errors.Is(why, context.Canceled) &&
		!errors.Is(why, errHelo) && !errors.Is(why, errAnswer) && !errors.As(why, &alert)
}
