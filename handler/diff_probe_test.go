package handler_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/slogpack/slogpack/handler"
)

// An allowed entry is a fault of log/slog: a record it gets wrong, and what is
// right. The fault is looked for in the running toolchain; where it is mended,
// the differential test compares those records too.
type allowed struct {
	fault fault
	opts  slog.HandlerOptions
	make  func(h slog.Handler) (slog.Handler, slog.Record)
	want  string // the whole line; a trailing … stands for any text to the end of a string
}

func oneRecord(attrs ...slog.Attr) func(slog.Handler) (slog.Handler, slog.Record) {
	return func(h slog.Handler) (slog.Handler, slog.Record) { return h, record(0, "m", attrs...) }
}

// panicsTwice panics with a value that panics when it is printed, with a value
// that panics when it is printed.
type panicsTwice struct{}

func (panicsTwice) Error() string { panic(panicsAgain{}) }

type panicsAgain struct{}

func (panicsAgain) Error() string { panic(panicsAgain{}) }

func allowList() []allowed {
	a, b := slog.Int("a", 1), slog.Int("b", 2)
	none := slog.Any("none", toValue{slog.GroupValue()})
	head := recordHead + `"msg":"m"`
	onKey := func(key string, f func() slog.Attr) slog.HandlerOptions {
		return slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if a.Key == key {
				return f()
			}
			if strings.Join(groups, "") == "gg" { // the stack must be empty again
				return slog.String("wrong", strings.Join(groups, "."))
			}
			return a
		}}
	}
	return []allowed{
		{faultEmptied, slog.HandlerOptions{}, oneRecord(slog.Group("g", slog.Attr{}), a), head + `,"a":1}`},
		{faultEmptied, onKey("drop", func() slog.Attr { return slog.Attr{} }),
			oneRecord(a, slog.Group("g", slog.Int("drop", 1)), b, slog.Group("g", b)), head + `,"a":1,"b":2,"g":{"b":2}}`},
		{faultPhantom, onKey("empty", func() slog.Attr { return slog.Attr{Key: "e", Value: slog.GroupValue()} }),
			oneRecord(slog.Group("g", slog.Int("empty", 1)), a), head + `,"a":1}`},
		{faultPhantom, slog.HandlerOptions{}, oneRecord(slog.Group("g", none), a), head + `,"a":1}`},
		{faultPhantom, slog.HandlerOptions{}, func(h slog.Handler) (slog.Handler, slog.Record) {
			return h.WithGroup("g").WithAttrs([]slog.Attr{none}), record(0, "m")
		}, head + `}`},
		{faultYear, slog.HandlerOptions{}, oneRecord(slog.Time("t", time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)), a),
			head + `,"t":` + yearText + `,"a":1}`},
		{faultYear, slog.HandlerOptions{}, func(h slog.Handler) (slog.Handler, slog.Record) {
			r := record(0, "m", a)
			r.Time = time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC)
			return h, r
		}, `{"time":` + yearText + `,"level":"INFO","msg":"m","a":1}`},
		{faultGroupName, slog.HandlerOptions{}, func(h slog.Handler) (slog.Handler, slog.Record) {
			return h.WithGroup("").WithAttrs([]slog.Attr{a}).WithGroup(""), record(0, "m", b)
		}, head + `,"a":1,"b":2}`},
		{faultNilLevel, slog.HandlerOptions{Level: (*slog.LevelVar)(nil)}, func(h slog.Handler) (slog.Handler, slog.Record) {
			if h.Enabled(context.Background(), slog.LevelDebug) {
				return h, record(0, "a nil LevelVar lets Debug through")
			}
			return h, record(0, "m")
		}, head + `}`},
		{faultNilSource, slog.HandlerOptions{}, oneRecord(slog.Any("s", (*slog.Source)(nil)), a), head + `,"a":1}`},
		{faultNilSource, slog.HandlerOptions{}, oneRecord(slog.Group("g", slog.Any("s", &slog.Source{})), a), head + `,"a":1}`},
		{faultReplace, onKey("k", func() slog.Attr { panic("in ReplaceAttr") }),
			oneRecord(a, slog.Int("k", 1), b), head + `,"a":1,"k":"!PANIC: in ReplaceAttr","b":2}`},
		{faultReplace, onKey("msg", func() slog.Attr { panic(errors.New("on a built-in")) }),
			oneRecord(a), recordHead + `"msg":"!PANIC: on a built-in","a":1}`},
		{faultNestPanic, slog.HandlerOptions{}, oneRecord(a, slog.Any("p", panicsTwice{}), b), head + `,"a":1,"p":"!PANIC: …,"b":2}`},
		{faultNestPanic, slog.HandlerOptions{}, oneRecord(a, slog.Any("p", panicMarshaler{panicsTwice{}}), b), head + `,"a":1,"p":"!PANIC: …,"b":2}`},
		{faultInvalidRaw, slog.HandlerOptions{}, oneRecord(a, slog.Any("p", rawMarshaler("\"\xff\"")), b), head + `,"a":1,"p":"…,"b":2}`},
	}
}

// lineOf runs an entry's record; a panic is part of the result.
func (e allowed) lineOf(newHandler func(*bytes.Buffer) slog.Handler) (line string) {
	var w bytes.Buffer
	defer func() {
		if r := recover(); r != nil {
			line = "panic out of the handler"
		}
	}()
	h, r := e.make(newHandler(&w))
	if err := h.Handle(context.Background(), r); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(w.String(), "\n")
}

// matches compares a line with want, where … stands for the rest of a string.
func matches(line, want string) bool {
	if !utf8.ValidString(line) || !json.Valid([]byte(line)) {
		return false
	}
	head, tail, any := strings.Cut(want, "…")
	if !any {
		return line == want
	}
	rest, ok := strings.CutPrefix(line, head)
	if !ok {
		return false
	}
	text, ok := strings.CutSuffix(rest, tail)
	return ok && strings.HasSuffix(text, `"`)
}

// toolchainFaults probes log/slog, once.
var toolchainFaults = sync.OnceValue(func() map[fault]bool {
	found := make(map[fault]bool)
	for _, e := range allowList() {
		line := e.lineOf(func(w *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(w, &e.opts) })
		if !matches(line, e.want) {
			found[e.fault] = true
		}
	}
	return found
})

func TestAllowList(t *testing.T) {
	for i, e := range allowList() {
		t.Run(fmt.Sprintf("%d %s", i, e.fault), func(t *testing.T) {
			t.Logf("this toolchain's log/slog has the fault: %v", toolchainFaults()[e.fault])
			forEachWriter(t, func(t *testing.T, k writerKind) {
				w, bytes := k.open()
				h, r := e.make(newHandler(w, handler.WithHandlerOptions(&e.opts)))
				handle(t, h, r)
				if got := checkLines(t, bytes(), 1)[0]; !matches(got, e.want) {
					t.Errorf("got  %s\nwant %s", got, e.want)
				}
			})
		})
	}
}
