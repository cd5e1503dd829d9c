package jsonwire

import (
	"math"
	"syscall"
	"time"
	"unsafe"
)

func cpuNow() time.Duration {
	var ts syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, 3, uintptr(unsafe.Pointer(&ts)), 0)
	return time.Duration(ts.Nano())
}

var calSink uint64

func calibrate() time.Duration {
	t := cpuNow()
	a, b, c, d, e, f := uint64(1), uint64(2), uint64(3), uint64(4), uint64(5), uint64(6)
	for i := uint64(0); i < 20000; i++ {
		a += i ^ 3
		b ^= i + 5
		c += i | 1
		d ^= i << 1
		e += i >> 1
		f ^= i & 7
	}
	calSink += a + b + c + d + e + f
	return cpuNow() - t
}

var calBest = time.Hour

type sample struct{ cal, took time.Duration }

// bestOf runs f until there are enough slices on a quiet core.
func quiet(rounds int, fs []func()) []float64 {
	all := make([][]sample, len(fs))
	for range rounds {
		for i, f := range fs {
			c1 := calibrate()
			t := cpuNow()
			f()
			d := cpuNow() - t
			c2 := calibrate()
			calBest = min(calBest, c1, c2)
			all[i] = append(all[i], sample{max(c1, c2), d})
		}
	}
	out := make([]float64, len(fs))
	for i := range fs {
		out[i] = math.Inf(1)
		n := 0
		for _, s := range all[i] {
			if float64(s.cal) < 1.04*float64(calBest) {
				out[i] = min(out[i], float64(s.took))
				n++
			}
		}
		if n < 5 {
			out[i] = math.NaN()
		}
	}
	return out
}
