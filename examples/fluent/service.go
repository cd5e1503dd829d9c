package main

import (
	"errors"
	"expvar"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/slogpack/slogpack/handler/forward"
)

// newService serves orders, its health, and its counters.
func newService(l *slog.Logger, stats func() forward.Stats) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /orders/{id}", logged(l, order(l)))
	// The next two are asked every few seconds, and not logged.
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		// Healthy without a receiver too: a restart would lose the records that
		// wait, and bring the receiver no nearer.
		fmt.Fprintf(w, "ok, log receiver connected: %v\n", stats().Connected)
	})
	// Not expvar.Handler, which shows the command line, too.
	vars := new(expvar.Map)
	vars.Set("forward", expvar.Func(func() any { return stats() }))
	vars.Set("memstats", expvar.Get("memstats"))
	mux.HandleFunc("GET /debug/vars", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		fmt.Fprintln(w, vars.String())
	})
	return mux
}

var errStorage = errors.New("storage: connection reset")

// order answers with an order: some are there, one is there and has a story,
// one cannot be read.
func order(l *slog.Logger) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, id := r.Context(), r.PathValue("id")
		l.DebugContext(ctx, "looking up", "order", id)
		switch id {
		case "4711":
		case "4712":
			// Groups arrive as nested maps.
			l.WithGroup("order").WarnContext(ctx, "stock is low", "id", id,
				slog.Group("item", "name", "tea", slog.Group("stock", "left", 3, "ordered", 12)))
		case "broken":
			l.ErrorContext(ctx, "order cannot be read", "order", id, "error", errStorage)
			http.Error(w, "internal error", http.StatusInternalServerError)
			return
		default:
			http.Error(w, "no such order", http.StatusNotFound)
			return
		}
		fmt.Fprintf(w, "order %s\n", id)
	}
}

// logged logs each request when it is answered, as part of its trace.
func logged(l *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		r = withTrace(r)
		answer := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(answer, r)
		l.LogAttrs(r.Context(), levelOf(answer.status), "request answered",
			slog.Group("http", slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", answer.status)),
			slog.Duration("took", time.Since(start)))
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

// statusWriter remembers the status. Unwrap lets http.ResponseController find
// what the writer inside can do besides.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
