package jsonmsgpack

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"unicode/utf8"
)

func seedJSON(f *testing.F) {
	for _, s := range accepted {
		f.Add([]byte(s))
	}
	for _, r := range rejected {
		f.Add([]byte(r.src))
	}
	f.Add([]byte(mixed()))
	f.Add([]byte(benchTweet))
}

// FuzzAppend compares with encoding/json: what is accepted, but for the rows
// of the default policy that are stricter, and every value.
func FuzzAppend(f *testing.F) {
	seedJSON(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		dst := []byte("head")
		out, err := Append(dst[:4:4], src)
		if string(dst) != "head" || string(out[:4]) != "head" {
			t.Fatal("dst changed")
		}
		if err == nil {
			if !json.Valid(src) {
				t.Fatalf("%q accepted", src)
			}
			checkSame(t, string(src))
			return
		}
		var e *SyntaxError
		if !errors.As(err, &e) || e.Offset < 0 || e.Offset > int64(len(src)) || len(out) != 4 {
			t.Fatalf("%q: %v", src, err)
		}
		if json.Valid(src) && utf8.Valid(src) && !loneSurrogate(src) && !beyondFloat(src) && !errors.Is(err, ErrDepth) {
			t.Fatalf("%q refused: %v", src, err)
		}
	})
}

var number1 = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?`)

// beyondFloat reports whether something in src might be a number beyond
// float64.
func beyondFloat(src []byte) bool {
	for _, n := range number1.FindAll(src, -1) {
		if _, err := strconv.ParseFloat(string(n), 64); err != nil {
			return true
		}
	}
	return false
}

var escaped = regexp.MustCompile(`(?i)\\(u[0-9a-f]{4}|.)`)

// loneSurrogate reports whether src, valid JSON, may have half of a pair: the
// escapes are looked at one by one.
func loneSurrogate(src []byte) bool {
	high, end := false, 0
	for _, m := range escaped.FindAllIndex(src, -1) {
		esc := src[m[0]:m[1]]
		u := uint64(0)
		if len(esc) == 6 {
			u, _ = strconv.ParseUint(string(esc[2:]), 16, 16)
		}
		low := u >= 0xdc00 && u < 0xe000
		if high != low || high && m[0] != end {
			return true
		}
		high, end = u >= 0xd800 && u < 0xdc00, m[1]
	}
	return high
}

// FuzzOptions converts by all presets and compares what must agree: Wide with
// minimal headers, Strict with the default where it accepts, Lax likewise.
func FuzzOptions(f *testing.F) {
	seedJSON(f)
	f.Add([]byte(`{"a":1,"b":[1,{"a":1,"a":2}],"a":3,"time":"1970-01-01T00:00:01Z"}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		want, err := Append(nil, src)
		lax, laxErr := Append(nil, src, Lax(), MaxDepth(defaultDepth))
		if err == nil && laxErr != nil {
			t.Fatalf("%q: Lax: %v", src, laxErr)
		}
		if laxErr == nil {
			if text, _, err := AppendJSON(nil, lax); err != nil || !json.Valid(text) {
				t.Fatalf("%q: Lax: %x is %q, %v", src, lax, text, err)
			}
		}
		strict, strictErr := Append(nil, src, Strict())
		if strictErr == nil && (err != nil || !bytes.Contains(src, []byte("-0")) && !bytes.Equal(strict, want)) {
			t.Fatalf("%q: Strict: %x, by default %x, %v", src, strict, want, err)
		}
		wide, wideErr := Append(nil, src, Wide())
		if (wideErr == nil) != (err == nil) {
			t.Fatalf("%q: %v, Wide: %v", src, err, wideErr)
		}
		if err != nil {
			return
		}
		a, _, _ := AppendJSON(nil, want)
		if b, _, err := AppendJSON(nil, wide); err != nil || !bytes.Equal(a, b) {
			t.Fatalf("%q: Wide: %q, want %q, %v", src, b, a, err)
		}
		// Without duplicates LastWins changes nothing; with them it does what
		// encoding/json does.
		last, err := Append(nil, src, Duplicates(LastWins))
		if err != nil {
			t.Fatalf("%q: LastWins: %v", src, err)
		}
		if _, err := Append(nil, src, Duplicates(Fail)); err == nil && !bytes.Equal(last, want) {
			t.Fatalf("%q: LastWins: %x, want %x", src, last, want)
		}
		var x, y any
		text, _, err := AppendJSON(nil, last)
		if err != nil || json.Unmarshal(text, &x) != nil || json.Unmarshal(a, &y) != nil {
			return // numbers beyond what Unmarshal takes
		}
		xs, _ := json.Marshal(x)
		ys, _ := json.Marshal(y)
		if !bytes.Equal(xs, ys) {
			t.Fatalf("%q: LastWins: %s, want %s", src, xs, ys)
		}
		if _, err := Append(nil, src, MaxDepth(2), DeepText(), TimeFields("time"), Int64Only()); err != nil {
			t.Fatalf("%q: DeepText: %v", src, err)
		}
	})
}

