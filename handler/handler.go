package handler

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"
)

// Handler is a [slog.Handler] that formats records itself and hands each to its
// writer in one call. Handlers are immutable and safe for concurrent use; those
// derived from one New share the writer and its lock.
type Handler struct {
	c   *config
	out *output

	pre     prefix   // the attrs of With, formatted, with the groups left open
	pending []byte   // JSON: the groups not yet opened there, having no attr so far
	groups  []string // names of all groups of WithGroup
	nOpen   int      // how many of these are open in pre
	secret  int      // how many of these are to be redacted
}

// New returns a handler that writes to w as log/slog's JSON handler does, or
// otherwise as opts say. It never fails: a nil w discards, nil options are
// skipped.
//
// The handler serializes its calls of w with a mutex, unless w is a
// [StreamWriter] or [WithConcurrentWriter] is given; two handlers made by two
// calls of New on the same w do not know of each other and need a writer that
// is safe for concurrent use.
func New(w io.Writer, opts ...Option) *Handler {
	c := newConfig(w, opts)
	o := newOutput(w, c)
	if c.refusal != nil {
		o.report(fmt.Errorf("slogpack: %T refuses this format, JSON is written: %w", w, c.refusal))
	}
	return &Handler{c: c, out: o}
}

// Enabled reports whether records of level l are handled. It implements
// [slog.Handler]; ctx is ignored.
func (h *Handler) Enabled(_ context.Context, l slog.Level) bool {
	if h.c.leveler == nil {
		return l >= h.c.minLevel
	}
	return l >= h.c.leveler.Level()
}

// Handle formats r and gives it to the writer in one call, whatever the level.
// It implements [slog.Handler]. The error is the writer's; values that cannot
// be encoded cost their own field and are no error. ctx is only handed to
// context functions and filters; that it is cancelled or nil changes nothing.
func (h *Handler) Handle(ctx context.Context, r slog.Record) error {
	p := pairs.Get()
	defer func() {
		if p != nil { // user code or the writer did not return
			h.broken(ctx, &r, nil, p)
		}
	}()
	p.begin(h)
	err := h.handle(ctx, &r, nil, p)
	pairs.Put(p)
	p = nil
	return err
}

// HandleAttrs is Handle for a record of time t, level l, message msg, program
// counter pc and attrs, all as in a [slog.Record]. It is for bridges from other
// logging packages: to put attrs into a slog.Record and take them out again costs
// as much as to format some of them. attrs, and what is in groups of them, are lent
// for the call only; a filter gets a copy.
func (h *Handler) HandleAttrs(ctx context.Context, t time.Time, l slog.Level, msg string, pc uintptr, attrs []slog.Attr) error {
	p := pairs.Get()
	defer func() {
		if p != nil {
			h.broken(ctx, &p.own, &attrs, p)
		}
	}()
	p.begin(h)
	r := &p.own
	r.Time, r.Level, r.Message, r.PC = t, l, msg, pc
	p.ownUsed = true
	err := h.handle(ctx, r, &attrs, p)
	pairs.Put(p)
	p = nil
	return err
}

// handle is both, with a pair that has begun. as are the record's attrs where r does
// not hold them.
func (h *Handler) handle(ctx context.Context, r *slog.Record, as *[]slog.Attr, p *pair) (err error) {
	if h.c.filters != nil || h.c.contexts != nil {
		if !p.prepare(h, ctx, r, as) {
			p.tellFilter(h)
			return nil
		}
	}
	lf := h.c.knownLevel(r.Level)
	if lf == nil {
		lf = h.c.level(r.Level, &p.user)
	}
	o := h.out
	if o.streams && h.c.streams && o.worthStreaming(h, r) {
		if room, ok := o.reserve(p, h.room(r, as)); ok {
			err = h.streamed(p, room, r, as, lf)
			p.tellFilter(h)
			return err
		}
	}
	b := p.buf.B[:0]
	if h.c.quickJSON {
		if b = p.jsonRecord(b, h, r, as, lf); len(b) > h.c.maxLen {
			b = p.edit(b)
		}
		p.buf.B = b
	} else if p.packed {
		b = p.packQuick(h, r, as, lf)
	} else { // JSON with WithDedup
		b = p.record(b, h, r, as, lf)
		p.buf.B = b
	}
	switch {
	case o.quick:
		err = o.writeQuick(p, b, r.Level)
	case o.lender != nil:
		err = o.commit(b, r.Level)
	default:
		err = o.write(b, r.Level)
	}
	if p.filterPanic != "" {
		p.tellFilter(h)
	}
	return err
}

