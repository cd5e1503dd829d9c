package jsonwire

import (
	"math"
	"strconv"
	"testing"
)

func BenchmarkAppendInt(b *testing.B) {
	for _, v := range []int64{7, 42, 200, 8080, -12345, 1234567, 1234567890, 1234567890123, math.MaxInt64} {
		name := strconv.FormatInt(v, 10)
		dst := make([]byte, 0, 64)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				dst = AppendInt(dst[:0], v)
			}
		})
		b.Run(name+"/strconv", func(b *testing.B) {
			for b.Loop() {
				dst = strconv.AppendInt(dst[:0], v, 10)
			}
		})
	}
}

func BenchmarkAppendFloat(b *testing.B) {
	for _, v := range []float64{0, 3, 1e6, 0.5, 3.14, -12.345, 99.999999, 0.001234567, 123456.789, 1.0 / 3, math.Pi * 1e9, 1e-9, 1e100} {
		name := strconv.FormatFloat(v, 'g', -1, 64)
		dst := make([]byte, 0, 64)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				dst = AppendFloat(dst[:0], v, 64)
			}
		})
		b.Run(name+"/strconv", func(b *testing.B) {
			for b.Loop() {
				dst = appendShortest(dst[:0], v, 64)
			}
		})
	}
}
