package jsonmsgpack

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// fails stands for an error in the tables below.
const fails = "error"

// convertHex returns what Append makes of src, in hexadecimal, or fails.
func convertHex(t *testing.T, src string, opts ...Option) string {
	t.Helper()
	head := []byte("head")
	out, err := Append(head, []byte(src), opts...)
	if !strings.HasPrefix(string(out), "head") || string(head) != "head" {
		t.Fatalf("Append(%q) touched dst: %q", src, out)
	}
	if err != nil {
		var e *SyntaxError
		if !errors.As(err, &e) {
			t.Fatalf("Append(%q): %T %v, want a *SyntaxError", src, err, err)
		}
		if len(out) != len(head) {
			t.Fatalf("Append(%q): %q with error %v", src, out, err)
		}
		if e.Offset < 0 || e.Offset > int64(len(src)) || e.Line < 1 || e.Column < 1 {
			t.Fatalf("Append(%q): error at offset %d, line %d, column %d", src, e.Offset, e.Line, e.Column)
		}
		return fails
	}
	return hex.EncodeToString(out[len(head):])
}

// TestPresets holds the table of what becomes of what by default, in Lax and
// in Strict.
func TestPresets(t *testing.T) {
	rows := []struct{ src, normal, lax, strict string }{
		{`0`, "00", "00", "00"},
		{`127`, "7f", "7f", "7f"},
		{`128`, "cc80", "cc80", "cc80"},
		{`255`, "ccff", "ccff", "ccff"},
		{`256`, "cd0100", "cd0100", "cd0100"},
		{`320`, "cd0140", "cd0140", "cd0140"},
		{`65535`, "cdffff", "cdffff", "cdffff"},
		{`65536`, "ce00010000", "ce00010000", "ce00010000"},
		{`2147483999`, "ce8000015f", "ce8000015f", "ce8000015f"},
		{`4294967295`, "ceffffffff", "ceffffffff", "ceffffffff"},
		{`4294967296`, "cf0000000100000000", "cf0000000100000000", "cf0000000100000000"},
		{`21234567890`, "cf00000004f1adcad2", "cf00000004f1adcad2", "cf00000004f1adcad2"},
		{`1595441285858`, "cf0000017377b60ae2", "cf0000017377b60ae2", "cf0000017377b60ae2"},
		{`1111111111111111111`, "cf0f6b75ab2bc471c7", "cf0f6b75ab2bc471c7", "cf0f6b75ab2bc471c7"},
		{`9223372036854775807`, "cf7fffffffffffffff", "cf7fffffffffffffff", "cf7fffffffffffffff"},
		{`9223372036854775808`, "cf8000000000000000", "cf8000000000000000", "cf8000000000000000"},
		{`18446744073709551615`, "cfffffffffffffffff", "cfffffffffffffffff", "cfffffffffffffffff"},
		{`-1`, "ff", "ff", "ff"},
		{`-32`, "e0", "e0", "e0"},
		{`-33`, "d0df", "d0df", "d0df"},
		{`-128`, "d080", "d080", "d080"},
		{`-129`, "d1ff7f", "d1ff7f", "d1ff7f"},
		{`-32768`, "d18000", "d18000", "d18000"},
		{`-32769`, "d2ffff7fff", "d2ffff7fff", "d2ffff7fff"},
		{`-300000000`, "d2ee1e5d00", "d2ee1e5d00", "d2ee1e5d00"},
		{`-2147483648`, "d280000000", "d280000000", "d280000000"},
		{`-2147483649`, "d3ffffffff7fffffff", "d3ffffffff7fffffff", "d3ffffffff7fffffff"},
		{`-9223372036854775807`, "d38000000000000001", "d38000000000000001", "d38000000000000001"},
		{`-9223372036854775808`, "d38000000000000000", "d38000000000000000", "d38000000000000000"},

		{`-0`, "00", "00", "cb8000000000000000"},
		{`-0.0`, "cb8000000000000000", "cb8000000000000000", "cb8000000000000000"},
		{`18446744073709551616`, "cb43f0000000000000", "b43138343436373434303733373039353531363136", fails},
		{`-9223372036854775809`, "cbc3e0000000000000", "b42d39323233333732303336383534373735383039", fails},
		{`123456789012345678901234567890123456`, "cb4737c6e3bfd70fdf",
			"d924" + hex.EncodeToString([]byte("123456789012345678901234567890123456")), fails},

		{`1.0`, "cb3ff0000000000000", "cb3ff0000000000000", "cb3ff0000000000000"},
		{`98.0`, "cb4058800000000000", "cb4058800000000000", "cb4058800000000000"},
		{`1e2`, "cb4059000000000000", "cb4059000000000000", "cb4059000000000000"},
		{`1e-5`, "cb3ee4f8b588e368f1", "cb3ee4f8b588e368f1", "cb3ee4f8b588e368f1"},
		{`1E-2`, "cb3f847ae147ae147b", "cb3f847ae147ae147b", "cb3f847ae147ae147b"},
		{`0.1`, "cb3fb999999999999a", "cb3fb999999999999a", "cb3fb999999999999a"},
		{`0.1000000000000000056`, "cb3fb999999999999a", "cb3fb999999999999a", "cb3fb999999999999a"},
		{`0.1234567890123456789`, "cb3fbf9add3746f65f", "cb3fbf9add3746f65f", fails},
		{`9007199254740993.0`, "cb4340000000000000", "cb4340000000000000", fails},
		{`-65.613616999999977`, "cbc0506745803cd140", "cbc0506745803cd140", "cbc0506745803cd140"},

		{`1E400`, fails, "a53145343030", fails},
		{`-1e400`, fails, "a62d3165343030", fails},
		{`1e-400`, "cb0000000000000000", "cb0000000000000000", "cb0000000000000000"},
		{`NaN`, fails, "cb7ff8000000000000", fails},
		{`[Infinity,-Infinity]`, fails, "92cb7ff0000000000000cbfff0000000000000", fails},

		{`"\ud83e\udd17"`, "a4f09fa497", "a4f09fa497", "a4f09fa497"},
		{`"\ud83e"`, fails, "a3efbfbd", fails},
		{`"\udd17x"`, fails, "a4efbfbd78", fails},
		{`"\ud83ex\udd17"`, fails, "a7efbfbd78efbfbd", fails},
		{"\"a\xffb\"", fails, "a561efbfbd62", fails},
		{"\"\xed\xa0\x80\"", fails, "a9efbfbdefbfbdefbfbd", fails},
		{"\"\xff\\n\xc3\"", fails, "a7efbfbd0aefbfbd", fails},
		{"\"a\tb\"", fails, "a3610962", fails},
		{`"\t"`, "a109", "a109", "a109"},
		{`""`, "a0", "a0", "a0"},
		{`"\u0000"`, "a100", "a100", "a100"},
		{`{"a":1,"a":2}`, "82a16101a16102", "82a16101a16102", fails},
		{`[0,"Hello"]`, "9200a548656c6c6f", "9200a548656c6c6f", "9200a548656c6c6f"},
		{"\xef\xbb\xbf1", fails, "01", fails},
		{`1 2`, fails, fails, fails},
		{`"\x"`, fails, fails, fails},
		{`"\0"`, fails, fails, fails},
		{`true`, "c3", "c3", "c3"},
		{`false`, "c2", "c2", "c2"},
		{`null`, "c0", "c0", "c0"},
	}
	for _, r := range rows {
		// In front of others a value takes the fast ways, at the end of the
		// input the careful ones.
		for _, c := range []struct {
			name string
			want string
			opts []Option
		}{
			{"default", r.normal, nil}, {"Lax", r.lax, []Option{Lax()}}, {"Strict", r.strict, []Option{Strict()}},
			// The later preset wins in all that both say.
			{"Strict, Lax", r.lax, []Option{Strict(), nil, Lax()}},
		} {
			if got := convertHex(t, r.src, c.opts...); got != c.want {
				t.Errorf("%s: %s: %s, want %s", c.name, r.src, got, c.want)
			}
			if strings.HasPrefix(r.src, "\xef\xbb\xbf") || r.src == `1 2` {
				continue
			}
			for _, around := range [][2]string{{"[", "]"}, {"[", "                              ]"}, {" [\n\t", " \r\n]\n"}} {
				want := c.want
				if want != fails {
					want = "91" + want
				}
				if got := convertHex(t, around[0]+r.src+around[1], c.opts...); got != want {
					t.Errorf("%s: %s%s%s: %s, want %s", c.name, around[0], r.src, around[1], got, want)
				}
			}
		}
	}
}

