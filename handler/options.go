package handler

import (
	"context"
	"log/slog"
	"slices"
)

// WithHandlerOptions takes over log/slog's own options: Level, AddSource and
// ReplaceAttr mean what they mean there. Fields that are not set change nothing
// that another option has set; a nil o is skipped. o is read now, not later.
func WithHandlerOptions(o *slog.HandlerOptions) Option {
	if o == nil {
		return nil
	}
	level, source, replace := o.Level, o.AddSource, o.ReplaceAttr
	return optionFunc(func(c *config) {
		c.setLevel(level)
		c.addSource = c.addSource || source
		if replace != nil {
			c.replace = replace
		}
	})
}

// WithLevel sets the lowest level that is logged; the default is
// [slog.LevelInfo]. l is asked at every record, so that a [slog.LevelVar] may
// change while the program runs; its Level method must be safe for concurrent
// use. A nil l is skipped, a nil *slog.LevelVar counts as Info.
func WithLevel(l slog.Leveler) Option {
	return optionFunc(func(c *config) { c.setLevel(l) })
}

// WithSource adds where in the source each record was logged: function, file
// and line, taken from the record's PC. Records without a PC have none.
func WithSource() Option {
	return optionFunc(func(c *config) { c.addSource = true })
}

// WithReplaceAttr has f rewrite each attr that is not a group before it is
// written, as [slog.HandlerOptions.ReplaceAttr] does: f gets the names of the
// open groups (nil for the built-ins), which it must not keep or change, and
// the attr with its value resolved; what it returns is written instead, and the
// zero Attr removes it. Attrs given to WithAttrs are rewritten once, there. f
// must be safe for concurrent use; it is never called under a lock. If it
// panics, the attr's value is the panic's text. The last WithReplaceAttr wins;
// a nil f is skipped.
func WithReplaceAttr(f func(groups []string, a slog.Attr) slog.Attr) Option {
	if f == nil {
		return nil
	}
	return optionFunc(func(c *config) { c.replace = f })
}

// WithFormat sets the wire format; the default is what a [FormatWriter] says,
// else [JSON]. A value that is no Format of this package counts as JSON.
func WithFormat(f Format) Option {
	return optionFunc(func(c *config) { c.format, c.formatSet = f, true })
}

// WithProfile sets how the record's own fields are called and written; the
// default is what a [FormatWriter] says, else [Slog], in the Forward format
// [OTel]. p is copied.
func WithProfile(p Profile) Option {
	p.Static = slices.Clone(p.Static)
	return optionFunc(func(c *config) { c.profile, c.profileSet = p, true })
}

// WithContextAttrs adds attrs taken from the context of each log call, a trace
// id for example. They come directly after the record's own fields, before all
// attrs of With and outside every group. Several WithContextAttrs add up, in
// order. f gets context.Background() where the caller gave a nil context; it
// must be safe for concurrent use, and the slice it returns is only read. If it
// panics, a field "!BADKEY" tells so. A nil f is skipped.
func WithContextAttrs(f func(context.Context) []slog.Attr) Option {
	if f == nil {
		return nil
	}
	return optionFunc(func(c *config) { c.contexts = append(c.contexts, f) })
}

// WithFilter asks f about each record before anything is formatted; false drops
// the record, and Handle returns nil. With several filters all must agree; they
// are asked in order until one says no. f gets context.Background() where the
// caller gave a nil context; it must be safe for concurrent use and must not
// change the record's attrs. A filter that panics lets the record through, and
// the error handler is told. A nil f is skipped.
func WithFilter(f func(context.Context, slog.Record) bool) Option {
	if f == nil {
		return nil
	}
	return optionFunc(func(c *config) { c.filters = append(c.filters, f) })
}

// WithErrorHandler has f told of every error that the writer returns (Handle
// returns it as well, but [slog.Logger] drops it) and of mistakes that New
// finds. f is called in the goroutine that logged, after every lock is
// released, possibly in several goroutines at once. Its panics are recovered,
// and errors of its own log calls through this handler are not reported again.
// Without an error handler, or with a nil f, the first error and then at most
// one a minute, with a count of those in between, is written to os.Stderr,
// unless os.Stderr is the writer.
func WithErrorHandler(f func(error)) Option {
	if f == nil {
		return nil
	}
	return optionFunc(func(c *config) { c.onError = f })
}

// WithConcurrentWriter says that the writer is safe for concurrent use and puts
// each Write out whole, as an *os.File opened for appending does. The handler
// then takes no lock and does not stream. After a short write, whose rest can
// no longer follow directly, the rest is dropped and the next JSON record
// starts with a newline.
func WithConcurrentWriter() Option {
	return optionFunc(func(c *config) { c.concurrent = true })
}
