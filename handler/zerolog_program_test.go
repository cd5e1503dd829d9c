package handler_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"time"

	"github.com/rs/zerolog"
)

// A zlProgram is one record and how its logger was derived, made of bytes: the
// same in zerolog's calls and in log/slog's.
type zlProgram struct {
	msg   string
	time  time.Time
	level slog.Level
	with  []zlField // of With, outside all groups
	group []zlGroup // WithGroup, each with the attrs of With in it
	attrs []zlField // of the record
}

type zlGroup struct {
	name string
	with []zlField
}

// zlField is one field. Its value is of the type that the event method takes;
// sub are the fields of a group.
type zlField struct {
	key string
	val any
	sub []zlField
}

// raw marks values for Interface.
type raw struct{ v any }

// bits gives out the program's bytes; when they end, zeros.
type bits []byte

func (b *bits) next() (c byte) {
	if len(*b) > 0 {
		c = (*b)[0]
		*b = (*b)[1:]
	}
	return c
}

func (b *bits) uint64() (v uint64) {
	for range 8 {
		v = v<<8 | uint64(b.next())
	}
	return v
}

// text is up to 15 bytes as they come, so that escapes and broken UTF-8 occur,
// or one of the texts that are known to be delicate.
func (b *bits) text() string {
	n := int(b.next())
	if known := []string{"plain", "\x7f\u2028\u2029<&>", "\x00\x1f\b\f\n\r\t\"\\/", "grüße, 世界 \U0001F600", "\xff\xc0\xaf\xed\xa0\x80", "time", "level", "message"}; n >= 248 {
		return known[n-248]
	}
	n = min(n&15, len(*b))
	s := string((*b)[:n])
	*b = (*b)[n:]
	return s
}

func (b *bits) fields(depth int) []zlField {
	var fs []zlField
	for range b.next() & 7 {
		fs = append(fs, b.field(depth))
	}
	return fs
}

func (b *bits) field(depth int) zlField {
	f := zlField{key: b.text()}
	switch b.next() % 14 {
	case 0:
		f.val = b.text()
	case 1:
		f.val = int64(b.uint64())
	case 2:
		f.val = b.uint64()
	case 3:
		f.val = math.Float64frombits(b.uint64())
	case 4:
		f.val = float64(int16(b.uint64())) / 100
	case 5:
		f.val = b.next()&1 == 0
	case 6:
		f.val = time.Duration(b.uint64())
	case 7:
		f.val = b.time()
	case 8:
		f.val = b.error()
	case 9:
		f.val = []byte(b.text())
	case 10:
		f.val = raw{b.any()}
	case 11:
		if depth < 4 {
			f.sub = b.fields(depth + 1)
		}
		if len(f.sub) == 0 || f.key == "" {
			// An empty Dict, and a group without a name, are exceptions.
			f.sub, f.val = nil, "no group"
		}
	case 12:
		f.val = [...]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 5e-324, 1e-6, 1e21, 1e20}[b.next()&7]
	case 13:
		f.val = []error{b.error(), nil, b.error()}[:b.next()&3]
	}
	return f
}

func (b *bits) error() error {
	if b.next()&1 == 0 {
		return errors.New(b.text())
	}
	return zlError(b.text())
}

// zlError has a JSON form, which zerolog does not ask for.
type zlError string

func (e zlError) Error() string                { return string(e) }
func (e zlError) MarshalJSON() ([]byte, error) { return []byte(`"json"`), nil }

func (b *bits) time() time.Time {
	n := int64(b.uint64())
	t := time.Unix(n>>(b.next()&63), n&0x3fffffff)
	switch b.next() & 3 {
	case 0:
		return t.UTC()
	case 1:
		return t.In(time.FixedZone("", int(int16(b.uint64()))))
	}
	return t.In(time.FixedZone("x", 3600*int(int8(b.next())%15)))
}

// any is a value for Interface. Those of a type that has an event method of its
// own are an exception.
func (b *bits) any() any {
	switch b.next() % 9 {
	case 0:
		return []string{b.text(), "<b>"}
	case 1:
		return map[string]any{b.text(): b.text(), "n": 1.5}
	case 2:
		return struct {
			A string `json:"a,omitempty"`
			B *int
		}{A: b.text()}
	case 3:
		return json.RawMessage(` {"a" : [1, "x"]}`)
	case 4:
		return make(chan int)
	case 5:
		return []float64{math.Inf(1)}
	case 6:
		return []int{1, 2, 3}
	case 7:
		return map[bool]int{true: 1}
	}
	return marshalFails(b.text())
}

