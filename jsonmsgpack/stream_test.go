package jsonmsgpack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// windows to begin with: the smallest are shorter than most tokens.
var windows = []int{16, 100, 4096, 0}

// readers deliver src in several ways.
func readers(src string) map[string]io.Reader {
	return map[string]io.Reader{
		"whole":       strings.NewReader(src),
		"one byte":    iotest.OneByteReader(strings.NewReader(src)),
		"half":        iotest.HalfReader(strings.NewReader(src)),
		"data or EOF": iotest.DataErrReader(strings.NewReader(src)),
	}
}

// mixed is a document with all kinds of tokens, long and short ones.
func mixed() string {
	var b strings.Builder
	b.WriteString(`{"long":"` + strings.Repeat("日本語 \\u00e9\\n\\\\", 60) + `","num":[`)
	for i := range 300 {
		fmt.Fprintf(&b, "%d,%d.%d, -%de-%d,\n", i*i*i, i, i, i, i)
	}
	b.WriteString(`1234567890123456789012345678901234567890],` + "\n   \"lit\" : [true , false,null]\n" + `, "deep":` + sixteen(30) + `,"e":{},"f":[]`)
	for i := range 70 {
		fmt.Fprintf(&b, `,"k%d":{"x":"\"%s\""}`, i, strings.Repeat("y", i))
	}
	b.WriteString("}")
	return b.String()
}

func TestConvertWindows(t *testing.T) {
	docs := []string{mixed(), "1", `"a"`, "[]", "-1.5e3", "null", `{"a":[1,2,3]}`, mixed()}
	var want []byte
	for _, d := range docs {
		want, _ = Append(want, []byte(d))
	}
	for _, sep := range []string{"\n", " ", "\r\n\t"} {
		src := strings.Join(docs, sep)
		for _, win := range windows {
			for name, r := range readers(src) {
				c := NewConverter()
				c.window = win
				var w bytes.Buffer
				st, err := c.Convert(&w, r)
				if err != nil || !bytes.Equal(w.Bytes(), want) {
					t.Fatalf("window %d, %s: %v, %d bytes, want %d", win, name, err, w.Len(), len(want))
				}
				if st.Documents != int64(len(docs)) || st.In != int64(len(src)) || st.Out != int64(len(want)) || st.Failed != 0 || st.Replaced != 0 || st.Lossy != 2 {
					t.Fatalf("window %d, %s: %+v", win, name, st)
				}
				if longest := 4096; win == 16 && len(c.buf) > longest {
					t.Fatalf("window %d, %s: grew to %d", win, name, len(c.buf))
				}
			}
		}
	}
}

// TestConvertDocuments: what is and is not more than one document.
func TestConvertDocuments(t *testing.T) {
	for _, r := range []struct {
		src, want string
		docs      int64
	}{
		{"", "", 0}, {" \n ", "", 0},
		{`{"a":1}{"a":2}`, "\x81\xa1a\x01\x81\xa1a\x02", 2},
		{`1 2`, "\x01\x02", 2}, {`[1][2]"x""y"`, "\x91\x01\x91\x02\xa1x\xa1y", 4}, {`null[]`, "\xc0\x90", 2},
		{`12 `, "\x0c", 1}, {`"a"1`, "\xa1a\x01", 2}, {`1"a"`, "\x01\xa1a", 2}, {`1[`, "\x01", -1}, {"1,2", "\x01", -1},
		{`1true`, "", -1}, {`1.5.5`, "", -1}, {"1]", "\x01", -1},
		{"\xef\xbb\xbf1\n2", "\x01\x02", 2}, {"1\n\xef\xbb\xbf2", "\x01", -1}, {"\xef\xbb", "", -1}, {"\xef\xbb\xbf", "", 0},
	} {
		for name, rd := range readers(r.src) {
			c := NewConverter()
			c.window = 16
			var w bytes.Buffer
			st, err := c.Convert(&w, rd)
			if w.String() != r.want || (err != nil) != (r.docs < 0) || err == nil && st.Documents != r.docs || st.Failed > 1 || (st.Failed > 0) != (err != nil) {
				t.Errorf("%q, %s: %q, %+v, %v, want %q", r.src, name, w.String(), st, err, r.want)
			}
		}
	}
}

