package jsonmsgpack

import "io"

// ConvertJSON converts the MessagePack objects that r holds, any number of
// them, to JSON and writes each to w with a newline behind it.
//
// The first error stops, with all objects before it written: a *SyntaxError,
// or what r or w returned. An object of up to a window of JSON, 64 KiB, is
// written once it is whole; a longer one as it is converted, so that it may be
// larger than memory, and what was written of it when it fails stays. A
// string, binary or ext longer than MaxDocument is ErrTooLarge.
func (c *Converter) ConvertJSON(w io.Writer, r io.Reader) (Stats, error) {
	u := &unpacker{cfg: c.cfg}
	in := &input{r: r, buf: c.buf}
	st, err := c.convertJSON(u, in, w)
	c.buf, c.out = keep(in.buf), keep(c.out)
	st.In, st.Replaced = in.read, u.replaced
	return st, err
}

// minRetry is from how many bytes on an object that cannot be converted in
// pieces is not tried again before there are twice as many.
const minRetry = 4 << 10

func (c *Converter) convertJSON(u *unpacker, in *input, w io.Writer) (st Stats, err error) {
	window := c.window
	if window == 0 {
		window = defaultWindow
	}
	out := c.out[:0]
	defer func() { c.out = out[:0] }()
	whole := 0       // out[:whole] are whole documents
	base := int64(0) // offset of the unread bytes
	write := func(n int) error {
		if n == 0 {
			return nil
		}
		m, err := w.Write(out[:n])
		st.Out += int64(m)
		if err == nil && m < n {
			err = io.ErrShortWrite
		}
		out = out[:copy(out, out[n:])]
		whole = max(0, whole-n)
		return err
	}
	inDoc := false
	for {
		src := in.unread()
		if len(src) == 0 && !inDoc && in.eof {
			if err := write(whole); err != nil {
				return st, err
			}
			return st, in.err
		}
		stat := statMore
		n := 0
		if len(src) > 0 && (len(src) >= u.need || in.eof) {
			inDoc = true
			out, n, stat = u.run(out, src, 0)
		}
		bad := u.bad
		switch {
		case stat == statMore && int64(u.need) > c.cfg.maxDocument:
			bad, stat = SyntaxError{Offset: int64(n), Err: errHugeObject}, statBad
		case stat == statMore && in.eof && in.err == nil:
			bad, stat = SyntaxError{Offset: int64(len(src)), Err: io.ErrUnexpectedEOF}, statBad
		}
		if stat == statBad || stat == statMore && in.eof {
			if err := write(whole); err != nil {
				return st, err
			}
			if stat == statMore {
				return st, in.err
			}
			st.Failed++
			bad.Offset += base
			return st, &bad
		}
		if stat == statMore && n == 0 && u.need <= len(src) && len(src) >= minRetry {
			// A container as a key is begun anew with each read.
			u.need = int(min(2*int64(len(src)), max(c.cfg.maxDocument, int64(len(src)))))
		}
		in.start += n
		base += int64(n)
		if stat == statDone {
			out = append(out, '\n')
			whole = len(out)
			inDoc, u.need = false, 0
			st.Documents++
			if whole < window {
				continue
			}
		}
		if len(out) >= window {
			whole = len(out)
		}
		if err := write(whole); err != nil {
			return st, err
		}
		if stat == statDone {
			continue
		}
		in.more(window)
	}
}
