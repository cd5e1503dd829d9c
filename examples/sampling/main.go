// Command sampling logs far more than anybody wants to read or to pay for, and
// keeps it at a steady rate: a token bucket on handler.WithFilter lets records
// through while it has tokens, always lets errors through, and says in records
// of its own how many it suppressed.
//
//	go run ./examples/sampling
//
// Standard output has the records, standard error what was sent and what came
// of it. It ends by itself after a moment.
//
// A level that is switched off costs less still, since slog then makes no
// record at all: use handler.WithLevel for what nobody wants, and a filter for
// what is wanted in part.
//
// File map: main.go (the storm), limiter.go (the bucket).
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/slogpack/slogpack/handler"
)

const (
	workers    = 4
	perWorker  = 5000
	errorEvery = 1000
)

func main() {
	if err := run(os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "sampling:", err)
		os.Exit(1)
	}
}

func run(out, told io.Writer) error {
	counted := &counter{w: out}
	limit := newLimiter(10, 20, time.Now)
	logger := slog.New(handler.New(counted, handler.WithFilter(limit.filter)))

	ctx, stop := context.WithCancel(context.Background())
	var reporting, storm sync.WaitGroup
	reporting.Add(1)
	go func() {
		defer reporting.Done()
		limit.reportEvery(ctx, 100*time.Millisecond, logger)
	}()
	for w := range workers {
		storm.Add(1)
		go func() {
			defer storm.Done()
			work(logger.With("worker", w))
		}()
	}
	storm.Wait()
	stop()
	reporting.Wait() // the last report
	_, err := fmt.Fprintf(told, "%d records sent, %d lines written\n", workers*perWorker, counted.lines)
	return err
}

func work(logger *slog.Logger) {
	for i := range perWorker {
		if i%errorEvery == 0 {
			logger.Error("order lost", "order", i)
			continue
		}
		logger.Info("order looked at", "order", i)
	}
}

// counter counts lines. The handler never calls Write twice at once.
type counter struct {
	w     io.Writer
	lines int
}

func (c *counter) Write(p []byte) (int, error) {
	c.lines += bytes.Count(p, []byte("\n"))
	return c.w.Write(p)
}
