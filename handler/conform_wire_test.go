package handler_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/jsonmsgpack"
	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// Records of every format become the same Go values, so that one table can say
// what is to come out: nil, bool, int64, uint64 beyond that, float64, string,
// []byte, time.Time, eventTime, []any and object. MessagePack is read by
// somebody else's decoder.

// object keeps what a map would lose: order and duplicates.
type object []member

type member struct {
	key   string
	value any
}

// eventTime is Fluentd's ext 0.
type eventTime struct{ sec, nsec uint32 }

// otherExt is an ext of somebody else's.
type otherExt struct {
	id   int8
	data string
}

// at returns the value at a path of keys, the first where keys repeat.
func (o object) at(path ...string) (any, bool) {
	var v any = o
	for _, key := range path {
		o, ok := v.(object)
		found := false
		for _, m := range o {
			if ok && m.key == key {
				v, found = m.value, true
				break
			}
		}
		if !found {
			return nil, false
		}
	}
	return v, true
}

func (o object) keys() string {
	var keys []string
	for _, m := range o {
		keys = append(keys, m.key)
	}
	return strings.Join(keys, " ")
}

// show prints a decoded value as JSON with types that JSON has not.
func show(v any) string {
	switch v := v.(type) {
	case object:
		var b []string
		for _, m := range v {
			b = append(b, show(m.key)+":"+show(m.value))
		}
		return "{" + strings.Join(b, ",") + "}"
	case []any:
		var b []string
		for _, e := range v {
			b = append(b, show(e))
		}
		return "[" + strings.Join(b, ",") + "]"
	case string:
		b, _ := json.Marshal(v)
		return string(b)
	case []byte:
		return fmt.Sprintf("bin(%x)", v)
	case time.Time:
		return "time(" + v.UTC().Format(time.RFC3339Nano) + ")"
	case eventTime:
		return fmt.Sprintf("event(%d.%09d)", v.sec, v.nsec)
	case float64:
		s := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(s, ".eIN") {
			s += ".0"
		}
		return s
	case nil:
		return "null"
	}
	return fmt.Sprint(v)
}

// decodeJSON reads one JSON value that is all of b.
func decodeJSON(b []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	v, err := jsonValue(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows the value: %v", err)
	}
	return v, nil
}

func jsonValue(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Number:
		return number(t), nil
	case json.Delim:
		o, a := object{}, []any{}
		for d.More() {
			key := ""
			if t == '{' {
				k, err := d.Token()
				if err != nil {
					return nil, err
				}
				key = k.(string)
			}
			v, err := jsonValue(d)
			if err != nil {
				return nil, err
			}
			o, a = append(o, member{key, v}), append(a, v)
		}
		if _, err := d.Token(); err != nil {
			return nil, err
		}
		if t == '{' {
			return o, nil
		}
		return a, nil
	}
	return t, nil
}

func number(n json.Number) any {
	if i, err := strconv.ParseInt(string(n), 10, 64); err == nil && n != "-0" {
		return i
	}
	if u, err := strconv.ParseUint(string(n), 10, 64); err == nil {
		return u
	}
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil {
		return string(n)
	}
	return f
}

// decodePack reads the object that b begins with, by msgpack/v5.
func decodePack(b []byte) (v any, rest []byte, err error) {
	r := bytes.NewReader(b)
	v, err = packValue(msgpack.NewDecoder(r))
	return v, b[len(b)-r.Len():], err
}

