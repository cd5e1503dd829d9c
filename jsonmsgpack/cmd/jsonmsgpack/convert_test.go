package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestEncode(t *testing.T) {
	tests := []struct{ args, in, want string }{
		{"", `{"a":[1,-1,1.0,null,true]}`, "\x81\xa1a\x95\x01\xff\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00\xc0\xc3"},
		{"", "{\"a\":1}{\"a\":2}\n3", "\x81\xa1a\x01\x81\xa1a\x02\x03"},
		{"", "{\"a\":\n1}", "\x81\xa1a\x01"},
		{"", "", ""},
		{"--wide", "[1]", "\xdd\x00\x00\x00\x01\x01"},
		{"--lax", "NaN", "\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00"},
		{"--lax --big float", "18446744073709551616", "\xcb\x43\xf0\x00\x00\x00\x00\x00\x00"},
		{"--big float --lax", "18446744073709551616", "\xcb\x43\xf0\x00\x00\x00\x00\x00\x00"},
		{"--big text", "1e400", "\xa51e400"},
		{"--int64 --big text", "9223372036854775808", "\xb39223372036854775808"},
		{"--dup last", `{"a":1,"a":2}`, "\x81\xa1a\x02"},
		{"--dup keep", `{"a":1,"a":2}`, "\x82\xa1a\x01\xa1a\x02"},
		{"--utf8 replace", "\"\xff\"", "\xa3\xef\xbf\xbd"},
		{"--depth 1 --deep-text", "[[1]]", "\x91\xa3[1]"},
		{"--time-field t,u", `{"t":"1970-01-01T00:00:01Z"}`, "\x81\xa1t\xd6\xff\x00\x00\x00\x01"},
		{"--time-field t --time-field u", `{"u":"1970-01-01T00:00:01Z"}`, "\x81\xa1u\xd6\xff\x00\x00\x00\x01"},
		{"--strict", "-0", "\xcb\x80\x00\x00\x00\x00\x00\x00\x00"},
		{"--max-document 1k", "[1]", "\x91\x01"},
	}
	for _, test := range tests {
		t.Run(test.args+test.in, func(t *testing.T) {
			args := append([]string{"encode"}, strings.Fields(test.args)...)
			jm(t, test.in, args...).check(t, 0).wantOut(t, test.want)
			// The same to a file, by the other way through the package.
			out := filepath.Join(t.TempDir(), "out")
			jm(t, test.in, append(args, "-o", out)...).check(t, 0).wantOut(t, "")
			if got := read(t, out); got != test.want {
				t.Errorf("in the file: %q, want %q", got, test.want)
			}
		})
	}
}

func TestEncodeFails(t *testing.T) {
	tests := []struct {
		args, in, want string
		words          []string
	}{
		{"", "{\"a\":1}\n{\"a\":]", "\x81\xa1a\x01", []string{"standard input: line 2, column 6 (offset 13)", "--lines"}},
		{"--strict", "{\"a\":1,\"a\":1}", "", []string{"duplicate key"}},
		{"--dup fail", "{\"a\":1,\"a\":1}", "", []string{"duplicate key"}},
		{"--utf8 fail", "\"\xff\"", "", []string{"invalid UTF-8"}},
		{"--depth 2", "[[[1]]]", "", []string{"nested too deep"}},
		{"--big fail", "1e400", "", []string{"offset 0"}},
		{"--max-document 4", "[1,2,3]", "", []string{"--max-document", "-o FILE"}},
		{"", "\xff\xfe1\x00", "", []string{"UTF-16"}},
		{"", "[1", "", []string{"unexpected EOF"}},
	}
	for _, test := range tests {
		t.Run(test.args+test.in, func(t *testing.T) {
			args := append([]string{"encode"}, strings.Fields(test.args)...)
			jm(t, test.in, args...).check(t, exitFailed, test.words...).wantOut(t, test.want)
			if strings.Contains(test.args, "max-document") {
				return // which to a file is no limit of documents
			}
			// A file that is not whole is none, and the old one stays.
			out := write(t, "out", "old")
			r := jm(t, test.in, append(args, "-o", out)...).check(t, exitFailed, "out is not written")
			r.wantOut(t, "")
			if got := read(t, out); got != "old" {
				t.Errorf("the old file is %q", got)
			}
			onlyFile(t, out)
		})
	}
}

// onlyFile fails the test if anything lies beside the file.
func onlyFile(t testing.TB, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != filepath.Base(path) {
			t.Errorf("left behind: %s", e.Name())
		}
	}
}

