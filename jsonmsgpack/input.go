package jsonmsgpack

import "io"

const (
	defaultWindow = 64 << 10
	// keepBuffer is the largest buffer that a Converter keeps after a call.
	keepBuffer = 1 << 20
	// keepNodes is the same for lists with an entry a container or key.
	keepNodes = 1 << 15
)

// An input is a window that slides over what a reader holds. It grows only
// when the bytes that are still needed fill it.
type input struct {
	r          io.Reader
	buf        []byte
	start, end int // the unread part of buf
	eof        bool
	err        error // what reading failed with, other than io.EOF
	read       int64
}

// unread returns the bytes not used yet.
func (in *input) unread() []byte { return in.buf[in.start:in.end] }

// more reads once, behind the unread bytes. At the end of the input it sets
// eof; an error counts as an end, and is in err.
func (in *input) more(window int) {
	switch {
	case in.start == in.end:
		in.start, in.end = 0, 0
	case in.end == len(in.buf) && in.start > 0:
		in.end = copy(in.buf, in.unread())
		in.start = 0
	}
	if in.end == len(in.buf) {
		// Doubled, so that a long token is moved once for each of its bytes.
		bigger := make([]byte, max(window, 2*len(in.buf)))
		copy(bigger, in.buf[:in.end])
		in.buf = bigger
	}
	for range 100 {
		n, err := in.r.Read(in.buf[in.end:])
		if n < 0 || n > len(in.buf)-in.end {
			n, err = 0, errRead
		}
		in.end += n
		in.read += int64(n)
		if err != nil {
			in.eof = true
			if err != io.EOF {
				in.err = err
			}
			return
		}
		if n > 0 {
			return
		}
	}
	in.eof, in.err = true, io.ErrNoProgress
}
