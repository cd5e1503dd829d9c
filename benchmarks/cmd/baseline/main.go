// Command baseline runs the benchmarks of our own code and compares them, by
// benchstat, with those checked in:
//
//	go run ./cmd/baseline           compare with baseline.bench
//	go run ./cmd/baseline -update   replace baseline.bench
//
// The file is of one machine. To judge a change, update it, locally, before the
// change and compare after it.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
)

const file = "baseline.bench"

func main() {
	log.SetFlags(0)
	log.SetPrefix("baseline: ")
	var (
		update  = flag.Bool("update", false, "replace "+file)
		pattern = flag.String("bench", "^(BenchmarkHandle|BenchmarkConvert)$/./^slogpack", "benchmarks to run")
		count   = flag.Int("count", 6, "runs of each")
	)
	flag.Parse()
	if err := run(*update, *pattern, *count); err != nil {
		log.Fatal(err)
	}
}

func run(update bool, pattern string, count int) error {
	var out bytes.Buffer
	cmd := exec.Command("go", "test", "-run", "^$", "-bench", pattern, "-cpu", "1",
		"-count", fmt.Sprint(count), "-benchtime", "100ms", ".")
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go test (run this in the benchmarks folder): %w\n%s", err, out.Bytes())
	}
	if update {
		return os.WriteFile(file, out.Bytes(), 0o644)
	}
	dir, err := os.MkdirTemp("", "baseline")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	now := filepath.Join(dir, "now.bench")
	if err := os.WriteFile(now, out.Bytes(), 0o644); err != nil {
		return err
	}
	old, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	stat := exec.Command("go", "-C", "../internal/tools", "run", "golang.org/x/perf/cmd/benchstat", old, now)
	stat.Stdout, stat.Stderr = os.Stdout, os.Stderr
	return stat.Run()
}
