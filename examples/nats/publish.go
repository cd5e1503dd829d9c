package main

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// headerRoom is kept free in a message for its headers, which count as payload.
const headerRoom = 512

// publisher is what the sink writes to. It makes each batch one message, or
// several where the server does not take so long a one.
//
// What it owes the sink is the count of bytes that need not come again:
//   - all of them, when everything is in the stream;
//   - those of the messages that are, when one is not. The next Write then
//     begins with the rest, after the sink's pause. The count ends where a record
//     does, so a batch is never cut within one;
//   - none and an error, when the server is down or does not answer. Whether a
//     message whose answer is missing is in the stream nobody knows here; it is
//     sent again, and the server drops it if it has it, by its id.
//
// One message at a time: the next is not sent before this one is in the stream,
// or a message that fails would come after the one behind it. Batches, not
// messages in flight, are what makes it fast.
//
// What is short enough is sent as it is: that it is MessagePack, the consumer
// finds out.
type publisher struct {
	run     string // of this program, to tell its messages from those of others
	offset  int64  // of the next byte in all that was given to Write
	limit   func() int
	publish func(*nats.Msg) (duplicate bool, err error)

	messages, duplicates, refused atomic.Int64
}

// Write publishes whole records. It is not safe for concurrent use; the sink
// makes one call at a time.
func (p *publisher) Write(batch []byte) (n int, err error) {
	limit := p.limit()
	for n < len(batch) {
		size, cutErr := cut(batch[n:], limit)
		if cutErr != nil {
			// It will never fit: it is passed over, told of and counted, for what
			// is behind it to go on.
			p.refused.Add(1)
			p.offset += int64(size)
			n += size
			err = errors.Join(err, cutErr)
			continue
		}
		if pubErr := p.send(batch[n : n+size]); pubErr != nil {
			return n, errors.Join(err, pubErr)
		}
		n += size
	}
	return n, err
}

// send publishes one message. Its id is its place in all that this program has
// logged: the sink gives the same bytes again after a failure, in the same
// place, so they get the same id, and no other bytes ever do.
func (p *publisher) send(data []byte) error {
	id := fmt.Sprintf("%s-%d-%d", p.run, p.offset, len(data))
	msg := nats.NewMsg(subject)
	msg.Data = data
	msg.Header.Set(jetstream.MsgIDHeader, id)
	msg.Header.Set("Content-Type", "application/msgpack")
	duplicate, err := p.publish(msg)
	if err != nil {
		return fmt.Errorf("message %s: %w", id, err)
	}
	if duplicate {
		p.duplicates.Add(1)
	}
	p.messages.Add(1)
	p.offset += int64(len(data))
	return nil
}

// cut returns how many bytes of p, which is whole records, make the next
// message of at most limit bytes. An error means that the first size bytes do
// not go into any.
func cut(p []byte, limit int) (size int, err error) {
	if len(p) <= limit {
		return len(p), nil
	}
	// Rare: the sink's batches are shorter. The converter is the one thing here
	// that knows where a record ends; its text is not used.
	var text []byte
	for rest := p; len(rest) > 0; {
		if text, rest, err = jsonmsgpack.AppendJSON(text[:0], rest); err != nil {
			if size > 0 {
				return size, nil // without it; the next call meets it again
			}
			return len(p), fmt.Errorf("%d bytes are not MessagePack: %w", len(p), err)
		}
		end := len(p) - len(rest)
		if end > limit {
			if size == 0 {
				return end, fmt.Errorf("a record of %d bytes is longer than the %d that the server takes", end, limit)
			}
			break
		}
		size = end
	}
	return size, nil
}
