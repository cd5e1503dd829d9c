package expslog

import (
	"context"
	"io"
	"log/slog"

	xslog "golang.org/x/exp/slog"

	"github.com/slogpack/slogpack/handler"
)

// Handler is a handler for golang.org/x/exp/slog. Handlers are immutable and
// safe for concurrent use; those derived from one New share the writer and its
// lock.
type Handler struct{ h *handler.Handler }

// New returns a handler that writes to w as [handler.New] does with the same
// options. It never fails: a nil w discards, nil options are skipped.
func New(w io.Writer, opts ...handler.Option) *Handler {
	return &Handler{handler.New(w, opts...)}
}

// Enabled reports whether records of level l are handled. It implements x/exp's
// slog.Handler.
func (h *Handler) Enabled(ctx context.Context, l xslog.Level) bool {
	return h.h.Enabled(ctx, slog.Level(l))
}

// Handle formats r and gives it to the writer in one call, as
// [handler.Handler.Handle] does; the error is the writer's. It implements
// x/exp's slog.Handler.
func (h *Handler) Handle(ctx context.Context, r xslog.Record) error {
	var as [onStack]slog.Attr
	var c *converter // for what needs room
	n := 0
	r.Attrs(func(a xslog.Attr) bool {
		group := a.Value.Kind() == xslog.KindGroup
		if c == nil && (group || n == onStack) {
			c = converters.Get()
		}
		if n >= onStack {
			if n == onStack {
				c.all = append(c.all, as[:]...)
			}
			n++
			c.add(a)
			return true
		}
		to := &as[n]
		n++
		if group {
			set(to, a.Key, c.group(a.Value.Group()))
		} else {
			set(to, a.Key, value(a.Value))
		}
		return true
	})
	all := as[:min(n, onStack)]
	if n > onStack {
		all = c.all
	}
	err := h.h.HandleAttrs(ctx, r.Time, slog.Level(r.Level), r.Message, r.PC, all)
	// After a panic or a Goexit, which writes the record again, c is not
	// given back.
	converters.Put(c)
	return err
}

// onStack is up to how many attrs room is kept on the stack. To ask the record for
// their number would be to copy it.
const onStack = 5

// WithAttrs returns a handler whose records have attrs besides those of h, in
// the group that is open. It implements x/exp's slog.Handler. The attrs are
// formatted now.
func (h *Handler) WithAttrs(attrs []xslog.Attr) xslog.Handler {
	c := converters.Get()
	std := h.h.WithAttrs(c.attrs(attrs))
	converters.Put(c)
	return h.with(std)
}

// WithGroup returns a handler whose further attrs go into a group called name.
// It implements x/exp's slog.Handler. An empty name returns h.
func (h *Handler) WithGroup(name string) xslog.Handler {
	return h.with(h.h.WithGroup(name))
}

func (h *Handler) with(std slog.Handler) *Handler {
	if std == slog.Handler(h.h) {
		return h
	}
	return &Handler{std.(*handler.Handler)}
}

// Flush has a writer that buffers write out what it holds, as
// [handler.Handler.Flush] does.
func (h *Handler) Flush() error { return h.h.Flush() }
