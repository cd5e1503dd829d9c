package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler/forward"
)

// output is standard output and standard error, which several goroutines write.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// TestDemo: everything the service logs arrives, with levels, groups, the
// request's trace and the place.
func TestDemo(t *testing.T) {
	t.Setenv("POD_NAMESPACE", "shop")
	t.Setenv("POD_NAME", "orders-7d9f")
	t.Setenv("NODE_NAME", "node-3")
	f := startFake(t)
	var out, errs output
	c := config{addr: f.addr, tag: "t.demo", level: slog.LevelDebug, demo: true, grace: time.Minute}
	if err := run(context.Background(), c, &out, &errs); err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil || !reflect.DeepEqual(f.tags, map[string]bool{"t.demo": true}) {
		t.Error(f.err, f.tags)
	}
	if !strings.Contains(errs.String(), "12 records logged = 12 acknowledged + 0 dropped + 0 refused + 0 pending") {
		t.Error(errs.String())
	}
	const none, first, second = "", "4bf92f3577b34da6a3ce929d0e0e4736", "0af7651916cd43dd8448eb211c80319c"
	want := []struct {
		level, message, trace string
		number                float64
	}{
		{"INFO", "serving", none, 9},
		{"DEBUG", "looking up", first, 5},
		{"INFO", "request answered", first, 9},
		{"DEBUG", "looking up", second, 5},
		{"WARN", "stock is low", second, 13},
		{"INFO", "request answered", second, 9},
		{"DEBUG", "looking up", "new", 5},
		{"WARN", "request answered", "new", 13},
		{"DEBUG", "looking up", "new", 5},
		{"ERROR", "order cannot be read", "new", 17},
		{"ERROR", "request answered", "new", 17},
		{"INFO", "stopping", none, 9},
	}
	if len(f.records) != len(want) {
		t.Fatalf("%d records: %v", len(f.records), f.records)
	}
	for i, w := range want {
		r := f.records[i]
		text := func(key string) string { s, _ := r[key].(string); return s }
		if text("level") != w.level || r["severity_number"] != w.number || text("message") != w.message {
			t.Errorf("record %d: %v, want %v", i, r, w)
		}
		trace, span := text("trace_id"), text("span_id")
		if (trace != w.trace && w.trace != "new") || isHex(trace, 32) != (w.trace != none) || isHex(span, 16) != (w.trace != none) || span == "00f067aa0ba902b7" {
			t.Errorf("record %d: %v, want trace %q and a span of its own", i, r, w.trace)
		}
		if text("service.name") != "shop-orders" || text("k8s.namespace.name") != "shop" || text("k8s.pod.name") != "orders-7d9f" || text("k8s.node.name") != "node-3" {
			t.Errorf("record %d: %v lacks its place", i, r)
		}
	}
	item := map[string]any{"name": "tea", "stock": map[string]any{"left": 3.0, "ordered": 12.0}}
	if got := f.records[4]["order"]; !reflect.DeepEqual(got, map[string]any{"id": "4712", "item": item}) {
		t.Errorf("nested groups: %v", got)
	}
}

// TestReceiverDown: a service without a receiver serves, ends when it is told
// to, and says on standard error what it could not ship.
func TestReceiverDown(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	down := ln.Addr().String()
	ln.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var errs output
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, config{addr: down, tag: "t", listen: "127.0.0.1:0", grace: time.Millisecond}, io.Discard, &errs)
	}()
	for !strings.Contains(errs.String(), "serving on") {
		select {
		case err := <-ended:
			t.Fatal(err)
		case <-time.After(time.Millisecond):
		}
	}
	url, _, _ := strings.Cut(errs.String()[strings.Index(errs.String(), "http://"):], ",")
	resp, err := http.Get(url + "/orders/4711")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	cancel() // as SIGTERM does
	err = <-ended
	if err == nil || !strings.Contains(err.Error(), "3 records not acknowledged") || resp.StatusCode != http.StatusOK {
		t.Error(err, resp.Status)
	}
	if !strings.Contains(errs.String(), "3 records logged = 0 acknowledged + 3 dropped") {
		t.Error(errs.String())
	}
}

