package jsonmsgpack

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

// accepted are documents that every reader of JSON takes.
var accepted = []string{
	// Numbers.
	`0`, `-0`, `1`, `-1`, `10`, `1234567`, `12345678`, `123456789`, `1234567890123456789`, `0.0`, `-0.0`, `0.5`, `10.25`,
	`0e0`, `0E0`, `0e+0`, `0e-0`, `1e5`, `1E5`, `1e+05`, `1e-05`, `1.5e10`, `1.5E-10`, `-1.5e+10`, `0.00000001`, `1e00000000001`,
	`123456789.123456789`, `0.123456789012345678901234567890`, `1e308`, `-1e308`, `5e-324`, `1e-325`, `1e-999999999999`,
	`0e999999999999`, `123123e100`, `1.7976931348623157e308`, `2.2250738585072014e-308`, `20E1`, `[1,2.5,-3e1]`,
	// Strings and escapes.
	`""`, `"a"`, `"abcdefg"`, `"abcdefgh"`, `"abcdefghi"`, `"\""`, `"\\"`, `"\/"`, `"\b\f\n\r\t"`, `"\u0041"`, `"\u00e9"`, `"\uABCD"`,
	`"\uabcd"`, `"\ud834\udd1e"`, `"\uD834\uDD1E"`, `"\u0000"`, `"\u001f"`, `"\uffff"`, `"\ufffe"`, `"/"`, `"\\\\"`, `"\\\""`,
	"\"\x7f\"", "\"\u00e9\"", "\"\u20ac\"", "\"\U0001f600\"", "\"\u2028\u2029\"", "\"\ufeff\"", "\"\uffff\"", `"a\u0062c"`, `"\\u0041"`,
	// Literals.
	`true`, `false`, `null`,
	// Structure.
	`[]`, `{}`, `[[]]`, `[{}]`, `{"":{}}`, `{"a":[]}`, `[1,[2,[3]]]`, `{"a":{"b":{"c":1}}}`, `{"a":1,"b":2}`, `{"a":1,"a":2}`,
	`[null,true,false,0,"",[],{}]`, `{"\u0061":0}`, `{"\n":0}`,
	// White space.
	" 1", "1 ", "\t1\n", "\r\n[\r\n]\r\n", " { \"a\" : 1 , \"b\" : [ 1 , 2 ] } ", "[\n\n\n1\n\n,\n\n2\n\n]", "{\t}", "[ ]",
	"[\n                 1,\n                 2\n]", "{\n         \"a\": 1,\n         \"b\": 2,\n     \"c\": 3\n}",
}

