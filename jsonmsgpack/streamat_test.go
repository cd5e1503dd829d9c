package jsonmsgpack

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

// memAt is a file in memory.
type memAt struct{ b []byte }

func (m *memAt) WriteAt(p []byte, at int64) (int, error) {
	if n := int(at) + len(p); n > len(m.b) {
		m.b = append(m.b, make([]byte, n-len(m.b))...)
	}
	return copy(m.b[at:], p), nil
}

func (m *memAt) Truncate(n int64) error { m.b = m.b[:n]; return nil }

// toJSON is all of msgpack as JSON, which does not show the widths of headers.
func toJSON(t *testing.T, msgpack []byte) string {
	t.Helper()
	var w bytes.Buffer
	c := NewConverter()
	c.window = 1024
	if _, err := c.ConvertJSON(&w, bytes.NewReader(msgpack)); err != nil {
		t.Fatal(err)
	}
	return w.String()
}

func TestConvertAt(t *testing.T) {
	// The last document closes with nothing left to write.
	src := mixed() + "\n" + sixteen(200) + "1 2 " + mixed() + "[" + strings.Repeat(" ", 100) + "]"
	var want bytes.Buffer
	if _, err := NewConverter().Convert(&want, strings.NewReader(src)); err != nil {
		t.Fatal(err)
	}
	for _, win := range windows {
		for _, opts := range [][]Option{nil, {Wide()}} {
			for name, rd := range readers(src) {
				c := NewConverter(opts...)
				c.window = win
				var m memAt
				st, err := c.ConvertAt(&m, rd)
				if err != nil || toJSON(t, m.b) != toJSON(t, want.Bytes()) {
					t.Fatalf("window %d, %s: %v", win, name, err)
				}
				if st.Documents != 6 || st.Out != int64(len(m.b)) || st.In != int64(len(src)) {
					t.Fatalf("window %d, %s: %+v, %d bytes", win, name, st, len(m.b))
				}
				if win == 0 && opts == nil && !bytes.Equal(m.b, want.Bytes()) {
					t.Errorf("%s: documents within the window are not minimal", name)
				}
			}
		}
	}
}

// TestConvertAtOverhead: five bytes only for what was open when a window was
// written out.
func TestConvertAtOverhead(t *testing.T) {
	src := "[" + strings.TrimSuffix(strings.Repeat(`{"a":[1,2,3]},`, 100000), ",") + "]"
	want, _ := Append(nil, []byte(src))
	var m memAt
	if _, err := NewConverter().ConvertAt(&m, strings.NewReader(src)); err != nil {
		t.Fatal(err)
	}
	writes := len(want)/defaultWindow + 1
	if over := len(m.b) - len(want); over > writes*3*4 {
		t.Errorf("%d bytes more than minimal in about %d writes", over, writes)
	}
}

func TestConvertAtErrors(t *testing.T) {
	good := `{"a":1}` + "\n"
	long := "[" + strings.Repeat(`"0123456789",`, 300) + "nope]"
	for i, bad := range []string{"[1,2", long, "[1,2", long} {
		c := NewConverter()
		if i < 2 {
			c.window = 16
		}
		m := memAt{b: []byte("what was in the file before, longer than the good part")}
		st, err := c.ConvertAt(&m, strings.NewReader(good+bad))
		var e *SyntaxError
		if !errors.As(err, &e) || st.Documents != 1 || st.Failed != 1 || st.Out != 4 {
			t.Errorf("%v, %+v", err, st)
		}
		if string(m.b[:4]) != "\x81\xa1a\x01" || strings.Contains(string(m.b), "0123456789") {
			t.Errorf("%q left", m.b)
		}
	}
	c := NewConverter(Lines())
	c.window = 16
	var m memAt
	if st, err := c.ConvertAt(&m, strings.NewReader("1\n[1,2\n2\n")); err == nil || string(m.b) != "\x01\x02" || st.Out != 2 || st.Failed != 1 {
		t.Errorf("lines: %v, %q, %+v", err, m.b, st)
	}
	if _, err := NewConverter(Duplicates(LastWins)).ConvertAt(&m, strings.NewReader("1")); err == nil || !strings.Contains(err.Error(), "LastWins") {
		t.Errorf("LastWins: %v", err)
	}
	c = NewConverter(MaxDocument(100))
	c.window = 16
	if _, err := c.ConvertAt(&m, strings.NewReader("["+strings.Repeat("1,", 1000)+"1]")); err != nil {
		t.Errorf("long document: %v", err)
	}
	if _, err := c.ConvertAt(&m, strings.NewReader(`["`+strings.Repeat("x", 1000)+`"]`)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("long string: %v", err)
	}
}