// One bad line among a thousand costs that line, with any number of workers.
func TestLines(t *testing.T) {
	var in, want strings.Builder
	for i := range 1000 {
		if i == 500 {
			in.WriteString("{\"n\":nope}\n")
			continue
		}
		fmt.Fprintf(&in, "{\"n\":%d}\n", i%100)
		want.WriteString("\x81\xa1n" + string([]byte{byte(i % 100)}))
	}
	offset := strings.Index(in.String(), "nope")
	for _, args := range []string{"--lines", "--lax", "--workers 1", "--workers 3", "--workers 0", "--lines --stats"} {
		t.Run(args, func(t *testing.T) {
			list := append([]string{"encode"}, strings.Fields(args)...)
			r := jm(t, in.String(), list...)
			r.check(t, exitFailed, fmt.Sprintf("line 501, column 6 (offset %d)", offset)).wantOut(t, want.String())
			// To a file: the other lines are kept.
			out := write(t, "out", "old")
			jm(t, in.String(), append(list, "-o", out)...).check(t, exitFailed, "line 501")
			if got := read(t, out); got != want.String() {
				t.Errorf("the file has %d bytes, want %d", len(got), want.Len())
			}
			onlyFile(t, out)
		})
	}
	r := jm(t, in.String(), "encode", "--lines", "--stats")
	r.check(t, exitFailed, "documents  999\n", "failed     1\n", fmt.Sprintf("in         %d bytes\n", in.Len()), fmt.Sprintf("out        %d bytes", want.Len()))
}

// Workers give the same bytes and the same reports as one, in the same order,
// over several chunks, with lines longer than a chunk and longer than allowed,
// empty ones, marks in the wrong places and a last line without an end.
func TestWorkers(t *testing.T) {
	var in strings.Builder
	in.WriteString("\ufeff{\"first\":true}\r\n")
	for i := range 40000 {
		switch {
		case i%5000 == 17:
			fmt.Fprintf(&in, "{\"n\":%d,}\n", i)
		case i%7000 == 3:
			in.WriteString("\n  \n\ufeff1\n\x00\x00\n")
		case i == 20000:
			in.WriteString("\"" + strings.Repeat("x", 2*chunkSize) + "\"\n")
		case i == 30000:
			in.WriteString("\"" + strings.Repeat("y", 6*chunkSize) + "\"\n")
		default:
			fmt.Fprintf(&in, "{\"n\":%d,\"text\":\"some text of a record\",\"f\":0.1}\n", i)
		}
	}
	in.WriteString("{\"last\":")
	limit := fmt.Sprint(4 * chunkSize)
	// A byte order mark is taken at the beginning of the input, and of no chunk.
	marks := strings.Repeat("\ufeff1\n", 50000)
	if r := jm(t, marks, "encode", "--workers", "2"); r.out != "\x01" || strings.Count(r.err, "\n") != 49999 {
		t.Errorf("%d documents, %d reports of 50000 lines with byte order marks", len(r.out), strings.Count(r.err, "\n"))
	}
	one := jm(t, in.String(), "encode", "--lines", "--max-document", limit)
	one.check(t, exitFailed, "line 1", "too large")
	many := jm(t, in.String(), "encode", "--workers", "4", "--max-document", limit)
	many.check(t, exitFailed)
	if one.out != many.out {
		t.Errorf("%d bytes with one worker, %d other ones with four", len(one.out), len(many.out))
	}
	if one.err != many.err {
		t.Errorf("one worker says\n%s\nfour say\n%s", one.err, many.err)
	}
	if n := strings.Count(one.err, "\n"); n != 8+2*6+1+1 {
		t.Errorf("%d reports:\n%s", n, one.err)
	}
}

func TestDecode(t *testing.T) {
	tests := []struct{ args, in, want string }{
		{"", "\x81\xa1a\x01\x02", "{\"a\":1}\n2\n"},
		{"", "\xd6\xff\x00\x00\x00\x01", "\"1970-01-01T00:00:01Z\"\n"},
		{"", "\xcb\x7f\xf8\x00\x00\x00\x00\x00\x01", "null\n"},
		{"--lax", "\xcb\x7f\xf8\x00\x00\x00\x00\x00\x01", "\"NaN\"\n"},
		{"--non-finite text", "\xcb\x7f\xf8\x00\x00\x00\x00\x00\x01", "\"NaN\"\n"},
		{"--bad-keys text", "\x81\x90\x01", "{\"[]\":1}\n"},
		{"", "\xa1\xff", "\"\ufffd\"\n"},
		{"", "", ""},
		{"--depth 1", "\x91\x01", "[1]\n"},
	}
	for _, test := range tests {
		args := append([]string{"decode"}, strings.Fields(test.args)...)
		r := jm(t, test.in, args...).check(t, 0)
		// Escaped or not: encoding/json changed its mind.
		r.out = strings.ReplaceAll(r.out, `\ufffd`, "\ufffd")
		r.wantOut(t, test.want)
		out := filepath.Join(t.TempDir(), "out")
		jm(t, test.in, append(args, "-o", out)...).check(t, 0)
		if got := strings.ReplaceAll(read(t, out), `\ufffd`, "\ufffd"); got != test.want {
			t.Errorf("in the file: %q, want %q", got, test.want)
		}
	}
	fails := []struct {
		args, in, want string
		words          []string
	}{
		{"", "\x01\x92\x01", "1\n", []string{"offset 3", "ends in the middle", "1 document is whole"}},
		{"", "\x01\xc1", "1\n", []string{"offset 1", "c1"}},
		{"", "\x81\x90\x01", "", []string{"key"}},
		{"--strict", "\xcb\x7f\xf8\x00\x00\x00\x00\x00\x01", "", []string{"NaN"}},
		{"--utf8 fail", "\xa1\xff", "", []string{"invalid UTF-8"}},
		{"--depth 1", "\x91\x91\x01", "", []string{"nested too deep"}},
		{"--max-document 3", "\xdb\x00\x00\x01\x00", "", []string{"too large"}},
	}
	for _, test := range fails {
		args := append([]string{"decode"}, strings.Fields(test.args)...)
		jm(t, test.in, args...).check(t, exitFailed, test.words...).wantOut(t, test.want)
		out := write(t, "out", "old")
		jm(t, test.in, append(args, "-o", out)...).check(t, exitFailed, "out is not written")
		if got := read(t, out); got != "old" {
			t.Errorf("the old file is %q", got)
		}
	}
	// What is out of a long object that breaks off ends with its line.
	long := "\xdc\xff\xff" + strings.Repeat("\x01", 60000)
	if r := jm(t, long, "decode").check(t, exitFailed); !strings.HasSuffix(r.out, "\n") {
		t.Error("a broken object is left without an end of line")
	}
}

