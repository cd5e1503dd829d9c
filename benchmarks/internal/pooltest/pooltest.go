// Package pooltest is what pooltable and the report measure the pool by.
package pooltest

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/slogpack/slogpack/benchmarks/internal/peers"
	"github.com/slogpack/slogpack/benchmarks/internal/scenario"
)

const (
	// Limit is the memory limit that each contender runs under.
	Limit = "64MiB"
	// Fresh names the handler without its pool.
	Fresh = "slogpack without pool"
	// own is what the program allocates a record besides logging.
	own = 128
	// live is how many objects the program holds, for the collector to walk.
	live = 200_000
)

// Result is what one contender did.
type Result struct {
	Name        string
	Records     int
	Nanos       int64   // in all
	Collections uint32  // of the garbage collector
	GCSeconds   float64 // of processor time in them
	Bytes       uint64  // allocated, the program's own 128 a record included
}

// PerSecond is the throughput in records.
func (r *Result) PerSecond() float64 { return float64(r.Records) / (float64(r.Nanos) / 1e9) }

// node is an object that the program holds.
type node struct {
	next *node
	_    [6]int
}

// copier is a writer that copies, as a writer into a buffer does.
type copier struct{ buf [64 << 10]byte }

func (c *copier) Write(p []byte) (int, error) { return copy(c.buf[:], p), nil }

// Run logs n records by the peer of that name.
func Run(name string, n int) (Result, error) {
	s := scenario.Named("ten")
	for _, p := range peers.Handlers() {
		if p.Name != name {
			continue
		}
		h := s.Derive(p.New(&copier{}, &s))
		r := s.Record()
		var held *node
		for range live {
			held = &node{next: held}
		}
		ctx := context.Background()
		for range 1000 {
			_ = h.Handle(ctx, r)
		}
		size := own + len(name) - len(p.Name) // not known to the compiler
		before := read()
		start := time.Now()
		var mine []byte // what the program allocates for itself, on the heap since its size is no constant
		for range n {
			mine = make([]byte, size)
			if err := h.Handle(ctx, r); err != nil {
				return Result{}, err
			}
		}
		took := time.Since(start)
		runtime.KeepAlive(mine)
		after := read()
		runtime.KeepAlive(held)
		return Result{
			Name: name, Records: n, Nanos: took.Nanoseconds(),
			Collections: after.collections - before.collections,
			GCSeconds:   after.gc - before.gc,
			Bytes:       after.bytes - before.bytes,
		}, nil
	}
	return Result{}, fmt.Errorf("no peer is called %q", name)
}

type reading struct {
	collections uint32
	gc          float64
	bytes       uint64
}

func read() reading {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}}
	metrics.Read(s)
	return reading{m.NumGC, s[0].Value.Float64(), m.TotalAlloc}
}

// Table is results for people; the first is compared with the second.
func Table(rs []Result) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s, one core, %d records of ten attrs, %d bytes a record of the program's own\n\n", Limit, rs[0].Records, own)
	fmt.Fprintln(w, "\trecords/s\tcollections\tcollection time\tallocated")
	for _, r := range rs {
		fmt.Fprintf(w, "%s\t%.0f\t%d\t%.0f ms\t%.0f MB\n", r.Name, r.PerSecond(), r.Collections, r.GCSeconds*1e3, float64(r.Bytes)/1e6)
	}
	a, f := &rs[0], &rs[1]
	fmt.Fprintf(w, "\nwith the pool\t%+.0f %%\t%+.0f %%\t%+.0f %%\t%+.0f %%\n",
		change(a.PerSecond(), f.PerSecond()), change(float64(a.Collections), float64(f.Collections)),
		change(a.GCSeconds, f.GCSeconds), change(float64(a.Bytes), float64(f.Bytes)))
	w.Flush()
	return b.String()
}

func change(with, without float64) float64 { return 100 * (with/without - 1) }
