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
	damaged bool  // one panicked: the pair is not to be reused
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

// panicText words a panic's value, which may panic itself when printed.
func panicText(r any) (s string) {
	defer func() {
		if recover() != nil {
			s = fmt.Sprintf("!PANIC: a %T that panics when printed", r)
		}
	}()
	return fmt.Sprintf("!PANIC: %v", r)
}

// panicField words the panic of v's own method.
func panicField(v, r any) string {
	// The likely reason is a method that does not expect a nil receiver.
	if rv := reflect.ValueOf(v); rv.Kind() == reflect.Pointer && rv.IsNil() {
		return "<nil>"
	}
	return panicText(r)
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
			out = slog.String(a.Key, panicText(r))
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
			as = []slog.Attr{slog.String(badKey, panicText(r))}
		}
	}()
	as = f(ctx)
	returned = true
	return as
}

// pass asks the filters about r.
func (p *pair) pass(h *Handler, ctx context.Context, r slog.Record) bool {
	for _, f := range h.c.filters {
		if !p.callFilter(h, f, ctx, r) {
			return false
		}
	}
	return true
}

func (p *pair) callFilter(h *Handler, f func(context.Context, slog.Record) bool, ctx context.Context, r slog.Record) (ok bool) {
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
				h.out.report(fmt.Errorf("slogpack: a WithFilter function panicked, its record was let through: %s", panicText(v)))
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
			s = panicField(err, r)
		}
	}()
	s = err.Error()
	returned = true
	return s
}
