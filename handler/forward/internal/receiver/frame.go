package receiver

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"time"
)

// A Record is one entry.
type Record struct {
	Time   time.Time
	Fields Map
}

// Text returns the text of a field, or "".
func (r Record) Text(key string) string {
	s, _ := r.Fields.Get(key).(string)
	return s
}

// A Frame is what was read of one.
type Frame struct {
	Conn    int // the connection it came by, from 1
	Index   int // its number on that, from 1
	Tag     string
	Chunk   string
	Size    int
	Gzip    bool
	Bytes   int // of the frame
	Records []Record
	Reply   Reply
}

// readFrame reads a frame by all the rules. quick leaves the entries alone.
func readFrame(d *decoder, quick bool) (*Frame, error) {
	d.n, d.limit = 0, maxFrame
	b, err := d.byte()
	if err != nil {
		return nil, err
	}
	f, err := d.frame(b, quick)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF // within a frame
	}
	return f, err
}

func (d *decoder) frame(b byte, quick bool) (*Frame, error) {
	switch {
	case b == 0xc0:
		return nil, ruleHeartbeat.broken("a nil")
	case b == 0xdc || b == 0xdd:
		return nil, ruleOuter.broken("%#x", b)
	case b != 0x93:
		return nil, rulePacked.broken("it begins with %#x", b)
	}
	var parts [3]any
	for i := range parts {
		var err error
		if parts[i], err = d.value(1); err != nil {
			return nil, err
		}
	}
	f := &Frame{Bytes: d.n}
	if d.n > maxFrame {
		return nil, ruleLength.broken("%d bytes", d.n)
	}
	var ok bool
	if f.Tag, ok = parts[0].(string); !ok || f.Tag == "" {
		return nil, ruleTag.broken("%T of %d bytes", parts[0], len(f.Tag))
	}
	packed, ok := parts[1].([]byte)
	if !ok {
		return nil, ruleEntries.broken("%T", parts[1])
	}
	if err := f.options(parts[2]); err != nil {
		return nil, err
	}
	if quick {
		return f, nil
	}
	if err := f.entries(packed); err != nil {
		return nil, err
	}
	if f.Size != len(f.Records) {
		return nil, ruleSize.broken("%d for %d entries", f.Size, len(f.Records))
	}
	return f, nil
}

func (f *Frame) options(v any) error {
	m, ok := v.(Map)
	if !ok {
		return ruleOptions.broken("%T", v)
	}
	for _, p := range m {
		k, ok := p.Key.(string)
		if !ok || p.Value == nil {
			return ruleOptions.broken("%T: %T", p.Key, p.Value)
		}
		switch k {
		case "chunk":
			if f.Chunk, ok = p.Value.(string); !ok || f.Chunk == "" {
				return ruleChunk.broken("%T", p.Value)
			}
		case "size":
			n, ok := p.Value.(int64)
			if !ok {
				return ruleSize.broken("%T", p.Value)
			}
			f.Size = int(n)
		case "compressed":
			if p.Value != "gzip" {
				return ruleGzip.broken("%v", p.Value)
			}
			f.Gzip = true
		}
	}
	return nil
}

func (f *Frame) entries(packed []byte) error {
	if f.Gzip {
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return ruleGzip.broken("%v", err)
		}
		if packed, err = io.ReadAll(io.LimitReader(z, maxFrame+1)); err != nil {
			return ruleGzip.broken("%v", err)
		}
		if len(packed) > maxFrame {
			return ruleLength.broken("more when decompressed")
		}
	}
	if len(packed) == 0 {
		return ruleEmpty.broken("none")
	}
	d := &decoder{r: bufio.NewReader(bytes.NewReader(packed)), limit: maxFrame}
	for {
		v, err := d.value(1)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		r, err := record(v)
		if err != nil {
			return err
		}
		f.Records = append(f.Records, r)
	}
}

func record(v any) (r Record, err error) {
	a, ok := v.([]any)
	if !ok || len(a) != 2 {
		return r, ruleEntry.broken("%T", v)
	}
	t, ok := a[0].(Ext)
	if !ok || t.Type != 0 || len(t.Data) != 8 {
		return r, ruleTime.broken("%T", a[0])
	}
	nsec := binary.BigEndian.Uint32(t.Data[4:])
	if nsec >= 1e9 {
		return r, ruleTime.broken("%d ns", nsec)
	}
	r.Time = time.Unix(int64(binary.BigEndian.Uint32(t.Data)), int64(nsec))
	if r.Fields, ok = a[1].(Map); !ok {
		return r, ruleRecord.broken("%T", a[1])
	}
	return r, checkValue(r.Fields, 0)
}

// quickFrame reads a frame without looking into it and without allocating, for
// benchmarks: it trusts the sender. It returns the chunk's id.
func quickFrame(r *bufio.Reader, id []byte) ([]byte, int, error) {
	d := &decoder{r: r, limit: maxFrame}
	b, err := d.byte()
	if err != nil {
		return nil, 0, err
	}
	if b != 0x93 {
		return nil, 0, rulePacked.broken("it begins with %#x", b)
	}
	if _, err = d.value(1); err != nil { // the tag
		return nil, 0, err
	}
	if b, err = d.byte(); err != nil || b < 0xc4 || b > 0xc6 {
		return nil, 0, errors.Join(err, ruleEntries.broken("%#x", b))
	}
	n, err := d.uint(1 << (b - 0xc4))
	if err != nil || n > math.MaxInt32 {
		return nil, 0, errors.Join(err, ruleLength.broken("%d", n))
	}
	if _, err = r.Discard(int(n)); err != nil {
		return nil, 0, err
	}
	v, err := d.value(1)
	if err != nil {
		return nil, 0, err
	}
	f := &Frame{}
	err = f.options(v)
	return append(id[:0], f.Chunk...), f.Size, err
}

// ReadFrame reads one frame by all the rules.
func ReadFrame(r io.Reader) (*Frame, error) {
	return readFrame(&decoder{r: bufio.NewReader(r)}, false)
}
