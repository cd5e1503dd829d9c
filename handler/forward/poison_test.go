package forward

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/forward/internal/receiver"
)

// poisoned answers frames that hold a record whose n is in bad with reply.
func poisoned(reply receiver.Reply, bad ...int64) func(*receiver.Frame) receiver.Reply {
	return func(f *receiver.Frame) receiver.Reply {
		for _, rec := range f.Records {
			for _, b := range bad {
				if rec.Fields.Get("n") == b {
					return reply
				}
			}
		}
		return receiver.Ack
	}
}

// One record, or several, that the receiver does not take are found and given
// up; all others arrive.
func TestPoison(t *testing.T) {
	const n = 1500
	tests := []struct {
		name  string
		reply receiver.Reply
		bad   []int64
		opts  []Option
	}{
		{"hangs up", receiver.Hangup, []int64{700}, nil},
		{"the first", receiver.Hangup, []int64{0}, nil},
		{"the last", receiver.Hangup, []int64{n - 1}, nil},
		{"neighbours", receiver.Hangup, []int64{700, 701}, nil},
		{"several", receiver.Hangup, []int64{3, 600, 601, 1400}, nil},
		{"answers {}", receiver.Nack, []int64{3, 700}, nil},
		{"says nothing", receiver.Silent, []int64{700}, []Option{WithTimeouts(0, 0, 30*time.Millisecond)}},
		{"gzip", receiver.Hangup, []int64{700}, []Option{WithGzip()}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, receiver.Options{OnFrame: poisoned(tt.reply, tt.bad...)})
			var log errorLog
			w := dial(t, r.Addr(), quickly(append(tt.opts, WithErrorHandler(log.add), WithBatch(20_000, 10*time.Millisecond))...)...)
			stop := watchSums(t, w)
			logN(w, 0, n)
			if err := w.Flush(); err != nil {
				t.Error(err)
			}
			stop()
			s := mustClose(t, w)
			bad := int64(len(tt.bad))
			if s.Refused != bad || s.Acknowledged != n-bad || s.Dropped != 0 {
				t.Errorf("%+v", s)
			}
			if s.Frames > 40+20*bad { // those without a bad record are not taken apart
				t.Errorf("%d frames, %d records sent again", s.Frames, s.Resent)
			}
			got := numbers(r)
			for _, b := range tt.bad {
				if tt.reply.Kept() {
					delete(got, b) // it was, but without a word
				}
			}
			if int64(len(got)) != n-bad {
				t.Errorf("%d records arrived", len(got))
			}
			refused := log.refused()
			if int64(len(refused)) != bad {
				t.Fatalf("told of %v", log.all())
			}
			for _, e := range refused {
				if e.Entry != nil || e.Size == 0 || e.Server != r.Addr() || e.Reason == nil {
					t.Errorf("%+v", e)
				}
			}
		})
	}
}

// The bytes of a refused record come on request only, and are that record's.
func TestRefusedBytes(t *testing.T) {
	r := start(t, receiver.Options{OnFrame: poisoned(receiver.Hangup, 5)})
	var log errorLog
	w := dial(t, r.Addr(), quickly(WithRefusedBytes(), WithErrorHandler(log.add))...)
	logN(w, 0, 10)
	mustClose(t, w)
	refused := log.refused()
	if len(refused) != 1 {
		t.Fatalf("%v", log.all())
	}
	e := refused[0].Entry
	if end, err := checkEntry(e, 0); err != nil || end != len(e) || !bytes.Contains(e, []byte("\xa1n\x05")) {
		t.Errorf("%x: %v", e, err)
	}
	if strings.Contains(refused[0].Error(), "hello") {
		t.Errorf("the text shows the record: %v", refused[0])
	}
}

// A record that is alone in the queue and refused again and again is given up
// too, later.
func TestLonePoison(t *testing.T) {
	for _, reply := range []receiver.Reply{receiver.Hangup, receiver.Nack} {
		r := start(t, receiver.Options{OnFrame: poisoned(reply, 0)})
		w := dial(t, r.Addr(), quickly()...)
		logN(w, 0, 1)
		if err := w.Flush(); err != nil {
			t.Error(err)
		}
		if s := mustClose(t, w); s.Refused != 1 || s.Frames < loneRefusals {
			t.Errorf("%+v", s)
		}
	}
}

