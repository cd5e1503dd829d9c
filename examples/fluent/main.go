// Command fluent is an HTTP service that sends its log to Fluent Bit, fluentd,
// an OpenTelemetry Collector or any other receiver of the Fluent Forward
// protocol:
//
//	go run ./examples/fluent                          npm's FluentServer, some requests, and the end
//	go run ./examples/fluent -addr 127.0.0.1:24224    serves until SIGTERM
//	go run ./examples/fluent -addr /run/fluent.sock   the same, by a unix socket
//
// README.md has the rest: configurations of Fluent Bit and of the Collector, and
// two set-ups for Kubernetes.
//
// File map: main.go (flags, start and end), log.go (the logger, and what it says
// of its place), service.go (the HTTP service), trace.go (ids from a traceparent
// header), demo.go (the requests), npm.go and receiver (a receiver to try it
// with).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const (
	// httpGrace is how long requests may take after SIGTERM, and logGrace how long
	// the last records may take after these. Together, and with what the receiver
	// needs for itself, they must be less than the orchestrator's grace period.
	httpGrace = 10 * time.Second
	logGrace  = 5 * time.Second
)

// config is what flags and environment say.
type config struct {
	addr, tag string
	level     slog.Level
	tls       bool
	ca        string
	key       string
	listen    string
	demo      bool
	modules   string
	grace     time.Duration // logGrace, less in tests
}

func parseFlags(args []string) (c config, err error) {
	fs := flag.NewFlagSet("fluent", flag.ContinueOnError)
	fs.StringVar(&c.addr, "addr", os.Getenv("FLUENT_ADDR"), "the receiver: host:port, or the `path` of a unix socket; also FLUENT_ADDR; empty starts npm's FluentServer")
	fs.StringVar(&c.tag, "tag", "shop.orders", "the `tag` of all records, by which receivers route them")
	fs.TextVar(&c.level, "level", slog.LevelDebug, "the lowest `level` that is logged")
	fs.BoolVar(&c.tls, "tls", false, "encrypt the connection to the receiver")
	fs.StringVar(&c.ca, "ca", "", "with -tls, a `file` with the certificates to trust instead of the system's")
	fs.StringVar(&c.listen, "listen", "127.0.0.1:8080", "where to serve HTTP; -demo takes a free port")
	fs.BoolVar(&c.demo, "demo", false, "send some requests to the service, and end")
	fs.StringVar(&c.modules, "modules", "", "a `directory` to keep npm's packages in; by default they are installed for this run only")
	if err := fs.Parse(args); err != nil {
		return c, err
	}
	if fs.NArg() > 0 {
		return c, fmt.Errorf("unexpected argument %q; -h lists the flags", fs.Arg(0))
	}
	c.grace = logGrace
	// Not a flag: everybody on the machine sees a process's arguments.
	c.key = os.Getenv("FLUENT_SHARED_KEY")
	if c.addr == "" {
		c.demo, c.tls, c.key = true, false, "" // our own receiver has neither
	}
	return c, nil
}

func main() {
	c, err := parseFlags(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
		context.AfterFunc(ctx, stop) // a second signal ends the program at once
		err = run(ctx, c, os.Stdout, os.Stderr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fluent:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends, or until the demo is over. What is deferred ends
// things in the order in which they need each other: the service first, then the
// log, then the receiver.
func run(ctx context.Context, c config, stdout, stderr io.Writer) (err error) {
	acknowledged := int64(0)
	if c.addr == "" {
		r, err2 := startReceiver(ctx, c.modules, stdout)
		if err2 != nil {
			return err2
		}
		defer func() {
			err = errors.Join(err, r.stop())
			if err == nil && r.records < acknowledged { // more: some were sent again
				err = fmt.Errorf("%d records were acknowledged, %d received", acknowledged, r.records)
			}
		}()
		c.addr = r.addr
	}
	l, err := openLog(ctx, c, os.Getenv)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, l.close(stderr))
		acknowledged = l.writer.Stats().Acknowledged
	}()

	if c.demo {
		c.listen = "127.0.0.1:0"
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.listen)
	if err != nil {
		l.Error("cannot serve", "error", err)
		return fmt.Errorf("%w (-listen chooses another address)", err)
	}
	srv := &http.Server{
		Handler:           newService(l.Logger, l.writer.Stats),
		ReadHeaderTimeout: 5 * time.Second,
		// What net/http itself has to say, a panic for example, becomes records too.
		ErrorLog: slog.NewLogLogger(l.Handler(), slog.LevelError),
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	l.Info("serving", "address", ln.Addr().String())

	if c.demo {
		err = demo(ctx, "http://"+ln.Addr().String(), stdout)
	} else {
		fmt.Fprintf(stderr, "fluent: serving on http://%s, the log goes to %s\n", ln.Addr(), c.addr)
		select {
		case <-ctx.Done():
		case err = <-served: // it cannot go on
			served <- err
		}
	}
	return errors.Join(err, stopServing(srv, served, l.Logger))
}

// stopServing returns when the requests under way are answered, and logged.
func stopServing(srv *http.Server, served <-chan error, l *slog.Logger) error {
	l.Info("stopping")
	// Not the signal's context, which has ended.
	ctx, cancel := context.WithTimeout(context.Background(), httpGrace)
	defer cancel()
	err := srv.Shutdown(ctx)
	if err != nil {
		l.Error("requests are still running", "error", err)
		_ = srv.Close()
	}
	if e := <-served; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}
