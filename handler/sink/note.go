package sink

import (
	"bytes"
	"context"
	"log/slog"
	"time"

	"github.com/slogpack/slogpack/handler"
)

// form is what a stream of records is made of, as far as its first bytes tell.
type form uint8

const (
	formText form = iota
	formJSON
	formPack    // MessagePack maps
	formForward // entries of the Forward protocol
)

// formOf tells from the beginning of a record. A Buffer may get records of any
// origin, and its own record has to be one that the reader of its neighbours
// can read.
func formOf(p []byte) form {
	switch {
	case len(p) == 0:
		return formText
	case p[0] == '{':
		return formJSON
	case p[0]&0xf0 == 0x80 || p[0] == 0xde || p[0] == 0xdf:
		return formPack
	case len(p) > 2 && p[0] == 0x92 && p[1] == 0xd7 && p[2] == 0:
		return formForward
	}
	return formText
}

// dropRecord returns the record that tells of d, in the form of its neighbours.
// It calls user code, and so is called without the lock.
func (b *Buffer) dropRecord(d Dropped, f form) (text []byte) {
	defer func() {
		if r := recover(); r != nil {
			text = nil
		}
	}()
	if b.c.dropRecord != nil {
		return b.c.dropRecord(nil, d)
	}
	var out bytes.Buffer
	format, profile := b.LogFormat()
	var h slog.Handler
	switch f {
	case formText:
		h = slog.NewTextHandler(&out, nil)
	case formForward:
		if format != handler.Forward {
			profile = handler.OTel()
		}
		h = handler.New(&out, handler.WithFormat(handler.Forward), handler.WithProfile(profile))
	case formPack:
		h = handler.New(&out, handler.WithFormat(handler.MessagePack), handler.WithProfile(profile))
	default:
		h = handler.New(&out, handler.WithFormat(handler.JSON), handler.WithProfile(profile))
	}
	r := slog.NewRecord(time.Now(), slog.LevelWarn, "slogpack: log records were dropped, the buffer was full", 0)
	r.AddAttrs(
		slog.Int64("dropped_records", d.Records),
		slog.Int64("dropped_bytes", d.Bytes),
		slog.Time("dropped_since", d.Since),
	)
	_ = h.Handle(context.Background(), r)
	return out.Bytes()
}
