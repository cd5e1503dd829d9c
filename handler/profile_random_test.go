package handler_test

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
)

// randomProfile sets every field of a Profile to something.
func randomProfile(rnd *rand.Rand) handler.Profile {
	key := func(k string) string {
		return []string{k, "", k, "q\"\n" + k, "é" + k, k}[rnd.IntN(6)]
	}
	yes := func() bool { return rnd.IntN(2) == 0 }
	p := handler.Profile{
		TimeKey: key("T"), LevelKey: key("L"), MessageKey: key("M"), SourceKey: key("S"), SeverityNumberKey: key("N"),
		Order: handler.Order(rnd.IntN(2)), Time: handler.TimeForm(rnd.IntN(8)), UTC: yes(), AnyYear: yes(),
		Source: handler.SourceForm(rnd.IntN(5)), OmitEmptyMessage: yes(), Duration: handler.DurationForm(rnd.IntN(4)),
		Bytes: handler.BytesForm(rnd.IntN(3)), Errors: handler.ErrorForm(rnd.IntN(2)), NonFinite: handler.NonFiniteForm(rnd.IntN(2)),
		FailurePrefix: []string{"!ERROR:", "", "\"q\"\n: "}[rnd.IntN(3)], Escapes: handler.EscapeForm(rnd.IntN(2)),
		PackTime: handler.PackTimeForm(rnd.IntN(3)), ProtectBuiltins: yes(), MaxRecordSize: []int{0, 1 << 20}[rnd.IntN(2)],
	}
	if yes() {
		p.LevelText = func(l slog.Level) string { return fmt.Sprintf("level \"%d\"\n", int(l)) }
	}
	if yes() {
		p.Static = []slog.Attr{slog.String("X", "x"), slog.Group("none"), slog.Group("G", slog.Int("n", 1))}
	}
	return p
}

// wantOwn are the own fields of r by the documentation of Profile.
func wantOwn(f handler.Format, p handler.Profile, r slog.Record, frame *runtime.Frame) (first, last object) {
	var tm, level, source, message, envelope, static object
	if f == handler.Forward {
		envelope = object{{"@", eventTime{uint32(r.Time.Unix()), uint32(r.Time.Nanosecond())}}}
	} else if p.TimeKey != "" {
		tm = object{{p.TimeKey, wantTime(f, p, r.Time)}}
	}
	if p.LevelKey != "" {
		text := r.Level.String()
		if p.LevelText != nil {
			text = p.LevelText(r.Level)
		}
		level = object{{p.LevelKey, text}}
	}
	if p.SeverityNumberKey != "" {
		level = append(level, member{p.SeverityNumberKey, min(max(int64(r.Level)+9, 1), 24)})
	}
	if k := p.SourceKey; k != "" && frame != nil {
		source = wantSource(p.Source, k, frame.Function, frame.File, frame.Line)
	}
	if p.MessageKey != "" && !(p.OmitEmptyMessage && r.Message == "") {
		message = object{{p.MessageKey, r.Message}}
	}
	if len(p.Static) > 0 {
		static = object{{"X", "x"}, {"G", object{{"n", int64(1)}}}}
	}
	join := func(os ...object) (all object) {
		for _, o := range os {
			all = append(all, o...)
		}
		return all
	}
	if p.Order == handler.LevelFirst {
		return join(envelope, level, static), join(tm, source, message)
	}
	return join(envelope, tm, level, source, message, static), nil
}

func wantSource(f handler.SourceForm, key, function, file string, line int) object {
	switch f {
	case handler.SourceText:
		return object{{key, file + ":" + strconv.Itoa(line)}}
	case handler.SourceGoogle:
		return object{{key, object{{"file", file}, {"line", strconv.Itoa(line)}, {"function", function}}}}
	case handler.SourceECS:
		return object{{key, object{{"function", function}, {"file.name", file}, {"file.line", int64(line)}}}}
	case handler.SourceOTel:
		return object{{key + ".function.name", function}, {key + ".file.path", file}, {key + ".line.number", int64(line)}}
	}
	return object{{key, object{{"function", function}, {"file", file}, {"line", int64(line)}}}}
}

