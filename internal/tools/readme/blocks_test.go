package readme

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// block is one fenced code block.
type block struct {
	lang string
	line int // of its first line of text
	text string
}

func readBlocks(t *testing.T, file string) (blocks []block) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var open *block
	for i, line := range strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n") {
		switch fence, isFence := strings.CutPrefix(line, "```"); {
		case isFence && open == nil:
			open = &block{lang: fence, line: i + 2}
		case isFence:
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		}
	}
	if open != nil {
		t.Fatalf("%s:%d: the block is not closed", file, open.line)
	}
	return blocks
}

// packages are what fragments may use without importing it.
var packages = map[string]string{
	"bufio": "bufio", "bytes": "bytes", "context": "context", "errors": "errors",
	"fmt": "fmt", "io": "io", "log": "log", "net": "net", "http": "net/http",
	"os": "os", "exec": "os/exec", "slog": "log/slog", "strings": "strings",
	"sync": "sync", "time": "time",
	"handler":     "github.com/slogpack/slogpack/handler",
	"jsonmsgpack": "github.com/slogpack/slogpack/jsonmsgpack",
	"pool":        "github.com/slogpack/slogpack/pool",
}

// program makes a whole program of a Go block. Positions in it are those of the
// README, so that the compiler's errors point there.
func program(b block) (string, error) {
	here := fmt.Sprintf("//line README.md:%d\n", b.line)
	if strings.HasPrefix(b.text, "package ") {
		return here + b.text, nil
	}
	body := "func main() {\n" + here + b.text + "}\n"
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
	src.WriteString("package main\n\nimport (\n")
	for _, p := range slices.Sorted(maps.Keys(imports)) {
		fmt.Fprintf(&src, "\t%q\n", p)
	}
	src.WriteString(")\n\n" + body)
	return src.String(), nil
}

func TestProgram(t *testing.T) {
	got, err := program(block{line: 7, text: "log := bytes.NewBuffer(nil)\nlog.Reset()\nos.Exit(1)\n"})
	if err != nil {
		t.Fatal(err)
	}
	want := "package main\n\nimport (\n\t\"bytes\"\n\t\"os\"\n)\n\nfunc main() {\n//line README.md:7\n" +
		"log := bytes.NewBuffer(nil)\nlog.Reset()\nos.Exit(1)\n}\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
