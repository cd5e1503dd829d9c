// Command quickstart is slogpack at work: an HTTP server on the loopback
// interface whose middleware logs each request, and a client that sends it a
// dozen of them. Then it ends by itself.
//
//	go run ./examples/quickstart
//
// Every line on standard output is a JSON record; what is meant for people goes
// to standard error. The records appear twice: as they happened, each in one
// Write to os.Stdout, and once more through a bufio.Writer, many in one.
//
// File map: main.go (logger, streaming), server.go (middleware and routes),
// shop.go (what the server sells), client.go (the requests).
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"sync"

	"github.com/slogpack/slogpack/handler"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

// run serves, sends the requests and streams the records again. Records go to
// stdout, one line for each; what happened is told on stderr.
func run(ctx context.Context, stdout, stderr io.Writer) error {
	seen := &recorder{Handler: withService(newHandler(stdout))}
	logger := slog.New(seen)

	sent, err := serveAndCall(ctx, logger)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "%d requests, %d records, each in one Write\n", sent, len(seen.records))

	n, err := stream(stdout, seen.records)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "the same %d records once more, streamed through a bufio.Writer\n", n)
	return nil
}

// newHandler is all of slogpack that a program needs: where to write, and what
// each record shall have beside its own attrs.
func newHandler(w io.Writer) *handler.Handler {
	return handler.New(w,
		handler.WithSource(),
		handler.WithContextAttrs(requestAttrs),
	)
}

// withService adds the attr that all records have. It is formatted once, here.
func withService(h slog.Handler) slog.Handler {
	return h.WithAttrs([]slog.Attr{slog.String("service", "quickstart")})
}

// stream writes the records through a bufio.Writer. The handler recognises it:
// each Write to w ends with a whole record, and records of 4 KiB and more, which
// these are not, are formatted in its buffer. Flush empties the bufio.Writer under
// the handler's lock.
func stream(w io.Writer, records []kept) (n int, err error) {
	h := newHandler(bufio.NewWriterSize(w, 64<<10))
	served := withService(h)
	for _, r := range records {
		if err := served.Handle(r.ctx, r.record); err != nil {
			return n, err
		}
		n++
	}
	return n, h.Flush()
}

// recorder passes records on and remembers them for stream. Only this example
// needs it, to show the same records twice.
type recorder struct {
	slog.Handler
	mu      sync.Mutex // held over Handle too: both outputs in one order
	records []kept
}

type kept struct {
	ctx    context.Context
	record slog.Record
}

func (r *recorder) Handle(ctx context.Context, rec slog.Record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.records = append(r.records, kept{ctx, rec.Clone()})
	return r.Handler.Handle(ctx, rec)
}
