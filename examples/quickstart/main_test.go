package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// line is a record as far as the tests look into it.
type line struct {
	Time      time.Time
	Level     string
	Msg       string
	Service   string
	RequestID string `json:"request_id"`
	Source    struct {
		File string
		Line int
	}
	Request  *struct{ Method, Path, Agent string }
	Status   int
	Bytes    int64
	Duration int64
	Error    string
	Order    *struct {
		Item string
		Note string
	}
}

func runOnce(t *testing.T) (first, again []string) {
	t.Helper()
	var out, told bytes.Buffer
	if err := run(context.Background(), &out, &told); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if !utf8.Valid(out.Bytes()) {
		t.Error("invalid UTF-8 on standard output")
	}
	lines := strings.SplitAfter(out.String(), "\n")
	if last := len(lines) - 1; lines[last] != "" {
		t.Errorf("the last line has no newline: %q", lines[last])
	}
	lines = lines[:len(lines)-1]
	if len(lines)%2 != 0 {
		t.Fatalf("%d lines, want each twice:\n%s", len(lines), out.String())
	}
	return lines[:len(lines)/2], lines[len(lines)/2:]
}

// Every line is a record with all its fields, and what clients and broken
// values put into it stays inside the field it belongs to.
func TestRecords(t *testing.T) {
	lines, _ := runOnce(t)
	var answered []line
	for i, text := range lines {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("line %d: %v: %s", i+1, err, text)
		}
		if l.Time.IsZero() || l.Level == "" || l.Service != "quickstart" || l.RequestID == "" {
			t.Errorf("line %d lacks a field: %s", i+1, text)
		}
		if !strings.HasSuffix(l.Source.File, ".go") || l.Source.Line == 0 {
			t.Errorf("line %d: source %+v", i+1, l.Source)
		}
		if l.Request != nil {
			answered = append(answered, l)
		}
		if l.Order != nil && (l.Order.Item != "tea" || !strings.HasPrefix(l.Order.Note, "!PANIC")) {
			t.Errorf("line %d: the note shall cost its own field only: %s", i+1, text)
		}
	}
	if len(answered) != len(requests) {
		t.Fatalf("%d request records, want %d", len(answered), len(requests))
	}
	for i, l := range answered {
		q := requests[i]
		if l.Request.Method != q.method || l.Status != q.status || l.Level != levelOf(q.status).String() {
			t.Errorf("request %d: got %s %d %s, want %s %d", i+1, l.Request.Method, l.Status, l.Level, q.method, q.status)
		}
		if wantErr := q.status >= 400 && q.method != "PUT"; (l.Error != "") != wantErr {
			t.Errorf("request %d: error %q", i+1, l.Error)
		}
		if l.Duration <= 0 {
			t.Errorf("request %d: duration %d", i+1, l.Duration)
		}
	}
	if got, want := answered[4].Request.Path, "/items/\n{\"level\":\"INFO\"}"; got != want {
		t.Errorf("path %q, want %q", got, want)
	}
	if got, want := answered[5].Request.Path, "/items/\uFFFDé\x1b[31m"; got != want {
		t.Errorf("path %q, want %q", got, want)
	}
	if strings.Contains(strings.Join(lines, ""), "\x1b") {
		t.Error("a terminal control went through unescaped")
	}
}

// The streamed records are the same bytes as those written one by one.
func TestStreamed(t *testing.T) {
	first, again := runOnce(t)
	for i := range first {
		if first[i] != again[i] {
			t.Errorf("line %d\nwritten  %sstreamed %s", i+1, first[i], again[i])
		}
	}
}

// An interrupted run ends with an error and without half a record.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, told bytes.Buffer
	if err := run(ctx, &out, &told); err == nil {
		t.Error("no error")
	}
	if n := out.Len(); n > 0 && out.Bytes()[n-1] != '\n' {
		t.Errorf("torn record: %q", out.String())
	}
}
