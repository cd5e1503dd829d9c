// Command nats logs MessagePack into a NATS JetStream stream, a log that many
// machines can write to and read from, and prints it as JSON on the other side:
//
//	slog -> handler -> sink.Buffer -> publisher -> JetStream -> consumer -> lines
//
// The server is embedded, with its files in a temporary directory, and is
// stopped and started again while the program logs; nothing is lost. It ends by
// itself, in a few seconds. From the folder examples/nats, a module of its own:
//
//	go run .
//
// Records go to standard output, what happens and the counts to standard error.
// README.md says when this is the way, and when it is not.
//
// File map: main.go (the run), logger.go (from slog to the publisher),
// publish.go (batches to messages), consume.go (messages to lines), server.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"
)

// limit is how long the run takes at most; it ends with an error then.
const limit = 50 * time.Second

func main() {
	n := flag.Int("n", 20, "records to log in each of the three parts of the run")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	err := run(ctx, os.Stdout, os.Stderr, *n)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "nats:", err)
		os.Exit(1)
	}
}

// run logs n records with the server up, n while it is down, and n after it has
// come back. The consumer's lines go to out, what happens to told.
func run(ctx context.Context, out, told io.Writer, n int) (err error) {
	s, err := startServer(0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.remove()) }()
	l, err := openLog(ctx, s.url())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }() // the second time, it does nothing

	// The other side, with a connection of its own: elsewhere it is another
	// program on another machine.
	c, err := openConsumer(ctx, s.url(), out)
	if err != nil {
		return err
	}
	defer c.close()
	var total atomic.Int64 // records in the stream, once that is known
	total.Store(-1)
	read := make(chan error, 1)
	go func() {
		read <- c.run(ctx, func(printed int64) bool { return printed == total.Load() })
	}()

	tell := func(what string) {
		b := l.buffer.Stats()
		fmt.Fprintf(told, "%-24s accepted %d, delivered %d, pending %d, dropped %d; failed writes %d; messages %d, duplicates %d\n",
			what, b.Accepted, b.Delivered, b.Pending, b.Dropped, b.Failures, l.publisher.messages.Load(), l.publisher.duplicates.Load())
	}
	work(l, 0, n)
	if err := l.buffer.Flush(); err != nil {
		return err
	}
	tell("the server is up:")

	s.stop()
	work(l, n, n)
	err = l.buffer.Flush() // cannot work; it makes the failure visible here
	tell("the server is down:")
	if err == nil {
		return errors.New("a flush without a server reported success")
	}

	if err := s.start(); err != nil {
		return err
	}
	work(l, 2*n, n)
	if err := l.close(); err != nil {
		return err
	}
	tell("it is back, log closed:")
	total.Store(l.buffer.Stats().Delivered)
	if err := <-read; err != nil {
		return err
	}
	fmt.Fprintf(told, "%-24s records %d in %d messages; delivered again %d, missing %d, unreadable %d\n",
		"the consumer:", c.records, c.messages, c.again, c.missing, c.unreadable)
	return nil
}

// work logs n records, numbered from first on.
func work(l *logger, first, n int) {
	for i := first; i < first+n; i++ {
		if i%10 == 9 {
			l.Error("no answer", "n", i, "path", "/items/7", "error", errors.New("connection reset"))
			continue
		}
		l.Info("answered", "n", i, "path", "/items/7", "status", 200, "took", time.Duration(i)*time.Microsecond)
	}
}
