//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// got is a record as a receiver wrote it.
type got struct {
	id       string
	time     time.Time
	body     string
	level    string
	severity int64
	trace    string
	span     string
	fields   map[string]any
	place    map[string]any // of the resource; nil where it has none
	observed bool           // it has the time when the receiver got it
}

// realServer is a receiver in a process of its own.
type realServer struct {
	addr  string
	start func() *exec.Cmd
	read  func(t *testing.T) []got
	cmd   *exec.Cmd
	log   bytes.Buffer
}

func (s *realServer) up(t *testing.T) {
	t.Helper()
	s.cmd = s.start()
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		network, addr := "tcp", s.addr
		if path, ok := strings.CutPrefix(addr, "unix://"); ok {
			network, addr = "unix", path
		}
		c, err := net.Dial(network, addr)
		if err == nil {
			c.Close()
			return
		}
		if time.Now().After(end) {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
			t.Fatalf("%v does not listen: %v\n%s", s.cmd, err, s.log.String())
		}
	}
}

// down ends the receiver as an orchestrator does, by SIGTERM. What it has
// acknowledged is then in its file; killed, it may lose what it has in memory.
func (s *realServer) down(t *testing.T) {
	t.Helper()
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	ended := make(chan error, 1)
	go func() { ended <- s.cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		_ = s.cmd.Process.Kill()
		<-ended
		t.Errorf("%v did not end by itself\n%s", s.cmd, s.log.String())
	}
	s.cmd = nil
}

func freeAddr(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// run runs a command that needs the network; where that cannot be reached the
// test is skipped, and says so.
func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		for _, sign := range []string{"no such host", "i/o timeout", "connection refused", "network is unreachable", "ENOTFOUND", "ECONNREFUSED",
			"ETIMEDOUT", "EAI_AGAIN", "ENETUNREACH", "TLS handshake timeout", "proxyconnect"} {
			if strings.Contains(string(out), sign) {
				t.Skipf("SKIPPED: %v cannot reach its registry (%s):\n%s", cmd, sign, out)
			}
		}
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	t.Logf("%s %s took %v", name, args[0], time.Since(began).Round(time.Second))
}

func readLines(t *testing.T, file string, line func([]byte) error) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range bytes.Split(b, []byte("\n")) {
		if len(l) == 0 {
			continue
		}
		if err := line(l); err != nil {
			t.Fatalf("%s: %v: %.300s", file, err, l)
		}
	}
}

// installNPM installs the package in a temporary directory.
func installNPM(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	js, err := os.ReadFile("npm/server.js")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "server.js"), js, 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "@fluent-org/logger@1.0.10")
	return dir
}

func npmServer(t *testing.T, dir string, security ...string) *realServer {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.jsonl")
	s := &realServer{addr: freeAddr(t)}
	s.start = func() *exec.Cmd {
		_, port, _ := net.SplitHostPort(s.addr)
		cmd := exec.Command("node", append([]string{"server.js", port, out}, security...)...)
		cmd.Dir = dir
		return cmd
	}
	s.read = func(t *testing.T) (all []got) {
		readLines(t, out, func(l []byte) error {
			var e struct {
				Tag       string
				Sec, Nsec int64
				Record    map[string]any
			}
			if err := json.Unmarshal(l, &e); err != nil {
				return err
			}
			if e.Tag != tag {
				return fmt.Errorf("tag %q", e.Tag)
			}
			g := got{time: time.Unix(e.Sec, e.Nsec), fields: e.Record}
			g.body, g.level = take(e.Record, "message"), take(e.Record, "level")
			g.trace, g.span, g.id = take(e.Record, "trace_id"), take(e.Record, "span_id"), take(e.Record, "id")
			if n, ok := e.Record["severity_number"].(float64); ok {
				g.severity = int64(n)
				delete(e.Record, "severity_number")
			}
			all = append(all, g)
			return nil
		})
		return all
	}
	return s
}

func take(m map[string]any, key string) string {
	s, _ := m[key].(string)
	delete(m, key)
	return s
}

// buildCollector builds the collector in a temporary directory.
func buildCollector(t *testing.T) (bin string) {
	t.Helper()
	bin = filepath.Join(t.TempDir(), "collector")
	run(t, ".", "go", "build", "-buildvcs=false", "-tags", "e2e", "-o", bin, "./collector")
	return bin
}

