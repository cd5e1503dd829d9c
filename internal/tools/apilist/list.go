package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// listModule lists the API of every public package under root: all but
// commands, internal packages, examples, test data and nested modules.
func listModule(root string) ([]string, error) {
	var lines []string
	err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() {
			return nil
		}
		if dir != root {
			name := d.Name()
			if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") ||
				slices.Contains([]string{"internal", "examples", "testdata", "vendor"}, name) {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
				return filepath.SkipDir
			}
		}
		rel, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		l, err := listPackage(dir, filepath.ToSlash(rel))
		lines = append(lines, l...)
		return err
	})
	slices.Sort(lines)
	return slices.Compact(lines), err
}

// listPackage lists one package under the given name. A directory without Go
// files, or with a command in it, has none.
func listPackage(dir, name string) ([]string, error) {
	// One fixed platform: the listing must not change with the machine.
	ctx := build.Default
	ctx.GOOS, ctx.GOARCH, ctx.CgoEnabled, ctx.BuildTags = "linux", "amd64", false, nil
	p, err := ctx.ImportDir(dir, 0)
	var none *build.NoGoError
	if errors.As(err, &none) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if p.Name == "main" {
		return nil, nil
	}
	l := &lister{pkg: name, embedded: map[string]bool{}}
	var files []*ast.File
	for _, f := range p.GoFiles {
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, f), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, tree)
	}
	// Types first: which unexported types lend their methods by embedding.
	for _, f := range files {
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				l.genDecl(g)
			}
		}
	}
	for _, f := range files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				l.funcDecl(fn)
			}
		}
	}
	return l.lines, nil
}

type lister struct {
	pkg      string
	embedded map[string]bool // unexported types embedded in exported ones
	lines    []string
}

func (l *lister) add(parts ...string) {
	l.lines = append(l.lines, l.pkg+": "+strings.Join(parts, ""))
}

func (l *lister) genDecl(g *ast.GenDecl) {
	// Rows of a constant group without a value repeat the row above.
	var typ ast.Expr
	var values []ast.Expr
	for row, s := range g.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				l.typeSpec(s)
			}
		case *ast.ValueSpec:
			if s.Type != nil || len(s.Values) > 0 {
				typ, values = s.Type, s.Values
			}
			for i, n := range s.Names {
				if n.IsExported() {
					l.value(g.Tok, n.Name, typ, values, i, row)
				}
			}
		}
	}
}

// value lists one constant or variable, the ith of its row. A constant's value
// is part of what callers rely on, a variable's is not; where the value is made
// with iota, the row it stands in belongs to it.
func (l *lister) value(tok token.Token, name string, typ ast.Expr, values []ast.Expr, i, row int) {
	line := tok.String() + " " + name
	if typ != nil {
		line += " " + text(typ)
	}
	if tok == token.CONST && i < len(values) {
		v := text(values[i])
		line += " = " + v
		if strings.Contains(v, "iota") {
			line += fmt.Sprintf(", iota %d", row)
		}
	}
	l.add(line)
}

func (l *lister) typeSpec(s *ast.TypeSpec) {
	head := "type " + s.Name.Name + typeParams(s.TypeParams)
	if s.Assign.IsValid() {
		l.add(head, " = ", text(s.Type))
		return
	}
	switch t := s.Type.(type) {
	case *ast.StructType:
		l.add(head, " struct")
		l.fields(head+" struct, ", t.Fields)
	case *ast.InterfaceType:
		l.add(head, " interface")
		l.fields(head+" interface, ", t.Methods)
	default:
		l.add(head, " ", text(t))
	}
}

// fields lists struct fields or interface elements. That there are unexported
// ones counts: it seals an interface and forbids literals without field names.
func (l *lister) fields(head string, list *ast.FieldList) {
	hidden := false
	for _, f := range list.List {
		if len(f.Names) == 0 {
			l.add(head, "embeds ", text(f.Type))
			if n := baseName(f.Type); n != "" && !ast.IsExported(n) {
				l.embedded[n] = true
			}
		}
		for _, n := range f.Names {
			switch fn, isFunc := f.Type.(*ast.FuncType); {
			case !n.IsExported():
				hidden = true
			case isFunc && strings.Contains(head, " interface"):
				l.add(head, n.Name, signature(fn))
			default:
				l.add(head, n.Name, " ", text(f.Type))
			}
		}
	}
	if hidden {
		l.add(head, "unexported members")
	}
}

func (l *lister) funcDecl(fn *ast.FuncDecl) {
	if !fn.Name.IsExported() {
		return
	}
	if fn.Recv == nil {
		l.add("func ", fn.Name.Name, typeParams(fn.Type.TypeParams), signature(fn.Type))
		return
	}
	recv := fn.Recv.List[0].Type
	if n := baseName(recv); ast.IsExported(n) || l.embedded[n] {
		l.add("method (", text(recv), ") ", fn.Name.Name, signature(fn.Type))
	}
}

// baseName is the type's name without star, package and type arguments.
func baseName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return baseName(t.X)
	case *ast.IndexExpr:
		return baseName(t.X)
	case *ast.IndexListExpr:
		return baseName(t.X)
	case *ast.SelectorExpr:
		return t.Sel.Name
	}
	return ""
}

// signature is a function type without the word func: parameter names stay,
// because the documentation speaks of them.
func signature(t *ast.FuncType) string {
	bare := *t
	bare.TypeParams = nil
	return strings.TrimPrefix(text(&bare), "func")
}

func typeParams(list *ast.FieldList) string {
	if list == nil {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(text(&ast.FuncType{TypeParams: list, Params: &ast.FieldList{}}), "func"), "()")
}

// text prints a node on one line. The printer takes line breaks from
// positions; a file set that knows none of them leaves it few, and the rest
// becomes blanks.
func text(n ast.Node) string {
	var b bytes.Buffer
	cfg := printer.Config{Mode: printer.RawFormat}
	if err := cfg.Fprint(&b, token.NewFileSet(), n); err != nil {
		return "?" + err.Error()
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
