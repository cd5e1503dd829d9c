package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

const durable = "printer" // where it has read to is kept under this name, by the server

// consumer prints the stream's records as lines of JSON.
type consumer struct {
	conn *nats.Conn
	cons jetstream.Consumer
	out  io.Writer
	text []byte
	last uint64 // number of the last message printed

	records, messages int64
	again             int64  // messages that came again, and were not printed again
	missing           uint64 // messages that the stream had no more
	unreadable        int64  // messages that held something else than MessagePack
}

// openConsumer connects, and goes on where the last consumer of this name
// stopped.
func openConsumer(ctx context.Context, url string, out io.Writer) (*consumer, error) {
	nc, err := connect(url, durable)
	if err != nil {
		return nil, err
	}
	c := &consumer{conn: nc, out: out}
	js, err := jetstream.New(nc)
	if err == nil {
		c.cons, err = js.CreateOrUpdateConsumer(ctx, stream, jetstream.ConsumerConfig{
			Durable:   durable,
			AckPolicy: jetstream.AckExplicitPolicy,
			AckWait:   2 * time.Second,
			// One message at a time keeps the order: otherwise the one behind a
			// message that got lost on its way would be printed before it. A
			// message is many records, so this costs little.
			MaxAckPending: 1,
		})
	}
	if err == nil {
		var info *jetstream.ConsumerInfo
		if info, err = c.cons.Info(ctx); err == nil {
			c.last = info.AckFloor.Stream
		}
	}
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("consumer %s: %w", durable, err)
	}
	return c, nil
}

func (c *consumer) close() { c.conn.Close() }

// run prints until enough says so of the number of records printed, or ctx
// ends.
func (c *consumer) run(ctx context.Context, enough func(printed int64) bool) error {
	for !enough(c.records) {
		msg, err := c.cons.Next(jetstream.FetchMaxWait(500 * time.Millisecond))
		switch {
		case err == nil:
			if err := c.take(msg); err != nil {
				return err
			}
		case ctx.Err() != nil:
			return fmt.Errorf("after %d records: %w", c.records, ctx.Err())
		case !errors.Is(err, nats.ErrTimeout):
			// The server is down, or was just now.
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	return nil
}

// take prints a message's records and acknowledges it, in this order: what is
// not printed yet when this program dies comes again. An acknowledgement may
// get lost too, and so what comes again may have been printed; last tells. A
// program that must know it after its own end as well keeps last beside its
// output.
func (c *consumer) take(msg jetstream.Msg) error {
	meta, err := msg.Metadata()
	if err != nil {
		return err
	}
	number := meta.Sequence.Stream
	if number <= c.last {
		c.again++
		return acked(msg.Ack())
	}
	c.missing += number - c.last - 1
	c.last = number
	c.messages++
	bad := c.decode(msg.Data())
	if _, err := c.out.Write(c.text); err != nil {
		return err
	}
	if bad != nil {
		c.unreadable++
		return acked(msg.TermWithReason(bad.Error())) // not to come again
	}
	return acked(msg.Ack())
}

// acked is the error of an acknowledgement. One that cannot be sent is none:
// the message comes again and is known.
func acked(err error) error {
	if errors.Is(err, nats.ErrReconnectBufExceeded) || errors.Is(err, nats.ErrConnectionReconnecting) {
		return nil
	}
	return err
}

// decode makes text of a message, record by record: nothing lies between them,
// each says itself where it ends.
func (c *consumer) decode(data []byte) (err error) {
	c.text = c.text[:0]
	for len(data) > 0 {
		before := len(c.text)
		if c.text, data, err = jsonmsgpack.AppendJSON(c.text, data); err != nil {
			c.text = c.text[:before]
			return err
		}
		c.text = append(c.text, '\n')
		c.records++
	}
	return nil
}
