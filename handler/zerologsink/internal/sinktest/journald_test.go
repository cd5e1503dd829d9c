//go:build linux

package sinktest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-systemd/v22/journal"
	"github.com/rs/zerolog"
	"github.com/rs/zerolog/journald"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/zerologsink"
)

// entry is what the journal is sent.
type entry struct {
	msg  string
	prio journal.Priority
	vars map[string]string
}

// capture has entries come to the test instead of the journal.
func capture(t *testing.T) *[]entry {
	var got []entry
	journald.SendFunc = func(msg string, prio journal.Priority, vars map[string]string) error {
		got = append(got, entry{msg, prio, vars})
		return nil
	}
	t.Cleanup(func() { journald.SendFunc = nil })
	return &got
}

func record(l slog.Level, attrs ...slog.Attr) slog.Record {
	r := slog.NewRecord(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), l, "m", 0)
	r.AddAttrs(attrs...)
	return r
}

// TestJournald: the journal has priority, message and fields in their places.
func TestJournald(t *testing.T) {
	for name, wrap := range map[string]func() *handler.Handler{
		"bare": func() *handler.Handler { return zerologsink.New(journald.NewJournalDWriter()) },
		"multi": func() *handler.Handler {
			return zerologsink.New(zerolog.MultiLevelWriter(journald.NewJournalDWriter()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := capture(t)
			h := wrap().WithAttrs([]slog.Attr{slog.String("app", "x")})
			for l, prio := range map[slog.Level]journal.Priority{
				-8: journal.PriDebug, -4: journal.PriDebug, 0: journal.PriInfo, 2: journal.PriInfo, 4: journal.PriWarning,
				8: journal.PriErr, 12: journal.PriCrit, 16: journal.PriEmerg,
			} {
				*got = nil
				if err := h.Handle(context.Background(), record(l, slog.Int("user-id", 7), slog.Group("g", slog.Bool("b", true)))); err != nil {
					t.Fatal(err)
				}
				if len(*got) != 1 {
					t.Fatalf("got %d entries", len(*got))
				}
				e := (*got)[0]
				if e.msg != "m" || e.prio != prio {
					t.Errorf("level %d: got %q at %d, want m at %d", int(l), e.msg, e.prio, prio)
				}
				if e.vars["APP"] != "x" || e.vars["USER_ID"] != "7" || e.vars["G"] != `{"b":true}` {
					t.Errorf("got %v", e.vars)
				}
				want := fmt.Sprintf(`{"level":%q,"app":"x","user-id":7,"g":{"b":true},"time":"2026-03-04T05:06:07Z","message":"m"}`+"\n",
					handler.Zerolog().LevelText(l))
				if e.vars["JSON"] != want {
					t.Errorf("got %s want %s", e.vars["JSON"], want)
				}
			}
		})
	}
}

// TestJournaldFormat: it parses JSON, also inside of a wrapper.
func TestJournaldFormat(t *testing.T) {
	got := capture(t)
	var told bytes.Buffer
	h := zerologsink.New(zerolog.SyncWriter(journald.NewJournalDWriter()), handler.WithFormat(handler.MessagePack),
		handler.WithErrorHandler(func(err error) { fmt.Fprintln(&told, err) }))
	for range 2 {
		if err := h.Handle(context.Background(), record(0)); err != nil {
			t.Fatal(err)
		}
	}
	if len(*got) != 2 || (*got)[0].msg != "m" {
		t.Errorf("got %v", *got)
	}
	if strings.Count(told.String(), "\n") != 1 || !strings.Contains(told.String(), "journald.journalWriter takes JSON text only, no MessagePack") {
		t.Errorf("told %q", told.String())
	}
}

// TestJournaldError: what the journal refuses is the handler's error.
func TestJournaldError(t *testing.T) {
	capture(t)
	journald.SendFunc = func(string, journal.Priority, map[string]string) error { return fmt.Errorf("no journal") }
	h := zerologsink.New(journald.NewJournalDWriter(), handler.WithErrorHandler(func(error) {}))
	if err := h.Handle(context.Background(), record(0)); err == nil || err.Error() != "no journal" {
		t.Errorf("got %v", err)
	}
}
