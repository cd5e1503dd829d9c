package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/slogpack/slogpack/benchmarks/internal/measure"
	"github.com/slogpack/slogpack/benchmarks/internal/pooltest"
	"github.com/slogpack/slogpack/benchmarks/internal/scenario"
	"github.com/slogpack/slogpack/benchmarks/internal/suite"
)

// Results is RESULTS.md.
func (d *Data) Results() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Results\n\nWritten by `go run ./cmd/report` in this folder; do not edit.\n\n")
	fmt.Fprintf(&b, "%s. Each time is the lowest of several rounds in which every contender ran in turn; what counts is the ratios.\n\n", d.where())
	fmt.Fprintf(&b, "| module | version |\n|---|---|\n")
	for _, m := range slices.Sorted(maps.Keys(d.Versions)) {
		fmt.Fprintf(&b, "| %s | %s |\n", m, d.Versions[m])
	}
	fmt.Fprintf(&b, "\nSpread: half of the medians lie less than %.0f %% above the lowest times, nine in ten less than %.0f %%.\n\n", 100*d.spread(0.5), 100*d.spread(0.9))

	fmt.Fprintf(&b, "## Goals\n\n| | required | aim | measured | |\n|---|---|---|---|---|\n")
	for _, g := range d.Goals() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s%s | %s |\n", g.What, g.Required, g.Aim, g.got(), note(g.Note), g.mark())
	}
	fmt.Fprintf(&b, "\n## Handle\n\nOne core, a record that exists already, a writer that discards; ns a record, allocations in brackets.\n\n")
	b.WriteString(table(d.Handlers, "handle/", allScenarios(), cell))
	fmt.Fprintf(&b, "\n![Handle](handle.svg)\n")
	fmt.Fprintf(&b, "\n## Logger\n\nOne core, the whole log call; ns a record, allocations in brackets.\n\n")
	b.WriteString(table(d.Handlers, "logger/", []string{"none", "three", "ten", "with"}, cell))
	fmt.Fprintf(&b, "\n## Streaming\n\nOne core, records of 100 bytes to 300 KB; ns a record.\n\n")
	b.WriteString(table(d.Handlers, "stream/", streamColumns(), nanos))
	fmt.Fprintf(&b, "\n## Parallel\n\nThree attrs; ns for one record of all goroutines, one for each core.\n\n")
	b.WriteString(d.parallelTable())
	if len(d.Files) > 0 {
		fmt.Fprintf(&b, "\n## To a file\n\nOne core, the whole log call; ns a record, allocations in brackets. Without a buffer each record is a write to the file. "+
			"Buffers have 256 KiB, and the time to write what they hold at the end counts; zerolog's diode loses what it has no room for, here this share of the records.\n\n")
		b.WriteString(d.FileTable())
	}
	fmt.Fprintf(&b, "\n## Pool\n\n```\n%s```\n", pooltest.Table(d.Pool))
	fmt.Fprintf(&b, "\n## JSON to MessagePack\n\nOne core, MB/s of JSON.\n\n")
	b.WriteString(table(d.Convert, "", documents(d.Convert), func(r *measure.Result) string { return fmt.Sprintf("%.0f", r.MBs()) }))
	fmt.Fprintf(&b, "\n![JSON to MessagePack](convert.svg)\n")
	return b.String()
}

// README is what stands between the markers in README.md.
func (d *Data) README() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, ns a record by Handle, a writer that discards:\n\n", d.where())
	b.WriteString(table(d.Handlers, "handle/", scenario.Core(), nanos))
	fmt.Fprintf(&b, "\n![ns a record](benchmarks/handle.svg)\n\n%sJSON to MessagePack, MB/s:\n\n", d.busy())
	b.WriteString(table(d.Convert, "", documents(d.Convert), func(r *measure.Result) string { return fmt.Sprintf("%.0f", r.MBs()) }))
	fmt.Fprintf(&b, "\nAll results, and how they were got: [benchmarks/RESULTS.md](benchmarks/RESULTS.md).\n")
	return b.String()
}

