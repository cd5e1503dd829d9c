package sink

import (
	"io/fs"
	"log/slog"
	"time"

	"github.com/slogpack/slogpack/handler"
)

// An Option changes what [NewBuffer] or [OpenFile] builds; one that means
// nothing to the other is ignored there. Later options win over earlier ones
// that set the same thing; nil options are skipped.
type Option interface{ apply(*config) }

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// Policy is what happens to a record for which the buffer has no room, after
// the block timeout.
type Policy uint8

const (
	// DropNewest drops the record that finds no room. It is the default.
	DropNewest Policy = iota
	// DropOldest drops the oldest block of records, a quarter of the buffer,
	// that is not being written, and takes the record. Where there is none, it
	// drops the record.
	DropOldest
	// Block waits for room without end: no record is lost while the program
	// runs, but a writer that stalls stops whoever logs.
	Block
)

const (
	defaultSize         = 256 << 10
	defaultInterval     = time.Second
	defaultBlockTimeout = 100 * time.Millisecond
	defaultCloseTimeout = 5 * time.Second
	defaultMode         = fs.FileMode(0o644)
	defaultRepairLimit  = 256 << 20

	minSize = 1 << 10
	// numBlocks is into how many blocks the buffer is cut. More make writes
	// small: with eight, log calls into a file took 5 % longer. Fewer make
	// DropOldest coarse and leave little room while a block is being written.
	numBlocks = 4
)

// config is what all options collapse into. It does not change afterwards.
type config struct {
	onError func(error)

	// Buffer only.
	size         int
	interval     time.Duration
	flushLevel   slog.Level
	policy       Policy
	blockTimeout time.Duration
	closeTimeout time.Duration
	format       handler.Format
	profile      handler.Profile
	formatSet    bool
	dropRecord   func([]byte, Dropped) []byte

	// File only.
	mode        fs.FileMode
	sync        bool
	repairLimit int64
}

func newConfig(opts []Option) *config {
	c := &config{
		size:         defaultSize,
		interval:     defaultInterval,
		flushLevel:   slog.LevelError,
		blockTimeout: defaultBlockTimeout,
		closeTimeout: defaultCloseTimeout,
		mode:         defaultMode,
		repairLimit:  defaultRepairLimit,
	}
	for _, o := range opts {
		if o != nil {
			o.apply(c)
		}
	}
	return c
}

// WithErrorHandler has f told of every error of the writer, of drops (the
// first, then at most once a minute, with their number) and of what a repair
// cut off. f is called with no lock held, in the goroutine that writes or in
// one that logs, possibly in several at once. It may log to the same buffer,
// but must not wait for it: nothing is written until f returns. Its panics are
// recovered. Without an error handler, or with a nil f, the first error and
// then at most one a minute is written to os.Stderr, unless that is the writer.
func WithErrorHandler(f func(error)) Option {
	return optionFunc(func(c *config) { c.onError = f })
}

// WithSize sets how many bytes of records the Buffer holds, at least 1 KiB; the
// default is 256 KiB. Records longer than a quarter of it are kept apart, and
// one of these at a time may go beyond n, so that a record longer than the
// whole buffer passes too. Besides it, the Buffer needs an eighth of n to know
// where records end. Records under 32 bytes count as 32.
func WithSize(n int) Option {
	return optionFunc(func(c *config) { c.size = max(n, minSize) })
}

// WithInterval sets the longest time that a record waits in the Buffer while
// the writer takes what it is given; the default is a second. A d that is not
// positive changes nothing.
func WithInterval(d time.Duration) Option {
	return optionFunc(func(c *config) {
		if d > 0 {
			c.interval = d
		}
	})
}

// WithFlushLevel sets the level from which records are written at once: the
// call that logs such a record returns when it, and everything before it, has
// been written, or after the block timeout, or at once while writing fails. The
// default is [slog.LevelError]. Records that come by Write have no level.
func WithFlushLevel(l slog.Level) Option {
	return optionFunc(func(c *config) { c.flushLevel = l })
}

// WithPolicy sets what happens when the Buffer is full.
func WithPolicy(p Policy) Option {
	return optionFunc(func(c *config) {
		if p <= Block {
			c.policy = p
		}
	})
}

// WithBlockTimeout sets how long a caller waits at most: for room, unless the
// policy is [Block], and for a record from the flush level up to be written.
// The default is 100 ms; 0 never waits, and a negative d changes nothing. When
// nothing has been written for that long, callers no longer wait for room at
// all until something is.
func WithBlockTimeout(d time.Duration) Option {
	return optionFunc(func(c *config) {
		if d >= 0 {
			c.blockTimeout = d
		}
	})
}

// WithCloseTimeout sets how long Close and Flush take at most; the default is
// five seconds. A d that is not positive changes nothing.
func WithCloseTimeout(d time.Duration) Option {
	return optionFunc(func(c *config) {
		if d > 0 {
			c.closeTimeout = d
		}
	})
}

// WithFormat sets what a [handler.Handler] on the Buffer writes where its own
// options say nothing, and how the Buffer words its own records. Without it the
// Buffer asks its writer, if that is a [handler.FormatWriter]; otherwise it is
// JSON with [handler.Slog].
func WithFormat(f handler.Format, p handler.Profile) Option {
	return optionFunc(func(c *config) { c.format, c.profile, c.formatSet = f, p, true })
}

// Dropped is what the Buffer's own record tells.
type Dropped struct {
	Records, Bytes int64     // dropped since the last such record
	Since          time.Time // when the first of them was
}

// WithDropRecord has f append the record that takes the place of dropped ones,
// instead of the Buffer's own. What f appends is written as it is; if that is
// nothing, there is no such record. f is called in the goroutine that writes
// and must not wait for the Buffer. A panic of f leaves the record out.
func WithDropRecord(f func(dst []byte, d Dropped) []byte) Option {
	return optionFunc(func(c *config) { c.dropRecord = f })
}

// WithMode sets the permissions, before the umask, of a file that [OpenFile] or
// Reopen creates; the default is 0o644.
func WithMode(m fs.FileMode) Option {
	return optionFunc(func(c *config) { c.mode = m })
}

// WithSync has every Write to a [File] followed by an fsync. Under a Buffer
// that is one for each block, and for each record from the flush level up.
func WithSync() Option {
	return optionFunc(func(c *config) { c.sync = true })
}

// WithRepairLimit sets how many bytes of an existing MessagePack file [OpenFile]
// and Reopen read at most to find a torn last record; the default is 256 MiB.
// Of a longer file the last n bytes are read, see [OpenFile].
func WithRepairLimit(n int64) Option {
	return optionFunc(func(c *config) {
		if n > 0 {
			c.repairLimit = n
		}
	})
}