// Every field of Profile with every constant means what its documentation says,
// in every format and in all mixtures.
func TestRandomProfiles(t *testing.T) {
	var kinds []slog.Attr
	for _, a := range conformKinds() {
		if a.Value.Kind() != slog.KindString || len(a.Value.String()) < 1000 {
			kinds = append(kinds, a)
		}
	}
	group := slog.Attr{Key: "g", Value: slog.GroupValue(kinds...)}
	for seed := range uint64(fewer(150)) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		p := randomProfile(rnd)
		msg := []string{"m", ""}[rnd.IntN(2)]
		r := record(slog.Level(rnd.IntN(40)-15), msg, group)
		r.PC = somePC()
		fs := runtime.CallersFrames([]uintptr{r.PC})
		frame, _ := fs.Next()
		for _, f := range formats {
			first, last := wantOwn(f, p, r, &frame)
			want := append(append(first, wantObject(f, p, append(kinds[:len(kinds):len(kinds)], slog.Group("w", group)))...), last...)
			for _, rep := range []handler.Option{nil, handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr { return a })} {
				os := logged(t, f, p, func(h slog.Handler) { handle(t, h.WithAttrs(kinds).WithGroup("w"), r) }, handler.WithSource(), rep)
				if s := unequal(f, os[0], want); s != "" {
					t.Fatalf("%v, seed %d: %s\nprofile %+v", f, seed, s, p)
				}
			}
		}
	}
}

// Constants that are none count as the first of their kind, and no profile at
// all writes nothing of its own.
func TestOddProfiles(t *testing.T) {
	r := record(0, "m", conformKinds()...)
	r.PC = somePC()
	odd := handler.Slog()
	odd.Order, odd.Time, odd.Source, odd.Duration, odd.Bytes, odd.Errors, odd.NonFinite, odd.Escapes, odd.PackTime = 2, 8, 5, 4, 3, 2, 2, 2, 3
	far := handler.Slog()
	far.Order, far.Time, far.Source, far.Duration, far.Bytes, far.Errors, far.NonFinite, far.Escapes, far.PackTime = 255, 255, 255, 255, 255, 255, 255, 255, 255
	for _, f := range formats {
		want := show(loggedOne(t, f, handler.Slog(), r, handler.WithSource()))
		for _, p := range []handler.Profile{odd, far} {
			if got := show(loggedOne(t, f, p, r, handler.WithSource())); got != want {
				t.Errorf("%v: got %s, want %s", f, clip(got), clip(want))
			}
		}
		for _, as := range [][]slog.Attr{nil, {slog.Int("a", 1)}, {slog.Group("g")}} {
			o := loggedOne(t, f, handler.Profile{}, record(0, "m", as...), handler.WithSource())
			if f == handler.Forward {
				o = o[1:]
			}
			if want := wantObject(f, handler.Profile{}, as[:min(len(as), 1)]); len(as) > 0 && as[0].Key == "a" && unequal(f, o, want) != "" || (len(as) == 0 || as[0].Key == "g") && len(o) > 0 {
				t.Errorf("%v: the zero profile writes %s", f, show(o))
			}
		}
	}
}

