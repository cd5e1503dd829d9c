package sink_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/sink"
)

func readFile(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestOpenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	for i, opts := range [][]sink.Option{nil, {sink.WithSync()}, {nil, sink.WithMode(0o600)}} {
		f, err := sink.OpenFile(path, opts...)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.WriteString(f, line(i)); n != len(line(i)) || err != nil {
			t.Errorf("Write = %d, %v", n, err)
		}
		if err := errors.Join(f.Sync(), f.Reopen(), f.Close()); err != nil {
			t.Error(err)
		}
		if n, err := io.WriteString(f, "late"); n != 0 || !errors.Is(err, sink.ErrClosed) {
			t.Errorf("Write after Close = %d, %v", n, err)
		}
		for _, err := range []error{f.Close(), f.Sync(), f.Reopen()} {
			if !errors.Is(err, os.ErrClosed) {
				t.Errorf("after Close: %v", err)
			}
		}
		if f.Name() != path {
			t.Error(f.Name())
		}
	}
	if got := readFile(t, path); got != line(0)+line(1)+line(2) {
		t.Errorf("%q", got)
	}
	if _, err := sink.OpenFile(filepath.Join(path, "below a file")); err == nil {
		t.Error("no error")
	}
	if runtime.GOOS != "windows" {
		modes := map[string]os.FileMode{"default": 0o644, "own": 0o600}
		for name, opt := range map[string]sink.Option{"default": nil, "own": sink.WithMode(0o600)} {
			f, err := sink.OpenFile(path+name, opt)
			if err != nil {
				t.Fatal(err)
			}
			f.Close()
			info, err := os.Stat(path + name)
			if err != nil {
				t.Fatal(err)
			}
			if got := info.Mode().Perm(); got&^modes[name] != 0 || got&0o600 != 0o600 {
				t.Errorf("%s: mode %o", name, got)
			}
		}
	}
}

// Renaming needs a system that lets open files be renamed.
func needRename(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be renamed on this system")
	}
}

// Under load no record is lost, torn or out of order across rotations.
func TestReopenUnderLoad(t *testing.T) {
	needRename(t)
	for _, buffered := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "log")
		f, err := sink.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		h := handler.New(f, handler.WithConcurrentWriter())
		closeBuffer := func() error { return nil }
		if buffered {
			b := sink.NewBuffer(f, sink.WithSize(1<<12), sink.WithPolicy(sink.Block))
			h, closeBuffer = handler.New(b), b.Close
		}
		const loggers, each, rotations = 4, 2000, 20
		var wg sync.WaitGroup
		for g := range loggers {
			wg.Add(1)
			go func() {
				defer wg.Done()
				log := slog.New(h).With("g", g)
				for i := range each {
					log.Info("m", "n", i)
				}
			}()
		}
		for i := range rotations {
			if err := os.Rename(path, fmt.Sprintf("%s.%02d", path, i)); err != nil {
				t.Fatal(err)
			}
			if err := f.Reopen(); err != nil {
				t.Fatal(err)
			}
		}
		within(t, wg.Wait)
		if err := errors.Join(closeBuffer(), f.Close()); err != nil {
			t.Fatal(err)
		}
		next := map[int]int{}
		for i := range rotations + 1 {
			name := fmt.Sprintf("%s.%02d", path, i)
			if i == rotations {
				name = path
			}
			for _, e := range parse(t, readFile(t, name)) {
				if *e.N != next[e.G] {
					t.Fatalf("%s: logger %d: record %d, want %d", name, e.G, *e.N, next[e.G])
				}
				next[e.G]++
			}
		}
		for g := range loggers {
			if next[g] != each {
				t.Errorf("logger %d: %d records, want %d", g, next[g], each)
			}
		}
	}
}

// If the path cannot be opened, the File goes on with the file that it has.
func TestReopenFails(t *testing.T) {
	needRename(t)
	dir := filepath.Join(t.TempDir(), "logs")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "log")
	f, err := sink.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Rename(dir, dir+".old"); err != nil {
		t.Fatal(err)
	}
	if err := f.Reopen(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Reopen = %v", err)
	}
	if _, err := io.WriteString(f, line(1)); err != nil {
		t.Error(err)
	}
	if got := readFile(t, filepath.Join(dir+".old", "log")); got != line(1) {
		t.Errorf("%q", got)
	}
}

