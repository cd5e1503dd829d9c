package jsonmsgpack

import "io"

// Convert converts the JSON documents that r holds, any number of them, to
// MessagePack and writes each to w once it is whole.
func (c *Converter) Convert(w io.Writer, r io.Reader) (Stats, error) {
	return Stats{}, errSyntax
}

// ConvertAt converts the JSON documents that r holds to MessagePack at the
// beginning of w, however large they are.
func (c *Converter) ConvertAt(w io.WriterAt, r io.Reader) (Stats, error) {
	return Stats{}, errSyntax
}

// ConvertJSON converts the MessagePack objects that r holds, any number of
// them, to JSON and writes each to w with a newline behind it.
func (c *Converter) ConvertJSON(w io.Writer, r io.Reader) (Stats, error) {
	return Stats{}, errSyntax
}
