package forward

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"time"
)

// link is a connection. err, hold and nacked are guarded by Writer.mu, the
// rest belongs to the sender.
type link struct {
	conn   net.Conn
	raw    net.Conn      // below TLS; its Close does not wait for anything
	server int           // its index in Writer.servers
	early  []byte        // read during the handshake and not part of it
	once   bool          // the receiver takes one frame a connection
	gone   chan struct{} // closed when the reader has ended
	sent   int           // frames
	since  time.Time     // when it was first used

	err    error     // why it is not to be used any more
	hold   time.Time // suspects wait until then
	nacked int       // refusals in a row

	over    bool
	leaving bool       // there is a better one; what is on its way is waited for
	probing bool       // a goroutine looks for a better one
	unprobe func()     // ends that
	probed  chan *link // its result, nil for none; capacity 1
	nextOne *link
}

// fail marks l as broken; the first reason stays. Writer.mu is held.
func (l *link) fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

// connect returns a new connection, to the first receiver that can be reached,
// or nil when the Writer ends. It tries without end.
func (w *Writer) connect() *link {
	for {
		if w.fails > 0 && !w.sleep(w.backoff(w.fails-1)) || w.finished() {
			return nil
		}
		for i := range w.servers {
			if w.isDown(i) {
				continue
			}
			l, err := w.dial(w.ctx, i)
			if err == nil {
				w.connected(l)
				return l
			}
			if w.ctx.Err() != nil {
				return nil
			}
			w.markDown(i)
			w.mu.Lock()
			w.stats.Failures++
			w.lastErr = err
			w.mu.Unlock()
			w.reports.add(fmt.Errorf("forward: no connection: %w", err))
			if w.finished() {
				return nil
			}
		}
		w.fails++
	}
}

// connected notes a new connection.
func (w *Writer) connected(l *link) {
	w.down[l.server] = time.Time{}
	w.mu.Lock()
	w.stats.Connects++
	first := w.stats.Connects == 1
	w.stats.Connected = true
	w.stats.Server = w.servers[l.server].String()
	w.lastErr = nil
	w.mu.Unlock()
	if first {
		close(w.up)
	}
}

// backoff is how long to wait after n+1 failures in a row.
func (w *Writer) backoff(n int) time.Duration {
	d := w.c.backoffMin << min(n, 30)
	if d <= 0 || d > w.c.backoffMax {
		d = w.c.backoffMax
	}
	// Many clients of one receiver must not come back in step.
	return d - rand.N(d/2+1)
}

// sleep waits for d, or less where the Writer ends.
func (w *Writer) sleep(d time.Duration) bool {
	end := time.Now().Add(d)
	for {
		w.timer.Reset(time.Until(end))
		select {
		case <-w.timer.C:
			return true
		case <-w.wake: // closed, perhaps
			if w.finished() {
				return false
			}
		case <-w.ctx.Done():
			return false
		}
	}
}

// isDown reports whether receiver i failed a short while ago, while another
// one may work.
func (w *Writer) isDown(i int) bool {
	now := time.Now()
	if !now.Before(w.down[i]) {
		return false
	}
	for _, t := range w.down {
		if !now.Before(t) {
			return true
		}
	}
	return false // all are: they are tried all the same
}

func (w *Writer) markDown(i int) {
	w.down[i] = time.Now().Add(w.c.recoveryWait)
}

// dial makes a connection to receiver i, ready for frames.
func (w *Writer) dial(ctx context.Context, i int) (*link, error) {
	s := w.servers[i]
	ctx, cancel := context.WithTimeout(ctx, w.c.dial)
	defer cancel()
	conn, err := w.c.dialer.DialContext(ctx, s.network, s.addr)
	if err != nil {
		return nil, err // names the address
	}
	l := &link{conn: conn, raw: conn, server: i, gone: make(chan struct{}), probed: make(chan *link, 1)}
	if err := w.prepareLink(ctx, l, s); err != nil {
		_ = l.raw.Close()
		return nil, fmt.Errorf("%v: %w", s, err)
	}
	return l, nil
}

// prepareLink does the handshakes.
func (w *Writer) prepareLink(ctx context.Context, l *link, s server) error {
	stop := context.AfterFunc(ctx, func() { _ = l.raw.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if w.c.tls != nil {
		cfg := w.c.tls
		if cfg.ServerName == "" {
			cfg = cfg.Clone()
			cfg.ServerName = s.host
		}
		t := tls.Client(l.conn, cfg)
		if err := t.HandshakeContext(ctx); err != nil {
			return fmt.Errorf("TLS: %w", err)
		}
		l.conn = t
	}
	if w.c.secured {
		if err := w.handshake(l); err != nil {
			if ctx.Err() != nil {
				err = fmt.Errorf("%w: %w", err, ctx.Err())
			}
			return fmt.Errorf("handshake: %w", err)
		}
	}
	if !stop() {
		return ctx.Err()
	}
	return nil
}

// read takes answers from l until it ends, and sees its end before the sender
// writes into it.
func (w *Writer) read(l *link) {
	defer close(l.gone)
	buf := append(make([]byte, 0, 4096), l.early...)
	l.early = nil
	for {
		used, err := w.answers(l, buf)
		buf = buf[:copy(buf, buf[used:])]
		if err == nil && len(buf) == cap(buf) {
			if len(buf) >= maxAnswer {
				err = errAnswer
			} else {
				buf = append(make([]byte, 0, 4*cap(buf)), buf...)
			}
		}
		if err == nil {
			var n int
			n, err = l.conn.Read(buf[len(buf):cap(buf)])
			buf = buf[:len(buf)+n]
			if n > 0 {
				continue // an error comes again
			}
		}
		if err == nil {
			continue
		}
		if errors.Is(err, io.EOF) {
			err = errHangup
		}
		w.mu.Lock()
		l.fail(err)
		w.mu.Unlock()
		_ = l.raw.Close() // ends a Write that is under way
		w.wakeSender()
		return
	}
}
