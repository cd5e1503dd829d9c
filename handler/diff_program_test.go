package handler_test

import (
	"encoding/binary"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"strings"
	"time"
)

// A program is what one run of the differential test does: options, a chain
// of derived handlers, and a record for each handler of the chain.
type program struct {
	opts    slog.HandlerOptions
	replace string // which behaviour ReplaceAttr has
	steps   []step
	records []slog.Record // records[i] goes to the handler after i steps
}

// step is one call of WithGroup, or of WithAttrs where attrs is not nil.
type step struct {
	group string
	attrs []slog.Attr
}

func (s step) apply(h slog.Handler) slog.Handler {
	if s.attrs != nil {
		return h.WithAttrs(s.attrs)
	}
	return h.WithGroup(s.group)
}

// program prints itself for failure messages.
func (p *program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "ReplaceAttr %s, AddSource %v\n", p.replace, p.opts.AddSource)
	for i, r := range p.records {
		if i > 0 {
			s := p.steps[i-1]
			fmt.Fprintf(&b, "  .WithGroup(%q) or WithAttrs:", clip(s.group))
			printAttrs(&b, s.attrs)
		}
		fmt.Fprintf(&b, "\n  log %q", clip(r.Message))
		r.Attrs(func(a slog.Attr) bool { printAttrs(&b, []slog.Attr{a}); return true })
		b.WriteByte('\n')
	}
	return b.String()
}

func printAttrs(b *strings.Builder, attrs []slog.Attr) {
	for _, a := range attrs {
		fmt.Fprintf(b, " %q:", clip(a.Key))
		switch v := a.Value; v.Kind() {
		case slog.KindGroup:
			b.WriteByte('{')
			printAttrs(b, v.Group())
			b.WriteString(" }")
		case slog.KindAny, slog.KindLogValuer: // printing it might call it
			fmt.Fprintf(b, "%T", v.Any())
		default:
			fmt.Fprintf(b, "%s(%q)", v.Kind(), clip(v.String()))
		}
	}
}

// programReader decodes fuzz bytes; it reads noughts after their end.
type programReader struct {
	b       []byte
	strings []string
	floats  []float64
	times   []time.Time
	anys    []any
}

func newProgramReader(b []byte) *programReader {
	return &programReader{b, stringPool(), floatPool(), timePool(), anyPool()}
}

func (p *programReader) next() int {
	if len(p.b) == 0 {
		return 0
	}
	c := p.b[0]
	p.b = p.b[1:]
	return int(c)
}

func (p *programReader) uint64() uint64 {
	var b [8]byte
	p.b = p.b[copy(b[:], p.b):]
	return binary.LittleEndian.Uint64(b[:])
}

func (p *programReader) string() string {
	n := p.next()
	if n < 2*len(p.strings) {
		return p.strings[n%len(p.strings)]
	}
	n = min(n-2*len(p.strings), len(p.b))
	s := string(p.b[:n])
	p.b = p.b[n:]
	return s
}

func (p *programReader) time() time.Time {
	n := p.next()
	switch {
	case n < len(p.times):
		return p.times[n]
	case n < 4*len(p.times): // mostly years that print
		return p.times[n%17]
	}
	return time.Unix(int64(p.uint64()>>26)-1<<35, int64(p.next())*3999999).In(time.FixedZone("", p.next()*60-7200))
}

func (p *programReader) value(depth int) slog.Value {
	n := p.next()
	switch n % 12 {
	case 0:
		return slog.StringValue(p.string())
	case 1:
		return slog.Int64Value(int64(p.uint64()))
	case 2:
		return slog.Uint64Value(p.uint64() >> (n / 12))
	case 3:
		if n > 128 {
			return slog.Float64Value(math.Float64frombits(p.uint64()))
		}
		return slog.Float64Value(p.floats[p.next()%len(p.floats)])
	case 4:
		return slog.BoolValue(n > 128)
	case 5:
		return slog.DurationValue(time.Duration(p.uint64()))
	case 6:
		return slog.TimeValue(p.time())
	case 7, 8:
		if depth < 5 {
			return slog.GroupValue(p.attrs(depth + 1)...)
		}
		return slog.Value{}
	case 9:
		return slog.AnyValue(toValue{p.value(depth)})
	default:
		return slog.AnyValue(p.anys[p.next()%len(p.anys)])
	}
}

func (p *programReader) attrs(depth int) []slog.Attr {
	as := make([]slog.Attr, p.next()%(6-depth))
	for i := range as {
		switch n := p.next(); {
		case n < 8: // a zero attr
		case n < 24:
			as[i].Value = p.value(depth)
		default:
			as[i].Key = p.string()
			as[i].Value = p.value(depth)
		}
	}
	return as
}

func (p *programReader) program() *program {
	prog := new(program)
	n := p.next()
	prog.opts.AddSource = n&1 != 0
	switch n >> 1 & 7 {
	case 1:
		prog.opts.Level = slog.LevelWarn
	case 2:
		prog.opts.Level = new(slog.LevelVar)
	case 3:
		v := new(slog.LevelVar)
		v.Set(-4)
		prog.opts.Level = v
	}
	reps := replacers()
	rep := reps[p.next()%len(reps)]
	prog.replace, prog.opts.ReplaceAttr = rep.name, rep.f
	steps := n >> 4 & 3
	prog.record(p)
	for range steps {
		s := step{}
		if n := p.next(); n%3 == 2 {
			if s.group = p.string(); s.group == "" && n < 200 {
				s.group = "g"
			}
		} else {
			s.attrs = p.attrs(0)
		}
		prog.steps = append(prog.steps, s)
		prog.record(p)
	}
	return prog
}