// A proxy whose receiver is down accepts and hangs up, before or after it was
// sent something. That is no record's fault: none is given up.
func TestIllReceiver(t *testing.T) {
	for _, early := range []bool{true, false} {
		var well atomic.Bool
		o := receiver.Options{OnFrame: func(*receiver.Frame) receiver.Reply {
			if well.Load() {
				return receiver.Ack
			}
			return receiver.Hangup
		}}
		if early {
			o = receiver.Options{OnConn: func(int) error {
				if well.Load() {
					return nil
				}
				return io.EOF
			}}
		}
		r := start(t, o)
		w := dial(t, r.Addr(), quickly()...)
		stop := watchSums(t, w)
		const n = 300
		logN(w, 0, n)
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := r.Wait(ctx, func(_, conns int) bool { return conns >= 15 }); err != nil {
			t.Fatal(err)
		}
		logN(w, n, n)
		well.Store(true)
		if err := w.Flush(); err != nil {
			t.Error(err)
		}
		stop()
		s := mustClose(t, w)
		if s.Refused != 0 || s.Acknowledged != 2*n {
			t.Errorf("%+v", s)
		}
		arrived(t, r, 2*n, s.Resent)
	}
}

// An outage in which the receiver refuses everything, as OpenTelemetry's does
// while its pipeline takes nothing, is no record's fault either, however small
// the batches have become meanwhile.
func TestLongOutage(t *testing.T) {
	for _, reply := range []receiver.Reply{receiver.Hangup, receiver.Nack} {
		for _, n := range []int{2, 3, 12} {
			var well atomic.Bool
			r := start(t, receiver.Options{OnFrame: func(*receiver.Frame) receiver.Reply {
				if well.Load() {
					return receiver.Ack
				}
				return reply
			}})
			w := dial(t, r.Addr(), quickly(WithBackoff(time.Millisecond, 2*time.Millisecond))...)
			logN(w, 0, n)
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			// Until each record has been alone, and refused often enough.
			if err := r.Wait(ctx, func(_, _ int) bool { return w.Stats().Frames >= int64((n+4)*(refusals+2)) }); err != nil {
				t.Fatal(err)
			}
			well.Store(true)
			if err := w.Flush(); err != nil {
				t.Error(err)
			}
			if s := mustClose(t, w); s.Refused != 0 || s.Acknowledged != int64(n) {
				t.Errorf("%v, %d records: %+v", reply, n, s)
			}
		}
	}
}

// Poison among records, and outages in between that refuse everything: however
// they meet, it comes to an end, no poison is taken for delivered, and each record
// has arrived or is counted as refused.
func TestPoisonAndOutages(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			reply := []receiver.Reply{receiver.Hangup, receiver.Nack}[seed%2]
			rng := rand.New(rand.NewPCG(seed, 1))
			n := 1 + rng.IntN(200)
			bad := map[int64]bool{}
			for range rng.IntN(8) {
				bad[rng.Int64N(int64(n))] = true
			}
			var mu sync.Mutex
			frames, change, ill := 0, 0, false
			r := start(t, receiver.Options{OnFrame: func(f *receiver.Frame) receiver.Reply {
				mu.Lock()
				defer mu.Unlock()
				if frames++; frames > change {
					ill = !ill && frames < 400
					change = frames + rng.IntN(60)
				}
				for _, rec := range f.Records {
					if n, ok := rec.Fields.Get("n").(int64); ill || ok && bad[n] {
						return reply
					}
				}
				return receiver.Ack
			}})
			w := dial(t, r.Addr(), quickly(WithBackoff(time.Millisecond, 2*time.Millisecond), WithBatch(1500, 10*time.Millisecond))...)
			stop := watchSums(t, w)
			logN(w, 0, n)
			if err := w.Flush(); err != nil {
				t.Error(err)
			}
			stop()
			s := mustClose(t, w)
			got := numbers(r)
			for b := range bad {
				if got[b] > 0 {
					t.Errorf("record %d has arrived", b)
				}
			}
			if s.Refused < int64(len(bad)) || s.Dropped != 0 || int64(len(got))+s.Refused != int64(n) {
				t.Errorf("%d records, %d bad, %d arrived: %+v", n, len(bad), len(got), s)
			}
		})
	}
}

