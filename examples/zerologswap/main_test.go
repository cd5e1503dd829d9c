package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/slogpack/slogpack/handler/zerologsink"
)

// line is a record as far as the tests look into it.
type line struct {
	Level, Service, Message string
	Time                    time.Time
	N                       int
}

func decode(t *testing.T, buf *bytes.Buffer) (lines []line) {
	t.Helper()
	for text := range bytes.Lines(buf.Bytes()) {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if l.Time.IsZero() {
			t.Errorf("no time: %s", text)
		}
		lines = append(lines, l)
	}
	return lines
}

var times = regexp.MustCompile(`"time":"[^"]*"|(?m:^[0-9]+:[0-9]+[AP]M)`)

// TestSame: the two write the same bytes everywhere, but for the time.
func TestSame(t *testing.T) {
	var b, a sinks
	before(&b)
	after(&a)
	for name, out := range map[string][2]string{
		"people":   {b.people.String(), a.people.String()},
		"machines": {b.machines.String(), a.machines.String()},
		"errors":   {b.errors.String(), a.errors.String()},
	} {
		before, after := times.ReplaceAllString(out[0], "T"), times.ReplaceAllString(out[1], "T")
		if before != after || before == "" || !strings.Contains(before, "T") {
			t.Errorf("%s: before\n%safter\n%s", name, before, after)
		}
	}
	var levels []string
	for _, l := range decode(t, &a.machines) {
		levels = append(levels, l.Level)
		if l.Service != "shop" {
			t.Errorf("no service: %+v", l)
		}
	}
	if got := fmt.Sprint(levels); got != "[debug info warn error]" {
		t.Errorf("got the levels %s", got)
	}
	if got := decode(t, &a.errors); len(got) != 1 || got[0].Level != "error" {
		t.Errorf("got the errors %+v", got)
	}
}

func TestTogether(t *testing.T) {
	var s sinks
	together(&s)
	for i, l := range decode(t, &s.machines) {
		if l.N != i+1 {
			t.Errorf("record %d is %+v", i+1, l)
		}
	}
	if n := len(decode(t, &s.errors)); n != 2 {
		t.Errorf("got %d errors, want 2", n)
	}
}

// TestTurns: many goroutines of both kinds never mix their records.
func TestTurns(t *testing.T) {
	var s sinks
	out := zerologsink.Writer(s.writer())
	old := zerolog.New(out).With().Timestamp().Logger()
	logger := slog.New(zerologsink.New(out))
	const each = 100
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(2)
		go func() {
			defer wg.Done()
			for i := range each {
				old.Error().Int("n", i).Msg("by zerolog")
			}
		}()
		go func() {
			defer wg.Done()
			for i := range each {
				logger.Error("by slog", "n", i)
			}
		}()
	}
	wg.Wait()
	for _, buf := range []*bytes.Buffer{&s.machines, &s.errors} {
		if n := len(decode(t, buf)); n != 8*each {
			t.Errorf("got %d records, want %d", n, 8*each)
		}
	}
}

// TestRun: everything is shown.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), "\n# ") + 1; got != 9 {
		t.Errorf("got %d parts:\n%s", got, out.String())
	}
}
