package forward

import (
	"context"
	"crypto/tls"
	"math"
	"net"
	"time"
)

// An Option changes what [Dial] builds. Later options win over earlier ones
// that set the same thing; nil options are skipped.
type Option interface{ apply(*config) }

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// Policy is what happens to a record for which the queue has no room, after
// the block timeout.
type Policy uint8

const (
	// DropNewest drops the record that finds no room. It is the default.
	DropNewest Policy = iota
	// DropOldest drops the oldest batch that is not on its way to a receiver,
	// and takes the record. Where there is none, it drops the record.
	DropOldest
	// Block waits for room without end: no record is lost while the program
	// runs, but a receiver that is down stops whoever logs.
	Block
)

const (
	defaultTag          = "app.log"
	defaultPort         = "24224"
	defaultBufferBytes  = 16 << 20
	defaultBatchBytes   = 256 << 10
	maxBatchBytes       = 1_000_000 // Fluent Bit parses from byte 0 at each read
	minBatchBytes       = 1 << 10
	minBatches          = 4       // that the queue has room for
	maxEntryBytes       = 4 << 20 // Fluent Bit refuses frames above 6 144 000
	defaultBatchAge     = time.Second
	defaultBlockTimeout = 100 * time.Millisecond
	defaultDial         = 5 * time.Second
	defaultWrite        = 10 * time.Second
	defaultAck          = 60 * time.Second
	defaultCloseTimeout = 5 * time.Second
	defaultRecoveryWait = 10 * time.Second
	defaultBackoffMin   = 100 * time.Millisecond
	defaultBackoffMax   = 10 * time.Second
	// For so long a new connection is watched before a chunk goes out on it after
	// which others broke: a proxy whose receiver is down accepts and hangs up, and
	// that is not the chunk's fault. And for so long a broken connection is looked
	// through for acknowledgements.
	defaultGrace  = 100 * time.Millisecond
	defaultWindow = 8 // frames on their way, acknowledgements outstanding
)

// config is what all options collapse into. It does not change after Dial.
type config struct {
	tag          string
	bufferBytes  int
	batchBytes   int
	batchAge     time.Duration
	gzip         bool
	tls          *tls.Config
	sharedKey    string
	user         string
	password     string
	secured      bool // the receiver asks for a handshake
	servers      []string
	recoveryWait time.Duration
	blockTimeout time.Duration
	policy       Policy
	dial         time.Duration
	write        time.Duration
	ack          time.Duration
	backoffMin   time.Duration
	backoffMax   time.Duration
	noAcks       bool
	wait         bool
	closeTimeout time.Duration
	onError      func(error)
	refusedBytes bool
	grace        time.Duration
	window       int
	maxEntry     int // bytes of one entry
	prefix       int // bytes in front of a batch's entries, for the frame's head
	dialer       dialer
}

// dialer is what connections are made with; tests have others.
type dialer interface {
	DialContext(ctx context.Context, network, addr string) (net.Conn, error)
}

func newConfig(opts []Option) *config {
	c := &config{
		tag:          defaultTag,
		bufferBytes:  defaultBufferBytes,
		batchBytes:   defaultBatchBytes,
		batchAge:     defaultBatchAge,
		recoveryWait: defaultRecoveryWait,
		blockTimeout: defaultBlockTimeout,
		dial:         defaultDial,
		write:        defaultWrite,
		ack:          defaultAck,
		backoffMin:   defaultBackoffMin,
		backoffMax:   defaultBackoffMax,
		closeTimeout: defaultCloseTimeout,
		grace:        defaultGrace,
		window:       defaultWindow,
		dialer:       new(net.Dialer),
	}
	for _, o := range opts {
		if o != nil {
			o.apply(c)
		}
	}
	// The queue holds whole batches; a small queue means small ones.
	c.prefix = len(appendFrameHead(nil, c.tag, math.MaxUint16+1)) // the longest
	overhead := c.prefix + trailerRoom
	c.bufferBytes = max(c.bufferBytes, minBatches*(minBatchBytes+overhead))
	c.batchBytes = max(min(c.batchBytes, c.bufferBytes/minBatches-overhead), minBatchBytes)
	// A long entry has a batch of its own, beside the one being filled.
	c.maxEntry = max(c.batchBytes, min(maxEntryBytes, c.bufferBytes-2*(c.batchBytes+overhead)-noteRoom))
	return c
}

// WithTag sets the tag of all records, by which receivers route them; the
// default is app.log. An empty tag, which Fluent Bit loses, changes nothing.
func WithTag(tag string) Option {
	return optionFunc(func(c *config) {
		if tag != "" {
			c.tag = tag
		}
	})
}

// WithBufferBytes bounds the memory of the queue, in bytes: the batch that is
// being filled, those that wait, and those sent and not yet acknowledged. The
// default is 16 MiB. Not in it are the state of gzip, about 1 MiB with its
// output, and a few hundred bytes a batch. Less than 1 changes nothing; there
// is always room for four batches, which are made smaller where needed.
func WithBufferBytes(n int) Option {
	return optionFunc(func(c *config) {
		if n > 0 {
			c.bufferBytes = n
		}
	})
}

