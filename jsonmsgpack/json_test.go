package jsonmsgpack

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestAppendJSON holds what becomes what on the way back.
func TestAppendJSON(t *testing.T) {
	text := []Option{BadKeys(Text), NonFinite(Text)}
	strict := []Option{NonFinite(Fail), InvalidUTF8(Fail)}
	for _, r := range []struct {
		msgpack, want string // want is fails for an error
		opts          []Option
	}{
		// Integers of all forms, also longer ones than needed.
		{"00", "0", nil}, {"7f", "127", nil}, {"e0", "-32", nil}, {"ff", "-1", nil}, {"cc00", "0", nil}, {"ccff", "255", nil}, {"cd0140", "320", nil},
		{"ceffffffff", "4294967295", nil}, {"cfffffffffffffffff", "18446744073709551615", nil}, {"d0ff", "-1", nil}, {"d17fff", "32767", nil},
		{"d28000 0000", "-2147483648", nil}, {"d38000000000000000", "-9223372036854775808", nil}, {"d37fffffffffffffff", "9223372036854775807", nil},
		// Floats stay floats.
		{"cb3ff0000000000000", "1.0", nil}, {"cb4058800000000000", "98.0", nil}, {"cb3fb26e978d4fdf3b", "0.072", nil}, {"cb8000000000000000", "-0.0", nil},
		{"cb0000000000000000", "0.0", nil}, {"cb54b249ad2594c37d", "1e+100", nil}, {"cb0000000000000001", "5e-324", nil}, {"ca3fc00000", "1.5", nil},
		{"ca3dcccccd", "0.1", nil}, {"ca4b800000", "16777216.0", nil}, {"cb444b1ae4d6e2ef50", "1e+21", nil},
		{"cb7ff8000000000000", "null", nil}, {"cb7ff0000000000000", "null", nil}, {"ca7fc00000", "null", nil},
		{"cb7ff8000000000000", `"NaN"`, text}, {"cb7ff0000000000000", `"Infinity"`, text}, {"caff800000", `"-Infinity"`, text},
		{"cb7ff8000000000000", fails, strict}, {"92c0ca7f800000", fails, strict},
		{"c0", "null", nil}, {"c2", "false", nil}, {"c3", "true", nil},
		// Strings of all forms.
		{"a0", `""`, nil}, {"a3616263", `"abc"`, nil}, {"d903616263", `"abc"`, nil}, {"da0003616263", `"abc"`, nil}, {"db00000003616263", `"abc"`, nil},
		{"a4f09fa497", `"🤗"`, nil}, {"a10a", `"\n"`, nil}, {"a122", `"\""`, nil}, {"a100", `"\u0000"`, nil}, {"a3edbfbf", `"\ufffd\ufffd\ufffd"`, nil},
		{"a2c328", `"\ufffd("`, nil}, {"a3edbfbf", fails, strict}, {"a3616263", `"abc"`, strict},
		// Binaries, exts, times.
		{"c400", `""`, nil}, {"c403616263", `"YWJj"`, nil}, {"c50001ff", `"/w=="`, nil}, {"c600000001ff", `"/w=="`, nil},
		{"d6ff00000001", `"1970-01-01T00:00:01Z"`, nil}, {"d7ff0000000400000001", `"1970-01-01T00:00:01.000000001Z"`, nil},
		{"c70cff00000000ffffffffffffffff", `"1969-12-31T23:59:59Z"`, nil}, {"c70cff3b9ac9ff0000003afff4417f", `"9999-12-31T23:59:59.999999999Z"`, nil},
		{"d7ffee6b280000000000", `{"type":-1,"data":"7msoAAAAAAA="}`, nil}, {"c70cff000000007fffffffffffffff", `{"type":-1,"data":"AAAAAH//////////"}`, nil},
		{"c703ff010203", `{"type":-1,"data":"AQID"}`, nil}, {"d40561", `{"type":5,"data":"YQ=="}`, nil}, {"d5fb6162", `{"type":-5,"data":"YWI="}`, nil},
		{"d80561626364656667686162636465666768", `{"type":5,"data":"YWJjZGVmZ2hhYmNkZWZnaA=="}`, nil}, {"c70007", `{"type":7,"data":""}`, nil},
		{"c800010761", `{"type":7,"data":"YQ=="}`, nil}, {"c9000000010761", `{"type":7,"data":"YQ=="}`, nil}, {"d7000000000100000002", `{"type":0,"data":"AAAAAQAAAAI="}`, nil},
		// Containers of all forms.
		{"90", "[]", nil}, {"80", "{}", nil}, {"9200a548656c6c6f", `[0,"Hello"]`, nil}, {"dc00020102", "[1,2]", nil}, {"dd000000020102", "[1,2]", nil},
		{"de0001a16101", `{"a":1}`, nil}, {"df00000001a16101", `{"a":1}`, nil}, {"82a16101a16102", `{"a":1,"a":2}`, nil}, {"919190", "[[[]]]", nil},
		{"82a16180a16290", `{"a":{},"b":[]}`, nil}, {"93c0920180c3", "[null,[1,{}],true]", nil},
		// Keys.
		{"8101c0", `{"1":null}`, nil}, {"81e0c0", `{"-32":null}`, nil}, {"81cb3ff0000000000000c0", `{"1.0":null}`, nil}, {"81ca3dcccccdc0", `{"0.1":null}`, nil},
		{"81c0c0", `{"null":null}`, nil}, {"81c301", `{"true":1}`, nil}, {"81cb7ff8000000000000c0", `{"NaN":null}`, nil}, {"81cb7ff0000000000000c0", fails, strict},
		{"81d6ff0000000101", `{"1970-01-01T00:00:01Z":1}`, nil}, {"81a1ff01", `{"\ufffd":1}`, nil}, {"81a1ff01", fails, strict},
		{"81c40161c0", fails, nil}, {"81d40561c0", fails, nil}, {"8190c0", fails, nil}, {"8180c0", fails, nil},
		{"81c40161c0", `{"YQ==":null}`, text}, {"81d40561c0", `{"{\"type\":5,\"data\":\"YQ==\"}":null}`, text}, {"819201a16190", `{"[1,\"a\"]":[]}`, text},
		{"828101c3018002", `{"{\"1\":true}":1,"{}":2}`, text}, {"81818101c30102", fails, text},
		// Broken.
		{"c1", fails, nil}, {"91c1", fails, nil}, {"81c101", fails, nil},
	} {
		head := []byte("head")
		out, rest, err := AppendJSON(head, append(unhex(t, r.msgpack), "rest"...), r.opts...)
		// U+FFFD is escaped as encoding/json of the toolchain does it.
		out = bytes.ReplaceAll(out, []byte("\uFFFD"), []byte(`\ufffd`))
		var e *SyntaxError
		switch {
		case r.want == fails:
			if !errors.As(err, &e) || e.Line != 0 || string(out) != "head" || len(rest) != len(r.msgpack)/2+4 {
				t.Errorf("%s: %q, %q, %v, want an error", r.msgpack, out, rest, err)
			}
		case err != nil || string(out) != "head"+r.want || string(rest) != "rest":
			t.Errorf("%s: %q, %q, %v, want %s", r.msgpack, out, rest, err, r.want)
		case !json.Valid(out[4:]):
			t.Errorf("%s: %q is not JSON", r.msgpack, out)
		}
	}
}

