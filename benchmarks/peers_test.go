package benchmarks

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/slogpack/slogpack/benchmarks/internal/peers"
	"github.com/slogpack/slogpack/benchmarks/internal/scenario"
)

// line decodes the one line in b.
func line(t *testing.T, b []byte) map[string]any {
	t.Helper()
	if n := bytes.Count(b, []byte("\n")); n != 1 {
		t.Fatalf("%d lines: %s", n, b)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	return m
}

// checkFields: the record has the message, a time, a level and every attr that
// the scenario has, so that no peer is fast by leaving something out. How
// groups and durations look differs between peers.
func checkFields(t *testing.T, s *scenario.Scenario, m map[string]any) {
	t.Helper()
	text := func(keys ...string) string {
		for _, k := range keys {
			if v, ok := m[k].(string); ok {
				return v
			}
		}
		return ""
	}
	if got := text("msg", "message"); got != s.Message {
		t.Errorf("message %q, want %q", got, s.Message)
	}
	if text("time") == "" {
		t.Errorf("no time in %v", m)
	}
	if got := text("level", "severity"); !strings.EqualFold(got, "info") {
		t.Errorf("level %q", got)
	}
	for _, a := range append(s.With[:len(s.With):len(s.With)], s.Attrs...) {
		found := false
		for k := range m {
			if k == a.Key || strings.HasPrefix(k, a.Key+".") {
				found = true
			}
		}
		if !found {
			t.Errorf("no %s in %v", a.Key, m)
		}
	}
	if s.Source {
		if m["source"] == nil && m["caller"] == nil {
			t.Errorf("no source in %v", m)
		}
	}
}

func TestHandlers(t *testing.T) {
	for _, p := range peers.Handlers() {
		for _, s := range scenario.All() {
			if p.Lacks[s.Name] != "" {
				continue
			}
			t.Run(p.Name+"/"+s.Name, func(t *testing.T) {
				var buf bytes.Buffer
				h := s.Derive(p.New(&buf, &s))
				if err := h.Handle(context.Background(), s.Record()); err != nil {
					t.Fatal(err)
				}
				checkFields(t, &s, line(t, buf.Bytes()))
				buf.Reset()
				s.Log(context.Background(), slog.New(h))
				checkFields(t, &s, line(t, buf.Bytes()))
			})
		}
	}
}

func TestNatives(t *testing.T) {
	for _, p := range peers.Natives() {
		for _, s := range scenario.All() {
			if s.GCP {
				continue
			}
			t.Run(p.Name+"/"+s.Name, func(t *testing.T) {
				var buf bytes.Buffer
				p.New(&buf, &s)()
				checkFields(t, &s, line(t, buf.Bytes()))
			})
		}
	}
}
