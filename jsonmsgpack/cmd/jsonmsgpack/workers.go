package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// chunkSize is how many bytes of lines one worker gets at a time: enough that
// handing them over costs nothing beside converting them.
const chunkSize = 512 << 10

// pad goes before every chunk but the first. These empty lines keep the
// converter from seeing the beginning of a stream, where a byte order mark
// would be skipped and other encodings recognised.
const pad = "\n\n\n\n"

// A chunk is some whole lines on their way through a worker.
type chunk struct {
	in      []byte // pad and lines
	pad     int
	lines   int64 // newlines in the lines
	skipped int64 // bytes after the last line, the rest of one that is too long
	out     bytes.Buffer
	fails   []error
	stats   jsonmsgpack.Stats
	err     error
	done    chan struct{}
}

func (c *chunk) size() int64 { return int64(len(c.in)-c.pad) + c.skipped }

// parallel converts lines with several workers and writes what they make in
// the order of the lines: the same bytes, and the same reports, as with one.
func (j *job) parallel(r io.Reader, opts []jsonmsgpack.Option) (total jsonmsgpack.Stats, err error) {
	n := j.o.workers
	var (
		work  = make(chan *chunk, n)
		order = make(chan *chunk, 2*n)
		free  = make(chan *chunk, 3*n+2)
		stop  = make(chan struct{})
	)
	for range n {
		go convertChunks(work, opts)
	}
	readErr := make(chan error, 1)
	go func() {
		// As in run; a goroutine has to do it for itself.
		defer func() {
			if p := recover(); p != nil {
				readErr <- internal(p)
			}
			close(work)
			close(order)
		}()
		readErr <- j.split(bufio.NewReaderSize(r, chunkSize), work, order, free, stop)
	}()
	// Where the chunk begins in the input.
	offset, line := int64(0), int64(0)
	for c := range order {
		<-c.done
		if err := j.deliver(c, &total, offset, line); err != nil {
			// The reader may be waiting for input; nobody waits for it now.
			close(stop)
			return total, err
		}
		offset += c.size()
		line += c.lines
		select {
		case free <- c:
		default:
		}
	}
	return total, <-readErr
}

// deliver writes what a worker made and reports what failed, with the places
// in the whole input.
func (j *job) deliver(c *chunk, total *jsonmsgpack.Stats, offset, line int64) error {
	for _, fail := range c.fails {
		var e *jsonmsgpack.SyntaxError
		if errors.As(fail, &e) {
			moved := *e
			moved.Offset += offset - int64(c.pad)
			moved.Line += int(line) - c.pad
			fail = &moved
		}
		j.report(fail)
	}
	total.Documents += c.stats.Documents
	total.Failed += c.stats.Failed
	total.Replaced += c.stats.Replaced
	total.Lossy += c.stats.Lossy
	total.In += c.size()
	if c.err != nil {
		return c.err
	}
	m, err := j.w.Write(c.out.Bytes())
	total.Out += int64(m)
	return err
}

// convertChunks is a worker.
func convertChunks(work <-chan *chunk, opts []jsonmsgpack.Option) {
	var c *chunk
	conv := jsonmsgpack.NewConverter(append(opts[:len(opts):len(opts)],
		jsonmsgpack.OnError(func(_ int64, err error) bool {
			c.fails = append(c.fails, err)
			return true
		}))...)
	for c = range work {
		func() {
			defer close(c.done)
			defer func() {
				if p := recover(); p != nil {
					c.err = internal(p)
				}
			}()
			c.stats, c.err = conv.Convert(&c.out, bytes.NewReader(c.in))
		}()
	}
}

func internal(p any) error { return fmt.Errorf("internal error, please report it: %v", p) }

// split reads r and sends it on in chunks of whole lines.
func (j *job) split(r *bufio.Reader, work, order chan<- *chunk, free <-chan *chunk, stop <-chan struct{}) error {
	limit := int64(j.o.maxDocument)
	if limit == 0 {
		limit = defaultDocument
	}
	for first := true; ; first = false {
		c := newChunk(free, first)
		err := c.fill(r, limit)
		c.lines += int64(bytes.Count(c.in[c.pad:], []byte{'\n'}))
		if len(c.in) > c.pad {
			select {
			case order <- c:
				work <- c
			case <-stop:
				return nil
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func newChunk(free <-chan *chunk, first bool) *chunk {
	var c *chunk
	select {
	case c = <-free:
	default:
		c = new(chunk)
	}
	*c = chunk{in: c.in[:0], out: c.out, done: make(chan struct{})}
	c.out.Reset()
	if !first {
		c.in = append(c.in, pad...)
		c.pad = len(pad)
	}
	return c
}

// fill reads the lines that one read brings, or more up to the end of one.
func (c *chunk) fill(r *bufio.Reader, limit int64) error {
	seen := 0
	for {
		_, err := r.Peek(r.Buffered() + 1)
		b, _ := r.Peek(r.Buffered())
		switch i := bytes.LastIndexByte(b[seen:], '\n'); {
		case i >= 0:
			c.in = append(c.in, b[:seen+i+1]...)
			r.Discard(seen + i + 1)
			return nil
		case err == bufio.ErrBufferFull:
			return c.long(r, limit)
		case err == io.EOF:
			c.in = append(c.in, b...)
			return err
		case err != nil:
			// A line cut off by a failing disk is not the line's fault.
			return err
		}
		seen = len(b)
	}
}

// long reads one line that is longer than the buffer. One longer than limit
// is cut off soon after that, for the converter to refuse, and its rest
// skipped: memory stays bounded.
func (c *chunk) long(r *bufio.Reader, limit int64) error {
	for {
		b, err := r.ReadSlice('\n')
		if int64(len(c.in)-c.pad) <= limit {
			c.in = append(c.in, b...)
		} else if c.skipped += int64(len(b)); err == nil {
			c.lines++
		}
		if err != bufio.ErrBufferFull {
			return err
		}
	}
}
