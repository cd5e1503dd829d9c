package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// serveAndCall runs the server on a free port of the loopback interface for as
// long as the client needs, then shuts it down in an orderly way: when it
// returns, every request has been logged.
func serveAndCall(ctx context.Context, logger *slog.Logger) (sent int, err error) {
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	srv := &http.Server{
		Handler:           logRequests(logger, (&shop{logger: logger}).routes()),
		ReadHeaderTimeout: 5 * time.Second,
		// What net/http itself has to say becomes records too.
		ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelError),
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()

	sent, err = sendAll(ctx, "http://"+ln.Addr().String())

	// Not ctx: an interrupted run shall still finish its requests.
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if e := srv.Shutdown(stop); e != nil && err == nil {
		err = e
	}
	if e := <-served; e != http.ErrServerClosed && err == nil {
		err = e
	}
	return sent, err
}

// requestIDKey is the context key of the request's id.
type requestIDKey struct{}

// requestAttrs is called by the handler for each record: whatever is logged
// with a request's context carries its id, with no logger handed around.
func requestAttrs(ctx context.Context) []slog.Attr {
	if id, ok := ctx.Value(requestIDKey{}).(string); ok {
		return []slog.Attr{slog.String("request_id", id)}
	}
	return nil
}

// logRequests logs one record for each request, when it has been answered.
func logRequests(logger *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		id := r.Header.Get("X-Request-Id")
		if id == "" {
			id = rand.Text()
		}
		ctx := context.WithValue(r.Context(), requestIDKey{}, id)
		out := &response{ResponseWriter: w, status: http.StatusOK}

		err := call(next, out, r.WithContext(ctx))
		if err != nil {
			http.Error(out, "internal error", http.StatusInternalServerError)
		} else {
			err = out.err
		}

		attrs := []slog.Attr{
			// What comes from outside goes into the record as it is. Quotes,
			// newlines and broken UTF-8 are the handler's business.
			slog.Group("request",
				slog.String("method", r.Method),
				slog.String("path", r.URL.Path),
				slog.String("agent", r.UserAgent()),
			),
			slog.Int("status", out.status),
			slog.Int64("bytes", out.bytes),
			slog.Duration("duration", time.Since(start)),
		}
		if err != nil {
			attrs = append(attrs, slog.Any("error", err))
		}
		logger.LogAttrs(ctx, levelOf(out.status), "request", attrs...)
	})
}

func levelOf(status int) slog.Level {
	switch {
	case status >= 500:
		return slog.LevelError
	case status >= 400:
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

// call turns a panic of the route into an error, but for the one that net/http
// means as an order to drop the connection.
func call(next http.Handler, w http.ResponseWriter, r *http.Request) (err error) {
	defer func() {
		switch v := recover(); v {
		case nil:
		case http.ErrAbortHandler:
			panic(v)
		default:
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	next.ServeHTTP(w, r)
	return nil
}

// response notes what the route answered, for the log.
type response struct {
	http.ResponseWriter
	status int
	bytes  int64
	err    error // why, where the route knows
}

// Unwrap lets http.ResponseController reach what is below.
func (r *response) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *response) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func (r *response) Write(p []byte) (int, error) {
	n, err := r.ResponseWriter.Write(p)
	r.bytes += int64(n)
	return n, err
}

// fail answers with an error that is logged with its cause but sent without.
func fail(w http.ResponseWriter, status int, err error) {
	if r, ok := w.(*response); ok {
		r.err = err
	}
	http.Error(w, http.StatusText(status), status)
}
