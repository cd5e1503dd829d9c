package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
)

type line struct {
	Level, Msg        string
	Order, Suppressed int
}

func decode(t *testing.T, data []byte) (lines []line) {
	t.Helper()
	for text := range bytes.Lines(data) {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		lines = append(lines, l)
	}
	return lines
}

// TestRun: all errors come through, and every other record comes through or is
// counted.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(&out, io.Discard); err != nil {
		t.Fatal(err)
	}
	errors, infos, suppressed := 0, 0, 0
	for _, l := range decode(t, out.Bytes()) {
		switch l.Level {
		case "ERROR":
			errors++
		case "INFO":
			infos++
		default:
			if l.Msg != "records suppressed" || l.Suppressed < 1 {
				t.Errorf("unexpected %+v", l)
			}
			suppressed += l.Suppressed
		}
	}
	if want := workers * perWorker / errorEvery; errors != want {
		t.Errorf("got %d errors, want %d", errors, want)
	}
	if sent := workers * perWorker; errors+infos+suppressed != sent {
		t.Errorf("%d errors, %d others and %d suppressed do not make %d", errors, infos, suppressed, sent)
	}
	if infos < 20 {
		t.Errorf("only %d records of a burst of 20 came through", infos)
	}
	if suppressed == 0 {
		t.Error("nothing was suppressed")
	}
}

// TestLimiter goes through the bucket by a clock of its own.
func TestLimiter(t *testing.T) {
	now := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	limit := newLimiter(2, 3, func() time.Time { return now })
	var out bytes.Buffer
	logger := slog.New(handler.New(&out, handler.WithFilter(limit.filter)))
	for i, step := range []struct {
		after      time.Duration
		sent, want int
	}{
		{0, 5, 3},                      // the burst
		{499 * time.Millisecond, 1, 0}, // not yet a token
		{time.Millisecond, 2, 1},
		{10 * time.Second, 9, 3}, // no more than the burst is kept
		{500 * time.Millisecond, 2, 1},
	} {
		now = now.Add(step.after)
		out.Reset()
		for range step.sent {
			logger.Info("m")
		}
		logger.Error("always")
		lines := decode(t, out.Bytes())
		if len(lines) != step.want+1 || lines[len(lines)-1].Level != "ERROR" {
			t.Errorf("step %d: got %d lines besides the error, want %d: %s", i, len(lines)-1, step.want, out.String())
		}
	}
	out.Reset()
	limit.report(context.Background(), logger)
	limit.report(context.Background(), logger) // has nothing to say
	if lines := decode(t, out.Bytes()); len(lines) != 1 || lines[0].Suppressed != 11 || lines[0].Level != "WARN" {
		t.Errorf("got %s", out.String())
	}
}
