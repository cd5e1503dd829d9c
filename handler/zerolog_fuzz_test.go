package handler_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/slogpack/slogpack/handler"
)

// zlDiff holds the Zerolog profile to zerolog's own bytes for one program.
func zlDiff(t *testing.T, data []byte) {
	t.Helper()
	p := newZLProgram(data)
	now := zerolog.TimestampFunc
	zerolog.TimestampFunc = func() time.Time { return p.time }
	defer func() { zerolog.TimestampFunc = now }()

	var want, got bytes.Buffer
	e := p.event(zerolog.New(&want))
	var pcs [1]uintptr
	func() { e.Msg(p.msg); runtime.Callers(1, pcs[:]) }() // the caller of both, in one line

	// A bytes.Buffer is streamed into, another writer is not.
	h := newHandler(&got, handler.WithProfile(handler.Zerolog()), handler.WithSource())
	if err := p.slog(h, pcs[0]); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("%+v\ngot  %s\nwant %s", p, got.Bytes(), want.Bytes())
	}
	var slice bytes.Buffer
	h = newHandler(plainWriter{&slice}, handler.WithProfile(handler.Zerolog()), handler.WithSource())
	if err := p.slog(h, pcs[0]); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(slice.Bytes(), want.Bytes()) {
		t.Errorf("%+v\ngot, not streamed, %s\nwant %s", p, slice.Bytes(), want.Bytes())
	}
}

// TestZerologBytes runs random programs, the same in every run.
func TestZerologBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		data := make([]byte, r.IntN(400))
		for i := range data {
			data[i] = byte(r.Uint32())
			if r.IntN(16) == 0 {
				data[i] = 248 + data[i]&7 // one of the delicate texts
			}
		}
		if zlDiff(t, data); t.Failed() {
			return
		}
	}
}

func FuzzZerologBytes(f *testing.F) {
	f.Add([]byte{})
	for kind := range byte(14) {
		data := []byte{0, 248}                      // level, message
		data = append(data, make([]byte, 8+1+1)...) // time
		data = append(data, 1, 250, kind, 252)      // one attr of With
		data = binary.BigEndian.AppendUint64(data, 1<<62)
		f.Add(append(data, bytes.Repeat([]byte{1, 249, kind, 251}, 4)...))
	}
	f.Fuzz(zlDiff)
}