type marshalFails string

func (m marshalFails) MarshalJSON() ([]byte, error) { return nil, errors.New(string(m)) }

func newZLProgram(data []byte) zlProgram {
	b := bits(data)
	p := zlProgram{level: slog.Level(int8(b.next()) % 24), msg: b.text()}
	if p.time = b.time(); p.time.IsZero() {
		p.time = time.Unix(0, 0)
	}
	p.with = b.fields(0)
	for range b.next() & 3 {
		if g := (zlGroup{b.text(), b.fields(1)}); g.name != "" {
			p.group = append(p.group, g)
		}
	}
	p.attrs = b.fields(0)
	return p
}

// slog's side.

func (f *zlField) attr() slog.Attr {
	if f.sub != nil {
		return slog.Attr{Key: f.key, Value: slog.GroupValue(zlAttrs(f.sub)...)}
	}
	if r, ok := f.val.(raw); ok {
		return slog.Any(f.key, r.v)
	}
	return slog.Any(f.key, f.val)
}

func zlAttrs(fs []zlField) []slog.Attr {
	as := make([]slog.Attr, len(fs))
	for i := range fs {
		as[i] = fs[i].attr()
	}
	return as
}

func (p *zlProgram) slog(h slog.Handler, pc uintptr) error {
	h = h.WithAttrs(zlAttrs(p.with))
	for _, g := range p.group {
		h = h.WithGroup(g.name).WithAttrs(zlAttrs(g.with))
	}
	r := slog.NewRecord(p.time, p.level, p.msg, pc)
	r.AddAttrs(zlAttrs(p.attrs)...)
	return h.Handle(context.Background(), r)
}

// zerolog's side.

// zlMethods are what Event and Context have in common.
type zlMethods[T any] interface {
	Str(string, string) T
	Int64(string, int64) T
	Uint64(string, uint64) T
	Float64(string, float64) T
	Bool(string, bool) T
	Dur(string, time.Duration) T
	Time(string, time.Time) T
	AnErr(string, error) T
	Errs(string, []error) T
	Bytes(string, []byte) T
	Dict(string, *zerolog.Event) T
	Interface(string, any) T
}

func zlAdd[T zlMethods[T]](e T, fs []zlField) T {
	for _, f := range fs {
		if f.sub != nil {
			e = e.Dict(f.key, zlAdd(zerolog.Dict(), f.sub))
			continue
		}
		switch v := f.val.(type) {
		case string:
			e = e.Str(f.key, v)
		case int64:
			e = e.Int64(f.key, v)
		case uint64:
			e = e.Uint64(f.key, v)
		case float64:
			e = e.Float64(f.key, v)
		case bool:
			e = e.Bool(f.key, v)
		case time.Duration:
			e = e.Dur(f.key, v)
		case time.Time:
			e = e.Time(f.key, v)
		case error:
			e = e.AnErr(f.key, v)
		case []error:
			e = e.Errs(f.key, v)
		case []byte:
			e = e.Bytes(f.key, v)
		case raw:
			e = e.Interface(f.key, v.v)
		}
	}
	return e
}

// event is the record as zerolog's event, without its message.
func (p *zlProgram) event(l zerolog.Logger) *zerolog.Event {
	c := zlAdd(l.With(), p.with)
	l = c.Timestamp().Caller().Logger()
	e := l.WithLevel(zlLevel(p.level))
	if len(p.group) == 0 {
		return zlAdd(e, p.attrs)
	}
	// zerolog's loggers cannot leave a group open; it is built from the inside.
	inner := p.attrs
	for i := len(p.group) - 1; i >= 0; i-- {
		fs := append(p.group[i].with[:len(p.group[i].with):len(p.group[i].with)], inner...)
		inner = nil
		if len(fs) > 0 {
			inner = []zlField{{key: p.group[i].name, sub: fs}}
		}
	}
	return zlAdd(e, inner)
}

// zlLevel is DESIGN's mapping, by its own words.
func zlLevel(l slog.Level) zerolog.Level {
	for i, below := range []slog.Level{-4, 0, 4, 8, 12, 16} {
		if l < below {
			return zerolog.TraceLevel + zerolog.Level(i)
		}
	}
	return zerolog.PanicLevel
}
