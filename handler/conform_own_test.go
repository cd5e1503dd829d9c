package handler_test

import (
	"fmt"
	"log/slog"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
)

// ownMembers are the own fields of r that stand before and behind its attrs.
// frame is nil for a record without a source.
func ownMembers(f handler.Format, profile string, r slog.Record, frame *runtime.Frame) (first, last object) {
	var ts object
	timeKey := map[string]string{"ECS": "@timestamp"}[profile]
	if timeKey == "" {
		timeKey = "time"
	}
	switch {
	case f == handler.Forward:
		first = object{{"@", eventTime{uint32(r.Time.Unix()), uint32(r.Time.Nanosecond())}}}
	case f == handler.MessagePack:
		ts = object{{timeKey, r.Time}}
	case profile == "Zerolog":
		ts = object{{timeKey, r.Time.Format(time.RFC3339)}}
	default:
		ts = object{{timeKey, r.Time.Format(time.RFC3339Nano)}}
	}
	fr := runtime.Frame{}
	if frame != nil {
		fr = *frame
	}
	var src object
	msg := object{{"message", r.Message}}
	line := int64(fr.Line)
	level := object{{map[string]string{"GoogleCloud": "severity", "ECS": "log.level"}[profile], ownLevel(profile, r.Level)}}
	if level[0].key == "" {
		level[0].key = "level"
	}
	switch profile {
	case "Slog":
		src = object{{"source", object{{"function", fr.Function}, {"file", fr.File}, {"line", line}}}}
		msg[0].key = "msg"
	case "Zerolog":
		src = object{{"caller", fr.File + ":" + strconv.Itoa(fr.Line)}}
	case "GoogleCloud":
		src = object{{"logging.googleapis.com/sourceLocation", object{{"file", fr.File}, {"line", strconv.Itoa(fr.Line)}, {"function", fr.Function}}}}
	case "ECS":
		src = object{{"log.origin", object{{"function", fr.Function}, {"file.name", fr.File}, {"file.line", line}}}}
		msg = append(msg, member{"ecs.version", "1.6.0"})
	case "OTel":
		src = object{{"code.function.name", fr.Function}, {"code.file.path", fr.File}, {"code.line.number", line}}
		level = append(level, member{"severity_number", min(max(int64(r.Level)+9, 1), 24)})
	}
	if frame == nil {
		src = nil
	}
	if profile == "Zerolog" {
		if r.Message == "" {
			msg = nil
		}
		return append(first, level...), append(append(ts, src...), msg...)
	}
	return append(append(append(append(first, ts...), level...), src...), msg...), nil
}

// ownLevel is the table of levels, each up to and without the next bound.
func ownLevel(profile string, l slog.Level) string {
	names := map[string][]struct {
		below slog.Level
		name  string
	}{
		"Zerolog":     {{-4, "trace"}, {0, "debug"}, {4, "info"}, {8, "warn"}, {12, "error"}, {16, "fatal"}, {1 << 30, "panic"}},
		"GoogleCloud": {{0, "DEBUG"}, {4, "INFO"}, {8, "WARNING"}, {12, "ERROR"}, {1 << 30, "CRITICAL"}},
	}[profile]
	for _, n := range names {
		if l < n.below {
			return n.name
		}
	}
	if profile == "ECS" {
		base, lower := slog.LevelDebug, "debug"
		for _, b := range []slog.Level{0, 4, 8} {
			if l >= b {
				base, lower = b, map[slog.Level]string{0: "info", 4: "warn", 8: "error"}[b]
			}
		}
		if l == base {
			return lower
		}
		return fmt.Sprintf("%s%+d", lower, int(l-base))
	}
	return l.String()
}

// Every level around every bound, the far ones too, and messages that are empty.
func TestConformLevels(t *testing.T) {
	levels := []slog.Level{-1 << 30, -1000, -20, -17, -16, -10, 47, 48, 49, 100, 1<<30 - 1}
	for l := slog.Level(-9); l <= 18; l++ {
		levels = append(levels, l)
	}
	forEachWire(t, func(t *testing.T, f handler.Format, p namedProfile) {
		for _, l := range levels {
			for _, msg := range []string{"m", ""} {
				r := record(l, msg)
				first, last := ownMembers(f, p.name, r, nil)
				for range 2 { // met for the first time, and known
					if s := unequal(f, loggedOne(t, f, p.Profile, r), append(first, last...)); s != "" {
						t.Errorf("level %d, message %q: %s", l, msg, s)
					}
				}
			}
		}
	})
}

// Records without time, and with a PC of nothing.
func TestConformNoTimeNoPC(t *testing.T) {
	forEachWire(t, func(t *testing.T, f handler.Format, p namedProfile) {
		full := record(0, "m")
		first, last := ownMembers(f, p.name, full, nil)
		var want object
		for _, m := range append(first, last...) {
			if m.key != "time" && m.key != "@timestamp" && m.key != "@" {
				want = append(want, m)
			}
		}
		got := loggedOne(t, f, p.Profile, slog.NewRecord(time.Time{}, 0, "m", 0), handler.WithSource())
		if f == handler.Forward {
			got = got[1:]
		}
		if s := unequal(f, got, want); s != "" {
			t.Error(s)
		}
	})
}