// Poison that does not cease does not keep other records from arriving.
func TestPoisonStream(t *testing.T) {
	r := start(t, receiver.Options{OnFrame: func(f *receiver.Frame) receiver.Reply {
		for _, rec := range f.Records {
			if rec.Text("message") == "bad" {
				return receiver.Hangup
			}
		}
		return receiver.Ack
	}})
	w := dial(t, r.Addr(), quickly()...)
	stop := watchSums(t, w)
	l := slog.New(handler.New(w))
	const n = 60
	for i := range n {
		l.Info("good", "n", i)
		if i%20 == 0 {
			l.Info("bad")
		}
	}
	if err := w.Flush(); err != nil {
		t.Error(err)
	}
	stop()
	if s := mustClose(t, w); s.Refused != n/20 || s.Acknowledged != n {
		t.Errorf("%+v", s)
	}
	arrived(t, r, n, 1<<30)
}

// What the receiver sends besides acknowledgements ends the connection, and
// costs no record.
func TestStrangeAnswers(t *testing.T) {
	tests := []struct {
		name, answer string
		want         error
	}{
		{"a web server", "HTTP/1.1 400 Bad Request\r\n\r\n", errAnswer},
		{"nil", "\xc0", errAnswer},
		{"an array", "\x91\x01", errAnswer},
		{"an ack that is a number", "\x81\xa3ack\x01", errAnswer},
		{"invalid", "\xc1", errAnswer},
		{"HELO", "\x92\xa4HELO\x80", errHelo},
		{"without end", "\x81\xa3ack\xdb\xff\xff\xff\xff" + strings.Repeat("x", 2*maxAnswer), errAnswer},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log errorLog
			ln := talker(t, tt.answer)
			w := dial(t, ln, quickly(WithErrorHandler(log.add))...)
			logN(w, 0, 20)
			for w.Stats().Failures < 12 {
				time.Sleep(time.Millisecond)
			}
			if s := w.Stats(); s.Pending != 20 || s.Refused != 0 {
				t.Errorf("%+v", s)
			}
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			err := w.Shutdown(ctx)
			found := false
			for _, e := range log.all() {
				found = found || errors.Is(e, tt.want)
			}
			if !found || err == nil || !strings.Contains(err.Error(), "20 records") {
				t.Errorf("told %v; Shutdown: %v", log.all(), err)
			}
			if s := w.Stats(); s.Dropped != 20 || s.Pending != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// Unknown ids, maps with more in them and bin ids are no reason to complain.
func TestTolerantAnswers(t *testing.T) {
	w := &Writer{c: newConfig(nil), wake: make(chan struct{}, 1)}
	if !w.begin(0) {
		t.Fatal("no room")
	}
	w.cur.blk.b = append(w.cur.blk.b, 1)
	w.cur.n = 3
	w.seal()
	c := w.ready[0]
	c.name()
	w.ready, w.inflight = nil, []*chunk{c}
	id := string(c.id[:])
	b := "\x81\xa3ack\xa3abc" + "\x82\xa1x\x91\x01\xa3ack\xb8" + id + "\x81\xa3ack\xc4\x18" + id + "\x81"
	used, err := w.answers(&link{}, []byte(b))
	if err != nil || used != len(b)-1 {
		t.Errorf("%d of %d: %v", used, len(b), err)
	}
	if w.stats.Acknowledged != 3 || len(w.inflight) != 0 {
		t.Errorf("%+v", w.stats)
	}
}

// What is told of a refused record is what happened to that one, not to the last.
func TestRefusedReason(t *testing.T) {
	w := Writer{c: &config{}}
	w.reports = &reports{wake: make(chan struct{}, 1)}
	why, other := errors.New("its own"), errors.New("another one's")
	c := &chunk{blk: &block{refs: 2}, n: 1, to: 7}
	w.stats.Server = "a:1"
	w.strike(c, why)
	w.stats.Server = "b:1"
	w.strike(&chunk{n: 1}, other)
	w.refuse(c)
	if e, ok := w.reports.queue[0].(*RefusedError); !ok || e.Server != "a:1" || e.Reason != why || e.Size != 7 {
		t.Errorf("%+v", w.reports.queue[0])
	}
}
