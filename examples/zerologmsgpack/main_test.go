package main

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Every record comes back whole, with what zerolog put into it, and the file
// is gone.
func TestRun(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var out, told bytes.Buffer
	if err := run(&out, &told); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	type record struct {
		Level, Service, Message, Error, Name string
		Time, Due                            time.Time
		Request                              struct{ Status int }
		Took, Used                           float64
		Ports                                []int
		Worker, Job                          *int
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	var records []record
	jobs := map[[2]int]bool{}
	for _, l := range lines {
		var r record
		if err := json.Unmarshal([]byte(l), &r); err != nil {
			t.Fatalf("%v: %s", err, l)
		}
		if r.Service != "shop" || r.Time.IsZero() {
			t.Errorf("lacks a field: %s", l)
		}
		if r.Worker != nil && r.Job != nil {
			jobs[[2]int{*r.Worker, *r.Job}] = true
		}
		records = append(records, r)
	}
	if len(records) != 26 || len(jobs) != 20 {
		t.Fatalf("%d records, %d jobs:\n%s", len(records), len(jobs), out.String())
	}
	if r := records[0]; r.Level != "info" || len(r.Ports) != 2 || r.Ports[1] != 9090 {
		t.Errorf("%+v", r)
	}
	if r := records[1]; r.Request.Status != 200 || r.Took != 1.234 {
		t.Errorf("%+v", r)
	}
	if r := records[2]; !r.Due.Equal(time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)) || r.Used != 0.93 {
		t.Errorf("%+v", r)
	}
	if r := records[3]; r.Level != "error" || !strings.Contains(r.Error, "no-such-file") {
		t.Errorf("%+v", r)
	}
	if r := records[4]; r.Name != "Zoë \"Z\" \x1b[31m\ufffd" {
		t.Errorf("%+v", r)
	}
	if want := regexp.MustCompile(`^26 records, \d+ bytes of JSON from zerolog, \d+ bytes of MessagePack in the file\n$`); !want.MatchString(told.String()) {
		t.Errorf("told %q", told.String())
	}
	if entries, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v %v", entries, err)
	}
}