// TestAppendJSONTruncated cuts an object of every form at every byte.
func TestAppendJSONTruncated(t *testing.T) {
	src := unhex(t, "9f 7f cd0140 cb3ff0000000000000 ca3fc00000 a3616263 d903616263 da0003616263 db00000003616263 c403616263 d6ff00000001 c8000207 6162"+
		"82a16101a162c0 dc0001c3 de0001a16190 c3")
	if out, rest, err := AppendJSON(nil, src); err != nil || len(rest) > 0 || !json.Valid(out) {
		t.Fatalf("%s %x %v", out, rest, err)
	}
	for n := range src {
		_, _, err := AppendJSON(nil, src[:n])
		var e *SyntaxError
		if !errors.Is(err, io.ErrUnexpectedEOF) || !errors.As(err, &e) || e.Offset != int64(n) {
			t.Errorf("%d of %d bytes: %v", n, len(src), err)
		}
	}
	if _, _, err := AppendJSON(nil, src[:5]); err == nil || err.Error() != "jsonmsgpack: offset 5: unexpected EOF" {
		t.Error(err)
	}
}

// TestLyingLengths: what the input claims costs nothing.
func TestLyingLengths(t *testing.T) {
	for _, s := range []string{"dbffffffff", "c6ffffffff", "c9ffffffff05", "ddffffffff", "dfffffffff", "dcffff", "deffff00", "d9ff61", "91ddffffffff", "81ddffffffff",
		strings.Repeat("ddffffffff", 1000), strings.Repeat("dfffffffff00", 1000)} {
		src := unhex(t, s)
		var dst []byte
		n := testing.AllocsPerRun(5, func() {
			out, _, err := AppendJSON(dst, src, BadKeys(Text))
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s: %v", s, err)
			}
			if cap(out) > 1<<16 {
				t.Errorf("%s: %d bytes allocated", s, cap(out))
			}
		})
		if n > 40 {
			t.Errorf("%s: %v allocations", s, n)
		}
		c := NewConverter(MaxDocument(1<<20), BadKeys(Text))
		_, err := c.ConvertJSON(io.Discard, bytes.NewReader(src))
		if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, ErrTooLarge) || cap(c.buf) > 1<<17 {
			t.Errorf("%s: %v, window of %d", s, err, cap(c.buf))
		}
	}
}

