// Package measure times functions against each other on a machine that is not
// quiet: in rounds, each of which runs every contender once for a short while,
// so that what disturbs one disturbs the others too. The lowest time of all
// rounds counts.
package measure

import (
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"time"
)

// Case is one contender in one discipline.
type Case struct {
	Group string // contenders of one group are compared
	Name  string
	Run   func(n int) // does the work n times
	Bytes int         // input of one run, 0 if that means nothing

	// Lost, if not nil, tells in the end which share of the work was not done.
	Lost func() float64
}

// Result is what a Case took.
type Result struct {
	Group, Name string
	Nanos       float64 // lowest, of one run
	Median      float64
	Allocs      float64 // of one run
	Bytes       int
	Lost        float64 `json:",omitempty"` // share of the work that was not done
}

// Spread is how far the median is above the lowest, as a fraction.
func (r *Result) Spread() float64 { return r.Median/r.Nanos - 1 }

// MBs is the throughput in 10^6 bytes a second.
func (r *Result) MBs() float64 { return float64(r.Bytes) / r.Nanos * 1e3 }

// Options says how long to measure.
type Options struct {
	Rounds   int           // default 10
	Slice    time.Duration // of one case in one round, default 20 ms
	Progress io.Writer     // gets a progress line; nil for none
}

// All measures cases. A group's cases run directly one after the other.
func All(cases []Case, o Options) []Result {
	if o.Rounds <= 0 {
		o.Rounds = 10
	}
	if o.Slice <= 0 {
		o.Slice = 20 * time.Millisecond
	}
	counts := make([]int, len(cases))
	times := make([][]float64, len(cases))
	results := make([]Result, len(cases))
	for i, c := range cases {
		counts[i] = count(c.Run, o.Slice, time.Now)
		results[i] = Result{Group: c.Group, Name: c.Name, Bytes: c.Bytes, Allocs: allocs(c.Run)}
	}
	start := time.Now()
	for round := range o.Rounds {
		for i, c := range cases {
			t := time.Now()
			c.Run(counts[i])
			times[i] = append(times[i], float64(time.Since(t).Nanoseconds())/float64(counts[i]))
		}
		progress(o.Progress, start, round+1, o.Rounds)
	}
	for i := range results {
		slices.Sort(times[i])
		results[i].Nanos, results[i].Median = times[i][0], times[i][len(times[i])/2]
		if lost := cases[i].Lost; lost != nil {
			results[i].Lost = lost()
		}
	}
	return results
}

// count finds how many runs fill d, by a clock.
func count(run func(int), d time.Duration, now func() time.Time) int {
	timed := func(n int) time.Duration {
		t := now()
		run(n)
		return now().Sub(t)
	}
	for n := 1; ; n *= 2 {
		took := timed(n)
		if took > d/4 {
			// Once more: a moment without the processor would make all rounds
			// far too short, and what a run does at its end would be all they show.
			took = min(took, timed(n))
		}
		if took > d/4 || n > 1<<28 {
			return max(1, int(float64(n)*float64(d)/float64(took)))
		}
	}
}

func allocs(run func(int)) float64 {
	const n = 20
	run(1)
	var a, b runtime.MemStats
	runtime.ReadMemStats(&a)
	run(n)
	runtime.ReadMemStats(&b)
	return math.Floor(float64(b.Mallocs-a.Mallocs) / n)
}

func progress(w io.Writer, start time.Time, done, of int) {
	if w == nil {
		return
	}
	left := time.Duration(float64(time.Since(start)) / float64(done) * float64(of-done))
	fmt.Fprintf(w, "\r%d of %d rounds, %v left   ", done, of, left.Round(time.Second))
	if done == of {
		fmt.Fprintln(w)
	}
}

// Terminal returns standard error if a person sees it, else nil.
func Terminal() io.Writer {
	if st, err := os.Stderr.Stat(); err == nil && st.Mode()&os.ModeCharDevice != 0 {
		return os.Stderr
	}
	return nil
}

// Find returns the result of a group and name, or nil.
func Find(rs []Result, group, name string) *Result {
	for i := range rs {
		if rs[i].Group == group && rs[i].Name == name {
			return &rs[i]
		}
	}
	return nil
}

// Ratio is the geometric mean, over groups, of a's time over b's. Groups that
// lack one of them do not count.
func Ratio(rs []Result, a, b string, groups ...string) float64 {
	sum, n := 0.0, 0
	for _, g := range groups {
		x, y := Find(rs, g, a), Find(rs, g, b)
		if x != nil && y != nil {
			sum += math.Log(x.Nanos / y.Nanos)
			n++
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return math.Exp(sum / float64(n))
}
