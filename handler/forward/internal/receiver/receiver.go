// Package receiver is a receiver of the Fluent Forward protocol for tests. It
// is as strict as the strictest of the real ones at each point, and fails on
// request in the ways that networks and receivers do.
package receiver

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// A Reply is what the receiver does after a frame.
type Reply uint8

const (
	Ack       Reply = iota // acknowledges, if it was asked to
	Silent                 // says nothing
	Wrong                  // acknowledges another id
	Nack                   // answers {}, as Vector does, and does not keep the frame
	Hangup                 // hangs up without an answer, and does not keep the frame
	AckHangup              // acknowledges and hangs up
	Late                   // acknowledges after the next frame, before that one's own reply
)

// Kept reports whether a frame with this reply was taken.
func (r Reply) Kept() bool { return r != Nack && r != Hangup }

// Options say how the receiver behaves. Functions are called on the
// connections' goroutines, for several connections at once.
type Options struct {
	Network   string // tcp by default
	Addr      string // 127.0.0.1 and a free port by default
	TLS       *tls.Config
	SharedKey string
	User      string
	Password  string
	BadDigest bool // PONG proves nothing
	HeloBin   bool // nonce and salt are bin instead of str
	Once      bool // HELO says that there is no keepalive
	Quick     bool // counts entries by their size option and does not look at them
	ReadSize  int  // bytes read at once, at most

	// OnConn is called for each connection; an error hangs up at once.
	OnConn func(conn int) error
	// BeforeRead is called before each read, with the bytes read before; an
	// error hangs up.
	BeforeRead func(conn int, read int64) error
	// OnFrame says what to do with a frame; nil acknowledges all.
	OnFrame func(f *Frame) Reply
}

// Receiver is a running receiver.
type Receiver struct {
	o    Options
	addr string

	mu      sync.Mutex
	changed *sync.Cond
	ln      net.Listener
	conns   map[net.Conn]bool
	nConns  int
	frames  []*Frame
	kept    int
	broken  []error
	wg      sync.WaitGroup
}

// Start starts a receiver.
func Start(o Options) (*Receiver, error) {
	if o.Network == "" {
		o.Network = "tcp"
	}
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	r := &Receiver{o: o, addr: o.Addr, conns: map[net.Conn]bool{}}
	r.changed = sync.NewCond(&r.mu)
	return r, r.Restart()
}

// Restart starts a stopped receiver again, at the same address.
func (r *Receiver) Restart() error {
	ln, err := net.Listen(r.o.Network, r.addr)
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.ln, r.addr = ln, ln.Addr().String()
	r.mu.Unlock()
	r.wg.Add(1)
	go r.accept(ln)
	return nil
}

// Addr is where the receiver listens.
func (r *Receiver) Addr() string { return r.addr }

// Stop closes the listener and all connections and waits for their ends.
func (r *Receiver) Stop() {
	r.mu.Lock()
	_ = r.ln.Close()
	r.mu.Unlock()
	r.Cut()
	r.wg.Wait()
}

// Cut closes all connections.
func (r *Receiver) Cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.conns {
		_ = c.Close()
	}
}

func (r *Receiver) accept(ln net.Listener) {
	defer r.wg.Done()
	for {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		r.mu.Lock()
		r.nConns++
		n := r.nConns
		r.conns[c] = true
		r.mu.Unlock()
		r.wg.Add(1)
		go r.serve(c, n)
	}
}

func (r *Receiver) serve(c net.Conn, n int) {
	defer r.wg.Done()
	defer func() {
		_ = c.Close()
		r.mu.Lock()
		delete(r.conns, c)
		r.changed.Broadcast()
		r.mu.Unlock()
	}()
	if r.o.OnConn != nil && r.o.OnConn(n) != nil {
		return
	}
	conn := c
	if r.o.TLS != nil {
		conn = tls.Server(c, r.o.TLS)
	}
	in := bufio.NewReaderSize(&slowReader{r: conn, conn: n, o: &r.o}, 64<<10)
	if err := r.talk(conn, in, n); err != nil {
		var v *Violation
		if errors.As(err, &v) {
			r.mu.Lock()
			r.broken = append(r.broken, err)
			r.mu.Unlock()
		}
	}
}