func TestAppendJSONDepth(t *testing.T) {
	for _, unit := range []string{"\x91", "\x81\x00"} {
		for _, c := range []struct {
			limit int
			opts  []Option
		}{{10000, nil}, {512, []Option{Lax()}}, {3, []Option{MaxDepth(3)}}} {
			good := strings.Repeat(unit, c.limit) + "\xc0"
			if out, _, err := AppendJSON(nil, []byte(good), c.opts...); err != nil || !strings.Contains(string(out), "null") {
				t.Errorf("depth %d: %v", c.limit, err)
			}
			_, _, err := AppendJSON(nil, []byte(unit+good), c.opts...)
			var e *SyntaxError
			if !errors.Is(err, ErrDepth) || !errors.As(err, &e) || e.Offset != int64(c.limit*len(unit)) {
				t.Errorf("depth %d: %v", c.limit+1, err)
			}
		}
	}
	// Also within a key.
	_, _, err := AppendJSON(nil, []byte("\x81"+strings.Repeat("\x91", 5)+"\xc0\xc0"), MaxDepth(5), BadKeys(Text))
	if !errors.Is(err, ErrDepth) {
		t.Errorf("in a key: %v", err)
	}
}

func TestConvertJSON(t *testing.T) {
	src, err := Append(nil, []byte(mixed()))
	if err != nil {
		t.Fatal(err)
	}
	one, _, _ := AppendJSON(nil, src)
	stream := append(append([]byte{1, 2}, src...), "\x90\xa1x\x81\xc0\xc0"...)
	stream = append(stream, src...)
	want := "1\n2\n" + string(one) + "\n[]\n\"x\"\n{\"null\":null}\n" + string(one) + "\n"
	for _, win := range windows {
		for name, rd := range readers(string(stream)) {
			c := NewConverter()
			c.window = win
			var w bytes.Buffer
			st, err := c.ConvertJSON(&w, rd)
			if err != nil || w.String() != want || st.Documents != 7 || st.In != int64(len(stream)) || st.Out != int64(len(want)) {
				t.Errorf("window %d, %s: %v, %+v", win, name, err, st)
			}
		}
	}
	for _, r := range []struct {
		src, want string
		at        int64
		is        error
	}{
		{"\x01\x91", "1\n", 2, io.ErrUnexpectedEOF}, {"\x01\x02\xc1\x03", "1\n2\n", 2, errFormat}, {"\x01\xa5ab", "1\n", 4, io.ErrUnexpectedEOF},
		{"\x01\x92\x01\xc1", "1\n", 3, errFormat}, {"\x01\x81\xc4\x01aa", "1\n", 2, errBadKey}, {"\x01\xda\xff\xff", "1\n", 1, ErrTooLarge},
		{"", "", -1, nil}, {"\x01", "1\n", -1, nil},
	} {
		for name, rd := range readers(r.src) {
			c := NewConverter(MaxDocument(1000))
			c.window = 16
			var w bytes.Buffer
			st, err := c.ConvertJSON(&w, rd)
			var e *SyntaxError
			if w.String() != r.want || !errors.Is(err, r.is) || r.at >= 0 && (!errors.As(err, &e) || e.Offset != r.at || st.Failed != 1) {
				t.Errorf("%q, %s: %q, %v, %+v", r.src, name, w.String(), err, st)
			}
		}
	}
	broken := errors.New("broken")
	var w bytes.Buffer
	st, err := NewConverter().ConvertJSON(&w, io.MultiReader(strings.NewReader("\x01\x92"), iotest.ErrReader(broken)))
	if err != broken || w.String() != "1\n" || st.Failed != 0 {
		t.Errorf("read error: %v, %q, %+v", err, w.String(), st)
	}
	if _, err = NewConverter().ConvertJSON(&failingWriter{1, broken}, strings.NewReader("\x01\x02")); err != broken {
		t.Errorf("write error: %v", err)
	}
	// Container keys, cut everywhere.
	for name, rd := range readers("\x82\x92\x01\xa3abc\xc0\x81\xa1k\x90\x07\x01") {
		c := NewConverter(BadKeys(Text))
		var w bytes.Buffer
		c.window = 16
		if _, err := c.ConvertJSON(&w, rd); err != nil || w.String() != `{"[1,\"abc\"]":null,"{\"k\":[]}":7}`+"\n1\n" {
			t.Errorf("%s: %q, %v", name, w.String(), err)
		}
	}
	var sink bytes.Buffer
	if st, err := NewConverter().ConvertJSON(&sink, strings.NewReader("\xa3\xed\xbf\xbf\x81\xa1\xff\xc0")); err != nil || st.Replaced != 4 {
		t.Errorf("%+v %v", st, err)
	}
}
