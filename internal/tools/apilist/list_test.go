package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const source = `package p

import "io"

// A comment that must not show.
type Option interface{ apply(*config) }

type config struct{ N int }

type Writer interface {
	io.Writer
	Reserve(n int) (buf []byte, ok bool)
}

type Pool[T any] struct {
	base
	Max,
	Min int
	hidden int
}

type base struct{}

func (base) Lent() {}
func (c *config) NotSeen() {}

func (p *Pool[T]) Get() *T { return nil }

func New[T any](
	newT func() *T,
	reset func(*T) bool,
) *Pool[T] {
	return nil
}

type Form uint8

const (
	A Form = iota
	B
	c
	Size = 1 << 4
)

var ErrDepth, errOther error
var Default = 3
type Alias = Form
`

func TestList(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "p", "p.go"), source)
	write(t, filepath.Join(dir, "p", "p_test.go"), "package p\nfunc InTest() {}\n")
	write(t, filepath.Join(dir, "p", "win_windows.go"), "package p\nfunc Elsewhere() {}\n")
	write(t, filepath.Join(dir, "internal", "q", "q.go"), "package q\nfunc F() {}\n")
	write(t, filepath.Join(dir, "nested", "go.mod"), "module nested\n")
	write(t, filepath.Join(dir, "nested", "q.go"), "package nested\nfunc F() {}\n")
	write(t, filepath.Join(dir, "cmd", "m.go"), "package main\nfunc F() {}\nfunc main() {}\n")
	got, err := listModule(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"p: const A Form = iota, iota 0",
		"p: const B Form = iota, iota 1",
		"p: const Size = 1 << 4",
		"p: func New[T any](newT func() *T, reset func(*T) bool) *Pool[T]",
		"p: method (*Pool[T]) Get() *T",
		"p: method (base) Lent()",
		"p: type Alias = Form",
		"p: type Form uint8",
		"p: type Option interface",
		"p: type Option interface, unexported members",
		"p: type Pool[T any] struct",
		"p: type Pool[T any] struct, Max int",
		"p: type Pool[T any] struct, Min int",
		"p: type Pool[T any] struct, embeds base",
		"p: type Pool[T any] struct, unexported members",
		"p: type Writer interface",
		"p: type Writer interface, Reserve(n int) (buf []byte, ok bool)",
		"p: type Writer interface, embeds io.Writer",
		"p: var Default",
		"p: var ErrDepth error",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestCompare(t *testing.T) {
	dir := t.TempDir()
	src, file := filepath.Join(dir, "m", "p.go"), filepath.Join(dir, "api.txt")
	write(t, src, "package p\nfunc F(n int) {}\n")
	if err := run(filepath.Dir(src), file, true); err != nil {
		t.Fatal(err)
	}
	if err := run(filepath.Dir(src), file, false); err != nil {
		t.Errorf("unchanged: %v", err)
	}
	write(t, src, "package p\nfunc F(n int64) {}\n")
	if err := run(filepath.Dir(src), file, false); err == nil || !strings.Contains(err.Error(), "1 gone, 1 added") {
		t.Errorf("changed signature: %v", err)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
