package forward

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler/forward/internal/receiver"
)

func waitKept(t *testing.T, r *receiver.Receiver, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := r.Wait(ctx, func(kept, _ int) bool { return kept >= n }); err != nil {
		t.Fatal(err)
	}
}

// The second receiver is used while the first is down, and the first again
// when it is back.
func TestFailover(t *testing.T) {
	one, two := start(t, receiver.Options{}), start(t, receiver.Options{})
	one.Stop()
	w := dial(t, one.Addr(), quickly(WithServers(two.Addr()), WithRecoveryWait(20*time.Millisecond))...)
	stop := watchSums(t, w)
	logN(w, 0, 100)
	waitKept(t, two, 100)
	if s := w.Stats(); s.Server != two.Addr() || !s.Connected {
		t.Errorf("%+v", s)
	}
	if err := one.Restart(); err != nil {
		t.Fatal(err)
	}
	for w.Stats().Server != one.Addr() {
		time.Sleep(time.Millisecond)
	}
	logN(w, 100, 100)
	waitKept(t, one, 100)
	one.Stop()
	logN(w, 200, 100)
	waitKept(t, two, 200)
	two.Stop() // both are down
	logN(w, 300, 100)
	if err := two.Restart(); err != nil {
		t.Fatal(err)
	}
	waitKept(t, two, 300)
	stop()
	if s := mustClose(t, w); s.Acknowledged != 400 {
		t.Errorf("%+v", s)
	}
	if err := one.Restart(); err != nil {
		t.Fatal(err)
	}
	got := numbers(one)
	for n := range numbers(two) {
		got[n]++
	}
	if len(got) != 400 {
		t.Errorf("%d records", len(got))
	}
}

// A receiver that accepts and hangs up gives way to the next.
func TestFailoverFromIll(t *testing.T) {
	ill := start(t, receiver.Options{OnFrame: func(*receiver.Frame) receiver.Reply { return receiver.Hangup }})
	two := start(t, receiver.Options{})
	w := dial(t, ill.Addr(), quickly(WithServers(two.Addr()), WithRecoveryWait(time.Hour))...)
	logN(w, 0, 100)
	if err := w.Flush(); err != nil {
		t.Error(err)
	}
	if s := mustClose(t, w); s.Acknowledged != 100 || s.Refused != 0 {
		t.Errorf("%+v", s)
	}
	arrived(t, two, 100, 0)
}

// stuckDialer fails the first time at one address, and then hangs there until
// the context ends.
type stuckDialer struct {
	net.Dialer
	addr string
	n    atomic.Int32
	hung chan struct{}
}

func (d *stuckDialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if addr != d.addr {
		return d.Dialer.DialContext(ctx, network, addr)
	}
	if d.n.Add(1) > 1 {
		close(d.hung)
		<-ctx.Done()
	}
	return nil, errors.New("cannot be reached")
}

// Closing, and losing the connection, while a better receiver is looked for
// does not wait for that.
func TestCloseWhileProbing(t *testing.T) {
	for _, cut := range []bool{true, false} {
		two := start(t, receiver.Options{})
		d := &stuckDialer{addr: "127.0.0.1:9", hung: make(chan struct{}, 1)}
		w := dial(t, d.addr, quickly(WithServers(two.Addr()), WithTimeouts(time.Hour, 0, 0), WithRecoveryWait(time.Millisecond),
			optionFunc(func(c *config) { c.dialer = d }))...)
		<-d.hung
		if cut {
			two.Cut()
		}
		d.n.Store(-1000) // from here on it fails at once
		logN(w, 0, 10)
		if s := mustClose(t, w); s.Acknowledged != 10 {
			t.Errorf("%+v", s)
		}
	}
}
