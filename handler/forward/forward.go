package forward

import (
	"context"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/slogpack/slogpack/handler"
)

// Writer sends records to a receiver of the Fluent Forward protocol, in the
// background. Make one with [Dial]; give it to handler.New, zerolog.New or any
// other logger that writes Forward entries or JSON, to several at once if need
// be. It is safe for concurrent use.
type Writer struct {
	c       *config
	servers []server
	reports *reports

	ctx    context.Context // ends when the Writer has to stop at once
	cancel context.CancelFunc
	wake   chan struct{} // for the sender, capacity 1
	up     chan struct{} // closed at the first connection
	done   chan struct{} // closed when the sender has ended

	mu       sync.Mutex
	cur      *chunk
	ready    []*chunk
	inflight []*chunk
	seq      uint64
	due      bool // cur is to be sent now

	free      []*block
	allocated int
	room      chan struct{} // closed when room was made; nil while nobody waits
	waiters   int
	fullSince time.Time

	acks     int64 // chunks acknowledged
	suspects int   // chunks in ready and inflight that are suspect
	progress bool  // something was acknowledged since the last failure
	nacks    int   // refusals whose chunk is not yet known

	unreported int64 // dropped records that no note tells of
	untold     int64 // dropped records that the error handler was not told of
	tellNext   time.Time

	flushes []flush
	closing bool
	stats   Stats
	lastErr error // why there is no connection
	lost    int64 // records dropped by Close

	// The sender's own.

	framer framer
	timer  *time.Timer
	fails  int // connections and attempts in a row that brought nothing
	down   []time.Time
}

var (
	_ handler.StreamWriter  = (*Writer)(nil)
	_ handler.LevelWriter   = (*Writer)(nil)
	_ handler.FormatWriter  = (*Writer)(nil)
	_ handler.FormatChecker = (*Writer)(nil)
)

// Dial returns a Writer to the receiver at addr, which is host:port (24224
// where there is no port) or the path of a unix socket, beginning with a slash
// or a dot; tcp:// and unix:// may be in front. It returns at once and connects
// in the background: a receiver that is down is no error, records are kept for
// it within the queue's bound. The errors are those of addresses and options.
//
// With [WithWaitForConnection] Dial waits until there is a connection, or until
// ctx ends; it then returns why there was none. ctx has no other use; a nil ctx
// never ends.
//
// The Writer's goroutines run until Close or Shutdown.
func Dial(ctx context.Context, addr string, opts ...Option) (*Writer, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	c := newConfig(opts)
	if !utf8.ValidString(c.tag) {
		return nil, fmt.Errorf("forward: tag %q is not UTF-8", c.tag)
	}
	w := &Writer{
		c:      c,
		wake:   make(chan struct{}, 1),
		up:     make(chan struct{}),
		done:   make(chan struct{}),
		framer: framer{c: c},
		timer:  time.NewTimer(time.Hour),
	}
	for _, a := range append([]string{addr}, c.servers...) {
		s, err := parseAddr(a)
		if err != nil {
			return nil, err
		}
		w.servers = append(w.servers, s)
	}
	w.down = make([]time.Time, len(w.servers))
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.reports = newReports(c.onError)
	go w.run()
	if !c.wait {
		return w, nil
	}
	select {
	case <-w.up:
		return w, nil
	case <-ctx.Done():
	}
	w.cancel()
	<-w.done
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lastErr != nil {
		return nil, fmt.Errorf("forward: no connection: %w: %w", ctx.Err(), w.lastErr)
	}
	return nil, fmt.Errorf("forward: no connection: %w", ctx.Err())
}

// LogFormat returns what the receiver takes, handler.Forward with the profile
// handler.OTel, so that handler.New needs no options for it.
func (w *Writer) LogFormat() (handler.Format, handler.Profile) {
	return handler.Forward, handler.OTel()
}

// CheckFormat returns an error for MessagePack, whose records cannot be told
// from anything else. Forward is sent as it is, JSON converted.
func (w *Writer) CheckFormat(f handler.Format) error {
	if f == handler.MessagePack {
		return fmt.Errorf("forward: the receiver does not take the format %v; use Forward, which is the default", f)
	}
	return nil
}

// wakeSender has the sender look at the queue again. It never waits.
func (w *Writer) wakeSender() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}
