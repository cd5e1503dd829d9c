// Package report turns measurements into the tables and charts that people
// read.
package report

import (
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/slogpack/slogpack/benchmarks/internal/convert"
	"github.com/slogpack/slogpack/benchmarks/internal/corpus"
	"github.com/slogpack/slogpack/benchmarks/internal/measure"
	"github.com/slogpack/slogpack/benchmarks/internal/pooltest"
	"github.com/slogpack/slogpack/benchmarks/internal/suite"
)

// Data is everything that was measured, and where.
type Data struct {
	Date     string
	CPU      string
	Cores    int
	Go       string
	Versions map[string]string // of the peers' modules

	Handlers []measure.Result            // one core
	Parallel map[string][]measure.Result // by number of cores
	Files    []measure.Result            `json:",omitempty"` // one core, to a file
	Convert  []measure.Result
	Pool     []pooltest.Result
}

// Measure measures everything. pool is measured by its own command, whose
// results are given.
func Measure(o measure.Options, pool []pooltest.Result) (*Data, error) {
	d := &Data{
		Date: time.Now().UTC().Format(time.DateOnly), CPU: cpu(), Cores: runtime.NumCPU(), Go: runtime.Version(),
		Versions: versions(), Parallel: map[string][]measure.Result{}, Pool: pool,
	}
	docs, err := corpus.All()
	if err != nil {
		return nil, err
	}
	runtime.GOMAXPROCS(1)
	cases := append(append(suite.Handle(), suite.Logger()...), suite.Streaming()...)
	d.Handlers = measure.All(cases, o)
	if d.Files, err = MeasureFiles(o); err != nil {
		return nil, err
	}
	d.Convert = measure.All(convert.Cases(docs), convert.Slices(o))
	for n, name := range map[int]string{1: "1", 2: "2"} {
		if n > d.Cores {
			continue
		}
		runtime.GOMAXPROCS(n)
		d.Parallel[name] = measure.All(suite.Parallel(), o)
	}
	return d, nil
}

// MeasureFiles measures logging to a file, on as many cores as there are now.
func MeasureFiles(o measure.Options) (rs []measure.Result, err error) {
	dir, err := os.MkdirTemp("", "benchmarks")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cases, end, err := suite.Files(dir)
	if err == nil {
		rs = measure.All(cases, o)
	}
	return rs, errors.Join(err, end())
}

// cpu is the processor's name, "" where the system does not tell.
func cpu() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(b)) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == "model name" {
			return strings.TrimSpace(v)
		}
	}
	return runtime.GOARCH
}

func versions() map[string]string {
	m := map[string]string{}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return m
	}
	for _, d := range info.Deps {
		switch d.Path {
		case "github.com/phuslu/log", "github.com/rs/zerolog", "go.uber.org/zap", "go.uber.org/zap/exp",
			"github.com/samber/slog-zerolog/v2", "github.com/valyala/fastjson", "github.com/tinylib/msgp",
			"github.com/bytedance/sonic", "github.com/go-json-experiment/json", "github.com/vmihailenco/msgpack/v5":
			m[d.Path] = d.Version
		}
	}
	return m
}

// Load reads what Save wrote.
func Load(file string) (*Data, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	d := new(Data)
	return d, json.Unmarshal(b, d)
}

// Save writes d for later.
func (d *Data) Save(file string) error {
	b, err := json.MarshalIndent(d, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(b, '\n'), 0o644)
}
