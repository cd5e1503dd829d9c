package main

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
)

// peakMemory returns the most memory that the process has had, in bytes, and
// where that is known from.
func peakMemory() (n uint64, how string) {
	// Linux counts all of it, the program's code included.
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		for line := range bytes.Lines(status) {
			if rest, ok := bytes.CutPrefix(line, []byte("VmHWM:")); ok {
				kib := bytes.TrimSuffix(bytes.TrimSpace(rest), []byte(" kB"))
				if n, err := strconv.ParseUint(string(kib), 10, 64); err == nil {
					return n << 10, "resident, from the system"
				}
			}
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys, "taken from the system by the Go runtime"
}