func TestDepthLimits(t *testing.T) {
	for _, r := range []struct {
		limit int
		opts  []Option
	}{
		{10000, nil}, {512, []Option{Lax()}}, {1000, []Option{Strict()}}, {3, []Option{MaxDepth(3)}},
		{10000, []Option{MaxDepth(0)}},
	} {
		for _, open := range []string{"[", `{"k":`} {
			end := map[string]string{"[": "]", `{"k":`: "}"}[open]
			good := strings.Repeat(open, r.limit) + "0" + strings.Repeat(end, r.limit)
			if _, err := Append(nil, []byte(good), r.opts...); err != nil {
				t.Errorf("depth %d: %v", r.limit, err)
			}
			_, err := Append(nil, []byte(open+good+end), r.opts...)
			var e *SyntaxError
			if !errors.Is(err, ErrDepth) || !errors.As(err, &e) || e.Offset != int64(r.limit*len(open)) {
				t.Errorf("depth %d: %v, want ErrDepth at offset %d", r.limit+1, err, r.limit*len(open))
			}
		}
	}
	// Two megabytes of brackets end at the limit: what is behind is not read.
	if _, err := Append(nil, []byte(strings.Repeat("[", 2<<20))); !errors.Is(err, ErrDepth) {
		t.Errorf("2 MB of brackets: %v", err)
	}
}

