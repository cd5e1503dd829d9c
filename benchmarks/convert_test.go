package benchmarks

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"testing"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/slogpack/slogpack/benchmarks/internal/convert"
	"github.com/slogpack/slogpack/benchmarks/internal/corpus"
)

func docs(tb testing.TB) []corpus.Doc {
	tb.Helper()
	all, err := corpus.All()
	if err != nil {
		tb.Skip(err) // a Go installation without its test data
	}
	return all
}

// BenchmarkConvert measures every converter on every document, one after the
// other, so that a ratio of two of them is of one run.
func BenchmarkConvert(b *testing.B) {
	for _, d := range docs(b) {
		for _, c := range convert.All() {
			b.Run(d.Name+"/"+c.Name, func(b *testing.B) {
				var dst []byte
				b.SetBytes(int64(len(d.Data)))
				b.ReportAllocs()
				for b.Loop() {
					var err error
					if dst, err = convert.Doc(dst[:0], c.Converter, d.Data, d.Lines); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestConverters: every contender's output has the document's values, so that
// none is fast by being wrong.
func TestConverters(t *testing.T) {
	for _, d := range docs(t) {
		want := values(t, d)
		for _, c := range convert.All() {
			out, err := convert.Doc(nil, c, d.Data, d.Lines)
			if err != nil {
				t.Errorf("%s: %s: %v", d.Name, c.Name, err)
				continue
			}
			dec := msgpack.NewDecoder(bytes.NewReader(out))
			var got []any
			for {
				v, err := dec.DecodeInterface()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatalf("%s: %s: %v", d.Name, c.Name, err)
				}
				got = append(got, asFloats(v))
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s differs from encoding/json", d.Name, c.Name)
			}
		}
	}
}

func values(t *testing.T, d corpus.Doc) (vs []any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(d.Data))
	for {
		var v any
		err := dec.Decode(&v)
		if err == io.EOF {
			return vs
		}
		if err != nil {
			t.Fatal(err)
		}
		vs = append(vs, v)
	}
}

// asFloats makes all numbers float64, as encoding/json has them.
func asFloats(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = asFloats(e)
		}
		return v
	case []any:
		for i, e := range v {
			v[i] = asFloats(e)
		}
		return v
	}
	rv := reflect.ValueOf(v)
	switch {
	case !rv.IsValid():
	case rv.CanInt():
		return float64(rv.Int())
	case rv.CanUint():
		return float64(rv.Uint())
	}
	return v
}

// TestConvertAllocs: with a reused Converter and enough room nothing is
// allocated.
func TestConvertAllocs(t *testing.T) {
	for _, d := range docs(t) {
		c := convert.Ours()
		dst, err := convert.Doc(nil, c, d.Data, d.Lines)
		if err != nil {
			t.Fatalf("%s: %v", d.Name, err)
		}
		if n := testing.AllocsPerRun(5, func() { dst, _ = convert.Doc(dst[:0], c, d.Data, d.Lines) }); n > 0 {
			t.Errorf("%s: %v allocations", d.Name, n)
		}
	}
}
