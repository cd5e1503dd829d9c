package jsonmsgpack

import (
	"errors"
	"fmt"
	"io"
)

// ConvertAt converts the JSON documents that r holds to MessagePack at the
// beginning of w, usually a file. Unlike Convert it holds no document: both
// sides pass through windows of 64 KiB, and only a string or number longer
// than that makes them grow, up to MaxDocument. Containers that close within
// the window have minimal headers; those open when it is written out have
// headers of five bytes, patched with WriteAt when they close.
//
// The first error stops. The documents before it are written; what was
// written of the one that failed is cut off if w has a Truncate method, as an
// *os.File does. With Lines it works as Convert does, with a line for a
// document, bounded by MaxDocument.
//
// It refuses a file opened with O_APPEND, where WriteAt does not work, and
// Duplicates(LastWins), which would have to take back what is written.
func (c *Converter) ConvertAt(w io.WriterAt, r io.Reader) (Stats, error) {
	if c.cfg.duplicates == LastWins && !c.cfg.lines {
		return Stats{}, errors.New("jsonmsgpack: ConvertAt cannot do Duplicates(LastWins): the first of the pairs may be written already; use Convert")
	}
	// A write of nothing finds out before anything is read.
	if _, err := w.WriteAt(nil, 0); err != nil {
		return Stats{}, fmt.Errorf("jsonmsgpack: ConvertAt needs a file that WriteAt works on, opened without O_APPEND: %w", err)
	}
	c.unbounded = true
	f, in := c.begin(r)
	at := &outputAt{c: c, f: f, w: w}
	err := c.convert(f, in, func() error { return at.write(in.eof) })
	c.unbounded = false
	c.patches = c.patches[:0]
	if cerr := at.cut(); err == nil {
		err = cerr
	}
	c.stats.Out = at.whole
	return c.end(f, in, err)
}

// An outputAt writes what a feed converts to a WriterAt.
type outputAt struct {
	c     *Converter
	f     *feed
	w     io.WriterAt
	at    int64 // where f.out goes
	whole int64 // the end of the last whole document
	docs  int64 // how many there are up to there
	high  int64 // the end of all that was written
}

// write writes out once the window is full, or at the end, and patches the
// headers of containers that have closed.
func (o *outputAt) write(eof bool) error {
	f, c := o.f, o.c
	window := c.window
	if window == 0 {
		window = defaultWindow
	}
	if len(f.out) > f.whole && len(f.out) >= window {
		o.open()
	}
	// By the count of documents: the last byte of one may be written long
	// before it closes.
	if d := c.stats.Documents; d > o.docs {
		o.docs, o.whole = d, o.at+int64(f.whole)
	}
	if n := len(f.out); n > 0 && (n >= window || eof) {
		if err := o.put(f.out, o.at); err != nil {
			return err
		}
		o.at += int64(n)
		f.out, f.whole = f.out[:0], 0
	}
	for i := range c.patches {
		nd := &c.patches[i]
		var head [5]byte
		putHeader(head[:], nd.kind, nd.n, 5)
		if err := o.put(head[:], nd.pos); err != nil {
			return err
		}
	}
	c.patches = c.patches[:0]
	return nil
}

// open settles the headers of the document that is not whole, those still
// open with five bytes, and notes where in the output the latter will be.
func (o *outputAt) open() {
	c := o.c
	if !c.cfg.wide { // which has its five bytes already
		o.f.out = sweep(o.f.out, c.nodes)
	}
	kept := c.nodes[:0]
	for _, nd := range c.nodes {
		switch nd.state {
		case nodeOpen:
			nd.pos += o.at
			nd.state = nodeOut
		case nodeOut:
		default:
			continue
		}
		nd.parent = int32(len(kept))
		kept = append(kept, nd)
	}
	c.nodes = kept
	c.top = int32(len(kept))
	c.buried = 0
}

func (o *outputAt) put(p []byte, at int64) error {
	n, err := o.w.WriteAt(p, at)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	o.high = max(o.high, at+int64(n))
	return err
}

// cut writes the whole documents that an error found waiting in the window,
// and takes back what was written of the one that failed.
func (o *outputAt) cut() error {
	if n := o.f.whole; n > 0 {
		if err := o.put(o.f.out[:n], o.at); err != nil {
			return err
		}
	}
	if o.high <= o.whole {
		return nil
	}
	if t, ok := o.w.(interface{ Truncate(size int64) error }); ok {
		return t.Truncate(o.whole)
	}
	return nil
}
