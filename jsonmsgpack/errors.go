package jsonmsgpack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

var (
	// ErrDepth: the input nests deeper than MaxDepth allows.
	ErrDepth = errors.New("nested too deep")
	// ErrTooLarge: a string, binary or count over 2^32-1, which MessagePack
	// cannot name, or a document over MaxDocument.
	ErrTooLarge = errors.New("too large")
	// ErrTrailing: something follows the one value that was asked for.
	ErrTrailing = errors.New("more after the value")
	// ErrUnfinished: a Packer with containers left open, a Writer closed in
	// the middle of a document.
	ErrUnfinished = errors.New("unfinished")
)

// What else can be wrong with a document. Not exported: nobody handles them
// apart, and the text says it.
var (
	errSyntax     = errors.New("invalid JSON")
	errNumber     = errors.New("invalid number")
	errEscape     = errors.New("invalid escape in a string")
	errUTF8       = errors.New("invalid UTF-8 in a string")
	errSurrogate  = errors.New("lone surrogate in a string")
	errControl    = errors.New("raw control character in a string")
	errDuplicate  = errors.New("duplicate key")
	errRange      = errors.New("number too large for float64")
	errBigInteger = errors.New("integer outside of what MessagePack holds exactly")
	errInt64      = errors.New("integer above 2^63-1")
	errInexact    = errors.New("number does not survive as float64")
	errBOM        = errors.New("byte order mark")
	errUTF16      = errors.New("input is UTF-16, convert it to UTF-8 first")
	errUTF32      = errors.New("input is UTF-32, convert it to UTF-8 first")

	errHuge = fmt.Errorf("document %w for MaxDocument: use ConvertAt, or allow more", ErrTooLarge)

	errHugeToken  = fmt.Errorf("string or number %w for MaxDocument", ErrTooLarge)
	errHugeObject = fmt.Errorf("string, binary or ext %w for MaxDocument", ErrTooLarge)

	errFormat    = errors.New("invalid MessagePack")
	errBadKey    = errors.New("key that JSON cannot hold")
	errNonFinite = errors.New("NaN or infinity")
)

// A SyntaxError says where and why a document could not be converted. errors.Is
// finds ErrDepth, ErrTooLarge, ErrTrailing, ErrUnfinished and, for input that
// ends too early, io.ErrUnexpectedEOF in it.
type SyntaxError struct {
	Offset   int64  // of the offending byte, from 0, in the whole input
	Line     int    // from 1; 0 for MessagePack, which has no lines
	Column   int    // from 1, in bytes; 0 for MessagePack
	Expected string // what would have been right there, may be empty
	Err      error  // what is wrong
}

// Error says what is wrong, where, and what was expected there.
func (e *SyntaxError) Error() string {
	b := make([]byte, 0, 128)
	b = append(b, "jsonmsgpack: "...)
	if e.Line > 0 {
		b = append(b, "line "...)
		b = strconv.AppendInt(b, int64(e.Line), 10)
		b = append(b, ", column "...)
		b = strconv.AppendInt(b, int64(e.Column), 10)
		b = append(b, " (offset "...)
		b = strconv.AppendInt(b, e.Offset, 10)
		b = append(b, "): "...)
	} else {
		b = append(b, "offset "...)
		b = strconv.AppendInt(b, e.Offset, 10)
		b = append(b, ": "...)
	}
	if e.Err != nil {
		b = append(b, e.Err.Error()...)
	}
	if e.Expected != "" {
		b = append(b, ", expected "...)
		b = append(b, e.Expected...)
	}
	return string(b)
}

// Unwrap returns e.Err, for errors.Is.
func (e *SyntaxError) Unwrap() error { return e.Err }

// locate fills in the line and column of e, whose Offset lies in src or at its
// end. It is called when an error is reported, and never before: counting
// lines is work that good input should not pay for.
func (e *SyntaxError) locate(src []byte) {
	head := src[:min(int64(len(src)), e.Offset)]
	e.Line = 1 + bytes.Count(head, []byte{'\n'})
	e.Column = len(head) - bytes.LastIndexByte(head, '\n')
}

// errRead is for a reader that returns an impossible count.
var errRead = errors.New("jsonmsgpack: the reader returned an invalid count from Read")

// unfinished adds ErrUnfinished to an error that says that the input ended
// too early.
func unfinished(err error) error {
	var e *SyntaxError
	if errors.As(err, &e) && errors.Is(e.Err, io.ErrUnexpectedEOF) {
		u := *e
		u.Err = fmt.Errorf("%w document: %w", ErrUnfinished, e.Err)
		return &u
	}
	return err
}

// What a Packer says; its errors have no offset in any input.
var (
	errOpen   = fmt.Errorf("jsonmsgpack: Packer: containers left open: %w", ErrUnfinished)
	errLength = fmt.Errorf("jsonmsgpack: string, binary or ext over 2^32-1 bytes: %w", ErrTooLarge)
	errCount  = fmt.Errorf("jsonmsgpack: container of more than 2^32-1 elements: %w", ErrTooLarge)
)
