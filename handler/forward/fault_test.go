package forward

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler/forward/internal/receiver"
)

// Each fault happens on the first connections; then the receiver is well. All
// records arrive, those that come again are counted as sent again, and the sums
// are right throughout.
func TestFaults(t *testing.T) {
	const n = 2000
	boom := errors.New("boom")
	first := func(k int, bad receiver.Reply) func(*receiver.Frame) receiver.Reply {
		var count atomic.Int32
		return func(*receiver.Frame) receiver.Reply {
			if count.Add(1) <= int32(k) {
				return bad
			}
			return receiver.Ack
		}
	}
	tests := []struct {
		name string
		o    receiver.Options
		opts []Option
	}{
		{name: "hangs up at once", o: receiver.Options{OnConn: func(c int) error {
			if c < 5 {
				return boom
			}
			return nil
		}}},
		{name: "hangs up instead of answering", o: receiver.Options{OnFrame: first(5, receiver.Hangup)}},
		{name: "acknowledges and hangs up", o: receiver.Options{OnFrame: first(5, receiver.AckHangup)}},
		{name: "closes mid-frame", o: receiver.Options{ReadSize: 1000, BeforeRead: func(c int, read int64) error {
			if c < 6 && read > int64(c)*1500 {
				return boom
			}
			return nil
		}}},
		{name: "never acknowledges", o: receiver.Options{OnFrame: first(3, receiver.Silent)},
			opts: []Option{WithTimeouts(0, 0, 30*time.Millisecond)}},
		{name: "acknowledges late", o: receiver.Options{OnFrame: func(f *receiver.Frame) receiver.Reply {
			if f.Conn == 1 && f.Index%2 == 1 {
				return receiver.Late
			}
			return receiver.Ack
		}}, opts: []Option{WithTimeouts(0, 0, 200*time.Millisecond)}},
		{name: "acknowledges another id", o: receiver.Options{OnFrame: first(3, receiver.Wrong)},
			opts: []Option{WithTimeouts(0, 0, 30*time.Millisecond)}},
		{name: "answers {}", o: receiver.Options{OnFrame: first(7, receiver.Nack)}},
	}
	for _, tt := range tests {
		for _, zip := range []bool{false, true} {
			name := tt.name
			if zip {
				name += ", gzip"
				tt.o.OnFrame = again(tt.o.OnFrame)
			}
			t.Run(name, func(t *testing.T) {
				opts := tt.opts
				if zip {
					opts = append(opts[:len(opts):len(opts)], WithGzip())
				}
				r := start(t, tt.o)
				w := dial(t, r.Addr(), quickly(opts...)...)
				stop := watchSums(t, w)
				logN(w, 0, n)
				if err := w.Flush(); err != nil {
					t.Error(err)
				}
				stop()
				s := mustClose(t, w)
				if s.Accepted != n || s.Acknowledged != n {
					t.Errorf("%+v", s)
				}
				arrived(t, r, n, s.Resent)
			})
		}
	}
}

// again gives tables' functions, whose counts are used up, a second life.
func again(f func(*receiver.Frame) receiver.Reply) func(*receiver.Frame) receiver.Reply {
	if f == nil {
		return nil
	}
	var once sync.Map
	return func(fr *receiver.Frame) receiver.Reply {
		if _, seen := once.LoadOrStore(fr.Conn, true); !seen && fr.Conn < 4 {
			return receiver.Hangup
		}
		return f(fr)
	}
}

// A receiver that reads nothing holds up nobody: frames time out, and come by
// the next connection.
func TestStall(t *testing.T) {
	release := make(chan struct{})
	r := start(t, receiver.Options{BeforeRead: func(c int, read int64) error {
		if c == 1 && read > 0 {
			<-release
			return io.EOF
		}
		return nil
	}})
	w := dial(t, r.Addr(), quickly(WithTimeouts(0, 50*time.Millisecond, 50*time.Millisecond), WithBatch(100_000, time.Millisecond))...)
	stop := watchSums(t, w)
	const n = 20_000
	logN(w, 0, n)
	if err := w.Flush(); err != nil {
		t.Error(err)
	}
	stop()
	close(release)
	s := mustClose(t, w)
	if s.Acknowledged != n {
		t.Errorf("%+v", s)
	}
	arrived(t, r, n, s.Resent)
}

