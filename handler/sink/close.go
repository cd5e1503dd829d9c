package sink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// closing is the state of Close. Guarded by Buffer.mu.
type closing struct {
	closed bool // nothing more is taken
	gone   bool // nothing more is written
	ended  bool // result is set
	result error
	before int64 // attempts that failed before Close
}

// Flush returns when everything that was accepted before the call has been
// written, and the writer's own Flush, if it has one, has returned. If writing
// fails a few times in a row it returns the error; the records stay in the
// Buffer and are tried again. It takes no longer than the close timeout.
func (b *Buffer) Flush() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return b.result
	}
	g := b.request()
	fails := b.fails
	if b.calling {
		fails++ // an attempt that is under way says nothing of those to come
	}
	b.urge()
	refused := func() bool { return b.fails > fails && b.streak >= patience }
	if !b.waitUntil(time.Now(), b.c.closeTimeout, func() bool { return b.reached(g) || refused() || b.gone }) {
		return fmt.Errorf("slogpack: sink: Flush: the writer did not return within %v", b.c.closeTimeout)
	}
	switch {
	case b.reached(g):
		return nil
	case b.gone:
		return b.result
	}
	return fmt.Errorf("slogpack: sink: Flush: not everything is written, it is tried again: %w", b.lastErr)
}

// Close is [Buffer.Shutdown] with the close timeout, five seconds if
// [WithCloseTimeout] does not say otherwise.
func (b *Buffer) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), b.c.closeTimeout)
	defer cancel()
	return b.Shutdown(ctx)
}

// Shutdown refuses further records and returns nil when everything accepted
// before has been written. If writing fails it is tried again until ctx is
// done, or at once given up if the writer says that it is closed; what is left
// then is dropped, and the error says how much that is and why. Records of a
// call of the writer that does not return stay pending until it does. The
// writer is not closed.
//
// Further calls of Shutdown or Close wait for the first, and return what that
// does; the first of them to run out of time ends them all.
func (b *Buffer) Shutdown(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return b.result
	}
	if !b.closed {
		b.closed = true
		b.wake() // callers that wait for room
		b.request()
		b.before, b.delay = b.fails, 0
		b.urge()
	}
	for !b.ended && (b.running || b.pendingAny()) && !b.hopeless() {
		if !b.sleep(-1, ctx.Done()) {
			break
		}
	}
	if !b.ended {
		b.end(ctx.Err())
	}
	return b.result
}

// hopeless reports whether the writer will not take anything any more.
func (b *Buffer) hopeless() bool {
	err := b.lastErr
	return b.streak > 0 && b.fails > b.before && !b.running &&
		(errors.Is(err, os.ErrClosed) || errors.Is(err, io.ErrClosedPipe) || isPipe(err))
}

// end gives up what is left. b.mu is held.
func (b *Buffer) end(cause error) {
	if b.timer != nil {
		b.timer.Stop()
	}
	if b.resume != nil {
		b.resume.Stop()
	}
	b.gone, b.ended = true, true
	records, bytes := b.pending()
	switch {
	case b.streak > 0:
		cause = errors.Join(b.lastErr, cause)
	case b.running:
		cause = errors.Join(errors.New("the writer did not return"), cause)
	}
	switch {
	case records > 0:
		b.result = fmt.Errorf("slogpack: sink: closed with %d records (%d bytes) not written: %w", records, bytes, cause)
	case b.pendingAny():
		b.result = fmt.Errorf("slogpack: sink: closed without all being flushed: %w", cause)
	}
	b.discard()
	b.wake()
}

// discard drops what is in the Buffer, but for what the writer has in its
// hands.
func (b *Buffer) discard() {
	if b.cur != nil {
		b.seal()
	}
	for len(b.queue) > 0 {
		k := b.pop()
		b.dropped(k.left())
		b.release(k)
	}
	if b.head != nil && !b.running {
		b.dropped(b.head.left())
		b.head = nil
	}
	b.toldAll = b.lostAll // nobody is left to be told
	b.flushed = b.asked
}
