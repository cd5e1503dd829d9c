package readme

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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
	root   = "../../.."
	readme = root + "/README.md"
	// What the socket example dials: the port of Fluent Bit's tcp input. The test
	// puts a listener of its own in its place.
	dialed = "127.0.0.1:5170"
)

// TestJSON: what the README shows as a record is one.
func TestJSON(t *testing.T) {
	n := 0
	for _, b := range readBlocks(t, readme) {
		if b.lang == "json" {
			n++
			checkRecords(t, fmt.Sprintf("README.md:%d", b.line), []byte(b.text))
		}
	}
	if n == 0 {
		t.Error("no JSON block found")
	}
}

// TestGo builds and vets all Go blocks together and runs each.
func TestGo(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()

	module := t.TempDir()
	writeModule(t, module)
	var names []string
	for _, b := range readBlocks(t, readme) {
		if b.lang != "go" {
			continue
		}
		src, err := program(b)
		if err != nil {
			t.Fatalf("README.md:%d: %v", b.line, err)
		}
		name := fmt.Sprintf("line%d", b.line)
		names = append(names, name)
		src = strings.ReplaceAll(src, dialed, listener.Addr().String())
		writeFile(t, filepath.Join(module, name, "main.go"), src)
	}
	if len(names) == 0 {
		t.Fatal("no Go block found")
	}
	bin := t.TempDir()
	goCommand(t, module, "vet", "./...")
	goCommand(t, module, "build", "-o", bin+string(filepath.Separator), "./...")
	for _, name := range names {
		t.Run(name, func(t *testing.T) { runProgram(t, filepath.Join(bin, name), listener) })
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

// runProgram runs one block in a directory of its own and looks at everything
// it wrote.
func runProgram(t *testing.T, file string, listener net.Listener) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	dir := t.TempDir()
	var out, told bytes.Buffer
	cmd := exec.CommandContext(ctx, file)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &told
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, told.String())
	}
	if told.Len() > 0 {
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
func checkRecords(t *testing.T, where string, data []byte) (n int) {
	t.Helper()
	if len(data) > 0 && data[len(data)-1] != '\n' {
		t.Errorf("%s: the last line has no newline: %q", where, data)
	}
	for line := range bytes.Lines(data) {
		var r struct {
			Time       time.Time
			Level, Msg string
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Errorf("%s: %v: %s", where, err, line)
		} else if r.Time.IsZero() || r.Level == "" || r.Msg == "" {
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
