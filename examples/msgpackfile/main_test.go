package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRun: what was written is read back by package and command.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(context.Background(), &out, ""); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	const shown = records / 250 // errors
	if len(lines) != 4+shown {
		t.Fatalf("got %d lines:\n%s", len(lines), out.String())
	}
	var n, packed, text int
	if _, err := fmt.Sscanf(lines[0], "%d records: %d bytes of MessagePack, %d as JSON", &n, &packed, &text); err != nil {
		t.Fatalf("%v: %s", err, lines[0])
	}
	if n != records || packed == 0 || packed >= text {
		t.Errorf("got %s", lines[0])
	}
	var first struct {
		Time         time.Time
		Msg, Service string
		Request      struct{ Path string }
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(lines[1], "the first: ")), &first); err != nil {
		t.Fatalf("%v: %s", err, lines[1])
	}
	if first.Time.IsZero() || first.Msg != "answered" || first.Service != "shop" || first.Request.Path != "/items/7" {
		t.Errorf("got %s", lines[1])
	}
	if want := fmt.Sprintf("%d records read back", records); lines[2] != want {
		t.Errorf("got %q, want %q", lines[2], want)
	}
	for i, line := range lines[4:] {
		id := fmt.Sprintf("request.id=%d ", 250*i+249)
		for _, want := range []string{"ERROR", "no answer", id, "connection reset"} {
			if !strings.Contains(line, want) {
				t.Errorf("%q is not in %q", want, line)
			}
		}
	}
}

// TestKeep: a file is kept, and no other is written over.
func TestKeep(t *testing.T) {
	name := filepath.Join(t.TempDir(), "app.msgpack")
	var out bytes.Buffer
	if err := write(name, &out); err != nil {
		t.Fatal(err)
	}
	if err := read(name, &out); err != nil {
		t.Fatal(err)
	}
	if err := write(name, &out); err == nil {
		t.Error("the file was written over")
	}
}
