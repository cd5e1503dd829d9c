package expslog

import (
	"log/slog"
	"slices"

	xslog "golang.org/x/exp/slog"

	"github.com/slogpack/slogpack/pool"
)

// converter turns attrs into log/slog's. All groups that come of one call lie in
// one slice, which is used again.
type converter struct {
	out []slog.Attr
	all []slog.Attr // a record's own, where the stack has no room for them
	nesting
}

var converters = pool.New(nil, (*converter).reset)

// maxKept is how many attrs a converter keeps room for.
const maxKept = 1024

func (c *converter) reset() bool {
	if cap(c.out) > maxKept || cap(c.all) > maxKept {
		return false
	}
	clear(c.out)
	clear(c.all)
	c.out, c.all = c.out[:0], c.all[:0]
	c.opened, c.deep = 0, 0
	return true
}

// add converts one more of a record's own attrs.
func (c *converter) add(a xslog.Attr) {
	c.all = append(c.all, slog.Attr{})
	to := &c.all[len(c.all)-1]
	set(to, a.Key, c.value(a.Value))
}

// attrs converts as, which lie together.
func (c *converter) attrs(as []xslog.Attr) []slog.Attr {
	start := len(c.out)
	end := start + len(as)
	c.out = slices.Grow(c.out, len(as))[:end]
	for i := range as {
		if as[i].Value.Kind() != xslog.KindGroup {
			set(&c.out[start+i], as[i].Key, value(as[i].Value))
		} else {
			c.putGroup(start+i, as[i])
		}
	}
	// c.out may have moved meanwhile. What was taken of it before stays as it
	// is: it was complete.
	return c.out[start:end:end]
}

// putGroup converts a into c.out[i].
func (c *converter) putGroup(i int, a xslog.Attr) {
	v := c.group(a.Value.Group()) // which may move c.out
	set(&c.out[i], a.Key, v)
}

// set assigns by fields: a whole Attr is made somewhere else first and then
// copied in units that its parts were not written in, which processors wait for.
func set(to *slog.Attr, key string, v slog.Value) {
	to.Key = key
	to.Value = v
}

// value converts v, groups too.
func (c *converter) value(v xslog.Value) slog.Value {
	if v.Kind() == xslog.KindGroup {
		return c.group(v.Group())
	}
	return value(v)
}

// value converts a v that is no group.
func value(v xslog.Value) slog.Value {
	switch v.Kind() {
	case xslog.KindString:
		return slog.StringValue(v.String())
	case xslog.KindInt64:
		return slog.Int64Value(v.Int64())
	case xslog.KindUint64:
		return slog.Uint64Value(v.Uint64())
	case xslog.KindFloat64:
		return slog.Float64Value(v.Float64())
	case xslog.KindBool:
		return slog.BoolValue(v.Bool())
	case xslog.KindDuration:
		return slog.DurationValue(v.Duration())
	case xslog.KindTime:
		return slog.TimeValue(v.Time())
	case xslog.KindLogValuer:
		return slog.AnyValue(valuer{v})
	}
	return anyValue(v.Any())
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
type valuer struct{ v xslog.Value }

// LogValue implements slog.LogValuer.
func (v valuer) LogValue() slog.Value {
	var c converter // what it returns is not of one call
	return c.value(v.v.Resolve())
}

// Limits on groups, as the handler has them. Without them a group that holds
// itself would be converted without end.
const (
	maxDepth  = 100     // groups inside each other
	maxGroups = 1 << 16 // groups in one record
	deep      = 8       // from this depth on
	maxDeep   = 1 << 12 // there are at most so many
)

const tooDeep = "!ERROR: nesting too deep"

// nesting knows the groups that are open at the moment.
type nesting struct {
	open   []groupID
	opened int
	deep   int // opened at the depth called deep or below
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
	c.opened++
	if len(c.open) >= deep {
		c.deep++
	}
	id := groupID{&as[0], len(as)}
	if len(c.open) >= maxDepth || c.opened > maxGroups || c.deep > maxDeep || slices.Contains(c.open, id) {
		return slog.StringValue(tooDeep)
	}
	c.open = append(c.open, id)
	v := slog.GroupValue(c.attrs(as)...)
	last := len(c.open) - 1
	c.open[last].first = nil
	c.open = c.open[:last]
	return v
}
