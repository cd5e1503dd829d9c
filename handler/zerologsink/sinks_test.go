package zerologsink_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/rs/zerolog/diode"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/zerologsink"
)

const infoLine = `{"level":"info","k":1,"time":"2026-03-04T05:06:07Z","message":"m"}` + "\n"

// TestSinksKeys: every writer of zerolog's gets zerolog's keys, and only these.
func TestSinksKeys(t *testing.T) {
	var buf bytes.Buffer
	dw := diode.NewWriter(&buf, 10, 0, nil)
	for name, w := range map[string]io.Writer{
		"LevelWriterAdapter":   zerolog.LevelWriterAdapter{Writer: &buf},
		"FilteredLevelWriter":  &zerolog.FilteredLevelWriter{Writer: zerolog.LevelWriterAdapter{Writer: &buf}, Level: zerolog.InfoLevel},
		"SyncWriter":           zerolog.SyncWriter(&buf),
		"MultiLevelWriter":     zerolog.MultiLevelWriter(&buf),
		"TriggerLevelWriter":   &zerolog.TriggerLevelWriter{Writer: &buf, ConditionalLevel: zerolog.DebugLevel, TriggerLevel: zerolog.ErrorLevel},
		"diode":                dw,
		"embedded":             struct{ zerolog.LevelWriterAdapter }{zerolog.LevelWriterAdapter{Writer: &buf}},
		"a LevelWriter of own": &levelsOnto{&buf},
	} {
		buf.Reset()
		log(t, zerologsink.New(w), slog.LevelInfo, "m", slog.Int("k", 1))
		if name == "diode" {
			if err := dw.Close(); err != nil { // waits for what it holds
				t.Fatal(err)
			}
		}
		if buf.String() != infoLine {
			t.Errorf("%s: got %s want %s", name, buf.String(), infoLine)
		}
	}
	for name, w := range map[string]io.Writer{"Buffer": &buf, "any": writerOnly{&buf}} {
		buf.Reset()
		log(t, zerologsink.New(w), slog.LevelInfo, "m", slog.Int("k", 1))
		want := `{"time":"2026-03-04T05:06:07.00000089Z","level":"INFO","msg":"m","k":1}` + "\n"
		if buf.String() != want {
			t.Errorf("%s: got %s want %s", name, buf.String(), want)
		}
	}
}

type levelsOnto struct{ io.Writer }

func (w *levelsOnto) WriteLevel(_ zerolog.Level, p []byte) (int, error) { return w.Write(p) }

func TestMultiLevelWriter(t *testing.T) {
	var all, console bytes.Buffer
	errors := &levels{}
	h := zerologsink.New(zerolog.MultiLevelWriter(
		&all,
		zerolog.ConsoleWriter{Out: &console, NoColor: true, TimeFormat: time.RFC3339},
		&zerolog.FilteredLevelWriter{Writer: errors, Level: zerolog.ErrorLevel},
	), handler.WithLevel(slog.Level(-8)))
	for _, l := range []slog.Level{-8, -4, 0, 4, 8, 12, 16} {
		log(t, h, l, "m")
	}
	if n := len(lines(t, all.String())); n != 7 {
		t.Errorf("got %d lines: %s", n, all.String())
	}
	if got := fmt.Sprint(errors.got); got != "[error fatal panic]" {
		t.Errorf("got %s", got)
	}
	want := ""
	for _, l := range []string{"TRC", "DBG", "INF", "WRN", "ERR", "FTL", "PNC"} {
		want += "2026-03-04T05:06:07Z " + l + " m\n"
	}
	if console.String() != want {
		t.Errorf("got %s want %s", console.String(), want)
	}
}