// TestConvertErrors: documents before the error are written, and the error
// says where in the whole stream it is, however it is cut.
func TestConvertErrors(t *testing.T) {
	head := "{\"a\":[1,2]}\n[\n\"" + strings.Repeat("x", 200) + "\"]\n"
	for _, r := range []struct {
		bad  string
		at   int // in bad
		line int
		col  int
		is   error
	}{
		{"[1 2]", 3, 4, 4, nil}, {"{\"k\":\n\n tru}", 8, 6, 2, nil}, {"[1,", 3, 4, 4, io.ErrUnexpectedEOF}, {`"abc`, 4, 4, 5, io.ErrUnexpectedEOF},
		{"\"abc\x01\"", 4, 4, 5, nil}, {"[1,\n\"\\ud800\"]", 5, 5, 2, nil}, {"-", 1, 4, 2, io.ErrUnexpectedEOF}, {"nul", 3, 4, 4, io.ErrUnexpectedEOF},
		{"{\"a\"\n", 5, 5, 1, io.ErrUnexpectedEOF}, {"[\n1e999]", 2, 5, 1, nil},
	} {
		for _, win := range windows {
			for name, rd := range readers(head + r.bad) {
				c := NewConverter()
				c.window = win
				var w bytes.Buffer
				st, err := c.Convert(&w, rd)
				var e *SyntaxError
				if !errors.As(err, &e) || e.Offset != int64(len(head)+r.at) || e.Line != r.line || e.Column != r.col || r.is != nil && !errors.Is(err, r.is) {
					t.Errorf("%q, window %d, %s: %v, want offset %d, line %d, column %d", r.bad, win, name, err, len(head)+r.at, r.line, r.col)
				}
				if st.Documents != 2 || st.Failed != 1 || w.Len() != 6+203 {
					t.Errorf("%q, window %d, %s: %+v, %d bytes", r.bad, win, name, st, w.Len())
				}
			}
		}
	}
}

type failingWriter struct {
	n   int // bytes to take
	err error
}

func (w *failingWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.n)
	w.n -= n
	if n < len(p) {
		return n, w.err
	}
	return n, nil
}

func TestConvertReadAndWriteErrors(t *testing.T) {
	broken := errors.New("broken")
	c := NewConverter()
	var w bytes.Buffer
	st, err := c.Convert(&w, io.MultiReader(strings.NewReader("1\n[1,2"), iotest.ErrReader(broken)))
	if err != broken || w.String() != "\x01" || st.Failed != 0 || st.In != 6 {
		t.Errorf("read error: %v, %q, %+v", err, w.String(), st)
	}
	if st, err = c.Convert(&failingWriter{1, broken}, strings.NewReader("1 2")); err != broken || st.Out != 1 {
		t.Errorf("write error: %v, %+v", err, st)
	}
	if _, err = c.Convert(&failingWriter{1, nil}, strings.NewReader("1 2")); err != io.ErrShortWrite {
		t.Errorf("short write: %v", err)
	}
	if _, err = c.Convert(&w, stuck{}); err != io.ErrNoProgress {
		t.Errorf("reader that never reads: %v", err)
	}
	if _, err = c.Convert(&w, liar{}); err != errRead {
		t.Errorf("reader with an impossible count: %v", err)
	}
}

type stuck struct{}

func (stuck) Read(p []byte) (int, error) { return 0, nil }

type liar struct{}

func (liar) Read(p []byte) (int, error) { return len(p) + 1, nil }

func TestMaxDocument(t *testing.T) {
	long := `"` + strings.Repeat("x", 98) + `"`
	list := "[" + strings.Repeat("1,", 48) + "12]" // 100 bytes
	for _, ok := range []string{long, list} {
		for name, rd := range readers(ok + " " + ok + "  " + ok) {
			c := NewConverter(MaxDocument(100))
			c.window = 16
			if st, err := c.Convert(io.Discard, rd); err != nil || st.Documents != 3 {
				t.Errorf("%s: %v, %+v", name, err, st)
			}
		}
		for _, win := range windows {
			for name, rd := range readers("1 " + ok[:1] + " " + ok[1:] + " 2") {
				c := NewConverter(MaxDocument(100))
				c.window = win
				var w bytes.Buffer
				_, err := c.Convert(&w, rd)
				var e *SyntaxError
				if !errors.Is(err, ErrTooLarge) || !errors.As(err, &e) || e.Offset != 2 || w.String() != "\x01" || !strings.Contains(err.Error(), "ConvertAt") {
					t.Errorf("window %d, %s: %v", win, name, err)
				}
			}
		}
	}
	// A line may be bad for being long, and the next is good.
	for _, win := range windows {
		for name, rd := range readers("1\n" + strings.Repeat("x", 500) + "\n2\n") {
			var lines []int64
			c := NewConverter(MaxDocument(100), OnError(func(line int64, err error) bool {
				if errors.Is(err, ErrTooLarge) {
					lines = append(lines, line)
				}
				return true
			}))
			c.window = win
			var w bytes.Buffer
			st, err := c.Convert(&w, rd)
			if err != nil || w.String() != "\x01\x02" || len(lines) != 1 || lines[0] != 2 || st.Failed != 1 {
				t.Errorf("window %d, %s: %q %v %v %+v", win, name, w.String(), err, lines, st)
			}
			if len(c.buf) > 1000 && win != 4096 && win != 0 {
				t.Errorf("window %d, %s: grew to %d", win, name, len(c.buf))
			}
		}
	}
}

