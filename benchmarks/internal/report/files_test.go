package report

import (
	"strings"
	"testing"

	"github.com/slogpack/slogpack/benchmarks/internal/measure"
	"github.com/slogpack/slogpack/benchmarks/internal/suite"
)

// TestFileGoals: what is taken for the goals is the worst, our own unbuffered
// file is no peer, and results without the section say that it is not measured.
func TestFileGoals(t *testing.T) {
	result := func(scenario, name string, nanos float64) measure.Result {
		return measure.Result{Group: "file/" + scenario, Name: name, Nanos: nanos, Lost: 0.25}
	}
	for _, tt := range []struct {
		name  string
		files []measure.Result
		over  string
		times string
		mark  string
	}{
		{"nothing measured", nil, "not measured", "not measured", ""},
		{"one scenario", []measure.Result{
			result("three", suite.NoFile, 100), result("three", suite.SinkFile, 120), result("three", suite.Slogpack, 130),
			result("three", "phuslu", 720), result("three", "log/slog", 1200),
		}, "1.20 (three)", "6.00 (phuslu, three)", "reached"},
		{"a native logger counts", []measure.Result{
			result("ten", suite.NoFile, 100), result("ten", suite.SinkFile, 150), result("ten", "phuslu", 900), result("ten", "zerolog native", 600),
		}, "1.50 (ten)", "4.00 (zerolog native, ten)", "**not reached**"},
		{"two", []measure.Result{
			result("none", suite.NoFile, 100), result("none", suite.SinkFile, 100), result("none", "log/slog", 1000),
			result("ten", suite.NoFile, 100), result("ten", suite.SinkFile, 200), result("ten", "log/slog", 400),
		}, "2.00 (ten)", "2.00 (log/slog, ten)", "**not reached**"},
	} {
		d := &Data{Files: tt.files}
		goals := d.fileGoals()
		for i, want := range []string{tt.over, tt.times} {
			mark, _, _ := strings.Cut(goals[i].mark(), ": ") // the reason is behind that
			if got := goals[i].got() + note(goals[i].Note); got != want || mark != tt.mark {
				t.Errorf("%s: %q %q, want %q %q", tt.name, got, mark, want, tt.mark)
			}
		}
		if text := table(d.Files, "file/", fileColumns(), lossy); strings.Contains(text, "25.0 % lost") != (len(tt.files) > 0) {
			t.Errorf("%s: %s", tt.name, text)
		}
	}
}