// broken runs in Handle's deferred function where something did not return.
func (h *Handler) broken(ctx context.Context, r *slog.Record, as *[]slog.Attr, p *pair) {
	if p.locked {
		h.out.mu.Unlock()
	}
	if p.user.exiting {
		h.rerun(ctx, r, as, p)
	}
}

// prepare asks the filters and the context functions, and reports whether r is
// to be logged.
func (p *pair) prepare(h *Handler, ctx context.Context, r *slog.Record, as *[]slog.Attr) bool {
	if ctx == nil {
		ctx = context.Background()
	}
	if h.c.filters != nil {
		whole := *r
		if as != nil {
			left := len(*as) + maxCopied // attrs outside groups do not count
			whole.AddAttrs(ownGroups(*as, &left, 0)...)
		}
		if !p.pass(h, ctx, whole) {
			return false
		}
	}
	p.collect(ctx)
	return true
}

// maxCopied is how many attrs in groups are copied for a filter.
const maxCopied = 1 << 20

// ownGroups returns a copy of as that shares no slice of attrs with it. Groups are
// copied while there are left more attrs to be copied: one may contain itself.
func ownGroups(as []slog.Attr, left *int, depth int) []slog.Attr {
	*left -= len(as)
	own := make([]slog.Attr, len(as)) // slices.Clone would have as escape
	copy(own, as)
	for i := range own {
		if own[i].Value.Kind() != slog.KindGroup {
			continue
		}
		if *left < 0 || depth >= maxDepth {
			own[i].Value = slog.StringValue(tooDeep)
		} else {
			own[i].Value = slog.GroupValue(ownGroups(own[i].Value.Group(), left, depth+1)...)
		}
	}
	return own
}

// rerun writes the record of a Handle call in which user code ended the
// goroutine by runtime.Goexit; it runs in the deferred calls of that. bad is
// that call's pair.
func (h *Handler) rerun(ctx context.Context, r *slog.Record, as *[]slog.Attr, bad *pair) {
	p := newPair()
	p.user.skip, p.user.noLevel = bad.user.skip, bad.user.noLevel
	if !bad.user.levelExit {
		p.user.skip = append(p.user.skip, bad.user.calls)
	}
	defer func() {
		if p.user.exiting {
			h.rerun(ctx, r, as, p)
		}
	}()
	p.begin(h)
	if !p.prepare(h, ctx, r, as) {
		return
	}
	_ = h.out.write(p.record(nil, h, r, as, h.c.level(r.Level, &p.user)), r.Level)
	p.tellFilter(h)
}

// tellFilter tells the error handler of a filter that panicked, now that the
// record is written.
func (p *pair) tellFilter(h *Handler) {
	if p.filterPanic != "" {
		h.out.report(fmt.Errorf("slogpack: a WithFilter function panicked, its record was let through: %s", p.filterPanic))
	}
}

// room guesses what a record will need, to reserve it in the writer's buffer.
func (h *Handler) room(r *slog.Record, as *[]slog.Attr) int {
	attrs := r.NumAttrs()
	if as != nil {
		attrs = len(*as)
	}
	n := roomBuiltins + h.pre.size() + len(h.pending) + len(r.Message) + roomAttr*attrs
	if h.c.addSource && r.PC != 0 {
		n += len(h.c.source(r.PC).field)
	}
	return n
}

// WithAttrs returns a handler whose records have attrs besides those of h, in
// the group that is open. It implements [slog.Handler]. The attrs are formatted
// now; h and its memory do not change. Where nothing is added, it returns h.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	if len(attrs) == 0 {
		return h
	}
	p := pairs.Get()
	p.begin(h)
	pre, any := p.with(h, attrs)
	pairs.Put(p)
	if !any {
		return h
	}
	h2 := *h
	h2.pre = pre
	h2.pending = nil
	h2.nOpen = len(h.groups)
	return &h2
}

// WithGroup returns a handler whose further attrs go into a group called name.
// It implements [slog.Handler]. The group appears in a record only if something
// is in it. An empty name returns h.
func (h *Handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	h2 := *h
	h2.groups = append(slices.Clip(h.groups), name)
	secret := h.c.secretKey(name)
	if len(h.groups) == 0 {
		name = h.c.outermost(name)
		secret = secret || h.c.secretKey(name)
	}
	if secret {
		h2.secret++
	}
	h2.pending = append(appendKey(slices.Clip(h.pending), name, h.c.dialect), '{')
	return &h2
}

// Flush has a writer that buffers write out what it holds: it calls the
// writer's Flush method, with or without an error as its result, if it has one.
// It runs under the handler's lock and returns the writer's error. It never
// syncs to disk.
func (h *Handler) Flush() error { return h.out.flush() }
