//go:build e2e

package e2e

import (
	"net"
	"sync"
	"testing"
)

// proxy passes connections on to a receiver, and cuts them on request in the
// middle of whatever is being sent.
type proxy struct {
	ln     net.Listener
	target string
	wg     sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]bool
	left  int64 // bytes until the next cut; 0: none is wanted
	cuts  int
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{ln: ln, target: target, conns: map[net.Conn]bool{}}
	p.wg.Add(1)
	go p.accept()
	t.Cleanup(func() {
		ln.Close()
		p.mu.Lock()
		p.closeAll()
		p.mu.Unlock()
		p.wg.Wait()
	})
	return p
}

func (p *proxy) addr() string { return p.ln.Addr().String() }

// cutAfter cuts all connections once n more bytes have gone to the receiver.
func (p *proxy) cutAfter(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = n
}

// cutsDone is how many times connections have been cut.
func (p *proxy) cutsDone() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cuts
}

// cutDone reports whether the cut that was asked for has happened.
func (p *proxy) cutDone() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left == 0
}

func (p *proxy) closeAll() {
	for c := range p.conns {
		c.Close()
	}
}

func (p *proxy) accept() {
	defer p.wg.Done()
	for {
		c, err := p.ln.Accept()
		if err != nil {
			return
		}
		s, err := net.Dial("tcp", p.target)
		if err != nil {
			c.Close() // as proxies do whose receiver is down
			continue
		}
		p.mu.Lock()
		p.conns[c], p.conns[s] = true, true
		p.mu.Unlock()
		p.wg.Add(2)
		go p.pass(s, c, true)
		go p.pass(c, s, false)
	}
}

// pass copies from one connection to another; counted bytes may bring a cut.
func (p *proxy) pass(to, from net.Conn, counted bool) {
	defer p.wg.Done()
	defer func() {
		to.Close()
		from.Close()
		p.mu.Lock()
		delete(p.conns, from)
		p.mu.Unlock()
	}()
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		if counted {
			n = p.count(n)
		}
		if _, werr := to.Write(buf[:n]); werr != nil || err != nil {
			return
		}
	}
}

// count returns how many of n bytes may still be passed on.
func (p *proxy) count(n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left == 0 {
		return n
	}
	if int64(n) < p.left {
		p.left -= int64(n)
		return n
	}
	n = int(p.left)
	p.left = 0
	p.cuts++
	p.closeAll()
	return n
}
