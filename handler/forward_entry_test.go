package handler_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"
	"unicode/utf8"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// checkEntry fails unless b is one Forward entry that obeys every rule that
// some receiver insists on. Every test that makes Forward entries runs it.
func checkEntry(t testing.TB, b []byte) {
	t.Helper()
	if err := entryFault(b); err != nil {
		t.Errorf("%v in %x", err, clip(b))
	}
}

func entryFault(b []byte) error {
	// A fixarray of two, and an EventTime as a fixext of eight bytes.
	if len(b) < 12 || b[0] != 0x92 || b[1] != 0xd7 || b[2] != 0 {
		return fmt.Errorf("an entry that does not begin with a fixarray of an EventTime")
	}
	r := bytes.NewReader(b[11:])
	d := msgpack.NewDecoder(r)
	if c, _ := d.PeekCode(); !msgpcode.IsFixedMap(c) && c != msgpcode.Map16 && c != msgpcode.Map32 {
		return fmt.Errorf("an entry whose record is no map")
	}
	if err := forwardFault(d, 1, false); err != nil {
		return err
	}
	if r.Len() > 0 {
		return fmt.Errorf("%d bytes behind the entry", r.Len())
	}
	return nil
}

// forwardFault names the rule that the next object breaks. depth counts the
// containers open with it.
func forwardFault(d *msgpack.Decoder, depth int, key bool) error {
	c, err := d.PeekCode()
	if err != nil {
		return err
	}
	if key && !msgpcode.IsString(c) {
		return fmt.Errorf("a key of code %#x: the OpenTelemetry collector 0.161.0 closes on int keys, fluent-org/logger 1.0.10 on bin keys", c)
	}
	isMap := msgpcode.IsFixedMap(c) || c == msgpcode.Map16 || c == msgpcode.Map32
	isArray := msgpcode.IsFixedArray(c) || c == msgpcode.Array16 || c == msgpcode.Array32
	switch {
	case msgpcode.IsExt(c):
		return fmt.Errorf("an ext: fluentd 1.16.5 resets, Fluent Bit 5.1.1 writes garbage")
	case msgpcode.IsBin(c):
		return fmt.Errorf("a bin")
	case (isMap || isArray) && depth > 32:
		return fmt.Errorf("a container at depth %d: Fluent Bit 5.1.1 drops records from 63 on, fluentd 1.16.5 resets", depth)
	case isMap:
		n, err := d.DecodeMapLen()
		if err != nil {
			return err
		}
		for range 2 * n {
			key = !key
			if err := forwardFault(d, depth+1, key); err != nil {
				return err
			}
		}
		return nil
	case isArray:
		n, err := d.DecodeArrayLen()
		if err != nil {
			return err
		}
		for range n {
			if err := forwardFault(d, depth+1, false); err != nil {
				return err
			}
		}
		return nil
	case msgpcode.IsString(c):
		s, err := d.DecodeString()
		if err == nil && !utf8.ValidString(s) {
			err = fmt.Errorf("invalid UTF-8 %q: fluentd 1.16.5 and the OpenTelemetry collector 0.161.0 pass it on into JSON", s)
		}
		return err
	case c == msgpcode.Uint64:
		u, err := d.DecodeUint64()
		if err == nil && u > math.MaxInt64 {
			err = fmt.Errorf("the integer %d: fluent-org/logger 1.0.10 loses digits", u)
		}
		return err
	case c == msgpcode.Float || c == msgpcode.Double:
		f, err := d.DecodeFloat64()
		if err == nil && f-f != 0 {
			err = fmt.Errorf("%v: fluentd 1.16.5 refuses the frame for ever, Fluent Bit 5.1.1 writes invalid JSON", f)
		}
		return err
	}
	return d.Skip()
}
