package handler_test

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
)

// ReplaceAttr sees log/slog's keys and types in every format and profile, once
// each, and nil groups for the built-ins.
func TestReplaceSees(t *testing.T) {
	forEachWire(t, func(t *testing.T, f handler.Format, p namedProfile) {
		var saw []string
		r := record(slog.LevelWarn, "m", slog.Int("a", 1), slog.Group("x", slog.Bool("b", true)))
		r.PC = somePC()
		logged(t, f, p.Profile, func(h slog.Handler) {
			handle(t, h.WithAttrs([]slog.Attr{slog.Int("w", 1)}).WithGroup("g"), r)
		}, handler.WithSource(),
			handler.WithContextAttrs(func(context.Context) []slog.Attr { return []slog.Attr{slog.Int("ctx", 1)} }),
			handler.WithReplaceAttr(func(groups []string, a slog.Attr) slog.Attr {
				if a.Key != "function" && a.Key != "file" && a.Key != "line" { // log/slog shows these too
					saw = append(saw, fmt.Sprintf("%s/%s %T %v", strings.Join(groups, "/"), a.Key, a.Value.Any(), groups == nil))
				}
				return a
			}))
		builtins := []string{"/time time.Time true", "/level slog.Level true", "/source *slog.Source true", "/msg string true"}
		want := append([]string{"/w int64 true"}, append(builtins, "/ctx int64 true", "g/a int64 false", "g/x/b bool false")...)
		if p.Order == handler.LevelFirst {
			want = []string{"/w int64 true", builtins[1], "/ctx int64 true", "g/a int64 false", "g/x/b bool false", builtins[0], builtins[2], builtins[3]}
		}
		if got := strings.Join(saw, "\n"); got != strings.Join(want, "\n") {
			t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
		}
	})
}

// What ReplaceAttr leaves under its own key and type gets the profile's key and
// form; what it renames or retypes is an ordinary attr in its place.
func TestReplaceComposes(t *testing.T) {
	when := time.Date(2001, 2, 3, 4, 5, 6, 7, time.UTC)
	frame := runtime.Frame{Function: "fn", File: "/x/y.go", Line: 9}
	source := &slog.Source{Function: "fn", File: "/x/y.go", Line: 9}
	r := record(slog.LevelWarn, "m", slog.Int("a", 1))
	r.PC = somePC()
	forEachWire(t, func(t *testing.T, f handler.Format, p namedProfile) {
		check := func(what string, o object, want object) {
			t.Helper()
			if s := unequal(f, o, want); s != "" {
				t.Errorf("%s: %s", what, s)
			}
		}
		run := func(rep func(a slog.Attr) slog.Attr) object {
			return loggedOne(t, f, p.Profile, r, handler.WithSource(), handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr { return rep(a) }))
		}
		changed := r.Clone()
		changed.Level, changed.Message = slog.LevelError+2, "other"
		if f != handler.Forward {
			changed.Time = when
		}
		first, last := ownMembers(f, p.name, changed, &frame)
		check("new values", run(func(a slog.Attr) slog.Attr {
			switch a.Key {
			case "time":
				a.Value = slog.TimeValue(when)
			case "level":
				a.Value = slog.AnyValue(slog.LevelError + 2)
			case "source":
				a.Value = slog.AnyValue(source)
			case "msg":
				a.Value = slog.StringValue("other")
			}
			return a
		}), append(append(first, member{"a", int64(1)}), last...))

		fs := runtime.CallersFrames([]uintptr{r.PC})
		real, _ := fs.Next()
		all, rest := ownMembers(f, p.name, r, &real)
		all = append(append(all, member{"a", int64(1)}), rest...)
		// Which fields belong to which built-in, by what is dropped with it.
		for _, key := range []string{"time", "level", "source", "msg"} {
			dropped := run(func(a slog.Attr) slog.Attr {
				if a.Key == key {
					return slog.Attr{}
				}
				return a
			})
			gone, at := without(all, dropped)
			wantGone := map[string]int{"time": 1, "level": 1, "source": 1, "msg": 1}
			if p.name == "OTel" {
				wantGone["level"], wantGone["source"] = 2, 3
			}
			if f == handler.Forward {
				wantGone["time"] = 0
			}
			if gone != wantGone[key] {
				t.Errorf("without %s: %d fields gone, want %d: %s", key, gone, wantGone[key], show(dropped))
				continue
			}
			if f == handler.Forward && key == "time" {
				continue
			}
			put := func(m member) object {
				o := append(object{}, all[:at]...)
				return append(append(o, m), all[at+gone:]...)
			}
			check("renamed "+key, run(func(a slog.Attr) slog.Attr {
				if a.Key == key {
					return slog.Duration("new key", time.Second)
				}
				return a
			}), put(member{"new key", wantValue(f, p.Profile, slog.DurationValue(time.Second))}))
			check("retyped "+key, run(func(a slog.Attr) slog.Attr {
				if a.Key == key {
					a.Value = slog.BoolValue(true)
				}
				return a
			}), put(member{key, true}))
			check("grouped "+key, run(func(a slog.Attr) slog.Attr {
				if a.Key == key {
					return slog.Group(key, slog.Int("in", 1), slog.Group("none"))
				}
				return a
			}), put(member{key, object{{"in", int64(1)}}}))
		}
	})
}