// rejected are documents that none should take, with the offset of the first
// byte that is wrong.
var rejected = []struct {
	src string
	at  int64
}{
	// Nothing.
	{"", 0}, {" ", 1}, {"\n\n", 2},
	// Numbers.
	{`-`, 1}, {`+1`, 0}, {`01`, 0}, {`-01`, 1}, {`00`, 0}, {`1.`, 2}, {`1.e1`, 2}, {`.5`, 0}, {`-.5`, 1}, {`1e`, 2}, {`1e+`, 3}, {`1e-`, 3},
	{`1ee1`, 2}, {`1e1.5`, 3}, {`1.5.5`, 3}, {`0x1`, 1}, {`1_000`, 1}, {`1a`, 1}, {`--1`, 1}, {`1-`, 1}, {`- 1`, 1}, {`[1 2]`, 3},
	{`[1.]`, 3}, {`[1e]`, 3}, {`[01]`, 1}, {`[-]`, 2}, {`[1.5a]`, 4}, {`[1a]`, 2}, {`[0x10000000000]`, 2}, {`[-0123456789]`, 2},
	{`[0123456789012345678901]`, 1}, {`[-00]`, 2}, {`[1.5e1.5       ]`, 6}, {`12345678901234567890123.`, 24}, {"\u0661", 0}, {`1/2`, 1},
	{`NaN`, 0}, {`Infinity`, 0}, {`-Infinity`, 1}, {`[nan]`, 1}, {`1e1000`, 0}, {`[-1e1000]`, 1},
	// Strings and escapes.
	{`"`, 1}, {`"a`, 2}, {`"\`, 2}, {`"\"`, 3}, {`"\u`, 3}, {`"\u00`, 5}, {`'a'`, 0}, {`"\a"`, 1}, {`"\x41"`, 1}, {`"\'"`, 1}, {`"\0"`, 1},
	{`"\u004"`, 1}, {`"\u004g"`, 1}, {`"\U0041"`, 1}, {`"\u 041"`, 1}, {`"\ud800"`, 1}, {`"\udc00"`, 1}, {`"\ud800\n"`, 1}, {`"\ud800\u0041"`, 1},
	{`"\ud800\ud800"`, 1}, {`"\udc00\ud800"`, 1}, {`"a\ud800"`, 2}, {"\"\n\"", 1}, {"\"a\x00\"", 2}, {"\"\x1f\"", 1}, {"\"aaaaaaaaaaaaaaaaaaaaaaaaa\t\"", 26},
	{"\"\x80\"", 1}, {"\"\xc0\x80\"", 1}, {"\"\xc1\xbf\"", 1}, {"\"\xe0\x80\x80\"", 1}, {"\"\xed\xa0\x80\"", 1}, {"\"\xf0\x80\x80\x80\"", 1},
	{"\"\xf4\x90\x80\x80\"", 1}, {"\"\xf5\x80\x80\x80\"", 1}, {"\"\xff\"", 1}, {"\"\xe2\x82\"", 1}, {"\"\xc3\"", 1}, {"\"abc\xe2\x28\xa1\"", 4}, {"\"\u20ac\xe2\x82\"", 4},
	{"{\"\xff\":1}", 2}, {`{"\q":1}`, 2}, {"[\"\\n\xff\"]", 4},
	// Literals.
	{`tru`, 3}, {`nul`, 3}, {`fals`, 4}, {`True`, 0}, {`NULL`, 0}, {`truE`, 0}, {`[tru]`, 1}, {`[nulll]`, 5}, {`undefined`, 0}, {`a`, 0}, {`[a]`, 1},
	{`[truefalse]`, 5}, {`[1true]`, 2},
	// Structure.
	{`[`, 1}, {`]`, 0}, {`{`, 1}, {`}`, 0}, {`,`, 0}, {`:`, 0}, {`[1`, 2}, {`[1,`, 3}, {`[,`, 1}, {`[,1]`, 1}, {`[1,]`, 3}, {`[1,,2]`, 3}, {`[1}`, 2}, {`[1:2]`, 2},
	{`{"a"`, 4}, {`{"a":`, 5}, {`{"a":1`, 6}, {`{"a":1,`, 7}, {`{"a":1,}`, 7}, {`{"a":}`, 5}, {`{"a"}`, 4}, {`{"a",1}`, 4}, {`{,"a":1}`, 1}, {`{"a":1,,"b":2}`, 7},
	{`{1:1}`, 1}, {`{a:1}`, 1}, {`{'a':1}`, 1}, {`{"a":1]`, 6}, {`{"a" 1}`, 5}, {`{"a"::1}`, 5}, {`{"a":1:2}`, 6}, {`{"a":1 "b":2}`, 7}, {`{null:1}`, 1},
	{`{"a":1,null}`, 7}, {`[1]]`, 3}, {`{}}`, 2}, {`[]x`, 2}, {`1 1`, 2}, {`"a" "b"`, 4}, {`nullnull`, 4}, {`{"a":1}{"a":2}`, 7}, {`[1],`, 3}, {`{"a":"b`, 7},
	{`[[[[1]]]`, 8}, {`{"a":{"b":1}`, 12},
	// White space that is none, and comments.
	{"\x0b1", 0}, {"\x0c1", 0}, {"\u00a01", 0}, {"[1\x0b]", 2}, {"[1\x00]", 2}, {`[1,/**/2]`, 3}, {"//\n1", 0}, {`[1]#`, 3}, {"\u20281", 0}, {"{\x0c\"a\":1}", 1},
	{"{\"a\"\x0b:1}", 4}, {"[1,\x0b2]", 3},
	// Encodings.
	{"\xef\xbb\xbf[]", 0}, {"\xff\xfe[\x00]\x00", 0}, {"\xfe\xff\x00[\x00]", 0}, {"[\x00]\x00", 0}, {"\x00[\x00]", 0}, {"\x00\x00\x00[", 0}, {"\xff", 0}, {"\xe9", 0},
}

func TestAccepted(t *testing.T) {
	for _, src := range accepted {
		if !json.Valid([]byte(src)) {
			t.Errorf("%q is not accepted by encoding/json", src)
		}
		checkSame(t, src)
		// Long white space behind has the fast ways tried.
		checkSame(t, "["+src+", "+src+"]"+strings.Repeat(" ", 40))
		checkSame(t, `{"key":`+src+",\n"+strings.Repeat(" ", 11)+`"long key of more than 31 bytes, for the other way":`+src+"}")
	}
}

func TestRejected(t *testing.T) {
	for _, r := range rejected {
		_, err := Append(nil, []byte(r.src))
		var e *SyntaxError
		if !errors.As(err, &e) {
			t.Errorf("%q: %v, want a *SyntaxError", r.src, err)
			continue
		}
		if e.Offset != r.at {
			t.Errorf("%q: %v, want offset %d", r.src, err, r.at)
		}
		if ends := e.Offset == int64(len(r.src)); ends != errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q: %v, io.ErrUnexpectedEOF: %v", r.src, err, !ends)
		}
		if errors.Is(err, errBOM) || errors.Is(err, errUTF16) || errors.Is(err, errUTF32) {
			continue // another encoding is recognised at the start only
		}
		// Further in, and with more behind, the error is the same.
		if len(r.src) == int(e.Offset) || r.src == "]" || errors.Is(err, ErrTrailing) {
			continue
		}
		pre := "[\n" + strings.Repeat(" ", 19)
		_, err = Append(nil, []byte(pre+r.src+strings.Repeat(" ", 40)))
		if !errors.As(err, &e) || e.Offset < r.at+int64(len(pre)) && !strings.HasPrefix(r.src, "0") || e.Line != 2+strings.Count(r.src[:r.at], "\n") {
			t.Errorf("%q further in: %v, want offset %d", r.src, err, r.at+int64(len(pre)))
		}
	}
}

