// Command pooltable shows what the handler's pool is worth: it logs a fixed
// number of records under a memory limit on one core, by the handler as it is,
// by the same handler with a fresh generator and buffer for each record, and by
// the peers, each in a process of its own.
//
//	go run ./cmd/pooltable
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slogpack/slogpack/benchmarks/internal/peers"
	"github.com/slogpack/slogpack/benchmarks/internal/pooltest"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("pooltable: ")
	var (
		child   = flag.String("child", "", "run one contender (used by the command itself)")
		records = flag.Int("records", 1_000_000, "records for each contender")
		runs    = flag.Int("runs", 3, "runs of each contender; the one of median throughput counts")
		asJSON  = flag.Bool("json", false, "print JSON")
	)
	flag.Parse()
	if *child != "" {
		r, err := pooltest.Run(*child, *records)
		if err != nil {
			log.Fatal(err)
		}
		if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
			log.Fatal(err)
		}
		return
	}
	results, err := measure(*records, *runs)
	if err != nil {
		log.Fatal(err)
	}
	if *asJSON {
		err = json.NewEncoder(os.Stdout).Encode(results)
	} else {
		_, err = fmt.Print(pooltest.Table(results))
	}
	if err != nil {
		log.Fatal(err)
	}
}

// measure builds the contenders and runs each in turn.
func measure(records, runs int) ([]pooltest.Result, error) {
	dir, err := os.MkdirTemp("", "pooltable")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	pooled, fresh := filepath.Join(dir, "pooled"), filepath.Join(dir, "fresh")
	if err := build(pooled); err != nil {
		return nil, err
	}
	if err := build(fresh, "-tags", "slogpack_nopool"); err != nil {
		return nil, err
	}
	type contender struct{ name, peer, program string }
	list := []contender{
		{"slogpack", "slogpack", pooled},
		{pooltest.Fresh, "slogpack", fresh},
	}
	for _, p := range peers.Handlers()[1:] {
		list = append(list, contender{p.Name, p.Name, pooled})
	}
	var results []pooltest.Result
	for _, c := range list {
		var rs []pooltest.Result
		for range runs {
			r, err := runChild(c.program, c.peer, records)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			r.Name = c.name
			rs = append(rs, r)
		}
		slices.SortFunc(rs, func(a, b pooltest.Result) int { return int(a.Nanos - b.Nanos) })
		results = append(results, rs[len(rs)/2])
	}
	return results, nil
}

func build(out string, flags ...string) error {
	args := append(append([]string{"build", "-o", out}, flags...), "./cmd/pooltable")
	cmd := exec.Command("go", args...)
	if b, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s (run this in the benchmarks folder): %w\n%s", strings.Join(args, " "), err, b)
	}
	return nil
}

func runChild(program, peer string, records int) (r pooltest.Result, err error) {
	cmd := exec.Command(program, "-child", peer, "-records", fmt.Sprint(records))
	cmd.Env = append(os.Environ(), "GOMEMLIMIT="+pooltest.Limit, "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	b, err := cmd.Output()
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(b, &r)
}