// without says how many members of all are missing in o, and where; they must
// be neighbours.
func without(all, o object) (n, at int) {
	for at < len(o) && o[at].key == all[at].key {
		at++
	}
	n = len(all) - len(o)
	if n < 0 || show(append(append(object{}, all[:at]...), all[at+n:]...)) != show(o) {
		return -1, at
	}
	return n, at
}

// ownKeysOf are the keys that attrs outside groups must not have.
func ownKeysOf(f handler.Format, profile string) []string {
	keys := map[string][]string{
		"Slog":        {"time", "level", "msg", "source"},
		"Zerolog":     {"time", "level", "message", "caller"},
		"GoogleCloud": {"time", "severity", "message", "logging.googleapis.com/sourceLocation"},
		"ECS":         {"@timestamp", "log.level", "message", "log.origin", "ecs.version"},
		"OTel":        {"time", "level", "message", "severity_number", "code.function.name", "code.file.path", "code.line.number"},
	}[profile]
	if f == handler.Forward && profile == "ECS" {
		keys[0] = "time"
	}
	return keys
}

// The record's own fields cannot be passed for by attrs, by whatever way an
// attr gets outside all groups. In Slog and Zerolog only WithDedup does that.
func TestProtectBuiltins(t *testing.T) {
	forEachWire(t, func(t *testing.T, f handler.Format, p namedProfile) {
		for _, dedup := range []handler.Option{nil, handler.WithDedup()} {
			for _, key := range ownKeysOf(f, p.name) {
				to := "attr." + key
				if dedup == nil && !p.ProtectBuiltins {
					to = key
				}
				one := slog.String(key, "mine")
				in := object{{key, "mine"}}
				own, last := ownMembers(f, p.name, record(0, "m"), nil)
				for name, c := range map[string]struct {
					log  func(h slog.Handler)
					want object
				}{
					"record":      {func(h slog.Handler) { handle(t, h, record(0, "m", one)) }, object{{to, "mine"}}},
					"With":        {func(h slog.Handler) { handle(t, h.WithAttrs([]slog.Attr{one}), record(0, "m")) }, object{{to, "mine"}}},
					"group":       {func(h slog.Handler) { handle(t, h, record(0, "m", slog.Group(key, one))) }, object{{to, in}}},
					"in a group":  {func(h slog.Handler) { handle(t, h, record(0, "m", slog.Group("g", one))) }, object{{"g", in}}},
					"WithGroup":   {func(h slog.Handler) { handle(t, h.WithGroup(key), record(0, "m", one)) }, object{{to, in}}},
					"WithGroup 2": {func(h slog.Handler) { handle(t, h.WithGroup("g").WithGroup(key), record(0, "m", one)) }, object{{"g", object{{key, in}}}}},
					"With in it":  {func(h slog.Handler) { handle(t, h.WithGroup(key).WithAttrs([]slog.Attr{one}), record(0, "m")) }, object{{to, in}}},
					"inline":      {func(h slog.Handler) { handle(t, h, record(0, "m", slog.Group("", slog.Group("", one)))) }, object{{to, "mine"}}},
					"lazy":        {func(h slog.Handler) { handle(t, h, record(0, "m", slog.Any(key, toValue{slog.StringValue("mine")}))) }, object{{to, "mine"}}},
					"lazy inline": {func(h slog.Handler) { handle(t, h, record(0, "m", slog.Any("", toValue{slog.GroupValue(one)}))) }, object{{to, "mine"}}},
					"inline in a group": {func(h slog.Handler) {
						handle(t, h, record(0, "m", slog.Group("g", slog.Group("", one)), slog.Int("x", 1)))
					}, object{{"g", in}, {"x", int64(1)}}},
					"empty group": {func(h slog.Handler) { handle(t, h, record(0, "m", slog.Group(key, slog.Group("x")))) }, nil},
					"any":         {func(h slog.Handler) { handle(t, h, record(0, "m", slog.Any("v", map[string]string{key: "mine"}))) }, object{{"v", in}}},
				} {
					o := logged(t, f, p.Profile, c.log, dedup)[0]
					if s := unequal(f, o, append(append(append(object{}, own...), c.want...), last...)); s != "" {
						t.Errorf("%s as %s, dedup %v: %s", key, name, dedup != nil, s)
					}
				}
				ctx := handler.WithContextAttrs(func(context.Context) []slog.Attr { return []slog.Attr{slog.Int("first", 1), slog.Group("", one)} })
				o := logged(t, f, p.Profile, func(h slog.Handler) {
					handle(t, h.WithAttrs([]slog.Attr{slog.Int("w", 1)}).WithGroup("g"), record(0, "m", slog.Int("a", 1)))
				}, dedup, ctx)[0]
				want := append(append(object{}, own...), member{"first", int64(1)}, member{to, "mine"}, member{"w", int64(1)}, member{"g", object{{"a", int64(1)}}})
				if s := unequal(f, o, append(want, last...)); s != "" {
					t.Errorf("%s from the context, dedup %v: %s", key, dedup != nil, s)
				}
				rep := handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr {
					if a.Key == "rename" {
						a.Key = key
					}
					return a
				})
				o = logged(t, f, p.Profile, func(h slog.Handler) { handle(t, h, record(0, "m", slog.String("rename", "mine"))) }, dedup, rep)[0]
				if s := unequal(f, o, append(append(append(object{}, own...), member{to, "mine"}), last...)); s != "" {
					t.Errorf("%s by ReplaceAttr, dedup %v: %s", key, dedup != nil, s)
				}
			}
		}
	})
}