// TestErrorTexts holds what users read.
func TestErrorTexts(t *testing.T) {
	for _, r := range []struct{ src, want string }{
		{"{\"a\":1,\n  b:2}", "jsonmsgpack: line 2, column 3 (offset 10): invalid JSON, expected a key in quotes"},
		{`[1 2]`, "jsonmsgpack: line 1, column 4 (offset 3): invalid JSON, expected ',' or ']'"},
		{`[1,`, "jsonmsgpack: line 1, column 4 (offset 3): unexpected EOF, expected a value"},
		{`"\x"`, `jsonmsgpack: line 1, column 2 (offset 1): invalid escape in a string, expected one of \" \\ \/ \b \f \n \r \t \u`},
		{`1 2`, "jsonmsgpack: line 1, column 3 (offset 2): more after the value, expected the end of the input"},
		{"\xff\xfe[\x00]\x00", "jsonmsgpack: line 1, column 1 (offset 0): input is UTF-16, convert it to UTF-8 first, expected UTF-8"},
		{"\xef\xbb\xbf1", "jsonmsgpack: line 1, column 1 (offset 0): byte order mark, expected a value"},
		{`-x`, "jsonmsgpack: line 1, column 2 (offset 1): invalid number, expected a digit"},
	} {
		if _, err := Append(nil, []byte(r.src)); err == nil || err.Error() != r.want {
			t.Errorf("%q:\n%v, want\n%s", r.src, err, r.want)
		}
	}
	_, err := Append(nil, []byte("1 2"))
	if !errors.Is(err, ErrTrailing) {
		t.Errorf("%v is not ErrTrailing", err)
	}
}
