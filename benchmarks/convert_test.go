package benchmarks

import (
	"bytes"
	"testing"

	"github.com/slogpack/slogpack/benchmarks/internal/convert"
	"github.com/slogpack/slogpack/benchmarks/internal/corpus"
	"github.com/slogpack/slogpack/jsonmsgpack"
)

func docs(tb testing.TB) []corpus.Doc {
	tb.Helper()
	all, err := corpus.All()
	if err != nil {
		tb.Skip(err) // a Go installation without its test data
	}
	return all
}

func converters() map[string]convert.Converter {
	return map[string]convert.Converter{
		"slogpack":      convert.Ours(),
		"slogpack-wide": convert.Ours(jsonmsgpack.Wide()),
		"std+msgpack":   convert.Std{},
	}
}

// convertDoc converts each document in d.
func convertDoc(dst []byte, c convert.Converter, d corpus.Doc) ([]byte, error) {
	if !d.Lines {
		return c.Append(dst, d.Data)
	}
	var err error
	for line := range bytes.Lines(d.Data) {
		if dst, err = c.Append(dst, line); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// BenchmarkConvert measures every converter on every document, one after the
// other, so that a ratio of two of them is of one run.
func BenchmarkConvert(b *testing.B) {
	for _, d := range docs(b) {
		for _, name := range []string{"slogpack", "slogpack-wide", "std+msgpack"} {
			c := converters()[name]
			b.Run(d.Name+"/"+name, func(b *testing.B) {
				var dst []byte
				b.SetBytes(int64(len(d.Data)))
				b.ReportAllocs()
				for b.Loop() {
					var err error
					if dst, err = convertDoc(dst[:0], c, d); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestConvertAllocs: with a reused Converter and enough room nothing is
// allocated.
func TestConvertAllocs(t *testing.T) {
	for _, d := range docs(t) {
		c := convert.Ours()
		dst, err := convertDoc(nil, c, d)
		if err != nil {
			t.Fatalf("%s: %v", d.Name, err)
		}
		if n := testing.AllocsPerRun(5, func() { dst, _ = convertDoc(dst[:0], c, d) }); n > 0 {
			t.Errorf("%s: %v allocations", d.Name, n)
		}
	}
}
