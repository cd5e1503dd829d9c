package forward

import (
	"context"
	"fmt"
	"time"
)

// flush is somebody who waits until all chunks up to seq have left the queue.
type flush struct {
	seq  uint64
	done chan struct{}
}

// Flush sends what is in the queue and waits until it is acknowledged, dropped
// or refused, at most for WithCloseTimeout. The error says how many records are
// then still pending, and why there is no connection.
func (w *Writer) Flush() error {
	ctx, cancel := context.WithTimeout(context.Background(), w.c.closeTimeout)
	defer cancel()
	w.mu.Lock()
	if w.closing {
		w.mu.Unlock()
		return ErrClosed
	}
	if w.idle() {
		w.mu.Unlock()
		return nil
	}
	if w.cur != nil && w.cur.entries() > 0 {
		w.due = true
	}
	f := flush{w.seq, make(chan struct{})}
	w.flushes = append(w.flushes, f)
	w.mu.Unlock()
	w.wakeSender()
	select {
	case <-f.done:
		return nil
	case <-ctx.Done():
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	n, _ := w.pending()
	return w.explain(fmt.Sprintf("Flush: %d records are not yet acknowledged", n))
}

// explain makes an error of what and of the reason why there is no connection.
// w.mu is held.
func (w *Writer) explain(what string) error {
	if w.lastErr != nil {
		return fmt.Errorf("forward: %s: %w", what, w.lastErr)
	}
	return fmt.Errorf("forward: %s", what)
}

// Close sends what is in the queue, waits for the acknowledgements, at most for
// WithCloseTimeout (5 s), and ends the Writer's goroutines. Records that are
// then left are dropped, and the error says how many. Writes after Close return
// [ErrClosed]. Closing again waits for the same end and returns nil.
func (w *Writer) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), w.c.closeTimeout)
	defer cancel()
	return w.Shutdown(ctx)
}

// Shutdown is Close, bounded by ctx instead of WithCloseTimeout. A nil ctx is
// no bound.
func (w *Writer) Shutdown(ctx context.Context) error {
	if ctx == nil {
		ctx = context.Background()
	}
	w.mu.Lock()
	first := !w.closing
	w.closing = true
	w.wakeWaiters()
	if w.idle() && w.unreported == 0 {
		w.cancel() // it may be connecting
	}
	w.mu.Unlock()
	w.wakeSender()
	select {
	case <-w.done:
	case <-ctx.Done():
		w.cancel()
		<-w.done // everything the sender does ends with w.ctx
	}
	w.cancel()
	select {
	case <-w.reports.done:
	case <-ctx.Done():
		// Not even then are the last errors lost, unless the handler is slow.
		late := time.NewTimer(w.c.grace)
		defer late.Stop()
		select {
		case <-w.reports.done:
		case <-late.C:
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !first || w.lost == 0 {
		return nil
	}
	return w.explain(fmt.Sprintf("closed with %d records not acknowledged", w.lost))
}
