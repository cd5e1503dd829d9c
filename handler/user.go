package handler

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
)

// User code runs in these places only, each under a recover of its own, so that
// a panic costs the one field it happens in. recover does not see
// runtime.Goexit, which ends the goroutine whatever a handler does; the call is
// then marked, and Handle's deferred function writes the record once more
// without it.

// userCalls numbers the calls into user code within one record.
type userCalls struct {
	calls   int   // so far
	skip    []int // numbers not to call again: they ended in Goexit
	exiting bool  // one just ended in Goexit
	// LevelText is called so rarely that its calls have no number.
	levelExit bool // it just ended in Goexit
	noLevel   bool // it is not to be called again
	damaged   bool // one panicked: the pair is not to be reused
}

const (
	goexitText = "!PANIC: runtime.Goexit"
	// badKey is log/slog's key for a value without one.
	badKey = "!BADKEY"
	// maxReruns bounds how often a record is formatted again for values that
	// end the goroutine; after that no user code is called at all.
	maxReruns = 100
)

// refused counts a call and reports whether it must not be made.
func (u *userCalls) refused() bool {
	u.calls++
	return u.skip != nil && (len(u.skip) >= maxReruns || slices.Contains(u.skip, u.calls))
}

// caught is called by deferred functions of calls that did not return, with
// what recover gave them.
func (u *userCalls) caught(r any) {
	u.damaged = true
	if r == nil {
		u.exiting = true
	}
}

// panicText words a panic's value. To print that is user code again.
func (u *userCalls) panicText(r any) (s string) {
	returned := false
	defer func() {
		if !returned {
			if recover() == nil {
				u.exiting = true // Goexit
			}
			s = fmt.Sprintf("!PANIC: a %T that panics when printed", r)
		}
	}()
	if printable(r) {
		s = fmt.Sprintf("!PANIC: %v", r)
	} else {
		s = fmt.Sprintf("!PANIC: a %T that does not end", r)
	}
	returned = true
	return s
}

// printable reports whether fmt can print r: it goes down slices and maps that
// contain themselves until the stack ends, and the program with it.
func printable(r any) bool {
	switch r.(type) {
	case nil, error, fmt.Stringer, fmt.Formatter, string:
		return true
	}
	left := 10_000
	return ends(reflect.ValueOf(r), 100, &left)
}

// ends reports whether v is less than depth deep and has no more than left
// parts.
func ends(v reflect.Value, depth int, left *int) bool {
	if *left--; *left < 0 || depth == 0 {
		return false
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || ends(v.Elem(), depth-1, left)
	case reflect.Slice, reflect.Array:
		switch v.Type().Elem().Kind() {
		case reflect.Uint8, reflect.Int, reflect.String, reflect.Float64:
			return true
		}
		for i := range v.Len() {
			if !ends(v.Index(i), depth-1, left) {
				return false
			}
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if !ends(it.Key(), depth-1, left) || !ends(it.Value(), depth-1, left) {
				return false
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !ends(v.Field(i), depth-1, left) {
				return false
			}
		}
	}
	return true
}

// panicField words the panic of v's own method.
func (u *userCalls) panicField(v, r any) string {
	// The likely reason is a method that does not expect a nil receiver.
	if rv := reflect.ValueOf(v); rv.Kind() == reflect.Pointer && rv.IsNil() {
		return "<nil>"
	}
	return u.panicText(r)
}

// resolve returns what v's LogValue says. Value.Resolve recovers panics.
func (p *pair) resolve(v slog.Value) slog.Value {
	if p.user.refused() {
		return slog.StringValue(goexitText)
	}
	returned := false
	defer func() {
		if !returned {
			p.user.caught(nil)
		}
	}()
	v = v.Resolve()
	returned = true
	return v
}

// callReplace returns what ReplaceAttr makes of a, resolved.
func (p *pair) callReplace(a slog.Attr) (out slog.Attr) {
	var groups []string
	if n := len(p.groups); n > 0 && !p.hidden {
		groups = p.groups[:n:n]
	}
	if p.user.refused() {
		return slog.String(a.Key, goexitText)
	}
	returned := false
	defer func() {
		if !returned {
			r := recover()
			p.user.caught(r)
			out = slog.String(a.Key, p.user.panicText(r))
		}
	}()
	out = p.c.replace(groups, a)
	returned = true
	if out.Value.Kind() == slog.KindLogValuer {
		out.Value = p.resolve(out.Value)
	}
	return out
}

func (p *pair) callContext(f func(context.Context) []slog.Attr, ctx context.Context) (as []slog.Attr) {
	if p.user.refused() {
		return []slog.Attr{slog.String(badKey, goexitText)}
	}
	returned := false
	defer func() {
		if !returned {
			r := recover()
			p.user.caught(r)
			as = []slog.Attr{slog.String(badKey, p.user.panicText(r))}
		}
	}()
	as = f(ctx)
	returned = true
	return as
}

// pass asks the filters about r.
func (p *pair) pass(h *Handler, ctx context.Context, r slog.Record) bool {
	for _, f := range h.c.filters {
		if !p.callFilter(f, ctx, r) {
			return false
		}
	}
	return true
}

func (p *pair) callFilter(f func(context.Context, slog.Record) bool, ctx context.Context, r slog.Record) (ok bool) {
	if p.user.refused() {
		return true
	}
	returned := false
	defer func() {
		if !returned {
			v := recover()
			p.user.caught(v)
			ok = true
			if v != nil {
				p.filterPanic = p.user.panicText(v)
			}
		}
	}()
	ok = f(ctx, r)
	returned = true
	return ok
}

// errorText is err.Error(), or what becomes of it when that panics.
func (p *pair) errorText(err error) (s string) {
	if p.user.refused() {
		return goexitText
	}
	returned := false
	defer func() {
		if !returned {
			r := recover()
			p.user.caught(r)
			s = p.user.panicField(err, r)
		}
	}()
	s = err.Error()
	returned = true
	return s
}
