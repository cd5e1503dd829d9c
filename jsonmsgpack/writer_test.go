package jsonmsgpack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/vmihailenco/msgpack/v5"
)

// writes records each call.
type writes struct{ all []string }

func (w *writes) Write(p []byte) (int, error) {
	w.all = append(w.all, string(p))
	return len(p), nil
}

func TestWriter(t *testing.T) {
	for _, r := range []struct {
		name  string
		opts  []Option
		in    []string
		out   []string
		fails []int // indexes of the calls that return an error
		close error
	}{
		{"record by record", nil, []string{"{\"a\":1}\n", "{\"a\":2}\n"}, []string{"\x81\xa1a\x01", "\x81\xa1a\x02"}, nil, nil},
		{"without newline", nil, []string{`{"a":1}`, `[]`}, []string{"\x81\xa1a\x01", "\x90"}, nil, nil},
		{"several at once", nil, []string{"1\n2\n3\n"}, []string{"\x01\x02\x03"}, nil, nil},
		{"split", nil, []string{`{"a`, `":`, `1`, `}`, "\n"}, []string{"\x81\xa1a\x01"}, nil, nil},
		{"number split", nil, []string{`1`, `2`, "\n", "3"}, []string{"\x0c", "\x03"}, nil, nil},
		{"unfinished", nil, []string{`1 {"a":`}, []string{"\x01"}, nil, ErrUnfinished},
		{"unfinished string", nil, []string{`"abc`}, nil, nil, ErrUnfinished},
		{"empty", nil, []string{"", "\n", " "}, nil, nil, nil},
		{"error", nil, []string{"1\n[1 2] 7\n3\n", "4\n"}, []string{"\x01\x03", "\x04"}, []int{0}, nil},
		{"error, split line", nil, []string{"[1 2", "3\n4 ", "\n5\n"}, []string{"\x04", "\x05"}, []int{0}, nil},
		{"two errors", nil, []string{"[}\n[}\n1\n"}, []string{"\x01"}, []int{0}, nil},
		{"lines", []Option{Lines()}, []string{"1\n[1 2]\n3\n", "4", "\n"}, []string{"\x01\x03", "\x04"}, []int{0}, nil},
		{"lines, unfinished", []Option{Lines()}, []string{"1\n[", "1"}, []string{"\x01"}, nil, ErrUnfinished},
		{"lines, last without newline", []Option{Lines()}, []string{"1\n", "2"}, []string{"\x01", "\x02"}, nil, nil},
		{"lax", []Option{Lax()}, []string{"{\"a\":\"\xff\"}\n"}, []string{"\x81\xa1a\xa3\uFFFD"}, nil, nil},
		{"too large", []Option{MaxDocument(8)}, []string{"[1,2,3,", "4,5]\n1\n"}, []string{"\x01"}, []int{1}, nil},
	} {
		var sink writes
		w := NewWriter(&sink, r.opts...)
		for i, in := range r.in {
			n, err := w.Write([]byte(in))
			bad := false
			for _, f := range r.fails {
				bad = bad || f == i
			}
			var e *SyntaxError
			if n != len(in) || (err != nil) != bad || err != nil && !errors.As(err, &e) {
				t.Errorf("%s, %q: %d, %v", r.name, in, n, err)
			}
		}
		if err := w.Close(); !errors.Is(err, r.close) || (err != nil) != (r.close != nil) {
			t.Errorf("%s: Close: %v, want %v", r.name, err, r.close)
		}
		if strings.Join(sink.all, "|") != strings.Join(r.out, "|") {
			t.Errorf("%s: %q, want %q", r.name, sink.all, r.out)
		}
		if err := w.Close(); err != nil {
			t.Errorf("%s: second Close: %v", r.name, err)
		}
		if _, err := w.Write([]byte("1")); !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s: Write after Close: %v", r.name, err)
		}
	}
}

// TestWriterCuts: however a stream is cut into writes, the documents are the
// same.
func TestWriterCuts(t *testing.T) {
	src := mixed() + "\n1 2\n" + mixed()
	var want bytes.Buffer
	NewConverter().Convert(&want, strings.NewReader(src))
	for _, step := range []int{1, 2, 3, 7, 64, 1000, 1 << 20} {
		var got bytes.Buffer
		w := NewWriter(&got)
		for i := 0; i < len(src); i += step {
			if _, err := io.WriteString(w, src[i:min(i+step, len(src))]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil || !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("step %d: %v, %d bytes, want %d", step, err, got.Len(), want.Len())
		}
	}
}

func TestWriterErrorOffsets(t *testing.T) {
	var lines []string
	w := NewWriter(io.Discard, OnError(func(line int64, err error) bool {
		lines = append(lines, fmt.Sprint(line, " ", err))
		return line != 4
	}))
	if _, err := io.WriteString(w, "1\n[1 2]\n"); err != nil {
		t.Errorf("OnError said to go on: %v", err)
	}
	if _, err := io.WriteString(w, "2\nx\n3\n"); err == nil {
		t.Error("OnError said to stop")
	}
	want := []string{
		"2 jsonmsgpack: line 2, column 4 (offset 5): invalid JSON, expected ',' or ']'",
		"4 jsonmsgpack: line 4, column 1 (offset 10): invalid JSON, expected a value",
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", lines)
	}
}

func TestWriterSinkFails(t *testing.T) {
	broken := errors.New("broken")
	sink := &failingWriter{1, broken}
	w := NewWriter(sink)
	if n, err := io.WriteString(w, "1\n"); n != 2 || err != nil {
		t.Error(n, err)
	}
	if n, err := io.WriteString(w, "2\n"); n != 0 || err != broken {
		t.Error(n, err)
	}
	sink.n = 100
	if n, err := io.WriteString(w, "3\n"); n != 2 || err != nil || sink.n != 99 {
		t.Error(n, err, sink.n)
	}
}

// TestWriterConcurrent: a logger that writes JSON is one that writes
// MessagePack, from many goroutines.
func TestWriterConcurrent(t *testing.T) {
	var sink bytes.Buffer
	w := NewWriter(&sink)
	log := slog.New(slog.NewJSONHandler(w, nil))
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 250 {
				log.Info("message", "g", g, "i", i)
			}
		}()
	}
	wg.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	d := msgpack.NewDecoder(&sink)
	sum := 0
	for n := range 1000 {
		m, err := d.DecodeMap()
		if err != nil || m["msg"] != "message" {
			t.Fatal(n, m, err)
		}
		sum += int(m["g"].(int8))
	}
	if _, err := d.DecodeMap(); err != io.EOF || sum != 250*6 {
		t.Error(err, sum)
	}
}
