package readme

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// inherited are methods of zerolog's types for interfaces whose row is that of
// the type.
var inherited = map[string]bool{"WriteLevel": true, "WithAttrs": true}

// TestZerolog: whatever zerolog exports has a place in the tables.
func TestZerolog(t *testing.T) {
	const file = "handler/zerologsink/README.md"
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	// Names count in code only: words such as Error occur in any text.
	said := map[string]bool{}
	for _, code := range regexp.MustCompile("`[^`\n]+`").FindAllString(string(data), -1) {
		for _, name := range regexp.MustCompile(`\w+`).FindAllString(code, -1) {
			said[name] = true
		}
	}
	for _, pkg := range []string{"", "/diode", "/hlog", "/journald", "/log", "/pkgerrors"} {
		cmd := exec.Command("go", "list", "-m", "-f", "{{.Dir}} {{.Version}}", "github.com/rs/zerolog")
		cmd.Dir = root
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		dir, version, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
		if !strings.Contains(string(data), "zerolog "+strings.TrimPrefix(version, "v")) {
			t.Errorf("%s does not say that it is about zerolog %s", file, version)
		}
		names := exported(t, filepath.Join(dir, filepath.FromSlash(pkg)))
		if len(names) == 0 {
			t.Errorf("zerolog%s: no names found", pkg)
		}
		for name, where := range names {
			if !said[name] && !inherited[name] {
				t.Errorf("%s does not mention zerolog%s: %s (%s)", file, pkg, name, where)
			}
		}
	}
}

// exported returns the exported names of a package, with the methods of its
// exported types, and where each is declared.
func exported(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	names := map[string]string{}
	add := func(id *ast.Ident) {
		if id.IsExported() {
			names[id.Name] = filepath.Base(fset.Position(id.Pos()).String())
		}
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil || receiver(d).IsExported() {
					add(d.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						add(s.Name)
					case *ast.ValueSpec:
						for _, id := range s.Names {
							add(id)
						}
					}
				}
			}
		}
	}
	return names
}

// receiver is the type that a method belongs to.
func receiver(d *ast.FuncDecl) *ast.Ident {
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if id, ok := typ.(*ast.Ident); ok {
		return id
	}
	return ast.NewIdent("_")
}
