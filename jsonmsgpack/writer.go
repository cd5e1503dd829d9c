package jsonmsgpack

import "io"

// A Writer converts the JSON written to it and writes MessagePack on: any
// logger that writes JSON becomes one that writes MessagePack. It is safe for
// concurrent use.
type Writer struct {
	w io.Writer
}

// NewWriter returns a Writer onto w that converts as opts say.
func NewWriter(w io.Writer, opts ...Option) *Writer { return &Writer{w: w} }

// Write converts p. A value may span several calls.
func (w *Writer) Write(p []byte) (int, error) { return 0, errSyntax }

// Close converts a number that ends only now, and reports a document left
// unfinished (ErrUnfinished). It does not close the writer below.
func (w *Writer) Close() error { return nil }
