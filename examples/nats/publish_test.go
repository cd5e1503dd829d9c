package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// pack is a record of n bytes: a map of one key and a text.
func pack(n int) string { return "\x81\xa1k\xd9" + string(rune(n-5)) + strings.Repeat("x", n-5) }

// TestWrite: what becomes messages, what Write says of it, and what the next
// Write, which begins where this one's count ended, makes of the rest.
func TestWrite(t *testing.T) {
	a, b, c := pack(20), pack(30), pack(40)
	tests := []struct {
		name, batch string
		limit       int
		fail        int // the message that cannot be sent the first time, from 1 on
		n           int // what the first Write says
		messages    []string
		refused     int64
	}{
		{"one message", a + b + c, 90, 0, 90, []string{a + b + c}, 0},
		{"two", a + b + c, 89, 0, 90, []string{a + b, c}, 0},
		{"one each", a + b + c, 40, 0, 90, []string{a, b, c}, 0},
		{"nothing", "", 40, 0, 0, nil, 0},
		{"the first fails", a + b + c, 40, 1, 0, []string{a, b, c}, 0},
		{"the second fails", a + b + c, 40, 2, 20, []string{a, b, c}, 0},
		{"the last fails", a + b + c, 89, 2, 50, []string{a + b, c}, 0},
		{"one is too long", a + c + b, 30, 0, 90, []string{a, b}, 1},
		{"too long, then a failure", a + c + b, 30, 2, 60, []string{a, b}, 1},
		{"all are too long", c + c, 30, 0, 80, nil, 2},
		{"no MessagePack behind a record", a + "\xc1" + b, 30, 0, 51, []string{a}, 1},
		{"half a record", a + c[:35], 30, 0, 55, []string{a}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			calls := 0
			var sent, ids []string
			var failed string
			p := &publisher{run: "run", limit: func() int { return tt.limit }}
			p.publish = func(msg *nats.Msg) (bool, error) {
				id := msg.Header.Get(jetstream.MsgIDHeader)
				if calls++; calls == tt.fail {
					failed = id
					return false, errors.New("down")
				}
				sent, ids = append(sent, string(msg.Data)), append(ids, id)
				return false, nil
			}
			n, err := p.Write([]byte(tt.batch))
			if n != tt.n || (err != nil) != (tt.fail > 0 || tt.refused > 0) {
				t.Errorf("got %d, %v; want %d", n, err, tt.n)
			}
			if m, err := p.Write([]byte(tt.batch[n:])); m != len(tt.batch)-n || tt.refused == 0 && err != nil {
				t.Errorf("the rest: %d, %v", m, err)
			}
			if !slices.Equal(sent, tt.messages) || p.refused.Load() != tt.refused {
				t.Errorf("%d refused; sent %q, want %q", p.refused.Load(), sent, tt.messages)
			}
			if tt.fail > 0 && !slices.Contains(ids, failed) {
				t.Errorf("sent %q; the id of what failed, %s, is not among them", ids, failed)
			}
			for i, id := range ids {
				if slices.Contains(ids[:i], id) {
					t.Errorf("two messages have the id %s", id)
				}
			}
		})
	}
}

// TestWriteSame: equal bytes in two places are two messages.
func TestWriteSame(t *testing.T) {
	var ids []string
	p := &publisher{run: "run", limit: func() int { return 100 }, publish: func(msg *nats.Msg) (bool, error) {
		ids = append(ids, msg.Header.Get(jetstream.MsgIDHeader))
		return false, nil
	}}
	for range 2 {
		if n, err := p.Write([]byte(pack(20))); n != 20 || err != nil {
			t.Fatal(n, err)
		}
	}
	if ids[0] == ids[1] {
		t.Errorf("both have the id %s", ids[0])
	}
}
