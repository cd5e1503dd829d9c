// Package scenario has the records that handlers are measured on.
package scenario

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"time"
)

// Scenario is one kind of log call.
type Scenario struct {
	Name    string
	Message string
	With    []slog.Attr // given to WithAttrs once
	Attrs   []slog.Attr
	Source  bool // the handler adds the place in the source
	GCP     bool // keys and levels of Google Cloud
	Err     error
}

// At is the time of all records: with a fraction, as the clock has it, in UTC.
var at = time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC)

const message = "the quick brown fox jumps over the lazy dog"

// Three and Ten are the attrs of the scenarios of these names.
func Three() []slog.Attr {
	return []slog.Attr{
		slog.String("method", "GET"), slog.Int("status", 200), slog.Duration("took", 1234567),
	}
}

// Ten is an ordinary request's attrs.
func Ten() []slog.Attr {
	return append(Three(),
		slog.String("path", "/api/v1/users/42"), slog.Bool("cached", true), slog.Float64("ratio", 0.75),
		slog.Uint64("bytes", 53421), slog.Int64("user", 424242), slog.String("remote", "10.1.2.3:44321"),
		slog.Time("since", at))
}

// All returns every scenario.
func All() []Scenario {
	return []Scenario{
		{Name: "none", Message: message},
		{Name: "three", Message: message, Attrs: Three()},
		{Name: "ten", Message: message, Attrs: Ten()},
		{Name: "with", Message: message, With: Ten(), Attrs: Three()},
		{Name: "groups", Message: message, Attrs: []slog.Attr{
			slog.Group("request", slog.String("method", "GET"),
				slog.Group("url", slog.String("path", "/x"), slog.String("host", "example.org"))),
			slog.Group("response", slog.Int("status", 200)),
		}},
		{Name: "escapes", Message: "line one\nline \"two\"\t\\ end", Attrs: []slog.Attr{
			slog.String("text", "a \"quoted\" word\nand a new line"), slog.String("utf8", "grüße, 世界"), slog.String("path", `C:\dir\file`),
		}},
		{Name: "any", Message: message, Attrs: []slog.Attr{
			slog.Any("point", Point{1, 2}), slog.Any("ints", []int{1, 2, 3, 4}), slog.Any("names", []string{"a", "b", "c"}),
		}},
		{Name: "error", Message: message, Attrs: []slog.Attr{slog.Any("err", errors.New("connection refused"))}},
		{Name: "source", Message: message, Attrs: Three(), Source: true},
		{Name: "gcp", Message: message, Attrs: Three(), GCP: true},
	}
}

// Point is a struct for the scenario any.
type Point struct {
	X int `json:"x"`
	Y int `json:"y"`
}

// Core are the scenarios of which geometric means are taken.
func Core() []string { return []string{"none", "three", "ten", "with", "groups", "escapes"} }

// Named returns the scenario of that name; an unknown one is a mistake in the
// caller and panics.
func Named(name string) Scenario {
	for _, s := range All() {
		if s.Name == name {
			return s
		}
	}
	panic("scenario: no " + name)
}

// Derive returns h with the scenario's With attrs.
func (s *Scenario) Derive(h slog.Handler) slog.Handler {
	if len(s.With) > 0 {
		h = h.WithAttrs(s.With)
	}
	return h
}

// Record returns the record, made at this place in the source.
func (s *Scenario) Record() slog.Record {
	var pcs [1]uintptr
	runtime.Callers(1, pcs[:])
	r := slog.NewRecord(at, slog.LevelInfo, s.Message, pcs[0])
	r.AddAttrs(s.Attrs...)
	return r
}

// Log makes the record with a Logger, as programs do.
func (s *Scenario) Log(ctx context.Context, l *slog.Logger) {
	l.LogAttrs(ctx, slog.LevelInfo, s.Message, s.Attrs...)
}
