package jsonmsgpack

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/vmihailenco/msgpack/v5"
)

// checkSame has src converted and compares the outcome, read by msgpack/v5,
// with encoding/json's, and what AppendJSON makes of it with src.
func checkSame(t *testing.T, src string) {
	t.Helper()
	out, err := Append(nil, []byte(src))
	if err != nil {
		t.Errorf("%q: %v", src, err)
		return
	}
	want := viaJSON(t, []byte(src))
	if got := viaMsgpack(t, out); !equalValues(got, want) {
		t.Errorf("%q: %x is %#v, want %#v", src, out, got, want)
	}
	text, rest, err := AppendJSON(nil, out)
	if err != nil || len(rest) > 0 || !json.Valid(text) {
		t.Errorf("%q: %x back: %q, %x, %v", src, out, text, rest, err)
		return
	}
	again, err := Append(nil, text)
	if err != nil || !bytes.Equal(again, out) {
		t.Errorf("%q: %x back is %q, which is %x, %v", src, out, text, again, err)
	}
}

// pairs is an object with its order and its duplicates.
type pairs []any

// viaJSON reads src by encoding/json's tokens.
func viaJSON(t *testing.T, src []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	v, err := jsonValue(d)
	if err != nil {
		t.Fatalf("encoding/json: %q: %v", src, err)
	}
	return v
}

func jsonValue(d *json.Decoder) (any, error) {
	tok, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch x := tok.(type) {
	case json.Delim:
		all := []any{}
		for d.More() {
			v, err := jsonValue(d)
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		_, err := d.Token()
		if x == '{' {
			return pairs(all), err
		}
		return all, err
	case json.Number:
		return number(string(x)), nil
	}
	return tok, nil
}

// number is what a number becomes by the default column.
func number(s string) any {
	if !strings.ContainsAny(s, ".eE") {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n
		}
		if n, err := strconv.ParseUint(s, 10, 64); err == nil {
			return n
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return err
	}
	return f
}

// viaMsgpack reads out by msgpack/v5.
func viaMsgpack(t *testing.T, out []byte) any {
	t.Helper()
	d := msgpack.NewDecoder(bytes.NewReader(out))
	d.SetMapDecoder(func(d *msgpack.Decoder) (any, error) {
		n, err := d.DecodeMapLen()
		if err != nil {
			return nil, err
		}
		p := pairs{}
		for range 2 * n {
			v, err := d.DecodeInterface()
			if err != nil {
				return nil, err
			}
			p = append(p, v)
		}
		return p, nil
	})
	v, err := d.DecodeInterface()
	if err != nil {
		t.Fatalf("msgpack/v5: %x: %v", out, err)
	}
	return v
}

// equalValues compares got, as msgpack/v5 gives it with its many integer
// types, with want, as viaJSON does.
func equalValues(got, want any) bool {
	if g, ok := got.([]any); ok {
		w, ok := want.([]any)
		return ok && equalAll(g, w)
	}
	if g, ok := got.(pairs); ok {
		w, ok := want.(pairs)
		return ok && equalAll(g, w)
	}
	switch w := want.(type) {
	case int64, uint64:
		g := reflect.ValueOf(got)
		switch {
		case g.CanInt():
			return w == any(g.Int())
		case g.CanUint() && g.Uint() <= math.MaxInt64:
			return w == any(int64(g.Uint()))
		case g.CanUint():
			return w == any(g.Uint())
		}
		return false
	case float64:
		g, ok := got.(float64)
		return ok && math.Float64bits(g) == math.Float64bits(w)
	}
	return got == want
}

func equalAll(got, want []any) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		if !equalValues(got[i], want[i]) {
			return false
		}
	}
	return true
}
