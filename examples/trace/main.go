// Command trace logs HTTP requests with what they belong to: a request id, and
// the trace and span of the W3C traceparent header. It asks two services on the
// loopback interface, the first of which asks the second, and ends.
//
//	go run ./examples/trace
//
// Nothing of this is passed along by hand: a middleware puts it into the
// request's context, and handler.WithContextAttrs takes it from there at every
// record that is logged with that context, outside of all groups.
//
// The records come twice, first with trace_id and span_id, then with the fields
// by which Google Cloud joins logs and traces, logging.googleapis.com/trace,
// spanId and trace_sampled. A program that uses OpenTelemetry's SDK takes the
// ids from trace.SpanContextFromContext instead of traceparent.go.
//
// File map: main.go (loggers, services, requests), middleware.go (request id,
// one record for each request), traceparent.go (the header, the attrs).
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/slogpack/slogpack/handler"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "trace:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer) error {
	plain := handler.New(w,
		handler.WithContextAttrs(requestID),
		handler.WithContextAttrs(traceAttrs))
	if err := ask(ctx, slog.New(plain)); err != nil {
		return err
	}
	google := handler.New(w,
		handler.WithProfile(handler.GoogleCloud()),
		handler.WithContextAttrs(requestID),
		handler.WithContextAttrs(googleTraceAttrs("my-project")))
	return ask(ctx, slog.New(google))
}

// requests are what the client sends: traces to go on with, the second one not
// sampled, a broken one, and nothing at all.
var requests = [...]struct{ id, traceparent string }{
	{"r1", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
	{"r2", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"},
	{"r3", "00-00000000000000000000000000000000-00f067aa0ba902b7-01"},
	{"", ""},
}

// ask runs the two services for as long as the requests take.
func ask(ctx context.Context, logger *slog.Logger) error {
	stock, err := serve(ctx, logger.With("service", "stock"), func(w http.ResponseWriter, r *http.Request, l *slog.Logger) {
		l.WithGroup("item").InfoContext(r.Context(), "looked up", "name", "tea", "left", 3)
	})
	if err != nil {
		return err
	}
	defer stock.Close()
	shop, err := serve(ctx, logger.With("service", "shop"), func(w http.ResponseWriter, r *http.Request, l *slog.Logger) {
		if err := get(r.Context(), stock.Addr, "", ""); err != nil {
			l.ErrorContext(r.Context(), "stock does not answer", "error", err)
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	if err != nil {
		return err
	}
	defer shop.Close()
	for _, q := range requests {
		if err := get(ctx, shop.Addr, q.id, q.traceparent); err != nil {
			return err
		}
	}
	// When Shutdown returns, all requests are logged.
	return errors.Join(shop.Shutdown(ctx), stock.Shutdown(ctx))
}

// serve starts a service on a free port; its Addr says which.
func serve(ctx context.Context, logger *slog.Logger, answer func(http.ResponseWriter, *http.Request, *slog.Logger)) (*http.Server, error) {
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, r, logger) })
	srv := &http.Server{
		Addr:              ln.Addr().String(),
		Handler:           traced(logger, h),
		ReadHeaderTimeout: 5 * time.Second,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelError),
	}
	go srv.Serve(ln)
	return srv, nil
}

// get sends a request. Within a trace it goes on as a part of that; otherwise
// the client is a stranger with these headers.
func get(ctx context.Context, addr, id, traceparent string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/tea", nil)
	if err != nil {
		return err
	}
	if t, ok := traceOf(ctx); ok {
		traceparent = t.header()
		id, _ = ctx.Value(requestIDKey{}).(string)
	}
	if traceparent != "" {
		req.Header.Set("Traceparent", traceparent)
	}
	if id != "" {
		req.Header.Set("X-Request-Id", id)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", addr, resp.Status)
	}
	return nil
}