func (prog *program) record(p *programReader) {
	n := p.next()
	var t time.Time
	if n&3 != 0 {
		t = p.time()
	}
	level := []slog.Level{0, 4, 8, -4, 2, -5, 11, -1000000}[n>>2&7]
	var pc uintptr
	if n&32 != 0 {
		pc = somePC()
	}
	r := slog.NewRecord(t, level, p.string(), pc)
	r.AddAttrs(p.attrs(0)...)
	if n&64 != 0 { // more than the record's own array holds
		r.AddAttrs(p.attrs(0)...)
	}
	prog.records = append(prog.records, r)
}

func somePC() uintptr {
	var pcs [1]uintptr
	runtime.Callers(1, pcs[:])
	return pcs[0]
}

type replacer struct {
	name string
	f    func(groups []string, a slog.Attr) slog.Attr
}

// replacers are the behaviours of ReplaceAttr. Each is a pure function.
func replacers() []replacer {
	on := func(keys string, f func(groups []string, a slog.Attr) slog.Attr) func([]string, slog.Attr) slog.Attr {
		return func(groups []string, a slog.Attr) slog.Attr {
			for _, k := range strings.Split(keys, ",") {
				if k == a.Key {
					return f(groups, a)
				}
			}
			return a
		}
	}
	value := func(v func(a slog.Attr) slog.Value) func([]string, slog.Attr) slog.Attr {
		return func(_ []string, a slog.Attr) slog.Attr { return slog.Attr{Key: a.Key, Value: v(a)} }
	}
	drop := func([]string, slog.Attr) slog.Attr { return slog.Attr{} }
	return []replacer{
		{"none", nil},
		{"identity", func(_ []string, a slog.Attr) slog.Attr { return a }},
		{"drops some keys", on("drop,k,time,file", drop)},
		{"drops all", drop},
		{"drops inside groups", func(gs []string, a slog.Attr) slog.Attr {
			if len(gs) > 0 {
				return slog.Attr{}
			}
			return a
		}},
		{"renames by groups", func(gs []string, a slog.Attr) slog.Attr {
			a.Key = fmt.Sprintf("%s|%s", strings.Join(gs, "/"), a.Key)
			return a
		}},
		{"renames built-ins", on("time,level,msg,source", func(_ []string, a slog.Attr) slog.Attr { a.Key = "@" + a.Key; return a })},
		{"retypes", func(_ []string, a slog.Attr) slog.Attr {
			switch a.Value.Kind() {
			case slog.KindTime:
				a.Value = slog.Int64Value(a.Value.Time().Unix())
			case slog.KindInt64:
				a.Value = slog.AnyValue([]int64{a.Value.Int64()})
			case slog.KindString:
				a.Value = slog.AnyValue(namedString(a.Value.String()))
			case slog.KindAny:
				a.Value = slog.StringValue(fmt.Sprintf("%T", a.Value.Any()))
			}
			return a
		}},
		{"retypes to text", func(_ []string, a slog.Attr) slog.Attr {
			if k := a.Value.Kind(); k != slog.KindAny {
				a.Value = slog.StringValue(k.String() + a.Value.String())
			}
			return a
		}},
		{"retypes built-ins", func(gs []string, a slog.Attr) slog.Attr {
			if len(gs) > 0 {
				return a
			}
			switch v := a.Value.Any().(type) {
			case slog.Level:
				a.Value = slog.IntValue(int(v))
			case *slog.Source:
				if v != nil {
					a.Value = slog.StringValue(fmt.Sprint(v.File != "", v.Line))
				}
			case time.Time:
				a.Value = slog.TimeValue(v.UTC().Add(time.Second))
			}
			return a
		}},
		{"upper-cases keys", func(_ []string, a slog.Attr) slog.Attr { a.Key = strings.ToUpper(a.Key); return a }},
		{"nests", on("nest,msg,a,level", func(_ []string, a slog.Attr) slog.Attr {
			return slog.Group(a.Key, slog.Attr{Key: "inner", Value: a.Value}, slog.Int("drop", 1), slog.Group("deeper", slog.Attr{}, slog.Bool("b", true)))
		})},
		{"inlines", on("nest,msg,a,time", func(_ []string, a slog.Attr) slog.Attr {
			return slog.Group("", slog.Attr{Key: "inner", Value: a.Value}, slog.Attr{})
		})},
		{"empties", on("empty,a,k,time", value(func(slog.Attr) slog.Value { return slog.GroupValue() }))},
		{"empties lazily", on("lazy,a,k", value(func(slog.Attr) slog.Value {
			return slog.AnyValue(toValue{slog.GroupValue(slog.Attr{})})
		}))},
		{"returns LogValuers", value(func(a slog.Attr) slog.Value { return slog.AnyValue(toValue{a.Value}) })},
		{"returns sources", on("a,k,msg,level", value(func(slog.Attr) slog.Value { return slog.AnyValue(&slog.Source{File: "f", Line: 2}) }))},
		{"returns odd years", on("a,time", value(func(slog.Attr) slog.Value { return slog.TimeValue(time.Date(12345, 1, 2, 3, 4, 5, 6, time.UTC)) }))},
		{"clears keys", on("a,k,msg,source", func(_ []string, a slog.Attr) slog.Attr { a.Key = ""; return a })},
		{"swaps built-ins", func(_ []string, a slog.Attr) slog.Attr {
			switch a.Key {
			case "msg":
				a.Key = "level"
			case "level":
				a.Key = "msg"
			case "a":
				return slog.Any("level", slog.LevelError)
			case "k":
				return slog.String("time", "now")
			}
			return a
		}},
		{"clears values", on("a,k,level", value(func(slog.Attr) slog.Value { return slog.Value{} }))},
		{"panics", on("a,k,level", func(_ []string, a slog.Attr) slog.Attr { panic("for " + a.Key) })},
	}
}