func TestDeepText(t *testing.T) {
	opts := []Option{MaxDepth(2), DeepText()}
	for _, r := range []struct{ src, want string }{
		{`[[1]]`, "919101"},
		{`[[[1]]]`, "9191a35b315d"},
		{`[[[ 1, {"a":"]"} ],2]]`, "9192b0" + hex.EncodeToString([]byte(`[ 1, {"a":"]"} ]`)) + "02"},
		{`{"a":{"b":{"c":null}}}`, "81a16181a162aa" + hex.EncodeToString([]byte(`{"c":null}`))},
		{`[[[1,]]]`, fails},
		{`[[[1]`, fails},
	} {
		if got := convertHex(t, r.src, opts...); got != r.want {
			t.Errorf("%s: %s, want %s", r.src, got, r.want)
		}
	}
	deep := strings.Repeat("[", 20000) + strings.Repeat("]", 20000)
	out, err := Append(nil, []byte(deep), DeepText())
	if err != nil || len(out) != 10000+3+20000 {
		t.Errorf("20000 brackets: %d bytes, %v", len(out), err)
	}
	out, err = Append(nil, []byte("[[[\"\xff\"]]]"), append(opts, InvalidUTF8(Replace))...)
	if want := "\x91\x91\xa7[\"\uFFFD\"]"; err != nil || string(out) != want {
		t.Errorf("invalid UTF-8 in the text: %q, %v, want %q", out, err, want)
	}
}

func TestNumberPolicies(t *testing.T) {
	digits := "b4" + hex.EncodeToString([]byte("18446744073709551616"))
	for _, r := range []struct {
		src, want string
		opts      []Option
	}{
		{`18446744073709551616`, digits, []Option{BigNumbers(Text)}},
		{`18446744073709551616`, fails, []Option{BigNumbers(Fail)}},
		{`18446744073709551616`, "cb43f0000000000000", []Option{Strict(), BigNumbers(Float)}},
		{`18446744073709551616`, "cb43f0000000000000", []Option{BigNumbers(LastWins)}}, // not taken
		{`1e400`, fails, []Option{BigNumbers(Float)}},
		{`1e400`, "a53165343030", []Option{BigNumbers(Text)}},
		{`9223372036854775807`, "cf7fffffffffffffff", []Option{Int64Only()}},
		{`9223372036854775808`, "cb43e0000000000000", []Option{Int64Only()}},
		{`9223372036854775808`, "b3" + hex.EncodeToString([]byte("9223372036854775808")), []Option{Int64Only(), BigNumbers(Text)}},
		{`9223372036854775808`, fails, []Option{Int64Only(), BigNumbers(Fail)}},
		{`-9223372036854775808`, "d38000000000000000", []Option{Int64Only(), BigNumbers(Fail)}},
		{`1.5`, "cb3ff8000000000000", []Option{BigNumbers(Text)}},
	} {
		for _, src := range []string{r.src, r.src + "        "} {
			if got := convertHex(t, src, r.opts...); got != r.want {
				t.Errorf("%q: %s, want %s", src, got, r.want)
			}
		}
	}
}

