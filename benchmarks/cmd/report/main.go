// Command report measures everything and writes what people read of it:
// RESULTS.md, charts, and the tables between the markers in the README.
//
//	go run ./cmd/report             measure and write
//	go run ./cmd/report -render     write again from what was measured last
//	go run ./cmd/report -check      fail if anything differs from that
//	go run ./cmd/report -files      measure logging to a file only, and print it
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/slogpack/slogpack/benchmarks/internal/measure"
	"github.com/slogpack/slogpack/benchmarks/internal/pooltest"
	"github.com/slogpack/slogpack/benchmarks/internal/report"
)

const (
	dataFile    = "results.json"
	resultsFile = "RESULTS.md"
	readmeFile  = "../README.md"
	begin       = "<!-- begin: benchmarks, written by benchmarks/cmd/report -->\n"
	end         = "<!-- end: benchmarks -->\n"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("report: ")
	var (
		rounds = flag.Int("rounds", 12, "rounds of each measurement")
		slice  = flag.Duration("slice", 20*time.Millisecond, "time for each contender in a round")
		render = flag.Bool("render", false, "measure nothing, write the files from "+dataFile)
		check  = flag.Bool("check", false, "write nothing, fail if a file is not what "+dataFile+" says")
		files  = flag.Bool("files", false, "measure logging to a file only, write nothing, print the table")
	)
	flag.Parse()
	if *files {
		if err := printFiles(measure.Options{Rounds: *rounds, Slice: *slice, Progress: measure.Terminal()}); err != nil {
			log.Fatal(err)
		}
		return
	}
	if err := run(*rounds, *slice, *render, *check); err != nil {
		log.Fatal(err)
	}
}

func run(rounds int, slice time.Duration, render, check bool) error {
	if !render && !check {
		pool, err := measurePool()
		if err != nil {
			return err
		}
		d, err := report.Measure(measure.Options{Rounds: rounds, Slice: slice, Progress: measure.Terminal()}, pool)
		if err != nil {
			return err
		}
		if err := d.Save(dataFile); err != nil {
			return err
		}
	}
	d, err := report.Load(dataFile)
	if err != nil {
		return fmt.Errorf("%w (run this in the benchmarks folder)", err)
	}
	files, err := renderAll(d)
	if err != nil {
		return err
	}
	for name, want := range files {
		have, err := os.ReadFile(name)
		if err == nil && bytes.Equal(have, want) {
			continue
		}
		if check {
			return fmt.Errorf("%s is not what %s says: run go run ./cmd/report -render", name, dataFile)
		}
		if err := os.WriteFile(name, want, 0o644); err != nil {
			return err
		}
	}
	if !check {
		for _, g := range d.Goals() {
			if !g.Reached && !math.IsNaN(g.Got) {
				fmt.Printf("not reached: %s: %.2f, required %s\n", g.What, g.Got, g.Required)
			}
		}
	}
	return nil
}

// printFiles measures logging to a file.
func printFiles(o measure.Options) error {
	runtime.GOMAXPROCS(1)
	rs, err := report.MeasureFiles(o)
	if err != nil {
		return err
	}
	d := report.Data{Files: rs}
	_, err = fmt.Print(d.FileTable())
	return err
}

// renderAll makes all files.
func renderAll(d *report.Data) (map[string][]byte, error) {
	handle, err := d.HandleChart()
	if err != nil {
		return nil, err
	}
	conv, err := d.ConvertChart()
	if err != nil {
		return nil, err
	}
	readme, err := os.ReadFile(readmeFile)
	if err != nil {
		return nil, err
	}
	i, j := bytes.Index(readme, []byte(begin)), bytes.Index(readme, []byte(end))
	if i < 0 || j < i {
		return nil, fmt.Errorf("%s lacks the lines\n%s%s", readmeFile, begin, end)
	}
	var b bytes.Buffer
	b.Write(readme[:i+len(begin)])
	b.WriteString("\n" + d.README() + "\n")
	b.Write(readme[j:])
	return map[string][]byte{
		resultsFile: []byte(d.Results()), "handle.svg": handle, "convert.svg": conv, readmeFile: b.Bytes(),
	}, nil
}

// measurePool runs pooltable, which needs processes of its own.
func measurePool() (rs []pooltest.Result, err error) {
	cmd := exec.Command("go", "run", "./cmd/pooltable", "-json")
	cmd.Stderr = os.Stderr
	b, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("pooltable: %w", err)
	}
	return rs, json.Unmarshal(b, &rs)
}
