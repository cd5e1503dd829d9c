//go:build !binary_log

package zerologsink_test

import (
	"os"
	"os/exec"
	"testing"
)

// TestWithBinaryLog runs TestBinaryLog, which needs zerolog's build tag.
// SLOGPACK_LONG=1 has it run: it compiles zerolog and this module once more.
func TestWithBinaryLog(t *testing.T) {
	if os.Getenv("SLOGPACK_LONG") != "1" {
		return
	}
	out, err := exec.Command("go", "test", "-tags", "binary_log", "-run", "TestBinaryLog", "-v", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
