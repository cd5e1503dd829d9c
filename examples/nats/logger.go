package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/sink"
)

const (
	stream  = "LOGS"
	subject = "logs.shop" // one for each service; the stream takes logs.*

	// bufferSize is what is kept while the server is down. A quarter of it is a
	// batch: 256 KiB, well below the megabyte that a server takes by default.
	bufferSize = 1 << 20
	// batchAge is how long a record waits for its batch to fill.
	batchAge = 200 * time.Millisecond
	// ackWait is how long an acknowledgement may take before the batch is sent
	// again. It also is how long the sink cannot notice that it is to close.
	ackWait = 2 * time.Second
	// dedupWindow is how long the server knows the ids of messages. A batch that
	// is sent again later than this, because the server was away for so long
	// just after it had stored it, is in the stream twice.
	dedupWindow = 2 * time.Minute
)

// logger is a slog.Logger into the stream, and what lies behind it.
type logger struct {
	*slog.Logger
	buffer    *sink.Buffer
	publisher *publisher
	conn      *nats.Conn
}

// openLog connects, makes the stream if there is none, and returns a logger
// into it. Later options of the sink win over the example's.
func openLog(ctx context.Context, url string, opts ...sink.Option) (*logger, error) {
	nc, err := connect(url, "log")
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc)
	if err == nil {
		_, err = js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
			Name:       stream,
			Subjects:   []string{"logs.*"},
			Storage:    jetstream.FileStorage,
			MaxBytes:   64 << 20, // the oldest messages go then
			Duplicates: dedupWindow,
		})
	}
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("stream %s: %w", stream, err)
	}
	p := newPublisher(nc, js)
	b := sink.NewBuffer(p, append([]sink.Option{
		sink.WithFormat(handler.MessagePack, handler.Slog()), // handler.New asks the Buffer
		sink.WithSize(bufferSize),
		sink.WithInterval(batchAge),
		sink.WithErrorHandler(func(error) {}), // the counts tell
	}, opts...)...)
	// The server refuses what is longer, so it has to be cut before it is sent.
	h := handler.New(b, handler.WithMaxRecordSize(p.limit()))
	return &logger{slog.New(h), b, p, nc}, nil
}

// close has everything written, or says how much is not.
func (l *logger) close() error {
	err := l.buffer.Close()
	l.conn.Close()
	return err
}

// connect keeps on connecting, with nothing of ours in the client's memory:
// what a connection that is down was given would be sent when it comes back,
// which is what the sink is for.
func connect(url, name string) (*nats.Conn, error) {
	return nats.Connect(url, nats.Name(name),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(50*time.Millisecond),
		nats.ReconnectJitter(10*time.Millisecond, 10*time.Millisecond),
		nats.ReconnectBufSize(-1))
}

// newPublisher returns a publisher into the stream.
func newPublisher(nc *nats.Conn, js jetstream.JetStream) *publisher {
	return &publisher{
		run: rand.Text(),
		limit: func() int {
			// What the server said last, headers included.
			return int(nc.MaxPayload()) - headerRoom
		},
		publish: func(msg *nats.Msg) (duplicate bool, err error) {
			if !nc.IsConnected() {
				return false, errDown
			}
			ctx, cancel := context.WithTimeout(context.Background(), ackWait)
			defer cancel()
			ack, err := js.PublishMsg(ctx, msg, jetstream.WithExpectStream(stream), jetstream.WithRetryAttempts(0))
			if err != nil {
				return false, err
			}
			return ack.Duplicate, nil
		},
	}
}

var errDown = errors.New("not connected")
