package report

import (
	"fmt"
	"math"

	"github.com/slogpack/slogpack/benchmarks/internal/measure"
	"github.com/slogpack/slogpack/benchmarks/internal/peers"
	"github.com/slogpack/slogpack/benchmarks/internal/pooltest"
	"github.com/slogpack/slogpack/benchmarks/internal/scenario"
	"github.com/slogpack/slogpack/benchmarks/internal/suite"
)

// Goal is a ratio to reach.
type Goal struct {
	What     string
	Required string
	Aim      string
	Got      float64
	Note     string
	Reached  bool
}

// why says where the time goes that keeps a goal from being reached.
func (g *Goal) why() string {
	switch g.What {
	case overSlog:
		return "a tenth of log/slog's time is the floor: pool, lock and write, which log/slog has as well; most of the rest is the copy of the record in Record.Attrs and the scan of texts"
	case fileTimes:
		return "a native logger does not pay for log/slog's call, which with ten attrs is two fifths of ours and allocates for those beyond the fifth"
	case packOverJSON:
		return "both share the floor, the copy of the record in Record.Attrs and a call for each attr, which are most of it since our JSON got faster; of what is above the floor see the next line"
	}
	return ""
}

const (
	overSlog     = "Handle over log/slog"
	packOverJSON = "MessagePack over JSON"
	fileTimes    = "every peer's Logger to a file, unbuffered, over ours through sink.Buffer, the least"
)

func core() (groups []string) {
	for _, s := range scenario.Core() {
		groups = append(groups, "handle/"+s)
	}
	return groups
}

// Goals are the ratios that the project has set itself, as measured.
func (d *Data) Goals() []Goal {
	h := d.Handlers
	atMost := func(what string, required, aim, got float64) Goal {
		return Goal{What: what, Required: limit("≤", required), Aim: limit("≤", aim), Got: got, Reached: got <= required}
	}
	worst, where := 0.0, ""
	for _, g := range core() {
		if r := measure.Ratio(h, suite.Slogpack, "phuslu", g); r > worst {
			worst, where = r, g[len("handle/"):]
		}
	}
	worstGoal := atMost("Handle over phuslu, the worst scenario", 1, 0, worst)
	worstGoal.Note = where
	goals := []Goal{
		atMost("Handle over phuslu, geometric mean", 0.75, 0.65, measure.Ratio(h, suite.Slogpack, "phuslu", core()...)),
		worstGoal,
		atMost(overSlog, 0.27, 0.20, measure.Ratio(h, suite.Slogpack, "log/slog", core()...)),
		atMost("Handle over zerolog's slog handler", 0.45, 0.35, measure.Ratio(h, suite.Slogpack, "zerolog slog", core()...)),
		atMost("any over phuslu", 1, 0.8, measure.Ratio(h, suite.Slogpack, "phuslu", "handle/any")),
		atMost("Logger with three attrs over phuslu, above a handler that does nothing", 0.8, 0.65,
			above(h, "logger/three", suite.Slogpack, "phuslu", suite.Nothing)),
		atMost("with source over phuslu", 0.9, 0.8, measure.Ratio(h, suite.Slogpack, "phuslu", "handle/source")),
		atMost("Google Cloud's keys over log/slog with a ReplaceAttr", 0.5, 0, measure.Ratio(h, suite.Slogpack, "log/slog", "handle/gcp")),
		atMost(packOverJSON, 0.7, 0, measure.Ratio(h, suite.MessagePack, suite.Slogpack, core()...)),
		atMost("MessagePack over JSON, above the floor", 1, 0.5, aboveMean(h, suite.MessagePack, suite.Slogpack, suite.Floor, core())),
	}
	goals = append(goals, d.parallelGoals()...)
	worst, where = 0, ""
	for _, g := range suite.StreamGroups() {
		if r := measure.Ratio(h, suite.Stream, suite.Slice, g); r > worst {
			worst, where = r, g[len("stream/"):]
		}
	}
	s := atMost("streaming over the byte-slice path, the worst size", 1.05, 0, worst)
	s.Note = where
	goals = append(goals, s)
	goals = append(goals, d.fileGoals()...)
	return append(goals, d.poolGoals()...)
}

