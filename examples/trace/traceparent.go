package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"strings"
)

// trace says what a request belongs to. The ids are lower-case hexadecimal, 32
// and 16 digits, as W3C Trace Context writes them.
type trace struct {
	traceID string
	spanID  string // of what this program does for the request
	parent  string // of what the caller does; empty if this program began the trace
	sampled bool
}

// parseTraceparent reads a traceparent header: version, trace id, parent's span
// id and flags. Of later versions it reads what version 00 has. It reports
// false for anything that the specification calls invalid; then a new trace
// begins, since a broken id would join requests that have nothing in common.
func parseTraceparent(header string) (trace, bool) {
	const length = len("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	if len(header) < length {
		return trace{}, false
	}
	version, rest := header[:2], header[length:]
	if version == "ff" || rest != "" && (version == "00" || rest[0] != '-') {
		return trace{}, false
	}
	parts := strings.Split(header[:length], "-")
	if len(parts) != 4 || len(parts[0]) != 2 || len(parts[1]) != 32 || len(parts[2]) != 16 {
		return trace{}, false
	}
	for _, p := range parts {
		if strings.Trim(p, "0123456789abcdef") != "" {
			return trace{}, false
		}
	}
	if strings.Trim(parts[1], "0") == "" || strings.Trim(parts[2], "0") == "" {
		return trace{}, false
	}
	flags, err := hex.DecodeString(parts[3])
	return trace{traceID: parts[1], parent: parts[2], sampled: err == nil && flags[0]&1 == 1}, err == nil
}

// continueTrace is the trace of a request with this traceparent header, with a
// span of its own.
func continueTrace(header string) trace {
	t, ok := parseTraceparent(header)
	if !ok {
		t = trace{traceID: randomID(16), sampled: true}
	}
	t.spanID = randomID(8)
	return t
}

// header is what a request made on behalf of t carries.
func (t trace) header() string {
	flags := "00"
	if t.sampled {
		flags = "01"
	}
	return "00-" + t.traceID + "-" + t.spanID + "-" + flags
}

// randomID returns 2*n hexadecimal digits. All zeros, which are no id, do not
// come up in any program's life.
func randomID(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails since Go 1.24
	return hex.EncodeToString(b)
}

type traceKey struct{}

func withTrace(ctx context.Context, t trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

func traceOf(ctx context.Context) (trace, bool) {
	t, ok := ctx.Value(traceKey{}).(trace)
	return t, ok
}

// traceAttrs is for handler.WithContextAttrs: the names that OpenTelemetry has
// for logs in other formats.
func traceAttrs(ctx context.Context) []slog.Attr {
	t, ok := traceOf(ctx)
	if !ok {
		return nil
	}
	return []slog.Attr{slog.String("trace_id", t.traceID), slog.String("span_id", t.spanID)}
}

// googleTraceAttrs is the same for Google Cloud, whose Logs Explorer joins
// records and spans by these fields.
func googleTraceAttrs(project string) func(context.Context) []slog.Attr {
	return func(ctx context.Context) []slog.Attr {
		t, ok := traceOf(ctx)
		if !ok {
			return nil
		}
		return []slog.Attr{
			slog.String("logging.googleapis.com/trace", "projects/"+project+"/traces/"+t.traceID),
			slog.String("logging.googleapis.com/spanId", t.spanID),
			slog.Bool("logging.googleapis.com/trace_sampled", t.sampled),
		}
	}
}