// TestLines: one bad line among a thousand.
func TestLines(t *testing.T) {
	var src, want strings.Builder
	for i := range 1000 {
		if i == 500 {
			src.WriteString("{\"a\":1,\"b\n")
			continue
		}
		fmt.Fprintf(&src, `{"a":%d}`+"\r\n\n", i%100)
		fmt.Fprintf(&want, "\x81\xa1a%c", i%100)
	}
	offset := int64(strings.Index(src.String(), "{\"a\":1,\"b\n") + 9)
	for _, win := range windows {
		for name, rd := range readers(strings.TrimSuffix(src.String(), "\r\n\n")) {
			c := NewConverter(Lines())
			c.window = win
			var w bytes.Buffer
			st, err := c.Convert(&w, rd)
			var e *SyntaxError
			if !errors.As(err, &e) || e.Line != 1001 || e.Offset != offset || e.Column != 10 {
				t.Fatalf("window %d, %s: %v, want line 1001, offset %d", win, name, err, offset)
			}
			if st.Documents != 999 || st.Failed != 1 || w.String() != want.String() {
				t.Fatalf("window %d, %s: %+v", win, name, st)
			}
		}
	}
}

func TestOnError(t *testing.T) {
	const src = "1\n[\nnope\n2\n3 4\n{\"a\":\"\xff\"}\n5"
	for _, r := range []struct {
		opts []Option
		stop int
		want string
		bad  []int64
	}{
		{nil, 99, "\x01\x02\x05", []int64{2, 3, 5, 6}},
		{nil, 2, "\x01", []int64{2, 3}},
		{[]Option{Lax()}, 99, "\x01\x02\x81\xa1a\xa3\uFFFD\x05", []int64{2, 3, 5}},
	} {
		for name, rd := range readers(src) {
			var bad []int64
			c := NewConverter(append(r.opts, OnError(func(line int64, err error) bool {
				bad = append(bad, line)
				return len(bad) < r.stop
			}))...)
			c.window = 16
			var w bytes.Buffer
			st, err := c.Convert(&w, rd)
			if w.String() != r.want || fmt.Sprint(bad) != fmt.Sprint(r.bad) || st.Failed != int64(len(bad)) || (err != nil) != (r.stop < 99) {
				t.Errorf("%s, stop %d: %q, lines %v, %+v, %v", name, r.stop, w.String(), bad, st, err)
			}
		}
	}
}

func TestLossyIsCounted(t *testing.T) {
	src := `[0.1,1.0,12345678901234567890123,0.1234567890123456789,1e-400,9007199254740993,9007199254740993.0,3.141592653589793,-65.613616999999977]`
	st, err := NewConverter().Convert(io.Discard, strings.NewReader(src))
	if err != nil || st.Lossy != 4 {
		t.Errorf("%+v, %v, want 4 lossy", st, err)
	}
	// As text nothing is lost.
	st, err = NewConverter(BigNumbers(Text)).Convert(io.Discard, strings.NewReader(src))
	if err != nil || st.Lossy != 3 {
		t.Errorf("%+v, %v, want 3 lossy", st, err)
	}
}

// TestConverterAgain: a Converter goes on after every kind of end.
func TestConverterAgain(t *testing.T) {
	c := NewConverter(Duplicates(Fail), Lines())
	for range 3 {
		c.Append(nil, []byte(`{"a":{"b":[1,{"c`))
		c.Convert(io.Discard, strings.NewReader(`{"a":{"b":[1,{"c`))
		c.ConvertJSON(io.Discard, strings.NewReader("\x92\x82\xa1"))
		var w bytes.Buffer
		if _, err := c.Convert(&w, strings.NewReader(`{"a":1}`)); err != nil || w.String() != "\x81\xa1a\x01" {
			t.Fatalf("%q %v", w.String(), err)
		}
	}
}

// TestLastWinsInStreams: what is noted of a document's keys moves with it
// when the documents in front of it are written.
func TestLastWinsInStreams(t *testing.T) {
	doc := `{"a":` + sixteen(2) + `,"b":{"x":1,"x":` + sixteen(1) + `,"y":"` + strings.Repeat("z", 40) + `"},"a":[2],"b":3,"c":{"d":4,"d":5}}`
	var want []byte
	src := ""
	for i := range 9 {
		src += doc + strings.Repeat("\n", i)
		want, _ = Append(want, []byte(doc), Duplicates(LastWins))
	}
	for _, win := range windows {
		for name, rd := range readers(src) {
			c := NewConverter(Duplicates(LastWins))
			c.window = win
			var w bytes.Buffer
			if st, err := c.Convert(&w, rd); err != nil || st.Documents != 9 || !bytes.Equal(w.Bytes(), want) {
				t.Errorf("window %d, %s: %v, %+v\n%x, want\n%x", win, name, err, st, w.Bytes(), want)
			}
		}
	}
}