// busy is what a node that logs much pays, for the README's arithmetic.
func (d *Data) busy() string {
	const rate = 100_000
	core := func(r *measure.Result) string {
		return fmt.Sprintf("%.0f ns, or %.0f %% of a core at %d records a second", r.Nanos, 100*r.Nanos*rate/1e9, rate)
	}
	r := measure.Find(d.Handlers, "logger/ten", suite.Slogpack)
	if r == nil {
		return ""
	}
	text := "A whole log call with ten attrs takes " + core(r)
	if f := measure.Find(d.Files, "file/ten", suite.SinkFile); f != nil {
		text += "; to a file through `sink.Buffer`, writing included, " + core(f)
	}
	return text + ".\n\n"
}

func (d *Data) where() string {
	return fmt.Sprintf("%s, %d cores, %s, %s", d.CPU, d.Cores, d.Go, d.Date)
}

// spread is the share of the results, q, whose median is at most that much
// above their lowest.
func (d *Data) spread(q float64) float64 {
	var s []float64
	for _, rs := range [][]measure.Result{d.Handlers, d.Files, d.Convert} {
		for i := range rs {
			s = append(s, rs[i].Spread())
		}
	}
	if len(s) == 0 {
		return 0
	}
	slices.Sort(s)
	return s[int(q*float64(len(s)-1))]
}

// table has a row for each contender and a column for each group.
func table(rs []measure.Result, prefix string, columns []string, cell func(*measure.Result) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| | %s |\n|---|%s\n", strings.Join(columns, " | "), strings.Repeat("---:|", len(columns)))
	for _, name := range names(rs, prefix) {
		fmt.Fprintf(&b, "| %s |", name)
		for _, c := range columns {
			text := ""
			if r := measure.Find(rs, prefix+c, name); r != nil {
				text = cell(r)
			}
			fmt.Fprintf(&b, " %s |", text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// names are the contenders in groups that begin with prefix, in order.
func names(rs []measure.Result, prefix string) (list []string) {
	for i := range rs {
		if strings.HasPrefix(rs[i].Group, prefix) && !slices.Contains(list, rs[i].Name) {
			list = append(list, rs[i].Name)
		}
	}
	return list
}

func allScenarios() (list []string) {
	for _, s := range scenario.All() {
		list = append(list, s.Name)
	}
	return list
}

func streamColumns() (list []string) {
	for _, g := range suite.StreamGroups() {
		list = append(list, strings.TrimPrefix(g, "stream/"))
	}
	return list
}

func fileColumns() (list []string) {
	for _, g := range suite.FileGroups() {
		list = append(list, strings.TrimPrefix(g, "file/"))
	}
	return list
}

func documents(rs []measure.Result) (list []string) {
	for i := range rs {
		if !slices.Contains(list, rs[i].Group) {
			list = append(list, rs[i].Group)
		}
	}
	return list
}

// FileTable is the table of logging to a file.
func (d *Data) FileTable() string { return table(d.Files, "file/", fileColumns(), lossy) }

func (d *Data) parallelTable() string {
	var b strings.Builder
	cores := slices.Sorted(maps.Keys(d.Parallel))
	fmt.Fprintf(&b, "| cores | %s |\n|---|%s\n", strings.Join(cores, " | "), strings.Repeat("---:|", len(cores)))
	for _, name := range names(d.Parallel[cores[0]], "") {
		fmt.Fprintf(&b, "| %s |", name)
		for _, c := range cores {
			fmt.Fprintf(&b, " %s |", nanos(measure.Find(d.Parallel[c], "parallel", name)))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func cell(r *measure.Result) string {
	if r.Allocs > 0 {
		return fmt.Sprintf("%.0f (%.0f)", r.Nanos, r.Allocs)
	}
	return nanos(r)
}

// lossy is cell with the share of the work that was not done.
func lossy(r *measure.Result) string {
	if r.Lost > 0 {
		return fmt.Sprintf("%s, %.1f %% lost", cell(r), 100*r.Lost)
	}
	return cell(r)
}

func nanos(r *measure.Result) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("%.0f", r.Nanos)
}

func (g *Goal) got() string {
	if math.IsNaN(g.Got) {
		return "not measured"
	}
	if strings.HasSuffix(g.Required, "%") {
		return fmt.Sprintf("%+.0f %%", 100*g.Got)
	}
	return fmt.Sprintf("%.2f", g.Got)
}

func note(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

func (g *Goal) mark() string {
	switch {
	case math.IsNaN(g.Got):
		return ""
	case g.Reached:
		return "reached"
	}
	if why := g.why(); why != "" {
		return "**not reached**: " + why
	}
	return "**not reached**"
}
