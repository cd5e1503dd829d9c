package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// fake is a receiver that takes frames by way of their JSON, and acknowledges
// them.
type fake struct {
	addr string
	ln   net.Listener
	wg   sync.WaitGroup

	mu      sync.Mutex
	tags    map[string]bool
	records []map[string]any
	err     error
}

func startFake(t *testing.T) *fake {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{addr: ln.Addr().String(), ln: ln, tags: map[string]bool{}}
	f.wg.Add(1)
	go func() {
		defer f.wg.Done()
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			f.wg.Add(1)
			go f.serve(c)
		}
	}()
	t.Cleanup(func() { ln.Close(); f.wg.Wait() })
	return f
}

func (f *fake) serve(c net.Conn) {
	defer f.wg.Done()
	defer c.Close()
	var got []byte
	buf := make([]byte, 4096)
	for {
		text, rest, err := jsonmsgpack.AppendJSON(nil, got)
		if err == nil {
			if err = f.frame(c, text); err != nil {
				f.mu.Lock()
				f.err = err
				f.mu.Unlock()
				return
			}
			got = rest
			continue
		}
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			f.mu.Lock()
			f.err = err
			f.mu.Unlock()
			return
		}
		n, err := c.Read(buf)
		got = append(got, buf[:n]...)
		if err != nil {
			return
		}
	}
}

// frame takes [tag, entries, {"chunk": …}].
func (f *fake) frame(c net.Conn, text []byte) error {
	var tag, bin string
	var opts struct{ Chunk string }
	if err := json.Unmarshal(text, &[]any{&tag, &bin, &opts}); err != nil {
		return err
	}
	entries, err := base64.StdEncoding.DecodeString(bin)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tags[tag] = true
	for len(entries) > 0 {
		var entry []byte
		if entry, entries, err = jsonmsgpack.AppendJSON(nil, entries); err != nil {
			return err
		}
		var rec map[string]any
		if err := json.Unmarshal(entry, &[]any{new(any), &rec}); err != nil {
			return err
		}
		f.records = append(f.records, rec)
	}
	ack, err := jsonmsgpack.Append(nil, fmt.Appendf(nil, `{"ack":%q}`, opts.Chunk))
	if err != nil {
		return err
	}
	_, err = c.Write(ack)
	return err
}