func TestTimeFields(t *testing.T) {
	opts := []Option{TimeFields("time", "at"), TimeFields("\n")}
	for _, r := range []struct{ src, want string }{
		{`{"time":"1970-01-01T00:00:01Z"}`, "81a474696d65d6ff00000001"},
		{`{"x":{"at":"1970-01-01T01:00:01.000000001+01:00"}}`, "81a17881a26174d7ff0000000400000001"},
		{`{"\n":"1970-01-01T00:00:01Z"}`, "81a10ad6ff00000001"},
		{`{"\u0074ime":"1970-01-01T00:00:01Z"}`, "81a474696d65d6ff00000001"},
		{`{"time":"1969-12-31T23:59:59Z"}`, "81a474696d65c70cff00000000ffffffffffffffff"},
		{`{"time":"soon"}`, "81a474696d65a4736f6f6e"},
		{`{"time":"1970-01-01X00:00:01Z"}`, "81a474696d65b4" + hex.EncodeToString([]byte("1970-01-01X00:00:01Z"))},
		{`{"time":"1970-13-01T00:00:01Z"}`, "81a474696d65b4" + hex.EncodeToString([]byte("1970-13-01T00:00:01Z"))},
		{`{"time":5,"b":"1970-01-01T00:00:01Z"}`, "82a474696d6505a162b4" + hex.EncodeToString([]byte("1970-01-01T00:00:01Z"))},
		{`{"time":["1970-01-01T00:00:01Z"]}`, "81a474696d6591b4" + hex.EncodeToString([]byte("1970-01-01T00:00:01Z"))},
		{`{"time":{},"b":"1970-01-01T00:00:01Z"}`, "82a474696d6580a162b4" + hex.EncodeToString([]byte("1970-01-01T00:00:01Z"))},
	} {
		if got := convertHex(t, r.src, opts...); got != r.want {
			t.Errorf("%s: %s, want %s", r.src, got, r.want)
		}
	}
}

func TestDuplicates(t *testing.T) {
	big := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("0,", n), ",") + "]" }
	for _, r := range []struct{ src, want string }{ // want is JSON: the same without duplicates
		{`{"a":1,"a":2}`, `{"a":2}`},
		{`{"a":1,"b":3,"a":2}`, `{"b":3,"a":2}`},
		{`{"a":1,"b":3,"a":2,"b":4,"a":5}`, `{"b":4,"a":5}`},
		{`{"a":{"a":1,"a":2},"b":{"a":3},"a":4}`, `{"b":{"a":3},"a":4}`},
		{`[{"a":1},{"a":2}]`, `[{"a":1},{"a":2}]`},
		{`{"a":1,"\u0061":2}`, `{"a":2}`},
		{`{"a":` + big(20) + `,"b":` + big(20) + `,"a":` + big(3) + `,"c":` + big(17) + `}`,
			`{"b":` + big(20) + `,"a":` + big(3) + `,"c":` + big(17) + `}`},
		{`[{"a":[{"x":` + big(16) + `,"x":` + big(17) + `}],"a":` + big(18) + `},` + big(16) + `]`,
			`[{"a":` + big(18) + `},` + big(16) + `]`},
		{`{"":1,"":2}`, `{"":2}`},
	} {
		want := convertHex(t, r.want)
		if got := convertHex(t, r.src, Duplicates(LastWins)); got != want {
			t.Errorf("%s: %s, want %s", r.src, got, want)
		}
		if r.src == r.want {
			if got := convertHex(t, r.src, Duplicates(Fail)); got != want {
				t.Errorf("%s, Fail: %s, want %s", r.src, got, want)
			}
		} else if got := convertHex(t, r.src, Duplicates(Fail)); got != fails {
			t.Errorf("%s, Fail: %s", r.src, got)
		}
	}

	// Sixteen keys of which one is double need one byte only.
	var src, want strings.Builder
	for i := range 300 {
		fmt.Fprintf(&src, `,"%d":%d,"k":%d`, i, i, i)
		fmt.Fprintf(&want, `"%d":%d,`, i, i)
	}
	got := convertHex(t, "{"+src.String()[1:]+"}", Duplicates(LastWins))
	if w := convertHex(t, "{"+want.String()+`"k":299}`); got != w {
		t.Errorf("many duplicates: %s, want %s", got, w)
	}

	_, err := Append(nil, []byte("{\"a\":1,\n \"b\":2, \"a\":3}"), Duplicates(Fail))
	var e *SyntaxError
	if !errors.As(err, &e) || e.Offset != 16 || e.Line != 2 || e.Column != 9 {
		t.Errorf("duplicate key: %v, want offset 16, line 2, column 9", err)
	}
}

// TestManyKeys: one object of many keys, many objects of one, and nesting,
// through one Converter.
func TestManyKeys(t *testing.T) {
	c := NewConverter(Duplicates(Fail))
	var b strings.Builder
	b.WriteString("[{")
	for i := range 5000 {
		fmt.Fprintf(&b, `"k%d":{"k%d":[{"k":1}]},`, i, i)
	}
	b.WriteString(`"z":1}]`)
	for range 2 {
		if _, err := c.Append(nil, []byte(b.String())); err != nil {
			t.Fatal(err)
		}
	}
	bad := strings.Replace(b.String(), `"z"`, `"k17"`, 1)
	if _, err := c.Append(nil, []byte(bad)); err == nil {
		t.Error("duplicate among 5000 keys not found")
	}
	if _, err := c.Append(nil, []byte(b.String())); err != nil {
		t.Error("after an error:", err)
	}
}
