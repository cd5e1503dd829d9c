// Command sourcecheck looks at a tree for what gofmt, vet and staticcheck let
// pass and this project does not:
//
//   - a top level with more on it than CONTRIBUTING.md allows
//   - Go files that grew too long (400 lines, tests 500)
//   - unsafe, linkname, cgo and assembly outside tests
//   - core packages that import more than the standard library and each other
//   - exported names of public packages without a doc comment
//   - paths of a developer's machine, addresses of private networks, and
//     marks of unfinished work, in any file
//
// Usage: sourcecheck -root ../..
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// problem is one finding: where, and what to do about it.
type problem struct {
	file string // slash-separated, relative to the root
	line int    // 0: the whole file
	text string
}

func (p problem) String() string {
	if p.line == 0 {
		return p.file + ": " + p.text
	}
	return fmt.Sprintf("%s:%d: %s", p.file, p.line, p.text)
}

func main() {
	root := flag.String("root", ".", "the tree's root `directory`")
	flag.Parse()
	files, problems, err := check(*root)
	if err != nil {
		fmt.Fprintln(os.Stderr, "sourcecheck:", err)
		os.Exit(1)
	}
	for _, p := range problems {
		fmt.Println(p)
	}
	if len(problems) > 0 {
		fmt.Fprintf(os.Stderr, "sourcecheck: %d problems in %d files\n", len(problems), files)
		os.Exit(1)
	}
	fmt.Printf("%d files, no problem\n", files)
}

// check walks the tree and returns how many files it read and what it found.
func check(root string) (files int, problems []problem, err error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return 0, nil, err
	}
	problems, err = checkLayout(root)
	if err != nil {
		return 0, nil, err
	}
	paths := newPathCheck(abs)
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel == ".git" || rel == "bin" {
				return filepath.SkipDir
			}
			return nil
		}
		if ignored(rel) || !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files++
		problems = append(problems, paths.check(rel, data)...)
		problems = append(problems, checkFile(rel, data)...)
		return nil
	})
	return files, problems, err
}

// ignored says whether .gitignore keeps the file out of the repository. Only
// the suffixes this project's own .gitignore lists are known here.
func ignored(rel string) bool {
	switch filepath.Ext(rel) {
	case ".test", ".out", ".prof", ".swp":
		return true
	}
	return false
}

// topLevel is the whole of what may lie at the root besides dot-files.
var topLevel = []string{
	"go.mod", "go.sum", "LICENSE", "README.md",
	"CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md",
	"benchmarks", "examples", "handler", "internal", "jsonmsgpack", "pool",
}

func checkLayout(root string) (problems []problem, err error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, ".") && name != "bin" && !ignored(name) && !slices.Contains(topLevel, name) {
			problems = append(problems, problem{name, 0, "does not belong at the top level; see CONTRIBUTING.md"})
		}
	}
	return problems, nil
}