// WithBatch sets when a batch is sent: when it has about so many bytes (before
// compression; by default 256 KiB, at most 1 000 000), or when its first record
// has waited for age (by default a second). Values below 1 change nothing.
// While the receiver does not keep up, batches get full.
func WithBatch(bytes int, age time.Duration) Option {
	return optionFunc(func(c *config) {
		if bytes > 0 {
			c.batchBytes = min(max(bytes, minBatchBytes), maxBatchBytes)
		}
		if age > 0 {
			c.batchAge = age
		}
	})
}

// WithGzip compresses batches. All receivers named in the package
// documentation take it.
func WithGzip() Option { return optionFunc(func(c *config) { c.gzip = true }) }

// WithTLS has connections encrypted and the receiver's certificate verified as
// t says; where t has no ServerName, that is the host of the address. A nil t
// stands for the system's roots. t is copied.
func WithTLS(t *tls.Config) Option {
	if t == nil {
		t = &tls.Config{}
	}
	t = t.Clone()
	return optionFunc(func(c *config) { c.tls = t })
}

// WithSharedKey authenticates to receivers that have a shared_key, and them to
// us. It is no encryption. The key is never logged.
func WithSharedKey(key string) Option {
	return optionFunc(func(c *config) { c.sharedKey, c.secured = key, true })
}

// WithUser authenticates as a user, to receivers that ask for one during the
// handshake of the shared key. Neither is ever logged.
func WithUser(name, password string) Option {
	return optionFunc(func(c *config) { c.user, c.password, c.secured = name, password, true })
}

// WithServers adds receivers, in the form of Dial's addr, that are used in
// this order while those before them, Dial's own first, cannot be reached.
// Once one of these is back, it is used again.
func WithServers(addrs ...string) Option {
	addrs = append([]string(nil), addrs...)
	return optionFunc(func(c *config) {
		c.servers = append(c.servers[:len(c.servers):len(c.servers)], addrs...)
	})
}

// WithRecoveryWait sets for how long a receiver that failed is left alone
// while another of WithServers works; 10 s by default. Less than 1 changes
// nothing.
func WithRecoveryWait(d time.Duration) Option {
	return optionFunc(func(c *config) { setDuration(&c.recoveryWait, d) })
}

// WithBlockTimeout sets for how long a record waits at most for room in the
// queue; 100 ms by default, 0 for not at all; a negative d changes nothing.
// Once nothing has moved for so long, records do not wait again until something
// does: a receiver that is down does not slow the program down.
func WithBlockTimeout(d time.Duration) Option {
	return optionFunc(func(c *config) {
		if d >= 0 {
			c.blockTimeout = d
		}
	})
}

// WithPolicy sets what happens when the queue is full. A value that is none of
// the constants changes nothing.
func WithPolicy(p Policy) Option {
	return optionFunc(func(c *config) {
		if p <= Block {
			c.policy = p
		}
	})
}

// WithTimeouts sets how long a connection may take to be made, handshakes
// included (5 s by default), a batch to be written (10 s), and its
// acknowledgement to come (60 s). Values below 1 change nothing.
func WithTimeouts(dial, write, ack time.Duration) Option {
	return optionFunc(func(c *config) {
		setDuration(&c.dial, dial)
		setDuration(&c.write, write)
		setDuration(&c.ack, ack)
	})
}

// WithBackoff sets the shortest and the longest pause between attempts to
// connect (by default 100 ms and 10 s); it doubles from one to the other, and
// is shortened at random by up to half. Values below 1 change nothing.
func WithBackoff(shortest, longest time.Duration) Option {
	return optionFunc(func(c *config) {
		setDuration(&c.backoffMin, shortest)
		setDuration(&c.backoffMax, longest)
		c.backoffMax = max(c.backoffMin, c.backoffMax)
	})
}

// WithoutAcks asks for no acknowledgements: what the operating system took
// counts as acknowledged. Records are then lost whenever a connection breaks.
func WithoutAcks() Option { return optionFunc(func(c *config) { c.noAcks = true }) }

// WithWaitForConnection has Dial return only when a receiver is connected, or
// fail when its context ends.
func WithWaitForConnection() Option { return optionFunc(func(c *config) { c.wait = true }) }

// WithCloseTimeout bounds Close and Flush; 5 s by default. Less than 1 changes
// nothing.
func WithCloseTimeout(d time.Duration) Option {
	return optionFunc(func(c *config) { setDuration(&c.closeTimeout, d) })
}

// WithErrorHandler has f told of what goes wrong in the background: receivers
// that cannot be reached, connections that break with records on their way,
// records that are dropped ([ErrFull]) or refused ([*RefusedError]). f runs in a
// goroutine of its own, one call at a time, and may log through this Writer;
// where it does not keep up, it misses some. Its panics are recovered. Without
// it, or with a nil f, the first error and then at most one a minute, with a
// count of those in between, is written to os.Stderr.
func WithErrorHandler(f func(error)) Option {
	return optionFunc(func(c *config) {
		if f != nil {
			c.onError = f
		}
	})
}

// WithRefusedBytes has a [*RefusedError] carry the refused record, which may
// hold secrets.
func WithRefusedBytes() Option { return optionFunc(func(c *config) { c.refusedBytes = true }) }

func setDuration(to *time.Duration, d time.Duration) {
	if d > 0 {
		*to = d
	}
}
