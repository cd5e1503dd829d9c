package jsonmsgpack

import "io"

// Convert converts the JSON documents that r holds, any number of them, to
// MessagePack and writes them to w, each once it is whole. What is whole is
// written before more is read, so that nothing waits for input that does not
// come.
//
// The first error stops, with all documents before it written: a
// *SyntaxError, or what r or w returned. With Lines, each line is a document,
// one that fails leaves nothing behind, and the next goes on unless OnError
// says otherwise; without OnError the first error is returned at the end. A
// document, or a line, longer than MaxDocument is ErrTooLarge.
//
// It holds one document, as JSON in parts of 64 KiB or a token and as
// MessagePack in whole. Stats counts up to the point where it stopped.
func (c *Converter) Convert(w io.Writer, r io.Reader) (Stats, error) {
	f, in := c.begin(r)
	err := c.convert(f, in, func() error {
		if f.whole == 0 {
			return nil
		}
		n, err := w.Write(f.out[:f.whole])
		c.stats.Out += int64(n)
		if err == nil && n < f.whole {
			err = io.ErrShortWrite
		}
		f.drop(f.whole)
		return err
	})
	return c.end(f, in, err)
}

// begin sets up the conversion of a stream.
func (c *Converter) begin(r io.Reader) (*feed, *input) {
	c.stats, c.first = Stats{}, nil
	c.count = true
	c.reset()
	return &feed{c: c, out: c.out[:0]}, &input{r: r, buf: c.buf}
}

// end keeps what is worth keeping and returns Convert's results.
func (c *Converter) end(f *feed, in *input, err error) (Stats, error) {
	c.count = c.cfg.exact
	c.out, c.buf = keep(f.out), keep(in.buf)
	c.scratch = keep(c.scratch)
	if cap(c.nodes) > keepNodes {
		c.nodes = nil
	}
	if cap(c.keys.entries) > keepNodes {
		c.keys = keySet{}
	}
	c.stats.In = in.read
	if err == nil {
		err = c.first
	}
	return c.stats, err
}

func keep(b []byte) []byte {
	if cap(b) > keepBuffer {
		return nil
	}
	return b
}

// convert reads until the end, has f convert, and calls write before each
// read and at the end, with f.out[:f.whole] to be written.
func (c *Converter) convert(f *feed, in *input, write func() error) error {
	window := c.window
	if window == 0 {
		window = defaultWindow
	}
	for {
		// The last bytes are not final if reading failed: a document cut off
		// by that is not the document's fault.
		final := in.eof && in.err == nil
		n, err := f.take(in.unread(), final)
		in.start += n
		if werr := write(); werr != nil {
			return werr
		}
		if err != nil {
			return err
		}
		if in.eof {
			return in.err
		}
		in.more(window)
	}
}
