// Command convertlarge converts a JSON document larger than the memory it may
// use: a generator writes the document into a pipe, ConvertAt reads it from
// there and writes MessagePack to a temporary file. Then it reads the file back
// to see that all is there, and ends by itself.
//
//	go run ./examples/convertlarge              # 500 MB
//	go run ./examples/convertlarge -size 4000   # 4 GB, in the same memory
//
// Progress goes to standard error, the results to standard output. debug.
// SetMemoryLimit holds the garbage collector to 64 MiB; the document itself is
// never in memory, neither as JSON nor as MessagePack.
//
// File map: main.go (the conversion), generate.go (the document), check.go
// (reading back), memory.go (how much memory it took), progress.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"time"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// memoryLimit is what the Go runtime tries to stay below.
const memoryLimit = 64 << 20

func main() {
	size := flag.Int64("size", 500, "size of the document in `MB`")
	flag.Parse()
	if *size < 1 || *size > 1e6 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "convertlarge: -size must be from 1 to 1000000 MB, and there are no other arguments")
		os.Exit(2)
	}
	debug.SetMemoryLimit(memoryLimit)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *size*1e6, os.Stdout, os.Stderr); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "convertlarge:", err)
		os.Exit(1)
	}
}

// run generates and converts a document of about size bytes and prints what it
// took. The temporary file is gone when it returns.
func run(ctx context.Context, size int64, stdout, stderr io.Writer) (err error) {
	f, err := os.CreateTemp("", "convertlarge-*.msgpack")
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}()

	begun := time.Now()
	stats, records, err := convert(ctx, f, size, stderr)
	if err != nil {
		return err
	}
	took := time.Since(begun)
	peak, how := peakMemory()
	if err := check(f, stats.Out, records); err != nil {
		return fmt.Errorf("reading back: %w", err)
	}

	fmt.Fprintf(stdout, "in           %d bytes of JSON, one document of %d records\n", stats.In, records)
	fmt.Fprintf(stdout, "out          %d bytes of MessagePack, %.1f %% of that, read back whole\n", stats.Out, 100*float64(stats.Out)/float64(stats.In))
	fmt.Fprintf(stdout, "time         %.1f s, %.0f MB/s, generating included\n", took.Seconds(), float64(stats.In)/1e6/took.Seconds())
	fmt.Fprintf(stdout, "peak memory  %.1f MiB (%s), limit %d MiB\n", float64(peak)/(1<<20), how, memoryLimit>>20)
	return nil
}

// convert runs the generator and the conversion side by side.
func convert(ctx context.Context, f *os.File, size int64, stderr io.Writer) (stats jsonmsgpack.Stats, records int64, err error) {
	r, w := io.Pipe()
	generated := make(chan int64)
	go func() {
		n, err := generate(w, size)
		// Without an error this is the end of the document.
		w.CloseWithError(err)
		generated <- n
	}()
	// An interruption is an error of the pipe, which ends both sides.
	defer context.AfterFunc(ctx, func() { w.CloseWithError(context.Cause(ctx)) })()

	p := &progress{w: stderr, total: size, begun: time.Now()}
	stats, err = jsonmsgpack.NewConverter().ConvertAt(f, p.reader(r))
	p.end()
	// If the conversion failed, the generator must not wait for it any longer.
	r.CloseWithError(err)
	return stats, <-generated, err
}