// Several inputs go to one output, one behind another and never glued.
func TestSeveralInputs(t *testing.T) {
	a, b := write(t, "a", "1"), write(t, "b", "2 [3]")
	out := filepath.Join(t.TempDir(), "out")
	for _, extra := range [][]string{nil, {"--dup", "last"}, {"--lines"}, {"--workers", "2"}} {
		in := b
		if extra != nil {
			in = write(t, "b", "2\n[3]")
		}
		args := append([]string{"encode", "-o", out, a, "-", in}, extra...)
		jm(t, "7", args...).check(t, 0)
		if got := read(t, out); got != "\x01\x07\x02\x91\x03" {
			t.Errorf("%q: %q", args, got)
		}
	}
	jm(t, "", "encode", "-o", out, a, "/nowhere/x").check(t, exitUsage, "is not written")
	if got := read(t, out); got != "\x01\x07\x02\x91\x03" {
		t.Errorf("the old file is %q", got)
	}
}

// A new file has the permissions that any has, one that is replaced keeps its
// own, a link stays one, and an input may be the output.
func TestOutputFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permissions and no links to speak of")
	}
	plain := write(t, "plain", "")
	os.Remove(plain)
	jm(t, "[1]", "encode", "-o", plain).check(t, 0)
	other, err := os.Create(plain + "2")
	if err != nil {
		t.Fatal(err)
	}
	other.Close()
	if a, b := mode(t, plain), mode(t, plain+"2"); a != b {
		t.Errorf("a new file has %v, want %v", a, b)
	}
	for _, m := range []os.FileMode{0o600, 0o640, 0o777} {
		if err := os.Chmod(plain, m); err != nil {
			t.Fatal(err)
		}
		jm(t, "[2]", "encode", "-o", plain).check(t, 0)
		if got := mode(t, plain); got != m || read(t, plain) != "\x91\x02" {
			t.Errorf("replaced: %v, want %v", got, m)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(plain, link); err != nil {
		t.Fatal(err)
	}
	jm(t, "[3]", "encode", "-o", link).check(t, 0)
	if st, err := os.Lstat(link); err != nil || st.Mode()&os.ModeSymlink == 0 || read(t, plain) != "\x91\x03" {
		t.Errorf("through a link: %v %v %q", st.Mode(), err, read(t, plain))
	}
	jm(t, "", "decode", "-o", plain, plain).check(t, 0)
	if got := read(t, plain); got != "[3]\n" {
		t.Errorf("in place: %q", got)
	}
	jm(t, "[1]", "encode", "-o", os.DevNull).check(t, 0)
	jm(t, "[1]", "encode", "-o", "-").check(t, 0).wantOut(t, "\x91\x01")
}

func mode(t testing.TB, path string) os.FileMode {
	t.Helper()
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return st.Mode().Perm()
}

// A document to a file may be larger than MaxDocument.
func TestLargerThanMaxDocument(t *testing.T) {
	in := "[" + strings.Repeat("12345678,", 50000) + "1]"
	out := filepath.Join(t.TempDir(), "out")
	jm(t, in, "encode", "--max-document", "1K").check(t, exitFailed, "-o FILE")
	jm(t, in, "encode", "--max-document", "1K", "-o", out).check(t, 0)
	if r := jm(t, "", "decode", out).check(t, 0); r.out != in+"\n" {
		t.Errorf("%d bytes back, want %d", len(r.out), len(in)+1)
	}
}
