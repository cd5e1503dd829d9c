// Command converttable compares ways from JSON to MessagePack: the three
// algorithms of the published comparison (a tree, nested buffers, two passes)
// over one tokenizer, libraries, and slogpack.
//
//	go run ./cmd/converttable
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
	"text/tabwriter"

	"github.com/slogpack/slogpack/benchmarks/internal/convert"
	"github.com/slogpack/slogpack/benchmarks/internal/corpus"
	"github.com/slogpack/slogpack/benchmarks/internal/measure"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("converttable: ")
	rounds := flag.Int("rounds", 10, "rounds; the lowest time of all counts")
	flag.Parse()
	runtime.GOMAXPROCS(1)
	docs, err := corpus.All()
	if err != nil {
		log.Fatal(err)
	}
	rs := measure.All(convert.Cases(docs), convert.Slices(measure.Options{Rounds: *rounds, Progress: measure.Terminal()}))
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "MB/s\t")
	for _, d := range docs {
		fmt.Fprintf(w, "%s\t", d.Name)
	}
	fmt.Fprintln(w)
	for _, c := range convert.All() {
		fmt.Fprintf(w, "%s\t", c.Name)
		for _, d := range docs {
			fmt.Fprintf(w, "%.0f\t", measure.Find(rs, d.Name, c.Name).MBs())
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}