// A receiver that restarts again and again gets everything.
func TestRestart(t *testing.T) {
	r := start(t, receiver.Options{})
	w := dial(t, r.Addr(), quickly()...)
	stop := watchSums(t, w)
	const rounds, each = 6, 500
	for i := range rounds {
		logN(w, i*each, each/2)
		before := r.Kept()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		if err := r.Wait(ctx, func(kept, _ int) bool { return kept > before }); err != nil {
			t.Fatal(err)
		}
		cancel()
		r.Stop()
		logN(w, i*each+each/2, each/2)
		if err := r.Restart(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Error(err)
	}
	stop()
	s := mustClose(t, w)
	if s.Acknowledged != rounds*each || s.Reconnects == 0 || s.Failures == 0 {
		t.Errorf("%+v", s)
	}
	arrived(t, r, rounds*each, s.Resent)
}

// A receiver that is down at the start gets everything when it comes.
func TestDownAtStart(t *testing.T) {
	r := start(t, receiver.Options{})
	r.Stop()
	var log errorLog
	w := dial(t, r.Addr(), quickly(WithErrorHandler(log.add))...)
	logN(w, 0, 100)
	if s := w.Stats(); s.Pending != 100 || s.Connected {
		t.Errorf("%+v", s)
	}
	for w.Stats().Failures < 2 {
		time.Sleep(time.Millisecond) // until it has been tried
	}
	if err := r.Restart(); err != nil {
		t.Fatal(err)
	}
	s := mustClose(t, w)
	if s.Acknowledged != 100 || s.Resent != 0 {
		t.Errorf("%+v", s)
	}
	arrived(t, r, 100, 0)
	if len(log.all()) < 2 {
		t.Errorf("the error handler was told %v", log.all())
	}
}

// The end of an idle connection is seen before the next frame is written, so
// that even without acknowledgements nothing goes into a dead one.
func TestEOFSeen(t *testing.T) {
	r := start(t, receiver.Options{})
	w := dial(t, r.Addr(), quickly(WithoutAcks())...)
	const rounds = 20
	for i := range rounds {
		logN(w, i, 1)
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		if err := r.Wait(ctx, func(kept, _ int) bool { return kept == i+1 }); err != nil {
			t.Fatal(err)
		}
		cancel()
		conns := w.Stats().Connects
		r.Cut()
		for w.Stats().Connects == conns { // it connects again by itself
			time.Sleep(100 * time.Microsecond)
		}
	}
	s := mustClose(t, w)
	if s.Acknowledged != rounds || s.Resent != 0 || s.Reconnects < rounds {
		t.Errorf("%+v", s)
	}
	arrived(t, r, rounds, 0)
}

// The same chunk comes again with the same id.
func TestSameChunkAgain(t *testing.T) {
	r := start(t, receiver.Options{OnFrame: func(f *receiver.Frame) receiver.Reply {
		if f.Conn <= 2 {
			return receiver.Hangup
		}
		return receiver.Ack
	}})
	w := dial(t, r.Addr(), quickly(WithBatch(1<<20, time.Hour))...)
	logN(w, 0, 10)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	s := mustClose(t, w)
	if s.Resent != 20 || s.Frames != 3 {
		t.Errorf("%+v", s)
	}
	fs := r.Frames()
	if len(fs) != 3 || fs[0].Chunk != fs[1].Chunk || fs[1].Chunk != fs[2].Chunk || fs[0].Chunk == "" {
		t.Errorf("%d frames", len(fs))
	}
}

// Frames are pipelined, up to the window, and acknowledged in any order.
func TestPipeline(t *testing.T) {
	hold := make(chan struct{})
	r := start(t, receiver.Options{OnFrame: func(f *receiver.Frame) receiver.Reply {
		if f.Index < 8 {
			return receiver.Late // answered out of order
		}
		if f.Index == 8 {
			<-hold
		}
		return receiver.Ack
	}})
	w := dial(t, r.Addr(), quickly(WithBatch(minBatchBytes, time.Millisecond))...)
	logN(w, 0, 400)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := r.Wait(ctx, func(kept, _ int) bool { return kept > 0 }); err != nil {
		t.Fatal(err)
	}
	close(hold)
	s := mustClose(t, w)
	if s.Acknowledged != 400 || s.Resent != 0 {
		t.Errorf("%+v", s)
	}
	arrived(t, r, 400, 0)
}

// One frame is one Write.
func TestOneWrite(t *testing.T) {
	for _, opts := range [][]Option{nil, {WithGzip()}} {
		r := start(t, receiver.Options{})
		w := dial(t, r.Addr(), append(quickly(opts...), countWrites())...)
		logN(w, 0, 3000)
		s := mustClose(t, w)
		if n := w.c.dialer.(*countingDialer).writes.Load(); n != s.Frames || n == 0 {
			t.Errorf("%d writes for %d frames", n, s.Frames)
		}
	}
}
