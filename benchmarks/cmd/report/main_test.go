package main

import "testing"

// TestWritten: RESULTS.md, the charts and the README say what was measured last.
func TestWritten(t *testing.T) {
	t.Chdir("../..")
	if err := run(0, 0, false, true); err != nil {
		t.Error(err)
	}
}
