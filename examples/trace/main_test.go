package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
)

// line is a record as far as the tests look into it; of each pair of fields one
// is there.
type line struct {
	Time          time.Time
	Level         string
	Severity      string
	Msg, Message  string
	Service       string
	RequestID     string `json:"request_id"`
	TraceID       string `json:"trace_id"`
	SpanID        string `json:"span_id"`
	Google        string `json:"logging.googleapis.com/trace"`
	GoogleSpan    string `json:"logging.googleapis.com/spanId"`
	GoogleSampled *bool  `json:"logging.googleapis.com/trace_sampled"`
	Status        int
}

// TestRun: every record belongs to a request and a trace; what both services
// log for one request has one trace id and two spans.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	const perRequest = 3 // two of stock, one of shop
	if want := 2 * perRequest * len(requests); len(lines) != want {
		t.Fatalf("got %d lines, want %d:\n%s", len(lines), want, out.String())
	}
	for i, text := range lines {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("line %d: %v: %s", i+1, err, text)
		}
		google := i >= len(lines)/2
		q := i % (len(lines) / 2) / perRequest
		traceID, spanID := l.TraceID, l.SpanID
		if google {
			const project = "projects/my-project/traces/"
			if !strings.HasPrefix(l.Google, project) || l.GoogleSampled == nil {
				t.Fatalf("line %d: %s", i+1, text)
			}
			traceID, spanID = strings.TrimPrefix(l.Google, project), l.GoogleSpan
			if *l.GoogleSampled != (q != 1) {
				t.Errorf("line %d: sampled is %v: %s", i+1, *l.GoogleSampled, text)
			}
		}
		if len(traceID) != 32 || len(spanID) != 16 || l.RequestID == "" || l.Service == "" || l.Time.IsZero() ||
			l.Level+l.Severity != "INFO" || l.Msg+l.Message == "" {
			t.Errorf("line %d lacks something: %s", i+1, text)
		}
		if sent, ok := parseTraceparent(requests[q].traceparent); ok && (traceID != sent.traceID || spanID == sent.parent) {
			t.Errorf("line %d: trace %s, span %s: %s", i+1, traceID, spanID, text)
		}
		if id := requests[q].id; id != "" && l.RequestID != id {
			t.Errorf("line %d: request id %q, want %q", i+1, l.RequestID, id)
		}
		if i%perRequest > 0 {
			continue
		}
		for _, other := range lines[i+1 : i+perRequest] {
			if !strings.Contains(other, traceID) || !strings.Contains(other, l.RequestID) {
				t.Errorf("not of trace %s, request %s: %s", traceID, l.RequestID, other)
			}
		}
		if strings.Contains(lines[i+perRequest-1], spanID) {
			t.Errorf("both services have the span %s", spanID)
		}
	}
}

func TestParseTraceparent(t *testing.T) {
	const id, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for header, want := range map[string]trace{
		"00-" + id + "-" + span + "-01":                      {traceID: id, parent: span, sampled: true},
		"00-" + id + "-" + span + "-00":                      {traceID: id, parent: span},
		"00-" + id + "-" + span + "-fe":                      {traceID: id, parent: span},
		"00-" + id + "-" + span + "-03":                      {traceID: id, parent: span, sampled: true},
		"cc-" + id + "-" + span + "-01":                      {traceID: id, parent: span, sampled: true},
		"cc-" + id + "-" + span + "-01-more":                 {traceID: id, parent: span, sampled: true},
		"cc-" + id + "-" + span + "-01more":                  {},
		"00-" + id + "-" + span + "-01-more":                 {},
		"ff-" + id + "-" + span + "-01":                      {},
		"0-" + id + "-" + span + "-01":                       {},
		"00-" + strings.ToUpper(id) + "-" + span + "-01":     {},
		"00-" + strings.Repeat("0", 32) + "-" + span + "-01": {},
		"00-" + id + "-" + strings.Repeat("0", 16) + "-01":   {},
		"00-" + id[1:] + "-" + span + "-001":                 {},
		"00-" + id + "-" + span + "-0x":                      {},
		"00-" + id + "_" + span + "-01":                      {},
		"00-" + id + "-" + span:                              {},
		strings.Repeat("-", 55):                              {},
		"":                                                   {},
	} {
		got, ok := parseTraceparent(header)
		if ok != (want.traceID != "") || ok && got != want {
			t.Errorf("%q: got %+v, %v; want %+v", header, got, ok, want)
		}
	}
	if got, ok := parseTraceparent(trace{traceID: id, spanID: span, sampled: true}.header()); !ok || got.parent != span || !got.sampled {
		t.Errorf("what header writes is read as %+v, %v", got, ok)
	}
}

// TestMiddleware: a client's request id is gone on with only if it is plain.
func TestMiddleware(t *testing.T) {
	for id, plain := range map[string]bool{
		"r-1_A.z": true, "": false, "a b": false, "é": false, strings.Repeat("x", 65): false, `{"a":1}`: false,
	} {
		var out bytes.Buffer
		logger := slog.New(handler.New(&out, handler.WithContextAttrs(requestID)))
		h := traced(logger, http.NotFoundHandler())
		req := httptest.NewRequest("GET", "/", nil)
		req.Header.Set("X-Request-Id", id)
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, req)
		var l line
		if err := json.Unmarshal(out.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		if (l.RequestID == id) != plain || answer.Header().Get("X-Request-Id") != l.RequestID {
			t.Errorf("%q: logged %q, answered %q", id, l.RequestID, answer.Header().Get("X-Request-Id"))
		}
		if l.Level != "WARN" || l.Status != http.StatusNotFound {
			t.Errorf("%q: got %s", id, out.String())
		}
	}
}

// TestNoTrace: records that belong to no request have none of it.
func TestNoTrace(t *testing.T) {
	ctx := context.Background()
	if got := append(append(requestID(ctx), traceAttrs(ctx)...), googleTraceAttrs("p")(ctx)...); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}
