package main

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// rows are the sizes in a table, by format.
func rows(t *testing.T, text string) map[string][3]float64 {
	t.Helper()
	found := map[string][3]float64{}
	for _, m := range regexp.MustCompile(`(?m)^\| (JSON|MessagePack|Forward) \| (\d+) \| (\d+) \| (\d+) \| \d+ \|$`).FindAllStringSubmatch(text, -1) {
		var v [3]float64
		for i := range v {
			v[i], _ = strconv.ParseFloat(m[2+i], 64) // digits
		}
		found[m[1]] = v
	}
	if len(found) != 3 {
		t.Fatalf("formats found: %v", found)
	}
	return found
}

// TestREADME: the README says what this program prints. gzip may differ a little
// by Go version.
func TestREADME(t *testing.T) {
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(&out, 100_000); err != nil {
		t.Fatal(err)
	}
	said := rows(t, string(text))
	for name, got := range rows(t, out.String()) {
		want := said[name]
		if got[0] != want[0] || math.Abs(got[1]-want[1]) > 3 || math.Abs(got[2]-want[2]) > 3 {
			t.Errorf("%s: measured %v, the README says %v", name, got, want)
		}
	}
}