// packFile is MessagePack as the handler writes it, and where each record ends.
func packFile(records int, format handler.Format) (stream string, ends []int) {
	var out strings.Builder
	log := slog.New(handler.New(&out, handler.WithFormat(format)))
	for i := range records {
		log.Info("m", "n", i, "text", strings.Repeat("é", i%300), "bytes", make([]byte, i%70), "any", []any{1.5, nil, true, -1 - i, uint64(1) << 40, map[string]any{}},
			slog.Group("g", "time", time.Unix(int64(i), 0), slog.Group("h", "x", strings.Repeat("x", i%3*100))))
		ends = append(ends, out.Len())
	}
	return out.String(), ends
}

func TestRepair(t *testing.T) {
	pack, ends := packFile(40, handler.MessagePack)
	forward, forwardEnds := packFile(40, handler.Forward)
	whole := func(ends []int, n int) int {
		last := 0
		for _, e := range ends {
			if e <= n {
				last = e
			}
		}
		return last
	}
	check := func(name, content, want string, opts ...sink.Option) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		var told errs
		f, err := sink.OpenFile(path, append(opts, sink.WithErrorHandler(told.add))...)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if got := readFile(t, path); got != want {
			t.Errorf("%s: %d bytes became %d, want %d", name, len(content), len(got), len(want))
		}
		if changed := content != want; changed && len(told.all) != 1 || !changed && len(told.all) != 0 {
			t.Errorf("%s: told %v", name, told.all)
		}
	}
	for cut := ends[len(ends)-3]; cut <= len(pack); cut += 11 { // all of them: TestSkipTorn
		check("MessagePack", pack[:cut], pack[:whole(ends, cut)])
	}
	for cut := 0; cut <= ends[1]; cut++ {
		check("MessagePack", pack[:cut], pack[:whole(ends, cut)])
	}
	for cut := forwardEnds[len(ends)-2]; cut <= len(forward); cut += 31 {
		check("Forward", forward[:cut], forward[:whole(forwardEnds, cut)])
	}
	check("empty", "", "")
	check("JSON", line(1)+line(2), line(1)+line(2))
	check("torn JSON", line(1)+line(2)[:5], line(1)+line(2)[:5]+"\n")
	check("text", "no newline", "no newline\n")

	// A file that is longer than the limit is read from a record near its end.
	for _, format := range []handler.Format{handler.MessagePack, handler.Forward} {
		pack, ends := packFile(1000, format)
		for _, limit := range []int64{200_000, 250_001, int64(len(pack)) - 1, int64(len(pack)) - 2} {
			for cut := ends[len(ends)-2]; cut <= len(pack); cut += 197 {
				check(format.String(), pack[:cut], pack[:whole(ends, cut)], sink.WithRepairLimit(limit))
			}
		}
	}
}

// What is not understood is left alone, and told.
func TestRepairLeavesAlone(t *testing.T) {
	pack, ends := packFile(100, handler.MessagePack)
	for name, c := range map[string]struct {
		content string
		opts    []sink.Option
	}{
		"garbage between records": {pack[:ends[50]] + "text" + pack[ends[50]:], nil},
		"0xc1":                    {pack[:ends[50]] + "\x81\xa1k\xc1" + pack[ends[50]:], nil},
		"too few in the window":   {pack[:len(pack)-1], []sink.Option{sink.WithRepairLimit(500)}},
		"no first key":            {"\x80" + pack[:len(pack)-1], []sink.Option{sink.WithRepairLimit(500)}},
	} {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		var told errs
		f, err := sink.OpenFile(path, append(c.opts, sink.WithErrorHandler(told.add))...)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		if got := readFile(t, path); got != c.content || len(told.all) != 1 {
			t.Errorf("%s: changed: %v, told %v", name, got != c.content, told.all)
		}
	}
}

// Reopen repairs what it finds under the path.
func TestReopenRepairs(t *testing.T) {
	needRename(t)
	pack, ends := packFile(3, handler.MessagePack)
	path := filepath.Join(t.TempDir(), "log")
	f, err := sink.OpenFile(path, sink.WithErrorHandler(func(error) {}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{{pack[:ends[1]+5], pack[:ends[1]]}, {line(0)[:7], line(0)[:7] + "\n"}} {
		os.Rename(path, path+".1")
		if err := os.WriteFile(path, []byte(c[0]), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := f.Reopen(); err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, "next")
		if got := readFile(t, path); got != c[1]+"next" {
			t.Errorf("%q", got)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
