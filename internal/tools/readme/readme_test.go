package readme

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	root = "../../.."
	// What the socket example dials: the port of Fluent Bit's tcp input. The test
	// puts a listener of its own in its place.
	dialed = "127.0.0.1:5170"
	// What readers in other languages read.
	packed = "app.msgpack"
)

// TestJSON: what the READMEs show as a record is one.
func TestJSON(t *testing.T) {
	n := 0
	for _, b := range readAll(t) {
		if b.lang == "json" {
			n++
			checkRecords(t, b.String(), []byte(b.text))
		}
	}
	if n == 0 {
		t.Error("no JSON block found")
	}
}

// TestGo builds and vets all Go blocks together and runs each; then it runs the
// blocks in other languages.
func TestGo(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()

	module := t.TempDir()
	writeModule(t, module)
	var programs, tests, readers []block
	for _, b := range readAll(t) {
		if scripts[b.lang].command != "" {
			readers = append(readers, b)
		}
		if b.lang != "go" && b.lang != "go build" {
			continue
		}
		src, err := program(b)
		if err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		file := "main.go"
		switch {
		case isTest(b):
			tests = append(tests, b)
			file = "main_test.go"
		case b.lang == "go":
			programs = append(programs, b)
		}
		src = strings.ReplaceAll(src, dialed, listener.Addr().String())
		writeFile(t, filepath.Join(module, b.name(), file), src)
	}
	if len(programs) == 0 || len(tests) == 0 || len(readers) == 0 {
		t.Fatalf("found %d programs, %d tests and %d readers", len(programs), len(tests), len(readers))
	}
	bin := t.TempDir()
	goCommand(t, module, "vet", "./...")
	goCommand(t, module, "build", "-o", bin+string(filepath.Separator), "./...")
	written := "" // the directory of the last program that wrote MessagePack
	for _, b := range programs {
		t.Run(b.name(), func(t *testing.T) {
			dir := t.TempDir()
			if strings.Contains(b.text, packed) {
				dir = filepath.Join(module, b.name())
				written = dir
			}
			runProgram(t, b, filepath.Join(bin, b.name()), dir, listener)
		})
	}
	t.Run("tests", func(t *testing.T) {
		args := []string{"test"}
		for _, b := range tests {
			args = append(args, "./"+b.name())
		}
		goCommand(t, module, args...)
	})
	for _, b := range readers {
		t.Run(b.name(), func(t *testing.T) { runReader(t, b, written) })
	}
}

// writeModule lays a module whose requirements are the root module's, so that
// nothing is fetched that the root does not need itself.
func writeModule(t *testing.T, dir string) {
	t.Helper()
	abs, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(mod), "module github.com/slogpack/slogpack", "module snippets", 1)
	text += "\nrequire github.com/slogpack/slogpack v0.0.0\n\nreplace github.com/slogpack/slogpack => " + filepath.ToSlash(abs) + "\n"
	writeFile(t, filepath.Join(dir, "go.mod"), text)
	if sum, err := os.ReadFile(filepath.Join(root, "go.sum")); err == nil {
		writeFile(t, filepath.Join(dir, "go.sum"), string(sum))
	}
}

func goCommand(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// runProgram runs one block in the directory dir and looks at everything it
// wrote there.
func runProgram(t *testing.T, b block, file, dir string, listener net.Listener) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var out, told bytes.Buffer
	cmd := exec.CommandContext(ctx, file)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &told
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, told.String())
	}
	if told.Len() > 0 && !strings.Contains(b.text, "zerolog.ConsoleWriter{Out: os.Stderr}") {
		t.Errorf("on standard error: %s", told.String())
	}
	n := checkRecords(t, "standard output", out.Bytes())
	logs, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, log := range logs {
		data, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		n += checkRecords(t, filepath.Base(log), data)
	}
	if n == 0 {
		n = checkRecords(t, "the socket", receive(t, listener))
	}
	if n == 0 {
		t.Error("no record written")
	}
}

// receive reads the connection that a program which has ended made before. A
// program that made none costs the deadline, and then fails its test.
func receive(t *testing.T, listener net.Listener) []byte {
	t.Helper()
	listener.(*net.TCPListener).SetDeadline(time.Now().Add(2 * time.Second))
	conn, err := listener.Accept()
	if err != nil {
		t.Errorf("no record on standard output or in a file, and no connection: %v", err)
		return nil
	}
	defer conn.Close()
	data, err := io.ReadAll(conn)
	if err != nil {
		t.Error(err)
	}
	return data
}

// checkRecords returns how many records there are; what is not one is an error.
// Each has a time, a level and a message, by the keys of one of the profiles.
func checkRecords(t *testing.T, where string, data []byte) (n int) {
	t.Helper()
	if len(data) > 0 && data[len(data)-1] != '\n' {
		t.Errorf("%s: the last line has no newline: %q", where, data)
	}
	for line := range bytes.Lines(data) {
		var r struct {
			Time      time.Time
			Timestamp time.Time `json:"@timestamp"`
			Level     string
			Severity  string
			LogLevel  string `json:"log.level"`
			Msg       string
			Message   string
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Errorf("%s: %v: %s", where, err, line)
		} else if r.Time.IsZero() && r.Timestamp.IsZero() || r.Level+r.Severity+r.LogLevel == "" || r.Msg+r.Message == "" {
			t.Errorf("%s: a field is missing: %s", where, line)
		}
		n++
	}
	return n
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