// fileGoals are about logging to a file.
func (d *Data) fileGoals() []Goal {
	over := Goal{What: "Logger to a file through sink.Buffer over one to a writer that discards, the worst scenario", Required: limit("≤", 1.3), Got: math.NaN()}
	times := Goal{What: fileTimes, Required: limit("≥", 5), Got: math.NaN()}
	handlers := Goal{What: "the same of every peer's slog handler", Required: limit("≥", 5), Got: math.NaN()}
	for _, g := range suite.FileGroups() {
		scenario := g[len("file/"):]
		if r := measure.Ratio(d.Files, suite.SinkFile, suite.NoFile, g); !(r <= over.Got) && !math.IsNaN(r) {
			over.Got, over.Note = r, scenario
		}
		least := func(name string, of *Goal) {
			if r := measure.Ratio(d.Files, name, suite.SinkFile, g); !(r >= of.Got) && !math.IsNaN(r) {
				of.Got, of.Note = r, name+", "+scenario
			}
		}
		for _, p := range peers.Handlers() {
			if p.Name != suite.Slogpack {
				least(p.Name, &times)
				least(p.Name, &handlers)
			}
		}
		for _, p := range peers.Natives() {
			least(p.Name, &times)
		}
	}
	over.Reached, times.Reached, handlers.Reached = over.Got <= 1.3, times.Got >= 5, handlers.Got >= 5
	return []Goal{over, times, handlers}
}

func (d *Data) parallelGoals() []Goal {
	one, two := d.Parallel["1"], d.Parallel["2"]
	if one == nil || two == nil {
		return nil
	}
	throughput := func(rs []measure.Result, name string) float64 {
		if r := measure.Find(rs, "parallel", name); r != nil {
			return 1 / r.Nanos
		}
		return math.NaN()
	}
	atLeast := func(what string, required, aim, got float64) Goal {
		return Goal{What: what, Required: limit("≥", required), Aim: limit("≥", aim), Got: got, Reached: got >= required}
	}
	return []Goal{
		atLeast("two cores over one, WithConcurrentWriter", 1.8, 0, throughput(two, suite.Concurrent)/throughput(one, suite.Concurrent)),
		atLeast("two cores and one lock, throughput over log/slog", 1, 2, throughput(two, suite.Slogpack)/throughput(two, "log/slog")),
		atLeast("two cores, streaming, throughput over the byte-slice path", 0.95, 1, throughput(two, suite.BufioStream)/throughput(two, suite.BufioSlice)),
	}
}

func (d *Data) poolGoals() []Goal {
	var with, without *pooltest.Result
	for i := range d.Pool {
		switch d.Pool[i].Name {
		case suite.Slogpack:
			with = &d.Pool[i]
		case pooltest.Fresh:
			without = &d.Pool[i]
		}
	}
	if with == nil || without == nil {
		return nil
	}
	change := func(what string, required, got float64) Goal {
		g := Goal{What: what, Required: fmt.Sprintf("%+.0f %%", 100*required), Got: got, Reached: got >= required}
		if required < 0 {
			g.Reached = got <= required
		}
		return g
	}
	return []Goal{
		change("pool: throughput", 0.90, with.PerSecond()/without.PerSecond()-1),
		change("pool: collections", -0.87, float64(with.Collections)/float64(without.Collections)-1),
		change("pool: collection time", -0.86, with.GCSeconds/without.GCSeconds-1),
	}
}

func limit(sign string, v float64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf("%s %.2f", sign, v)
}

// above is the ratio of a to b with the floor taken off both.
func above(rs []measure.Result, group, a, b, floor string) float64 {
	x, y, f := measure.Find(rs, group, a), measure.Find(rs, group, b), measure.Find(rs, group, floor)
	if x == nil || y == nil || f == nil {
		return math.NaN()
	}
	return (x.Nanos - f.Nanos) / (y.Nanos - f.Nanos)
}

func aboveMean(rs []measure.Result, a, b, floor string, groups []string) float64 {
	sum := 0.0
	for _, g := range groups {
		sum += math.Log(above(rs, g, a, b, floor))
	}
	return math.Exp(sum / float64(len(groups)))
}
