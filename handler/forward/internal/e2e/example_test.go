//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler/forward"
)

// exampleConfig tests the configuration that users are given, as they run it.
func exampleConfig(t *testing.T, bin string) {
	start := func(t *testing.T) *realServer {
		file := filepath.Join(t.TempDir(), "out.jsonl")
		s := &realServer{addr: freeAddr(t), read: readOTLP(file)}
		s.start = func() *exec.Cmd {
			cmd := exec.Command(bin, "--config", example+"/otelcol.yaml")
			cmd.Env = append(os.Environ(), "FORWARD_ENDPOINT="+s.addr, "LOG_FILE="+file, "LOG_LEVEL=warn")
			return cmd
		}
		return s
	}
	t.Run("slog and zerolog", func(t *testing.T) { few(t, start(t), true) })
	t.Run("odd records", func(t *testing.T) { oddRecords(t, start(t)) })
	t.Run("the example", func(t *testing.T) { exampleService(t, start(t)) })
}

// oddRecords: what is no level and no id stays where it is, and nothing is lost.
func oddRecords(t *testing.T, s *realServer) {
	const trace, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	rows := []struct {
		json string
		want got
	}{
		{`{"level":"WARN+2","severity_number":15}`, got{level: "WARN+2", severity: 15}},
		{`{"level":"trace"}`, got{level: "trace", severity: 1}},
		{`{"level":"WARNING"}`, got{level: "WARNING", severity: 13}},
		{`{"level":"panic"}`, got{level: "panic", severity: 21}},
		{`{"level":"loud"}`, got{level: "loud", fields: map[string]any{"level": "loud"}}},
		{`{"level":30}`, got{fields: map[string]any{"level": 30.0}}},
		{`{"level":"info","severity_number":"9"}`, got{level: "info", severity: 9}},
		{`{}`, got{}},
		{`{"trace_id":"` + trace + `","span_id":"` + span + `"}`, got{trace: trace, span: span}},
		{`{"trace_id":"` + trace + `"}`, got{trace: trace}},
		{`{"trace_id":"none","span_id":7}`, got{fields: map[string]any{"trace_id": "none", "span_id": 7.0}}},
		{`{"trace_id":"00000000000000000000000000000000","span_id":"` + span + `0"}`,
			got{fields: map[string]any{"trace_id": "00000000000000000000000000000000", "span_id": span + "0"}}},
		{`{"k8s.pod.name":"a","service.name":"s"}`, got{place: map[string]any{"k8s.pod.name": "a", "service.name": "s"}}},
		{`{"k8s.pod.name":"b","service.name":"s"}`, got{place: map[string]any{"k8s.pod.name": "b", "service.name": "s"}}},
	}
	s.up(t)
	t.Cleanup(func() { s.down(t) })
	w, err := forward.Dial(context.Background(), s.addr, forward.WithTag(tag), forward.WithCloseTimeout(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1_770_000_000, 5)
	for i, row := range rows {
		comma := ","
		if row.json == "{}" {
			comma = ""
		}
		if _, err := fmt.Fprintf(w, "{\"id\":\"r%d\",\"message\":\"m\",\"time\":%q%s%s\n", i, at.Format(time.RFC3339Nano), comma, row.json[1:]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	s.down(t)
	byID := map[string]got{}
	for _, g := range s.read(t) {
		byID[g.id] = g
	}
	for i, row := range rows {
		want := row.want
		want.id, want.body, want.time, want.observed = fmt.Sprintf("r%d", i), "m", at, true
		if want.fields == nil {
			want.fields = map[string]any{}
		}
		if g := byID[want.id]; !reflect.DeepEqual(g, want) {
			t.Errorf("%s\nis   %+v\nwant %+v", row.json, g, want)
		}
	}
}

// exampleService runs the example's own service and requests.
func exampleService(t *testing.T, s *realServer) {
	bin := filepath.Join(t.TempDir(), "fluent")
	run(t, root, "go", "build", "-buildvcs=false", "-o", bin, "./examples/fluent")
	s.up(t)
	t.Cleanup(func() { s.down(t) })
	cmd := exec.Command(bin, "-demo", "-addr", s.addr, "-tag", tag)
	cmd.Env = append(os.Environ(), "POD_NAME=orders-7d9f", "POD_NAMESPACE=shop", "NODE_NAME=node-3")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s.down(t)
	place := map[string]any{"service.name": "shop-orders", "k8s.pod.name": "orders-7d9f", "k8s.namespace.name": "shop", "k8s.node.name": "node-3"}
	all := s.read(t)
	seen := map[string]int{}
	spans := map[string]bool{}
	hex := regexp.MustCompile(`^[0-9a-f]{16}$`)
	for _, g := range all {
		seen[fmt.Sprintf("%d %s", g.severity, g.level)]++
		if g.body == "serving" || g.body == "stopping" {
			continue
		}
		seen[g.trace]++
		spans[g.span] = true
		if !g.observed || !hex.MatchString(g.span) || !maps.Equal(g.place, place) {
			t.Errorf("%+v", g)
		}
	}
	for key, n := range map[string]int{
		"5 DEBUG": 4, "9 INFO": 4, "13 WARN": 2, "17 ERROR": 2,
		"4bf92f3577b34da6a3ce929d0e0e4736": 2, "0af7651916cd43dd8448eb211c80319c": 3,
	} {
		if seen[key] != n {
			t.Errorf("%q: %d records, want %d", key, seen[key], n)
		}
	}
	if len(all) != 12 || len(spans) != 4 {
		t.Errorf("%d records, %d spans: %+v", len(all), len(spans), all)
	}
}