func (r *Receiver) talk(c net.Conn, in *bufio.Reader, n int) error {
	d := &decoder{r: in, limit: maxFrame}
	if r.o.SharedKey != "" || r.o.User != "" {
		if err := r.welcome(c, d); err != nil {
			return err
		}
	}
	if r.o.Quick {
		return r.quick(c, in)
	}
	late := ""
	for i := 1; ; i++ {
		f, err := readFrame(d, false)
		if err != nil {
			return err
		}
		f.Conn, f.Index = n, i
		if r.o.OnFrame != nil {
			f.Reply = r.o.OnFrame(f)
		}
		r.keep(f, len(f.Records))
		if late != "" {
			if err := answer(c, late); err != nil {
				return err
			}
			late = ""
		}
		switch f.Reply {
		case Ack, AckHangup:
			err = answer(c, f.Chunk)
		case Wrong:
			err = answer(c, "someone else's chunk ===")
		case Late:
			late = f.Chunk
		case Nack:
			_, err = c.Write([]byte{0x80})
		}
		if err != nil {
			return err
		}
		if f.Reply == Hangup || f.Reply == AckHangup || r.o.Once {
			return io.EOF
		}
	}
}

// quick acknowledges frames as fast as it can.
func (r *Receiver) quick(c net.Conn, in *bufio.Reader) error {
	var id, out []byte
	for {
		var size int
		var err error
		if id, size, err = quickFrame(in, id); err != nil {
			return err
		}
		r.keep(nil, size)
		if len(id) > 0 {
			out = append(out[:0], 0x81, 0xa3, 'a', 'c', 'k', 0xd9, byte(len(id)))
			out = append(out, id...)
			if _, err := c.Write(out); err != nil {
				return err
			}
		}
	}
}

func answer(c net.Conn, chunk string) error {
	if chunk == "" {
		return nil
	}
	b := append([]byte{0x81, 0xa3, 'a', 'c', 'k', 0xd9, byte(len(chunk))}, chunk...)
	_, err := c.Write(b)
	return err
}

func (r *Receiver) keep(f *Frame, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f != nil {
		r.frames = append(r.frames, f)
	}
	if f == nil || f.Reply.Kept() {
		r.kept += n
	}
	r.changed.Broadcast()
}

// slowReader is where reading is delayed, cut into pieces and ended.
type slowReader struct {
	r    io.Reader
	conn int
	n    int64
	o    *Options
}

func (s *slowReader) Read(p []byte) (int, error) {
	if s.o.BeforeRead != nil {
		if err := s.o.BeforeRead(s.conn, s.n); err != nil {
			return 0, err
		}
	}
	if s.o.ReadSize > 0 && len(p) > s.o.ReadSize {
		p = p[:s.o.ReadSize]
	}
	n, err := s.r.Read(p)
	s.n += int64(n)
	return n, err
}

// Kept is how many records were taken, duplicates included.
func (r *Receiver) Kept() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kept
}

// Conns is how many connections there have been.
func (r *Receiver) Conns() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.nConns
}

// Frames returns the frames so far, in the order they were read.
func (r *Receiver) Frames() []*Frame {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]*Frame(nil), r.frames...)
}

// Records returns the records of the frames that were taken.
func (r *Receiver) Records() (out []Record) {
	for _, f := range r.Frames() {
		if f.Reply.Kept() {
			out = append(out, f.Records...)
		}
	}
	return out
}

// Violations returns the breaches of rules so far. Each ended its connection.
func (r *Receiver) Violations() []error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]error(nil), r.broken...)
}

// Wait waits until ok, which is called whenever a frame has been read or a
// connection has ended, or until ctx ends.
func (r *Receiver) Wait(ctx context.Context, ok func(kept, conns int) bool) error {
	stop := context.AfterFunc(ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.changed.Broadcast()
	})
	defer stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	for !ok(r.kept, r.nConns) {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("receiver has %d records by %d connections: %w", r.kept, r.nConns, err)
		}
		r.changed.Wait()
	}
	return nil
}