func packValue(d *msgpack.Decoder) (any, error) {
	c, err := d.PeekCode()
	if err != nil {
		return nil, err
	}
	switch {
	case c == msgpcode.Nil:
		return nil, d.DecodeNil()
	case c == msgpcode.False || c == msgpcode.True:
		return d.DecodeBool()
	case c == msgpcode.Float:
		f, err := d.DecodeFloat32()
		return float64(f), err
	case c == msgpcode.Double:
		return d.DecodeFloat64()
	case c == msgpcode.Uint64:
		u, err := d.DecodeUint64()
		if u <= math.MaxInt64 {
			return int64(u), err
		}
		return u, err
	case msgpcode.IsString(c):
		s, err := d.DecodeString()
		if err == nil && !utf8.ValidString(s) {
			err = fmt.Errorf("str is not UTF-8: %q", s)
		}
		return s, err
	case msgpcode.IsBin(c):
		b, err := d.DecodeBytes()
		return b, err
	case msgpcode.IsFixedArray(c) || c == msgpcode.Array16 || c == msgpcode.Array32:
		n, err := d.DecodeArrayLen()
		a := []any{}
		for i := 0; i < n && err == nil; i++ {
			var e any
			e, err = packValue(d)
			a = append(a, e)
		}
		return a, err
	case msgpcode.IsFixedMap(c) || c == msgpcode.Map16 || c == msgpcode.Map32:
		n, err := d.DecodeMapLen()
		o := object{}
		for i := 0; i < n && err == nil; i++ {
			var k, v any
			if k, err = packValue(d); err != nil {
				break
			}
			key, ok := k.(string)
			if !ok {
				key = "non-str key " + show(k)
			}
			v, err = packValue(d)
			o = append(o, member{key, v})
		}
		return o, err
	case msgpcode.IsExt(c):
		return packExt(d)
	}
	return d.DecodeInt64()
}

func packExt(d *msgpack.Decoder) (any, error) {
	id, n, err := d.DecodeExtHeader()
	if err != nil {
		return nil, err
	}
	data := make([]byte, n)
	if err := d.ReadFull(data); err != nil {
		return nil, err
	}
	be := func(b []byte) (n uint64) {
		for _, c := range b {
			n = n<<8 | uint64(c)
		}
		return n
	}
	switch {
	case id == 0 && n == 8:
		return eventTime{uint32(be(data[:4])), uint32(be(data[4:]))}, nil
	case id == -1 && n == 4:
		return time.Unix(int64(be(data)), 0), nil
	case id == -1 && n == 8:
		return time.Unix(int64(be(data)&(1<<34-1)), int64(be(data)>>34)), nil
	case id == -1 && n == 12:
		return time.Unix(int64(be(data[4:])), int64(be(data[:4]))), nil
	}
	return otherExt{id, string(data)}, nil
}

// decodeRecords takes the output of a handler apart: every byte of it must
// belong to a record. A Forward entry is an object of its time under "@" and
// its fields.
func decodeRecords(t testing.TB, f handler.Format, out []byte) []object {
	t.Helper()
	var records []object
	if f == handler.JSON {
		lines, err := splitLines(out)
		if err != nil {
			t.Fatalf("%v in:\n%s", err, clip(out))
		}
		for _, l := range lines {
			v, err := decodeJSON([]byte(l))
			if err != nil {
				t.Fatalf("%v in %s", err, clip(l))
			}
			records = append(records, v.(object))
		}
		return records
	}
	for rest := out; len(rest) > 0; {
		v, after, err := decodePack(rest)
		if err != nil {
			t.Fatalf("record %d: msgpack/v5 says %v in %x", len(records), err, clip(rest))
		}
		one := rest[:len(rest)-len(after)]
		if _, left, err := jsonmsgpack.AppendJSON(nil, one, jsonmsgpack.BadKeys(jsonmsgpack.Text)); err != nil || len(left) > 0 {
			t.Fatalf("record %d: jsonmsgpack leaves %d bytes and says %v in %x", len(records), len(left), err, clip(one))
		}
		rest = after
		if f == handler.Forward {
			e, ok := v.([]any)
			if !ok || len(e) != 2 {
				t.Fatalf("record %d is no entry: %s", len(records), clip(show(v)))
			}
			o, ok := e[1].(object)
			if !ok {
				t.Fatalf("record %d has no map: %s", len(records), clip(show(v)))
			}
			checkEntry(t, one)
			records = append(records, append(object{{"@", e[0]}}, o...))
			continue
		}
		o, ok := v.(object)
		if !ok {
			t.Fatalf("record %d is no map: %s", len(records), clip(show(v)))
		}
		records = append(records, o)
	}
	return records
}
