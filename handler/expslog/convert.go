package expslog

import (
	"log/slog"
	"slices"
	"sync/atomic"

	xslog "golang.org/x/exp/slog"

	"github.com/slogpack/slogpack/pool"
)

// converter turns attrs into log/slog's. All groups that come of one call lie in
// one slice, which is used again.
type converter struct {
	out []slog.Attr
	all []slog.Attr // a record's own, where the stack has no room for them
	nesting
	budget *budget // of the LogValuers met, nil if none was
}

var converters = pool.New(nil, (*converter).reset)

// maxKept is how many attrs a converter keeps room for.
const maxKept = 1024

func (c *converter) reset() bool {
	if cap(c.out) > maxKept || cap(c.all) > maxKept {
		return false
	}
	clear(c.out)
	c.out = c.out[:0]
	if len(c.all) > 0 { // a clear of nothing is a call
		clear(c.all)
		c.all = c.all[:0]
	}
	c.opened, c.deep, c.inside, c.budget = 0, 0, 0, nil
	return true
}

// record is a record's own attrs, converted.
type record struct {
	n  int
	c  *converter // for what needs room
	as [onStack]slog.Attr
}

// onStack is up to how many attrs room is kept on the stack. To ask the record for
// their number would be to copy it.
const onStack = 10

// add converts one more.
func (r *record) add(a *xslog.Attr) {
	var to *slog.Attr
	if r.n < onStack {
		to = &r.as[r.n]
	} else {
		to = r.room()
	}
	r.n++
	if !convert(to, a) {
		if r.c == nil {
			r.c = converters.Get()
		}
		to.Value = r.c.other(a.Value)
	}
}

// room returns the place of one that the stack has none for.
func (r *record) room() *slog.Attr {
	if r.c == nil {
		r.c = converters.Get()
	}
	c := r.c
	if r.n == onStack {
		c.all = append(c.all, r.as[:]...)
	}
	c.all = append(c.all, slog.Attr{})
	return &c.all[r.n]
}

func (r *record) attrs() []slog.Attr {
	if r.n <= onStack {
		return r.as[:r.n]
	}
	return r.c.all
}

// attrs converts as, which lie together.
func (c *converter) attrs(as []xslog.Attr) []slog.Attr {
	start := len(c.out)
	end := start + len(as)
	c.out = slices.Grow(c.out, len(as))[:end]
	for i := range as {
		if !convert(&c.out[start+i], &as[i]) {
			v := c.other(as[i].Value) // which may move c.out
			c.out[start+i].Value = v
		}
	}
	// c.out may have moved meanwhile. What was taken of it before stays as it
	// is: it was complete.
	return c.out[start:end:end]
}

// value converts v.
func (c *converter) value(v xslog.Value) slog.Value {
	var a slog.Attr
	if !convert(&a, &xslog.Attr{Value: v}) {
		return c.other(v)
	}
	return a.Value
}

// other converts a v that is a group or a LogValuer.
func (c *converter) other(v xslog.Value) slog.Value {
	if v.Kind() == xslog.KindGroup {
		return c.group(v.Group())
	}
	if c.budget == nil {
		c.budget = new(budget)
	}
	return slog.AnyValue(valuer{v, c.budget})
}

// convert converts a, or just its key if it is a group or a LogValuer, and then
// reports false. It assigns part by part: a whole Attr is made somewhere else first
// and then copied in units that its parts were not written in, which processors wait
// for.
func convert(to *slog.Attr, a *xslog.Attr) bool {
	to.Key = a.Key
	switch a.Value.Kind() {
	case xslog.KindString:
		to.Value = slog.StringValue(a.Value.String())
	case xslog.KindInt64:
		to.Value = slog.Int64Value(a.Value.Int64())
	case xslog.KindUint64:
		to.Value = slog.Uint64Value(a.Value.Uint64())
	case xslog.KindFloat64:
		to.Value = slog.Float64Value(a.Value.Float64())
	case xslog.KindBool:
		to.Value = slog.BoolValue(a.Value.Bool())
	case xslog.KindDuration:
		to.Value = slog.DurationValue(a.Value.Duration())
	case xslog.KindTime:
		to.Value = slog.TimeValue(a.Value.Time())
	case xslog.KindLogValuer, xslog.KindGroup:
		return false
	default:
		to.Value = anyValue(a.Value.Any())
	}
	return true
}

// anyValue converts a value of kind Any.
func anyValue(v any) slog.Value {
	switch v := v.(type) {
	case xslog.Level:
		return slog.AnyValue(slog.Level(v))
	case *xslog.Source:
		if v == nil {
			return slog.AnyValue((*slog.Source)(nil))
		}
		return slog.AnyValue(&slog.Source{Function: v.Function, File: v.File, Line: v.Line})
	}
	return slog.AnyValue(v)
}

// valuer is a LogValuer of x/exp as one of log/slog: the handler asks it where
// a panic or an end of the goroutine is accounted for.
type valuer struct {
	v      xslog.Value
	budget *budget
}

// budget counts what the record's LogValuers have made so far. It outlives the
// record's converter: a filter may keep a valuer.
type budget struct{ opened, inside atomic.Int64 }

// LogValue implements slog.LogValuer.
func (v valuer) LogValue() slog.Value {
	c := converter{budget: v.budget} // what it returns is not of one call
	c.opened, c.inside = int(v.budget.opened.Load()), int(v.budget.inside.Load())
	value := c.value(v.v.Resolve())
	v.budget.opened.Store(int64(c.opened))
	v.budget.inside.Store(int64(c.inside))
	return value
}

// Limits on groups, as the handler has them. Without them a group that holds
// itself would be converted without end.
const (
	maxDepth  = 100     // groups inside each other
	maxGroups = 1 << 16 // groups in one record
	deep      = 8       // from this depth on
	maxDeep   = 1 << 12 // there are at most so many
	// maxInside is how many attrs groups may have in all before no group within a
	// group is converted any more. It is there in place of the handler's limit of
	// 64 MiB, since nothing is written yet: a group that is shared many times over is
	// converted as often.
	maxInside = 1 << 20
)

const tooDeep = "!ERROR: nesting too deep"

// nesting knows the groups that are open at the moment.
type nesting struct {
	open   []groupID
	opened int
	deep   int // opened at the depth called deep or below
	inside int // attrs in all groups
}

// groupID tells whether two groups are the same memory.
type groupID struct {
	first *xslog.Attr
	n     int
}

func (c *converter) group(as []xslog.Attr) slog.Value {
	if len(as) == 0 {
		return slog.GroupValue()
	}
	id := groupID{&as[0], len(as)}
	if n := len(c.open); n > 0 {
		if n >= maxDepth || c.opened >= maxGroups || c.inside+len(as) > maxInside {
			return slog.StringValue(tooDeep)
		}
		if n >= deep {
			if c.deep >= maxDeep {
				return slog.StringValue(tooDeep)
			}
			c.deep++
		}
		for i := range c.open {
			if c.open[i] == id {
				return slog.StringValue(tooDeep)
			}
		}
	}
	c.open = append(c.open, id)
	c.opened++
	c.inside += len(as)
	v := slog.GroupValue(c.attrs(as)...)
	last := len(c.open) - 1
	c.open[last].first = nil
	c.open = c.open[:last]
	return v
}
