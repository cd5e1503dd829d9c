package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Length limits: a file one cannot read in one go holds more than one subject.
const (
	maxLines     = 400
	maxTestLines = 500
)

const module = "github.com/slogpack/slogpack/"

// core are the packages that everybody links; they stay free of dependencies.
var core = []string{"handler", "pool", "jsonmsgpack", "internal/jsonwire"}

// checkFile looks at one source file; files in other languages than Go and
// assembly are not its business.
func checkFile(rel string, data []byte) (problems []problem) {
	switch path.Ext(rel) {
	case ".s", ".c", ".h", ".syso":
		return []problem{{rel, 0, "assembly or C: this module is plain Go"}}
	case ".go":
	default:
		return nil
	}
	if strings.Contains(rel, "/testdata/") {
		return nil
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, rel, data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return []problem{{rel, 0, err.Error()}}
	}
	add := func(pos token.Pos, format string, args ...any) {
		problems = append(problems, problem{rel, fset.Position(pos).Line, fmt.Sprintf(format, args...)})
	}
	test := strings.HasSuffix(rel, "_test.go")
	limit := maxLines
	if test {
		limit = maxTestLines
	}
	if n := bytes.Count(data, []byte("\n")); n > limit && !ast.IsGenerated(f) {
		problems = append(problems, problem{rel, 0, fmt.Sprintf("%d lines, more than %d: split it by subject", n, limit)})
	}
	if test {
		return problems
	}
	for _, im := range f.Imports {
		name, err := strconv.Unquote(im.Path.Value)
		if err != nil {
			continue
		}
		if name == "unsafe" || name == "C" {
			add(im.Pos(), "imports %q: this module is plain Go", name)
		}
		if slices.Contains(core, path.Dir(rel)) && !coreMayImport(name) {
			add(im.Pos(), "imports %q: core packages use the standard library and each other only", name)
		}
	}
	for _, g := range f.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "//go:"+"linkname") {
				add(c.Pos(), "linkname: this module is plain Go")
			}
		}
	}
	if public(rel) && f.Name.Name != "main" {
		for _, d := range f.Decls {
			for _, id := range undocumented(d) {
				add(id.Pos(), "exported %s has no doc comment", id.Name)
			}
		}
	}
	return problems
}

// coreMayImport tells the standard library by its first path element, which
// never holds a dot.
func coreMayImport(name string) bool {
	if own, ok := strings.CutPrefix(name, module); ok {
		return slices.Contains(core, own)
	}
	first, _, _ := strings.Cut(name, "/")
	return !strings.Contains(first, ".")
}

func public(rel string) bool {
	for _, dir := range []string{"internal", "examples", "benchmarks"} {
		if strings.HasPrefix(rel, dir+"/") || strings.Contains(rel, "/"+dir+"/") {
			return false
		}
	}
	return true
}

// undocumented returns the exported names a declaration introduces without a
// comment of their own, of their line or of their group.
func undocumented(d ast.Decl) (ids []*ast.Ident) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && (d.Recv == nil || exportedType(d.Recv.List[0].Type)) {
			ids = append(ids, d.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Doc == nil && d.Doc == nil && s.Name.IsExported() {
					ids = append(ids, s.Name)
				}
			case *ast.ValueSpec:
				if s.Doc != nil || s.Comment != nil || d.Doc != nil {
					continue
				}
				for _, n := range s.Names {
					if n.IsExported() {
						ids = append(ids, n)
					}
				}
			}
		}
	}
	return ids
}

func exportedType(t ast.Expr) bool {
	switch t := t.(type) {
	case *ast.Ident:
		return t.IsExported()
	case *ast.StarExpr:
		return exportedType(t.X)
	case *ast.IndexExpr:
		return exportedType(t.X)
	case *ast.IndexListExpr:
		return exportedType(t.X)
	}
	return false
}
