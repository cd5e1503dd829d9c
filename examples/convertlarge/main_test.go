package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
)

// A small run prints its results, and leaves no file behind.
func TestRun(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var out, told bytes.Buffer
	if err := run(context.Background(), 3e6, &out, &told); err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^in +30\d{5} bytes of JSON, one document of \d+ records
out +\d{7} bytes of MessagePack, \d\d\.\d % of that, read back whole
time +\d+\.\d s, \d+ MB/s, generating included
peak memory +\d+\.\d MiB \(.+\), limit 64 MiB
$`)
	if !want.Match(out.Bytes()) {
		t.Errorf("standard output:\n%s", out.String())
	}
	if !strings.Contains(told.String(), "of 3 MB") {
		t.Errorf("progress: %q", told.String())
	}
	empty(t)
}

func empty(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir(os.Getenv("TMPDIR"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		t.Errorf("left behind: %s", e.Name())
	}
}

// What is generated is JSON, and each run makes the same.
func TestGenerate(t *testing.T) {
	var a, b bytes.Buffer
	n, err := generate(&a, 100000)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Records []struct{ ID int64 } }
	if err := json.Unmarshal(a.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if int64(len(doc.Records)) != n || doc.Records[n-1].ID != n-1 {
		t.Errorf("%d records, want %d", len(doc.Records), n)
	}
	if _, err := generate(&b, 100000); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two runs make two documents")
	}
}

// Interrupted, it ends with an error and cleans up.
func TestInterrupted(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, told bytes.Buffer
	if err := run(ctx, 1e12, &out, &told); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	empty(t)
}

// Keys are counted once each, however the pieces are cut.
func TestRecordCounter(t *testing.T) {
	text := strings.Repeat(`{"sensor":1},`, 20)
	for size := 1; size < 40; size++ {
		var c recordCounter
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			c.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		if c.n != 20 {
			t.Errorf("pieces of %d: %d", size, c.n)
		}
	}
}
