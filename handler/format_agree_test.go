package handler_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/slogpack/slogpack/handler"
)

// agreement compares what JSON has with what another format f has, and knows
// where their types differ: times, bytes, numbers that are not finite or beyond
// 64 bits, and elements of slices and maps that cannot be encoded, which cost
// only themselves in MessagePack.
type agreement struct {
	f handler.Format
	p handler.Profile
}

func (a agreement) differ(j, m any) string {
	if a.failed(j) && strings.Contains(j.(string), "time.Time") {
		return "" // only encoding/json minds such zones and years
	}
	switch m := m.(type) {
	case object:
		if a.failed(j) && a.containsFailure(m) {
			return ""
		}
		j, ok := j.(object)
		if !ok || len(j) != len(m) {
			return fmt.Sprintf("%s and %s", brief(j), brief(m))
		}
		for i := range j {
			if j[i].key != m[i].key {
				return fmt.Sprintf("keys %q and %q", j[i].key, m[i].key)
			}
			if s := a.differ(j[i].value, m[i].value); s != "" {
				return j[i].key + ": " + s
			}
		}
		return ""
	case []any:
		if a.failed(j) && a.containsFailure(m) {
			return ""
		}
		j, ok := j.([]any)
		if !ok || len(j) != len(m) {
			return fmt.Sprintf("%s and %s", brief(j), brief(m))
		}
		for i := range j {
			if s := a.differ(j[i], m[i]); s != "" {
				return fmt.Sprintf("[%d] %s", i, s)
			}
		}
		return ""
	case string:
		if a.sameText(j, m) {
			return ""
		}
	case []byte:
		if s, ok := j.(string); ok && (s == string([]rune(string(m))) || s == base64.StdEncoding.EncodeToString(m) || s == hex.EncodeToString(m)) {
			return ""
		}
	case time.Time:
		if a.sameTime(j, m) {
			return ""
		}
	case float64:
		if s, ok := j.(string); ok && m-m != 0 && strings.HasSuffix(s, strconv.FormatFloat(m, 'g', -1, 64)) {
			return ""
		}
		if sameNumber(j, m) {
			return ""
		}
	case int64:
		if sameNumber(j, float64(m)) && (show(j) == show(m) || show(j) == show(float64(m))) {
			return ""
		}
	case uint64:
		if sameNumber(j, float64(m)) {
			return ""
		}
	default:
		if show(j) == show(m) {
			return ""
		}
	}
	return fmt.Sprintf("%s and %s", brief(j), brief(m))
}

func sameNumber(j any, f float64) bool {
	switch j := j.(type) {
	case int64:
		return float64(j) == f
	case uint64:
		return float64(j) == f
	case float64:
		return j == f
	}
	return false
}

// failed reports whether j stands for a value that could not be encoded.
func (a agreement) failed(j any) bool {
	s, ok := j.(string)
	return ok && (strings.HasPrefix(s, a.p.FailurePrefix) || strings.HasPrefix(s, "!PANIC") || s == "<nil>")
}

func (a agreement) containsFailure(m any) bool {
	switch m := m.(type) {
	case object:
		for _, e := range m {
			if a.containsFailure(e.value) {
				return true
			}
		}
	case []any:
		for _, e := range m {
			if a.containsFailure(e) {
				return true
			}
		}
	case float64:
		return m-m != 0
	case time.Time:
		return m.Year() < 0 || m.Year() > 9999
	case string:
		return a.failed(m) || m == "[REDACTED]" || a.f == handler.Forward && (m == "NaN" || strings.HasSuffix(m, "Inf"))
	}
	return false
}

func (a agreement) sameText(j any, m string) bool {
	switch j := j.(type) {
	case string:
		if j == m || strings.HasPrefix(j, "LogValue panicked") && strings.HasPrefix(m, "LogValue panicked") {
			return true
		}
		// Slices of times are in the profile's form here, in encoding/json's there.
		t, err := time.Parse(time.RFC3339Nano, j)
		u, err2 := time.Parse(time.RFC3339Nano, m)
		if err == nil && err2 == nil {
			return t.Truncate(time.Second).Equal(u.Truncate(time.Second))
		}
		return a.f == handler.MessagePack && err2 == nil && a.failed(j) // a year of encoding/json's liking
	case float64:
		f, err := strconv.ParseFloat(m, 64)
		return err == nil && f == j // beyond 64 bits
	case uint64:
		return a.f == handler.Forward && m == strconv.FormatUint(j, 10)
	case object, []any:
		v, err := decodeJSON([]byte(m)) // nested too deep
		return err == nil && agreement{handler.JSON, a.p}.differ(j, v) == ""
	}
	return false
}

func (a agreement) sameTime(j any, m time.Time) bool {
	if a.f != handler.MessagePack {
		return false
	}
	if n, ok := j.(int64); ok {
		return show(n) == show(wantTime(handler.JSON, a.p, m))
	}
	s, ok := j.(string)
	if !ok {
		return false
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil { // years that RFC 3339 has not, and zones of seconds or days
		return a.failed(s) || len(s) > 18
	}
	if t.Second() == m.Second() && t.Nanosecond() == 0 {
		m = m.Truncate(time.Second)
	}
	d := t.Sub(m).Abs()
	return d < time.Minute && (d%time.Second == 0 || t.Nanosecond() == 0) // zones are printed in minutes
}