func TestConvertAtAppendOnly(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := strings.NewReader("1")
	if _, err := NewConverter().ConvertAt(f, r); err == nil || !strings.Contains(err.Error(), "O_APPEND") || r.Len() != 1 {
		t.Errorf("%v, %d bytes left", err, r.Len())
	}
}

// A generator is a JSON document of n records that exists only while it is
// read.
type generator struct {
	n, i int
	buf  []byte
}

const padding = "................................................................"

func (g *generator) Read(p []byte) (int, error) {
	for len(g.buf) < len(p) && g.i <= g.n+1 {
		switch {
		case g.i == 0:
			g.buf = append(g.buf, `{"records":[`...)
		case g.i > g.n:
			g.buf = append(g.buf, `{}]}`...)
		default:
			// Without package fmt, whose boxed arguments would be counted.
			g.buf = strconv.AppendInt(append(g.buf, `{"id":`...), int64(g.i), 10)
			g.buf = append(append(g.buf, `,"name":"record `...), padding[:g.i%len(padding)]...)
			g.buf = strconv.AppendInt(append(g.buf, `","values":[`...), int64(g.i), 10)
			g.buf = append(g.buf, `.5,true,null,"é"],"more":{"a":[],"b":"done"}},`...)
		}
		g.i++
	}
	if len(g.buf) == 0 {
		return 0, io.EOF
	}
	n := copy(p, g.buf)
	g.buf = g.buf[:copy(g.buf, g.buf[n:])]
	return n, nil
}

// TestHuge converts a document of 1 GiB to a file and back under a memory
// limit of 64 MiB. SLOGPACK_LONG=1 has it run; without, it is of 16 MiB.
func TestHuge(t *testing.T) {
	records := 120000
	if os.Getenv("SLOGPACK_LONG") == "1" {
		records = 8 << 20
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(64 << 20))
	name := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c := NewConverter()
	st, err := c.ConvertAt(f, &generator{n: records})
	runtime.ReadMemStats(&after)
	if err != nil || st.Documents != 1 {
		t.Fatal(st, err)
	}
	// All that was ever allocated, not only what was in use at once. The
	// generator's own is in it.
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("%d bytes allocated for %d of input", n, st.In)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	got := &comparer{want: &generator{n: records}}
	runtime.ReadMemStats(&before)
	back, err := c.ConvertJSON(got, f)
	runtime.ReadMemStats(&after)
	if err != nil || back.Documents != 1 || back.In != st.Out || back.Out != st.In+1 {
		t.Fatal(back, err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("back: %d bytes allocated for %d of input", n, back.In)
	}
	t.Logf("%d bytes of JSON, %d of MessagePack", st.In, st.Out)
}

// A comparer fails at the first byte that is not the one wanted.
type comparer struct {
	want io.Reader
	buf  []byte
}

func (c *comparer) Write(p []byte) (int, error) {
	if cap(c.buf) < len(p) {
		c.buf = make([]byte, len(p))
	}
	n, err := io.ReadFull(c.want, c.buf[:len(p)])
	if err != nil && !(n == len(p)-1 && p[n] == '\n') {
		return 0, err
	}
	if !bytes.Equal(c.buf[:n], p[:n]) {
		return 0, errors.New("other bytes than were converted")
	}
	return len(p), nil
}