// TestOperations: the health does not depend on the receiver, the counters are
// JSON, and neither is logged.
func TestOperations(t *testing.T) {
	for _, connected := range []bool{true, false} {
		var log bytes.Buffer
		svc := newService(newLogger(&log, slog.LevelDebug, os.Getenv), func() forward.Stats {
			return forward.Stats{Accepted: 5, Dropped: 2, Connected: connected}
		})
		get := func(path string) *httptest.ResponseRecorder {
			answer := httptest.NewRecorder()
			svc.ServeHTTP(answer, httptest.NewRequest("GET", path, nil))
			if answer.Code != http.StatusOK {
				t.Errorf("%s: %d", path, answer.Code)
			}
			return answer
		}
		if got := get("/healthz").Body.String(); strings.Contains(got, "true") != connected {
			t.Error(got)
		}
		var vars struct{ Forward forward.Stats }
		if err := json.Unmarshal(get("/debug/vars").Body.Bytes(), &vars); err != nil || vars.Forward.Accepted != 5 || vars.Forward.Dropped != 2 {
			t.Error(err, vars)
		}
		if log.Len() > 0 {
			t.Error(log.String())
		}
	}
}

func TestPlace(t *testing.T) {
	host, _ := os.Hostname()
	for want, env := range map[string]map[string]string{
		"[service.name=shop-orders host.name=" + host + "]":                 nil,
		"[service.name=shop-orders k8s.pod.name=p k8s.node.name=n]":         {"POD_NAME": "p", "NODE_NAME": "n"},
		"[service.name=shop-orders k8s.namespace.name=ns k8s.pod.name=p]":   {"POD_NAMESPACE": "ns", "POD_NAME": "p"},
		"[service.name=shop-orders k8s.namespace.name=ns k8s.node.name=n ]": nil,
	} {
		if strings.HasSuffix(want, " ]") {
			continue
		}
		if got := slog.GroupValue(place(func(k string) string { return env[k] })...).String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestTraceIDOf(t *testing.T) {
	const id, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for header, want := range map[string]string{
		"00-" + id + "-" + span + "-01":                      id,
		"cc-" + id + "-" + span + "-01-more":                 id,
		"00-" + id + "-" + span + "-01-more":                 "",
		"ff-" + id + "-" + span + "-01":                      "",
		"00-" + strings.ToUpper(id) + "-" + span + "-01":     "",
		"00-" + strings.Repeat("0", 32) + "-" + span + "-01": "",
		"00-" + id + "-" + strings.Repeat("0", 16) + "-01":   "",
		"00-" + id + "-" + span + "-0x":                      "",
		"00-" + id + "-" + span:                              "",
		"":                                                   "",
	} {
		if got := traceIDOf(header); got != want {
			t.Errorf("%q: got %q, want %q", header, got, want)
		}
	}
}

func TestFlags(t *testing.T) {
	t.Setenv("FLUENT_SHARED_KEY", "k3y")
	t.Setenv("FLUENT_ADDR", "")
	if c, err := parseFlags(nil); err != nil || !c.demo || c.key != "" {
		t.Errorf("%+v, %v", c, err)
	}
	t.Setenv("FLUENT_ADDR", "/run/fluent.sock")
	if c, err := parseFlags([]string{"-level", "WARN"}); err != nil || c.demo || c.key != "k3y" || c.addr != "/run/fluent.sock" || c.level != slog.LevelWarn {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := parseFlags([]string{"127.0.0.1:24224"}); err == nil {
		t.Error("no error")
	}
	for text, c := range map[string]config{
		"neither host:port nor":   {addr: "http://x/y"},
		"-ca: ":                   {addr: "x", tls: true, ca: "none"},
		"has no certificate":      {addr: "x", tls: true, ca: "main.go"},
		"-listen chooses another": {addr: "127.0.0.1:1", listen: "127.0.0.1:99999"},
	} {
		if err := run(context.Background(), c, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%+v: %v, want %q", c, err, text)
		}
	}
}
