package readme

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// block is one fenced code block.
type block struct {
	file string // slash-separated, relative to the root
	lang string
	line int // of its first line of text
	text string
}

func (b block) String() string { return fmt.Sprintf("%s:%d", b.file, b.line) }

// name is one for a directory, unlike those of all other blocks.
func (b block) name() string {
	return strings.NewReplacer("README.md", "", "/", "_").Replace(b.file) + fmt.Sprintf("line%d", b.line)
}

// files are the README files whose blocks are looked at: the root's and those of
// packages that users import.
func files(t *testing.T) (files []string) {
	t.Helper()
	for _, dir := range []string{".", "handler", "jsonmsgpack", "pool"} {
		err := fs.WalkDir(os.DirFS(root), dir, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && name != dir && (dir == "." || d.Name() == "internal" || d.Name() == "testdata"):
				return fs.SkipDir
			case d.Name() == "README.md":
				files = append(files, name)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// readAll returns the blocks of all files.
func readAll(t *testing.T) (blocks []block) {
	t.Helper()
	for _, f := range files(t) {
		blocks = append(blocks, readBlocks(t, f)...)
	}
	return blocks
}

func readBlocks(t *testing.T, file string) (blocks []block) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	var open *block
	for i, line := range strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n") {
		switch fence, isFence := strings.CutPrefix(line, "```"); {
		case isFence && open == nil:
			open = &block{file: file, lang: fence, line: i + 2}
		case isFence:
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		}
	}
	if open != nil {
		t.Fatalf("%s: the block is not closed", open)
	}
	return blocks
}

// packages are what fragments may use without importing it.
var packages = map[string]string{
	"bufio": "bufio", "bytes": "bytes", "context": "context", "errors": "errors",
	"fmt": "fmt", "io": "io", "json": "encoding/json", "log": "log", "net": "net",
	"http": "net/http", "os": "os", "exec": "os/exec", "signal": "os/signal",
	"slog": "log/slog", "strings": "strings", "sync": "sync", "syscall": "syscall",
	"testing": "testing", "time": "time", "tls": "crypto/tls",
	"zerolog":     "github.com/rs/zerolog",
	"handler":     "github.com/slogpack/slogpack/handler",
	"forward":     "github.com/slogpack/slogpack/handler/forward",
	"msgpackv5":   "github.com/slogpack/slogpack/handler/msgpackv5",
	"sink":        "github.com/slogpack/slogpack/handler/sink",
	"zerologsink": "github.com/slogpack/slogpack/handler/zerologsink",
	"jsonmsgpack": "github.com/slogpack/slogpack/jsonmsgpack",
	"pool":        "github.com/slogpack/slogpack/pool",
}

// isTest says whether a block is a test file without its head.
func isTest(b block) bool { return strings.HasPrefix(b.text, "func Test") }

// program makes a whole file of a Go block. Positions in it are those of the
// README, so that the compiler's errors point there.
func program(b block) (string, error) {
	here := fmt.Sprintf("//line %s\n", b)
	if strings.HasPrefix(b.text, "package ") {
		return here + b.text, nil
	}
	body := "func main() {\n" + here + b.text + "}\n"
	head := "package main\n\nimport (\n"
	if isTest(b) {
		body = here + b.text
	}
	if strings.Contains(b.text, "t.Output()") {
		head = "//go:build go1.25\n\n" + head
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", "package main\n"+body, 0)
	if err != nil {
		return "", err
	}
	// The parser lists the names that the file itself does not declare; those
	// that stand before a dot can be packages.
	free := map[string]bool{}
	for _, id := range f.Unresolved {
		free[id.Name] = true
	}
	imports := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && free[id.Name] && packages[id.Name] != "" {
				imports[packages[id.Name]] = true
			}
		}
		return true
	})
	var src strings.Builder
	src.WriteString(head)
	for _, p := range slices.Sorted(maps.Keys(imports)) {
		fmt.Fprintf(&src, "\t%q\n", p)
	}
	src.WriteString(")\n\n" + body)
	return src.String(), nil
}

func TestProgram(t *testing.T) {
	got, err := program(block{file: "README.md", line: 7, text: "log := bytes.NewBuffer(nil)\nlog.Reset()\nos.Exit(1)\n"})
	if err != nil {
		t.Fatal(err)
	}
	want := "package main\n\nimport (\n\t\"bytes\"\n\t\"os\"\n)\n\nfunc main() {\n//line README.md:7\n" +
		"log := bytes.NewBuffer(nil)\nlog.Reset()\nos.Exit(1)\n}\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
