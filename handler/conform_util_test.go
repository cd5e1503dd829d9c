package handler_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
)

var formats = []handler.Format{handler.JSON, handler.MessagePack, handler.Forward}

type namedProfile struct {
	name string
	handler.Profile
}

func namedProfiles() []namedProfile {
	return []namedProfile{
		{"Slog", handler.Slog()}, {"Zerolog", handler.Zerolog()}, {"GoogleCloud", handler.GoogleCloud()},
		{"ECS", handler.ECS()}, {"OTel", handler.OTel()},
	}
}

// forEachWire runs f for every format in every profile.
func forEachWire(t *testing.T, f func(t *testing.T, f handler.Format, p namedProfile)) {
	for _, format := range formats {
		for _, p := range namedProfiles() {
			t.Run(format.String()+"/"+p.name, func(t *testing.T) { f(t, format, p) })
		}
	}
}

func wireOptions(f handler.Format, p handler.Profile, opts ...handler.Option) []handler.Option {
	return append([]handler.Option{handler.WithFormat(f), handler.WithProfile(p)}, opts...)
}

// logged returns the records that log makes with a plain writer.
func logged(t testing.TB, f handler.Format, p handler.Profile, log func(h slog.Handler), opts ...handler.Option) []object {
	t.Helper()
	var w sliceWriter
	log(newHandler(&w, wireOptions(f, p, opts...)...))
	return decodeRecords(t, f, w.b)
}

func loggedOne(t testing.TB, f handler.Format, p handler.Profile, r slog.Record, opts ...handler.Option) object {
	t.Helper()
	os := logged(t, f, p, func(h slog.Handler) { handle(t, h, r) }, opts...)
	if len(os) != 1 {
		t.Fatalf("%d records, want 1", len(os))
	}
	return os[0]
}

// wantObject is what attrs are to become, by the documentation of Profile.
func wantObject(f handler.Format, p handler.Profile, attrs []slog.Attr) object {
	o := object{}
	for _, a := range attrs {
		o = append(o, member{string([]rune(a.Key)), wantValue(f, p, a.Value)})
	}
	return o
}

func wantValue(f handler.Format, p handler.Profile, v slog.Value) any {
	switch v.Kind() {
	case slog.KindGroup:
		return wantObject(f, p, v.Group())
	case slog.KindString:
		return string([]rune(v.String()))
	case slog.KindUint64:
		switch u := v.Uint64(); {
		case u <= math.MaxInt64:
			return int64(u)
		case f == handler.Forward:
			return strconv.FormatUint(u, 10)
		}
	case slog.KindFloat64:
		if x := v.Float64(); x-x != 0 && f != handler.MessagePack {
			if p.NonFinite == handler.NonFiniteText {
				return map[bool]string{x != x: "NaN", x > 0: "+Inf", x < 0: "-Inf"}[true]
			}
			return p.FailurePrefix + "json: unsupported value: " + fmt.Sprint(x)
		}
	case slog.KindDuration:
		switch d := v.Duration(); p.Duration {
		case handler.DurationMillisFloat:
			return float64(d) / 1e6
		case handler.DurationSecondsFloat:
			return d.Seconds()
		case handler.DurationText:
			return d.String()
		default:
			return int64(d)
		}
	case slog.KindTime:
		return wantTime(f, p, v.Time())
	case slog.KindAny:
		switch x := v.Any().(type) {
		case []byte:
			return wantBytes(f, p, x)
		case error:
			return string([]rune(x.Error()))
		}
		b, err := json.Marshal(v.Any())
		if err != nil {
			panic(err)
		}
		j, _ := decodeJSON(b)
		return j
	}
	return v.Any()
}

func wantTime(f handler.Format, p handler.Profile, t time.Time) any {
	if f == handler.MessagePack {
		switch p.PackTime {
		case handler.PackTimestamp:
			return t
		case handler.PackEventTime:
			switch sec := t.Unix(); {
			case sec < 0:
				return eventTime{}
			case sec > math.MaxUint32:
				return eventTime{math.MaxUint32, 999999999}
			}
			return eventTime{uint32(t.Unix()), uint32(t.Nanosecond())}
		}
	}
	if p.UTC {
		t = t.UTC()
	}
	switch p.Time {
	case handler.RFC3339:
		return t.Format(time.RFC3339)
	case handler.RFC3339Millis:
		return t.Format("2006-01-02T15:04:05.000Z07:00")
	case handler.RFC3339Micros:
		return t.Format("2006-01-02T15:04:05.000000Z07:00")
	case handler.UnixSeconds:
		return t.Unix()
	case handler.UnixMillis:
		return t.UnixMilli()
	case handler.UnixMicros:
		return t.UnixMicro()
	case handler.UnixNanos:
		return t.UnixNano()
	}
	return t.Format(time.RFC3339Nano)
}

func wantBytes(f handler.Format, p handler.Profile, b []byte) any {
	switch {
	case b == nil && p.Bytes == handler.BytesBase64:
		return nil
	case f == handler.MessagePack:
		return b
	case p.Bytes == handler.BytesText:
		return string([]rune(string(b)))
	case p.Bytes == handler.BytesHex:
		return hex.EncodeToString(b)
	}
	return base64.StdEncoding.EncodeToString(b)
}

// unequal says where got and want differ, "" if they do not. JSON has one kind
// of number only.
func unequal(f handler.Format, got, want any) string {
	switch w := want.(type) {
	case object:
		g, ok := got.(object)
		if !ok || len(g) != len(w) {
			return fmt.Sprintf("got %s\nwant %s", brief(got), brief(want))
		}
		for i := range w {
			if g[i].key != w[i].key {
				return fmt.Sprintf("got key %q, want %q in %s", g[i].key, w[i].key, brief(got))
			}
			if s := unequal(f, g[i].value, w[i].value); s != "" {
				return w[i].key + ": " + s
			}
		}
		return ""
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Sprintf("got %s, want %s", brief(got), brief(want))
		}
		for i := range w {
			if s := unequal(f, g[i], w[i]); s != "" {
				return fmt.Sprintf("[%d] %s", i, s)
			}
		}
		return ""
	case float64:
		switch g := got.(type) {
		case float64:
			if g == w || g != g && w != w {
				return ""
			}
		case int64:
			if f == handler.JSON && float64(g) == w {
				return ""
			}
		case uint64:
			if f == handler.JSON && float64(g) == w {
				return ""
			}
		}
	}
	if show(got) == show(want) {
		return ""
	}
	return fmt.Sprintf("got %s, want %s", brief(got), brief(want))
}

// brief prints a value for messages.
func brief(v any) string {
	s := show(v)
	if len(s) > 600 {
		s = s[:300] + " … " + s[len(s)-300:]
	}
	return s
}
