//go:build !linux

package sink_test

import "os"

func child(string) { os.Exit(2) }
