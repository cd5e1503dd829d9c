package main

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

type requestIDKey struct{}

// requestID is for handler.WithContextAttrs.
func requestID(ctx context.Context) []slog.Attr {
	if id, ok := ctx.Value(requestIDKey{}).(string); ok {
		return []slog.Attr{slog.String("request_id", id)}
	}
	return nil
}

// traced gives each request a trace and a request id, both in its context,
// where the handler finds them whenever something is logged with that context,
// and logs the request when it is answered.
func traced(logger *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		id := r.Header.Get("X-Request-Id")
		if !plainID(id) {
			id = randomID(8)
		}
		w.Header().Set("X-Request-Id", id)
		ctx := context.WithValue(r.Context(), requestIDKey{}, id)
		ctx = withTrace(ctx, continueTrace(r.Header.Get("Traceparent")))

		answer := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(answer, r.WithContext(ctx))
		logger.LogAttrs(ctx, levelOf(answer.status), "answered",
			slog.String("method", r.Method), slog.String("path", r.URL.Path),
			slog.Int("status", answer.status), slog.Duration("took", time.Since(start)))
	})
}

// plainID reports whether a client's request id is one to go on with. Records
// are safe from any text; what else an operator does with ids is not.
func plainID(id string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	return id != "" && len(id) <= 64 && strings.Trim(id, letters) == ""
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