// FuzzStream cuts the input in many ways and compares with the whole.
func FuzzStream(f *testing.F) {
	seedJSON(f)
	f.Add([]byte("1 2\n{\"a\":1}{\"b\":[]}\n\"x\""))
	f.Add([]byte("{\"a\":\n1}\n[1 2]\n3"))
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, opts := range [][]Option{nil, {Lines()}, {Lax()}, {MaxDepth(2), DeepText()}, {Wide(), Duplicates(Fail)}} {
			c := NewConverter(opts...)
			c.window = len(src) + 1
			var want bytes.Buffer
			st, err := c.Convert(&want, bytes.NewReader(src))
			for _, win := range []int{1, 16, 100} {
				c := NewConverter(opts...)
				c.window = win
				var got bytes.Buffer
				r := io.Reader(bytes.NewReader(src))
				if win == 16 {
					r = iotest.OneByteReader(r)
				}
				st2, err2 := c.Convert(&got, r)
				if st2 != st && err == nil || !bytes.Equal(got.Bytes(), want.Bytes()) || errText(err) != errText(err2) {
					t.Fatalf("%q, window %d: %x, %+v, %v, want %x, %+v, %v", src, win, got.Bytes(), st2, err2, want.Bytes(), st, err)
				}
				var m memAt
				c.window = win
				st3, err3 := c.ConvertAt(&m, bytes.NewReader(src))
				if errText(err) != errText(err3) || st3.Documents != st.Documents || st3.Out != int64(len(m.b)) {
					t.Fatalf("%q, window %d: ConvertAt: %+v, %v, want %+v, %v", src, win, st3, err3, st, err)
				}
				if toJSON(t, m.b) != toJSON(t, want.Bytes()) {
					t.Fatalf("%q, window %d: ConvertAt: %x, want %x", src, win, m.b, want.Bytes())
				}
			}
			if err != nil {
				continue // a Writer goes on after the error
			}
			var got bytes.Buffer
			w := NewWriter(&got, opts...)
			for i := range src {
				w.Write(src[i : i+1])
			}
			if err := w.Close(); err != nil || !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Fatalf("%q: Writer: %x, %v, want %x", src, got.Bytes(), err, want.Bytes())
			}
		}
	})
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	// Another encoding is only recognised when its first bytes come together.
	if errors.Is(err, errUTF16) || errors.Is(err, errUTF32) || strings.Contains(err.Error(), "(offset 0)") || strings.Contains(err.Error(), "(offset 1)") {
		return "at the start"
	}
	return err.Error()
}

// FuzzAppendJSON: hostile MessagePack gives valid JSON or an error, the same
// in a stream, and JSON that converts back.
func FuzzAppendJSON(f *testing.F) {
	for _, s := range accepted {
		b, _ := Append(nil, []byte(s))
		f.Add(b)
	}
	for _, s := range []string{"\xc1", "\xdb\xff\xff\xff\xff", "\xdd\xff\xff\xff\xff\x01", "\x81\x92\x01\x02\xc0", "\xd6\xff\x00\x00\x00\x01", "\xc7\x0c\xff\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff",
		"\x81\xc4\x01a\x01", "\xca\x7f\xc0\x00\x00", "\x81\x81\x81\x00\x00\x00\x00", "\x01\x02\x90", "\xc8\x00\x03\x05abc", "\xd8\x01aaaaaaaaaaaaaaaa"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, opts := range [][]Option{nil, {BadKeys(Text), NonFinite(Text)}, {MaxDepth(3), InvalidUTF8(Fail), NonFinite(Fail)}} {
			var want bytes.Buffer
			rest, err := src, error(nil)
			for len(rest) > 0 && err == nil {
				var out []byte
				before := len(rest)
				out, rest, err = AppendJSON([]byte("head"), rest, opts...)
				if string(out[:4]) != "head" {
					t.Fatal("dst changed")
				}
				if err != nil {
					break
				}
				if !json.Valid(out[4:]) || before == len(rest) {
					t.Fatalf("%x: %q is not JSON", src, out)
				}
				if bytes.Contains(out, []byte("\n")) {
					t.Fatalf("%x: newline in %q", src, out)
				}
				if _, err := Append(nil, out[4:]); err != nil {
					t.Fatalf("%x: %q: %v", src, out, err)
				}
				want.Write(append(out[4:], '\n'))
			}
			c := NewConverter(opts...)
			c.window = 16
			var got bytes.Buffer
			_, err2 := c.ConvertJSON(&got, iotest.OneByteReader(bytes.NewReader(src)))
			if (err == nil) != (err2 == nil) {
				t.Fatalf("%x: %v, stream %v", src, err, err2)
			}
			if !bytes.HasPrefix(got.Bytes(), want.Bytes()) || err == nil && got.Len() != want.Len() {
				t.Fatalf("%x: %q, stream %q", src, want.Bytes(), got.Bytes())
			}
		}
	})
}

// FuzzNumber compares with strconv, and the quick test of survival with the
// careful one.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{"0", "1.5", "1e23", "123456789012345678901234567890", "5e-324", "-65.613616999999977", "9007199254740993", "1e400", "0.1e-5", "18446744073709551616.5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if number1.FindString(s) != s || s == "" || !json.Valid([]byte(s)) {
			return
		}
		want := number(s)
		for _, src := range []string{s, s + "                 ", "[" + s + ",0]                 "} {
			out, err := Append(nil, []byte(src))
			if _, bad := want.(error); bad {
				if err == nil {
					t.Fatalf("%q: %x", src, out)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%q: %v", src, err)
			}
			if src[0] == '[' {
				out = out[1 : len(out)-1]
			}
			if s == "-0" {
				want = int64(0)
			}
			if got := viaMsgpack(t, out); !equalValues(got, want) {
				t.Fatalf("%q: %v, want %v", src, got, want)
			}
			_, strict := Append(nil, []byte(src), Strict())
			if f, ok := want.(float64); ok && strings.ContainsAny(s, ".eE") {
				if ok := survives([]byte(s), f) || f == 0; ok != (strict == nil) {
					t.Fatalf("%q: Strict: %v, survives: %v", src, strict, ok)
				}
				if math.Abs(f) >= 1e-300 && len(s) <= 15 && strict != nil {
					t.Fatalf("%q: %v", src, strict)
				}
			}
		}
	})
}
