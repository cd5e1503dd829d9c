package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the program's output into handler/README.md")

// keys are the record's own fields by profile, in JSON and MessagePack.
var keys = map[string][]string{
	"Slog":        {"time", "level", "source", "msg"},
	"Zerolog":     {"time", "level", "caller", "message"},
	"GoogleCloud": {"time", "severity", "logging.googleapis.com/sourceLocation", "message"},
	"ECS":         {"@timestamp", "log.level", "log.origin", "message", "ecs.version"},
	"OTel":        {"time", "level", "severity_number", "code.function.name", "code.file.path", "code.line.number", "message"},
}

func output(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestRun: every record is there, has its profile's fields and all attrs.
func TestRun(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(output(t), "\n"), "\n")
	format, profile, n := "", "", 0
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, "# "):
			format = line[len("# "):]
		case strings.HasSuffix(line, " bytes:"):
			profile, _, _ = strings.Cut(line, ",")
		default:
			n++
			checkRecord(t, format, profile, line)
		}
	}
	if want := 3 * len(profiles); n != want {
		t.Errorf("got %d records, want %d", n, want)
	}
}

func checkRecord(t *testing.T, format, profile, line string) {
	t.Helper()
	var r map[string]any
	var into any = &r
	if format == "Forward" {
		into = &[2]any{nil, &r} // the entry's time comes first
	}
	if err := json.Unmarshal([]byte(line), into); err != nil {
		t.Errorf("%s %s: %v: %s", format, profile, err, line)
		return
	}
	want := append([]string{"order", "took", "token", "rate", "error", "client"}, keys[profile]...)
	if keys[profile] == nil {
		t.Errorf("unknown profile %q", profile)
	}
	for _, k := range want {
		if _, ok := r[k]; ok == (format == "Forward" && (k == "time" || k == "@timestamp")) {
			t.Errorf("%s %s: %s: there is %v: %s", format, profile, k, ok, line)
		}
		delete(r, k)
	}
	if len(r) > 0 {
		t.Errorf("%s %s: unexpected %v", format, profile, r)
	}
}

const (
	readme = "../../handler/README.md"
	begin  = "<!-- go test ./examples/profiles -update writes this block -->\n```text\n"
	end    = "```\n<!-- end of the block -->\n"
)

// TestREADME keeps the output that the documentation shows.
func TestREADME(t *testing.T) {
	data, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	// git may check files out with the line ends of Windows.
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	before, rest, ok := strings.Cut(text, begin)
	shown, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s lacks the marks\n%s…\n%s", readme, begin, end)
	}
	if want := output(t); shown != want {
		if !*update {
			t.Fatalf("%s does not show what this program prints; go test ./examples/profiles -update", readme)
		}
		if err := os.WriteFile(readme, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