func TestConsoleWriter(t *testing.T) {
	var buf bytes.Buffer
	h := zerologsink.New(zerolog.ConsoleWriter{Out: &buf, NoColor: true, TimeFormat: time.RFC3339})
	logger := h.WithAttrs([]slog.Attr{slog.String("app", "x y")})
	log(t, logger, slog.LevelWarn, "hello", slog.Group("g", slog.Int("a", 1)), slog.Any("err", fmt.Errorf("bad")))
	if got, want := buf.String(), "2026-03-04T05:06:07Z WRN hello app=\"x y\" err=bad g={\"a\":1}\n"; got != want {
		t.Errorf("got %q want %q", got, want)
	}
}

func TestTriggerLevelWriter(t *testing.T) {
	out := &levels{}
	w := &zerolog.TriggerLevelWriter{Writer: out, ConditionalLevel: zerolog.InfoLevel, TriggerLevel: zerolog.ErrorLevel}
	h := zerologsink.New(w)
	log(t, h, slog.LevelDebug, "held 1")
	log(t, h, slog.LevelInfo, "held 2")
	log(t, h, slog.LevelWarn, "passed")
	if got := fmt.Sprint(out.got); got != "[warn]" {
		t.Fatalf("got %s", got)
	}
	log(t, h, slog.LevelError, "trigger")
	if got := fmt.Sprint(out.got); got != "[warn debug info error]" {
		t.Errorf("got %s", got)
	}
	if n := len(lines(t, out.String())); n != 4 {
		t.Errorf("got %d lines: %s", n, out.String())
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// tlog is what a TestWriter needs of a testing.TB.
type tlog struct{ got []string }

func (l *tlog) Log(args ...any)            { l.got = append(l.got, fmt.Sprint(args...)) }
func (l *tlog) Logf(f string, args ...any) { l.got = append(l.got, fmt.Sprintf(f, args...)) }
func (l *tlog) Helper()                    {}

func TestTestWriter(t *testing.T) {
	l := &tlog{}
	log(t, zerologsink.New(zerolog.NewTestWriter(l)), slog.LevelInfo, "m", slog.Int("k", 1))
	if len(l.got) != 1 || l.got[0]+"\n" != infoLine {
		t.Errorf("got %q", l.got)
	}
}

// TestFormats: MessagePack reaches the writers that carry bytes; others refuse
// it, once.
func TestFormats(t *testing.T) {
	var buf bytes.Buffer
	console := zerolog.ConsoleWriter{Out: &buf, NoColor: true}
	adapter := zerolog.LevelWriterAdapter{Writer: &buf}
	dw := diode.NewWriter(&buf, 10, 0, nil)
	for _, c := range []struct {
		name string
		w    io.Writer
		text string // the type that refuses, "" for none
	}{
		{"ConsoleWriter", console, "zerolog.ConsoleWriter"},
		{"*ConsoleWriter", &console, "zerolog.ConsoleWriter"},
		{"TestWriter", zerolog.NewTestWriter(&tlog{}), "zerolog.TestWriter"},
		{"TriggerLevelWriter", &zerolog.TriggerLevelWriter{Writer: &buf, TriggerLevel: zerolog.InfoLevel}, "zerolog.TriggerLevelWriter"},
		{"Multi(Console)", zerolog.MultiLevelWriter(&buf, console), "zerolog.ConsoleWriter"},
		{"Sync(Console)", zerolog.SyncWriter(console), "zerolog.ConsoleWriter"},
		{"Sync(Multi(Filtered(Adapter(Console))))", zerolog.SyncWriter(zerolog.MultiLevelWriter(&zerolog.FilteredLevelWriter{
			Writer: zerolog.LevelWriterAdapter{Writer: console},
		})), "zerolog.ConsoleWriter"},
		{"diode(Console)", diode.NewWriter(console, 10, 0, nil), "zerolog.ConsoleWriter"},
		{"embedded", struct{ zerolog.ConsoleWriter }{console}, "zerolog.ConsoleWriter"},

		{"Adapter", adapter, ""},
		{"Filtered", &zerolog.FilteredLevelWriter{Writer: adapter}, ""},
		{"Sync", zerolog.SyncWriter(&buf), ""},
		{"Multi", zerolog.MultiLevelWriter(&buf, adapter), ""},
		{"diode", dw, ""},
		{"own", &levels{}, ""},
		{"plain", writerOnly{&buf}, ""},
	} {
		for _, f := range []handler.Format{handler.MessagePack, handler.Forward} {
			var m mistakes
			buf.Reset()
			h := zerologsink.New(c.w, handler.WithFormat(f), m.option())
			switch {
			case c.text == "" && len(m.errs) > 0:
				t.Errorf("%s: %s: got %q", c.name, f, m.errs)
			case c.text != "" && (len(m.errs) != 1 || !strings.Contains(m.errs[0], c.text) || !strings.Contains(m.errs[0], f.String())):
				t.Errorf("%s: %s: got %q, want %s to refuse it", c.name, f, m.errs, c.text)
			}
			if strings.HasPrefix(c.name, "diode") {
				continue
			}
			log(t, h, slog.LevelInfo, "m")
			log(t, h, slog.LevelInfo, "m")
			if c.text != "" && len(m.errs) > 1 {
				t.Errorf("%s: %s: told again: %q", c.name, f, m.errs)
			}
		}
	}
	var m mistakes
	zerologsink.New(console, m.option())
	if len(m.errs) > 0 {
		t.Errorf("JSON: %q", m.errs)
	}
}

// TestOptionsWin: what New chooses is only what no option says.
func TestOptionsWin(t *testing.T) {
	var buf bytes.Buffer
	h := zerologsink.New(zerolog.SyncWriter(&buf), handler.WithProfile(handler.Slog()), handler.WithValues(seven{}))
	log(t, h, slog.LevelInfo, "m", slog.Any("k", object{}))
	want := `{"time":"2026-03-04T05:06:07.00000089Z","level":"INFO","msg":"m","k":7}` + "\n"
	if buf.String() != want {
		t.Errorf("got %s want %s", buf.String(), want)
	}
	if h := zerologsink.New(nil); h.Handle(t.Context(), slog.Record{}) != nil {
		t.Error("nil does not discard")
	}
}

type seven struct{}

func (seven) AppendValue(dst []byte, _ handler.Format, v any) ([]byte, bool, error) {
	return append(dst, '7'), true, nil
}

// TestVariables: zerolog's writers read records by zerolog's variables.
func TestVariables(t *testing.T) {
	defer func(k, f string) { zerolog.MessageFieldName, zerolog.TimeFieldFormat = k, f }(zerolog.MessageFieldName, zerolog.TimeFieldFormat)
	for format, want := range map[string]string{
		zerolog.TimeFormatUnix:      "1772600767",
		zerolog.TimeFormatUnixMs:    "1772600767000",
		zerolog.TimeFormatUnixMicro: "1772600767000000",
		zerolog.TimeFormatUnixNano:  "1772600767000000890",
		time.RFC3339Nano:            `"2026-03-04T05:06:07.00000089Z"`,
		time.Kitchen:                `"2026-03-04T05:06:07Z"`, // has no form in Profile
	} {
		zerolog.MessageFieldName, zerolog.TimeFieldFormat = "msg", format
		var buf bytes.Buffer
		log(t, zerologsink.New(zerolog.SyncWriter(&buf)), slog.LevelInfo, "m")
		if got := `{"level":"info","time":` + want + `,"msg":"m"}` + "\n"; buf.String() != got {
			t.Errorf("got %s want %s", buf.String(), got)
		}
	}
}

// flusher counts.
type flusher struct {
	zerolog.LevelWriter
	n int
}

func (f *flusher) Flush() { f.n++ }

func TestFlush(t *testing.T) {
	f := &flusher{LevelWriter: &levels{}}
	if err := zerologsink.New(f).Flush(); err != nil || f.n != 1 {
		t.Errorf("%v, flushed %d times", err, f.n)
	}
	if err := zerologsink.New(zerolog.SyncWriter(io.Discard)).Flush(); err != nil {
		t.Error(err)
	}
}