// The level's text becomes the severity: slog's come with a number, zerolog's
// names are mapped. The ids become the record's trace context.
const collectorConfig = `
receivers:
  fluent_forward:
    endpoint: ADDR
processors:
  transform:
    error_mode: propagate
    log_statements:
      - set(log.severity_text, log.attributes["level"])
      - set(log.severity_number, log.attributes["severity_number"]) where log.attributes["severity_number"] != nil
      - set(log.severity_number, SEVERITY_NUMBER_DEBUG) where log.attributes["level"] == "debug"
      - set(log.severity_number, SEVERITY_NUMBER_INFO) where log.attributes["level"] == "info"
      - set(log.severity_number, SEVERITY_NUMBER_WARN) where log.attributes["level"] == "warn"
      - set(log.severity_number, SEVERITY_NUMBER_ERROR) where log.attributes["level"] == "error"
      - set(log.trace_id.string, log.attributes["trace_id"]) where log.attributes["trace_id"] != nil
      - set(log.span_id.string, log.attributes["span_id"]) where log.attributes["span_id"] != nil
      - delete_key(log.attributes, "level")
      - delete_key(log.attributes, "severity_number")
      - delete_key(log.attributes, "trace_id")
      - delete_key(log.attributes, "span_id")
exporters:
  debug:
  file:
    path: FILE
    append: true
    flush_interval: 100ms
service:
  telemetry:
    metrics:
      level: none
    logs:
      level: warn
  pipelines:
    logs:
      receivers: [fluent_forward]
      processors: [transform]
      exporters: [file, debug]
`

// otlpValue is a value in OTLP's JSON.
type otlpValue struct {
	StringValue *string
	IntValue    *json.Number
	DoubleValue *float64
	BoolValue   *bool
	KvlistValue *struct{ Values []otlpPair }
	ArrayValue  *struct{ Values []otlpValue }
}

type otlpPair struct {
	Key   string
	Value otlpValue
}

func (v otlpValue) plain() any {
	switch {
	case v.StringValue != nil:
		return *v.StringValue
	case v.IntValue != nil:
		f, _ := v.IntValue.Float64() // as encoding/json has numbers
		return f
	case v.DoubleValue != nil:
		return *v.DoubleValue
	case v.BoolValue != nil:
		return *v.BoolValue
	case v.KvlistValue != nil:
		return plainMap(v.KvlistValue.Values)
	case v.ArrayValue != nil:
		a := []any{}
		for _, e := range v.ArrayValue.Values {
			a = append(a, e.plain())
		}
		return a
	}
	return nil
}

func plainMap(ps []otlpPair) map[string]any {
	m := map[string]any{}
	for _, p := range ps {
		m[p.Key] = p.Value.plain()
	}
	return m
}

func collector(t *testing.T, bin, addr string) *realServer {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.jsonl")
	s := &realServer{addr: addr, read: readOTLP(out)}
	cfg := strings.NewReplacer("ADDR", s.addr, "FILE", out).Replace(collectorConfig)
	s.start = func() *exec.Cmd { return exec.Command(bin, "--config", "yaml:"+cfg) }
	return s
}

// readOTLP returns what reads the file exporter's file.
func readOTLP(file string) func(t *testing.T) []got {
	return func(t *testing.T) (all []got) {
		readLines(t, file, func(l []byte) error {
			var e struct {
				ResourceLogs []struct {
					Resource  struct{ Attributes []otlpPair }
					ScopeLogs []struct{ LogRecords []otlpRecord }
				}
			}
			if err := json.Unmarshal(l, &e); err != nil {
				return err
			}
			for _, rl := range e.ResourceLogs {
				for _, sl := range rl.ScopeLogs {
					for _, r := range sl.LogRecords {
						g, err := r.got()
						if err != nil {
							return err
						}
						if as := rl.Resource.Attributes; len(as) > 0 {
							g.place = plainMap(as)
						}
						all = append(all, g)
					}
				}
			}
			return nil
		})
		return all
	}
}

type otlpRecord struct {
	TimeUnixNano   string
	ObservedTime   string `json:"observedTimeUnixNano"`
	SeverityNumber int64
	SeverityText   string
	Body           otlpValue
	Attributes     []otlpPair
	TraceID        string `json:"traceId"`
	SpanID         string `json:"spanId"`
}

func (r otlpRecord) got() (got, error) {
	ns, err := strconv.ParseInt(r.TimeUnixNano, 10, 64)
	m := plainMap(r.Attributes)
	g := got{time: time.Unix(0, ns), level: r.SeverityText, severity: r.SeverityNumber, trace: r.TraceID, span: r.SpanID, fields: m, id: take(m, "id")}
	g.observed = r.ObservedTime != "" && r.ObservedTime != "0"
	g.body, _ = r.Body.plain().(string)
	if ft := take(m, "fluent.tag"); ft != tag && err == nil {
		err = fmt.Errorf("tag %q", ft)
	}
	return g, err
}
