package forward

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler/forward/internal/receiver"
)

// received reads the frame that entries would be sent in, by all the rules.
func received(t *testing.T, entries []byte, n int) (*receiver.Frame, error) {
	c := newConfig(nil)
	f := framer{c: c}
	b := append(make([]byte, c.prefix), entries...)
	ch := &chunk{blk: &block{b: b}, from: c.prefix, to: len(b), n: n}
	ch.name()
	return receiver.ReadFrame(bytes.NewReader(f.frame(ch)))
}

// FuzzEntry compares what Write takes for an entry with what the strict
// receiver takes, which has a decoder of its own.
func FuzzEntry(f *testing.F) {
	for _, s := range []string{"\x80", "\x81\xa1a\x01", "\x81\xa1a\xc1", "\x81\xc4\x01a\x01", "\x81\xa1a\xd6\xff\x65\x00\x00\x00",
		"\x81\xa1a\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00", "\x81\xa1a\xa1\xff", "\xdf\xff\xff\xff\xff\xa1a\x01", "\x82\xa1a\x92\x01\xc0\xa1b\x81\xa1c\xc3",
		"\x81\xa1a\xcf\x80\x00\x00\x00\x00\x00\x00\x00", "\x81\xa1a\xdb\xff\xff\xff\xff", "\xde\x00\x01\xd9\x01a\xd3\xff\xff\xff\xff\xff\xff\xff\xff"} {
		f.Add([]byte(entry(s)))
	}
	f.Add([]byte("\x92\xc7\x08\x00\x65\x00\x00\x00\x00\x00\x00\x07\x80"))
	f.Add([]byte("\x92\x05\x80"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) == 0 || b[0] != entryByte {
			return
		}
		end, err := checkEntry(b, 0)
		if err == nil {
			got, err := received(t, b[:end], 1)
			if err != nil {
				t.Fatalf("%x was taken, but %v", b[:end], err)
			}
			if len(got.Records) != 1 {
				t.Fatalf("%x is %d records", b[:end], len(got.Records))
			}
			return
		}
		if _, rerr := received(t, b, 1); rerr == nil {
			t.Fatalf("%x was refused: %v", b, err)
		}
	})
}

// FuzzJSON: each line that is taken becomes an entry that the strict receiver
// takes, with a time that entries can hold.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{}`, `{"time":"2026-02-03T04:05:06Z","a":[1,{"b":null}]}`, `{"time":1770091506.5}`, `{"a":NaN,"b":-Infinity}`,
		`{"a":18446744073709551615,"time":18446744073709551615}`, `{"time":{},"time":[]}`, "{\"\xff\":\"\\ud800\"}", `{"a":1e400}`,
		`{"a":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}`} {
		f.Add([]byte(s))
	}
	cv := newConverter()
	f.Fuzz(func(t *testing.T, line []byte) {
		if len(line) == 0 || line[0] != '{' {
			return
		}
		e, err := cv.entry(line, time.Unix(math.MaxUint32, 0))
		if err != nil {
			return
		}
		if end, err := checkEntry(e, 0); err != nil || end != len(e) {
			t.Fatalf("%q became %x: %v", line, e, err)
		}
		if _, err := received(t, e, 1); err != nil {
			t.Fatalf("%q became %x: %v", line, e, err)
		}
	})
}

// FuzzAnswers: whatever the receiver says, nothing breaks, and no more is used
// than there is. What is acknowledged is what was on its way.
func FuzzAnswers(f *testing.F) {
	for _, s := range []string{"\x81\xa3ack\xa3abc", "\x80", "\x80\x80\x80", "\xc0", "\x92\xa4HELO\x80", "\x82\xa1x\x91\x01\xa3ack\xb8AAAAAAAAAAAAAAAAAAAAAA==",
		"\xdf\xff\xff\xff\xff", "HTTP/1.1", "\x81\xa3ack\xc4\x18AAAAAAAAAAAAAAAAAAAAAA==\x80"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		w := &Writer{c: newConfig(nil), wake: make(chan struct{}, 1)}
		for range 3 {
			w.begin(0)
			w.cur.blk.b = append(w.cur.blk.b, 0)
			w.cur.n = 1
			w.stats.Accepted++
			w.seal()
		}
		w.inflight, w.ready = w.ready, nil
		for _, c := range w.inflight {
			copy(c.id[:], "AAAAAAAAAAAAAAAAAAAAAA==")
			c.named = true
		}
		used, err := w.answers(&link{}, b)
		if used < 0 || used > len(b) || err == nil && used < len(b) && len(b)-used > maxAnswer {
			t.Fatalf("%d of %d: %v", used, len(b), err)
		}
		sums(t, w.Stats())
	})
}
