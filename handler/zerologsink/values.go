package zerologsink

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/rs/zerolog"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/jsonmsgpack"
	"github.com/slogpack/slogpack/pool"
)

// Values returns a value encoder, for [handler.WithValues], that has values
// write themselves by zerolog's marshalers: a zerolog.LogObjectMarshaler as
// Event.Object does, a zerolog.LogArrayMarshaler as Event.Array does; a value
// that is both, as Event.Interface does, is an object. [New] has it already.
//
// A marshaler that panics or whose output is not one JSON value (by
// Event.RawJSON for example) costs its field. A nil pointer is a receiver like
// any other; if its method panics, the field is "<nil>".
//
// Marshalers run on a zerolog logger that has no hooks, fields, sampler or
// level. Where zerolog leaves nothing of them even so, the value is written as
// any other value would be, in most cases by encoding/json: with
// zerolog.SetGlobalLevel(zerolog.Disabled), with the build tag binary_log, and
// after Event.Discard.
//
// Out of reach is a marshaler that sends its event: zerolog then has the event
// in its pool twice, and other events of the program go wrong as well.
//
// A *zerolog.Array, as zerolog.Arr returns it, is a marshaler that zerolog
// takes back to its pool when it has been written. It may be logged once, by
// one handler; a type of one's own is better.
func Values() handler.ValueEncoder { return values{} }

type values struct{}

// AppendValue implements handler.ValueEncoder.
func (values) AppendValue(dst []byte, f handler.Format, v any) ([]byte, bool, error) {
	object, isObject := v.(zerolog.LogObjectMarshaler)
	array, isArray := v.(zerolog.LogArrayMarshaler)
	if !isObject && !isArray || f != handler.JSON && f != handler.MessagePack {
		return dst, false, nil
	}
	c := captures.Get()
	if isObject {
		c.logger.Log().Object(captureKey, object).Send()
	} else {
		c.logger.Log().Array(captureKey, array).Send()
	}
	// A panic comes by here, with c left to the garbage collector.
	out, ok, err := c.take(dst, f)
	captures.Put(c)
	return out, ok, err
}

const (
	captureKey  = "v"
	captureHead = `{"` + captureKey + `":`
	captureTail = "}\n"
)

var captures = pool.New(newCapture, (*capture).reset)

// capture is a logger and what it wrote.
type capture struct {
	logger zerolog.Logger
	buf    pool.Buffer
	conv   *jsonmsgpack.Converter
}

func newCapture() *capture {
	c := &capture{}
	c.logger = zerolog.New(c)
	return c
}

// Write implements io.Writer. A marshaler may keep its event and send it once
// more, later, which writes to nobody: zerolog has cleared the event by then.
func (c *capture) Write(p []byte) (int, error) {
	c.buf.B = append(c.buf.B, p...)
	return len(p), nil
}

func (c *capture) reset() bool { return c.buf.Reset() }

var errNotOne = errors.New("the zerolog marshaler wrote no single JSON value")

// take appends the value that was captured, or reports false where there is
// nothing of use.
func (c *capture) take(dst []byte, f handler.Format) ([]byte, bool, error) {
	b, ok := bytes.CutPrefix(c.buf.B, []byte(captureHead))
	if !ok {
		return dst, false, nil // nothing, or CBOR
	}
	b, ok = bytes.CutSuffix(b, []byte(captureTail))
	if !ok || !json.Valid(b) {
		return dst, true, errNotOne
	}
	if f == handler.JSON {
		return appendCompact(dst, b), true, nil
	}
	if c.conv == nil {
		c.conv = jsonmsgpack.NewConverter(
			jsonmsgpack.Lax(), jsonmsgpack.DeepText(),
			jsonmsgpack.BigNumbers(jsonmsgpack.Text))
	}
	out, err := c.conv.Append(dst, b)
	return out, true, err
}

// appendCompact appends valid JSON without white space between its tokens,
// which RawJSON may have.
func appendCompact(dst, b []byte) []byte {
	start, inText := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inText:
			if c == '\\' {
				i++
			} else if c == '"' {
				inText = false
			}
		case c == '"':
			inText = true
		case c <= ' ':
			dst = append(dst, b[start:i]...)
			start = i + 1
		}
	}
	return append(dst, b[start:]...)
}
