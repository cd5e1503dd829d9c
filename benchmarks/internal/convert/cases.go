package convert

import (
	"time"

	"github.com/slogpack/slogpack/benchmarks/internal/corpus"
	"github.com/slogpack/slogpack/benchmarks/internal/measure"
)

// Cases are all converters on all documents.
func Cases(docs []corpus.Doc) []measure.Case {
	var cases []measure.Case
	for _, d := range docs {
		for _, c := range All() {
			dst := make([]byte, 0, 2*len(d.Data)+64)
			cases = append(cases, measure.Case{
				Group: d.Name, Name: c.Name, Bytes: len(d.Data),
				Run: func(n int) {
					for range n {
						// An error was excluded by the tests.
						dst, _ = Doc(dst[:0], c.Converter, d.Data, d.Lines)
					}
				},
			})
		}
	}
	return cases
}

// Slices makes the slices of o long enough for what a contender allocates to be
// collected within each.
func Slices(o measure.Options) measure.Options {
	o.Slice = max(o.Slice, 100*time.Millisecond)
	return o
}
