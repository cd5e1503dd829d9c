package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"net/http"
	"strings"
)

// trace says what a request belongs to: lower-case hexadecimal, 32 and 16
// digits.
type trace struct{ traceID, spanID string }

type traceKey struct{}

// withTrace gives the request's context the trace that its traceparent header
// names, or a new one, and a span of its own. ../trace does more of this: it
// calls other services and keeps the sampled flag.
func withTrace(r *http.Request) *http.Request {
	t := trace{traceIDOf(r.Header.Get("Traceparent")), randomID(8)}
	if t.traceID == "" {
		t.traceID = randomID(16)
	}
	return r.WithContext(context.WithValue(r.Context(), traceKey{}, t))
}

// traceIDOf returns the trace id of a W3C traceparent header,
// version-traceid-parentid-flags, or "" where that is not what it is.
func traceIDOf(header string) string {
	p := strings.Split(header, "-")
	if len(p) < 4 || len(p) > 4 && p[0] == "00" || p[0] == "ff" || !isHex(p[0], 2) || !isHex(p[1], 32) || !isHex(p[2], 16) || !isHex(p[3], 2) ||
		strings.Trim(p[1], "0") == "" || strings.Trim(p[2], "0") == "" {
		return ""
	}
	return p[1]
}

func isHex(s string, digits int) bool {
	return len(s) == digits && strings.Trim(s, "0123456789abcdef") == ""
}

// randomID returns 2*n hexadecimal digits.
func randomID(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails since Go 1.24
	return hex.EncodeToString(b)
}

// traceAttrs is for handler.WithContextAttrs: what is logged with a request's
// context carries these, outside of all groups. The configurations here take
// the two names to where their backends look for a trace.
func traceAttrs(ctx context.Context) []slog.Attr {
	t, ok := ctx.Value(traceKey{}).(trace)
	if !ok {
		return nil
	}
	return []slog.Attr{slog.String("trace_id", t.traceID), slog.String("span_id", t.spanID)}
}
