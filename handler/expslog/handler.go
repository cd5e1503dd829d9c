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
	var to record
	r.Attrs(func(a xslog.Attr) bool {
		to.add(&a)
		return true
	})
	err := h.h.HandleAttrs(ctx, r.Time, slog.Level(r.Level), r.Message, r.PC, to.attrs())
	// After a panic or a Goexit, which writes the record again, it is not given
	// back.
	if to.c != nil {
		converters.Put(to.c)
	}
	return err
}

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