// Errors and lists of them, and what cannot be encoded.
func TestProfileErrors(t *testing.T) {
	list := []error{errors.New("one \"q\""), nil, jsonError{}}
	for _, f := range formats {
		for _, c := range []struct {
			form   handler.ErrorForm
			prefix string
			v      any
			want   string
		}{
			{handler.ErrorJSON, "!", errors.New("e\n"), `"e\n"`}, {handler.ErrorText, "!", errors.New("e\n"), `"e\n"`},
			{handler.ErrorJSON, "!", jsonError{}, `{"as":"json"}`}, {handler.ErrorText, "!", jsonError{}, `"as error"`},
			{handler.ErrorJSON, "!", list, `[{},null,{"as":"json"}]`}, {handler.ErrorText, "!", list, `["one \"q\"",null,"as error"]`},
			{handler.ErrorJSON, "!", []error(nil), `null`}, {handler.ErrorText, "!", []error(nil), `null`}, {handler.ErrorText, "!", []error{}, `[]`},
			{handler.ErrorText, "!", make(chan int), `"!json: unsupported type: chan int"`}, {handler.ErrorText, "\"\n", make(chan int), `"\"\njson: unsupported type: chan int"`},
			{handler.ErrorText, "", make(chan int), `"json: unsupported type: chan int"`},
			{handler.ErrorText, "!", panicError{"x"}, `"!PANIC: x"`}, {handler.ErrorText, "!", []error{panicError{"x"}, errors.New("y")}, `["!PANIC: x","y"]`},
		} {
			p := handler.Slog()
			p.Errors, p.FailurePrefix = c.form, c.prefix
			o := loggedOne(t, f, p, record(0, "m", slog.Any("v", c.v)))
			if v, _ := o.at("v"); show(v) != c.want {
				t.Errorf("%v, form %d, prefix %q: %T is %s, want %s", f, c.form, c.prefix, c.v, show(v), c.want)
			}
		}
	}
}

// Years that RFC 3339 has not, and numbers that int64 has not.
func TestProfileYears(t *testing.T) {
	year := func(y int) time.Time { return time.Date(y, 1, 2, 3, 4, 5, 6, time.UTC) }
	const failure = "\"q\"\ntime.Time year outside of range [0,9999]"
	for _, f := range formats {
		for _, c := range []struct {
			form handler.TimeForm
			any  bool
			t    time.Time
			want any
		}{
			{handler.RFC3339Nano, false, year(10000), failure}, {handler.RFC3339Nano, true, year(10000), "10000-01-02T03:04:05.000000006Z"},
			{handler.RFC3339, false, year(-1), failure}, {handler.RFC3339, true, year(-1), "-0001-01-02T03:04:05Z"},
			{handler.UnixSeconds, false, year(10000), year(10000).Unix()}, {handler.UnixMillis, false, year(-1), year(-1).UnixMilli()},
			{handler.UnixNanos, false, year(2262), year(2262).UnixNano()}, {handler.UnixNanos, false, year(2263), "2263-01-02T03:04:05.000000006Z"},
			{handler.UnixNanos, false, year(1677), "1677-01-02T03:04:05.000000006Z"}, {handler.UnixNanos, false, year(10000), failure},
			{handler.UnixMicros, false, time.Unix(1<<60, 0), failure}, {handler.UnixSeconds, false, time.Unix(-1<<62, 0), int64(-1 << 62)},
			{handler.UnixSeconds, false, time.Unix(-1, 999999999), int64(-1)}, {handler.UnixMillis, false, time.Unix(-1, 999999999), int64(-1)},
		} {
			p := handler.Slog()
			p.Time, p.AnyYear, p.PackTime, p.FailurePrefix, p.UTC = c.form, c.any, handler.PackTimeText, "\"q\"\n", true
			r := slog.NewRecord(c.t, 0, "m", 0)
			r.AddAttrs(slog.Time("t", c.t))
			o := loggedOne(t, f, p, r)
			v, _ := o.at("t")
			if s := unequal(f, v, c.want); s != "" {
				t.Errorf("%v, form %d, any year %v: %v: %s", f, c.form, c.any, c.t, s)
			}
			own, _ := o.at("time")
			if s := unequal(f, own, c.want); s != "" && f != handler.Forward {
				t.Errorf("%v, form %d, any year %v: own time %v: %s", f, c.form, c.any, c.t, s)
			}
		}
	}
}
