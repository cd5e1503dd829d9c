package forward

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/forward/internal/receiver"
	"github.com/slogpack/slogpack/jsonmsgpack"
)

// entry is [EventTime, record].
func entry(record string) string { return "\x92\xd7\x00\x65\x00\x00\x00\x00\x00\x00\x07" + record }

// What Write takes, what it does not, and what it says.
func TestWrite(t *testing.T) {
	deep := func(n int) string { // maps
		return strings.Repeat("\x81\xa1k", n-1) + "\x81\xa1k\x01"
	}
	tests := []struct {
		name, in string
		accepted int64
		invalid  int64
		n        int // -1: all of it
		err      string
	}{
		{"nothing", "", 0, 0, -1, ""},
		{"white space", " \r\n\t\n", 0, 0, -1, ""},
		{"an entry", entry("\x81\xa1a\x01"), 1, 0, -1, ""},
		{"an empty record", entry("\x80"), 1, 0, -1, ""},
		{"two entries", entry("\x81\xa1a\x01") + entry("\x81\xa1b\x02"), 2, 0, -1, ""},
		{"wider headers", "\x92\xc7\x08\x00\x65\x00\x00\x00\x00\x00\x00\x07\xde\x00\x01\xd9\x01a\xcf\x00\x00\x00\x00\x00\x00\x00\x01", 1, 0, -1, ""},
		{"a line", `{"a":1}` + "\n", 1, 0, -1, ""},
		{"a line without its end", `{"a":1}`, 1, 0, -1, ""},
		{"lines", `{"a":1}` + "\r\n\n  " + `{"a":2}` + "\n" + `{}`, 3, 0, -1, ""},
		{"a line between entries", entry("\x80") + "\n" + `{"a":1}` + "\n" + entry("\x80"), 3, 0, -1, ""},
		{"depth 32", entry(deep(32)), 1, 0, -1, ""},
		{"a bin", entry("\x81\xa1a\xc4\x01\xff"), 1, 0, -1, ""},

		{"text", "hello world", 0, 1, 0, "neither"},
		{"a number", "12\n", 0, 1, 0, "neither"},
		{"an array", `[{"a":1}]`, 0, 1, 0, "neither"},
		{"MessagePack", "\x81\xa1a\x01", 0, 1, 0, "neither"},
		{"bad JSON", `{"a":}`, 0, 1, 0, "offset 5"},
		{"two objects in a line", `{"a":1}{"a":2}`, 0, 1, 0, "more after"},
		{"an object in lines", "{\n\"a\":1\n}\n", 0, 3, 0, "byte 0"},
		{"a bad line among good ones", `{"a":1}` + "\nbad\n" + `{"a":2}` + "\n", 2, 1, -1, "at byte 8"},
		{"a time that is a timestamp", "\x92\xd6\xff\x65\x00\x00\x00\x80", 0, 1, 0, "EventTime"},
		{"a time that is a number", "\x92\x05\x80", 0, 1, 0, "EventTime"},
		{"a second of nanoseconds", "\x92\xd7\x00\x65\x00\x00\x00\x3b\x9a\xca\x00\x80", 0, 1, 0, "nanoseconds"},
		{"no time", "\x92", 0, 1, 0, "too early"},
		{"half an entry", entry("\x81\xa1a"), 0, 1, 0, "too early"},
		{"half a second entry", entry("\x80") + entry("\x81\xa1a"), 1, 1, 12, "too early"},
		{"no record", entry("\x01"), 0, 1, 0, "no map"},
		{"an int key", entry("\x81\x01\x01"), 0, 1, 0, "key"},
		{"a bin key", entry("\x81\xc4\x01a\x01"), 0, 1, 0, "key"},
		{"an ext", entry("\x81\xa1a\xd6\xff\x65\x00\x00\x00"), 0, 1, 0, "ext"},
		{"NaN", entry("\x81\xa1a\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00"), 0, 1, 0, "NaN"},
		{"an infinity of 32 bits", entry("\x81\xa1a\xca\x7f\x80\x00\x00"), 0, 1, 0, "NaN"},
		{"2^63", entry("\x81\xa1a\xcf\x80\x00\x00\x00\x00\x00\x00\x00"), 0, 1, 0, "2^63"},
		{"not UTF-8", entry("\x81\xa1a\xa1\xff"), 0, 1, 0, "UTF-8"},
		{"a key not UTF-8", entry("\x81\xa1\xff\x01"), 0, 1, 0, "UTF-8"},
		{"depth 33", entry(deep(33)), 0, 1, 0, "deeper"},
		{"an array at depth 33", entry(strings.Repeat("\x81\xa1k", 32) + "\x90"), 0, 1, 0, "deeper"},
		{"c1", entry("\x81\xa1a\xc1"), 0, 1, 0, "invalid"},
		{"a map without end", entry("\xdf\xff\xff\xff\xff\xa1a\x01"), 0, 1, 0, "too early"},
		{"a str without end", entry("\x81\xa1a\xdb\xff\xff\xff\xff"), 0, 1, 0, "too early"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, receiver.Options{})
			w := dial(t, r.Addr(), quickly()...)
			n, err := w.Write([]byte(tt.in))
			want := tt.n
			if want < 0 {
				want = len(tt.in)
			}
			if n != want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%d, %v; want %d, %q", n, err, want, tt.err)
			}
			s := mustClose(t, w)
			if s.Accepted != tt.accepted || s.Invalid != tt.invalid || s.Acknowledged != tt.accepted {
				t.Errorf("%+v", s)
			}
			if got := len(r.Records()); int64(got) != tt.accepted {
				t.Errorf("%d records sent", got)
			}
		})
	}
}

func commitOne(t *testing.T, w *Writer, record string) (int, error) {
	t.Helper()
	// The Writer's own goroutines may hold the lock.
	for end := time.Now().Add(patience); time.Now().Before(end); runtime.Gosched() {
		if buf, ok := w.Reserve(len(record)); ok {
			return w.Commit(append(buf, record...), slog.LevelInfo)
		}
	}
	t.Fatal("no room")
	return 0, nil
}

// Reserve and Commit, as package handler uses them and as it does not.
func TestCommit(t *testing.T) {
	r := start(t, receiver.Options{})
	w := dial(t, r.Addr(), quickly()...)
	e := entry("\x81\xa1a\x01")
	if n, err := commitOne(t, w, e); n != len(e) || err != nil {
		t.Errorf("an entry: %d, %v", n, err)
	}
	if n, err := commitOne(t, w, `{"a":1}`); n != 7 || err != nil {
		t.Errorf("JSON: %d, %v", n, err)
	}
	if n, err := commitOne(t, w, "text"); n != 0 || err == nil {
		t.Errorf("text: %d, %v", n, err)
	}
	if n, err := commitOne(t, w, ""); n != 0 || err != nil {
		t.Errorf("nothing: %d, %v", n, err)
	}
	if buf, ok := w.Reserve(10); ok {
		if _, ok := w.Reserve(10); ok {
			t.Error("a second Reserve at once")
		}
		if n, err := w.Commit(nil, 0); n != 0 || err != nil {
			t.Errorf("nil: %d, %v", n, err)
		}
		_ = buf
	}
	if buf, ok := w.Reserve(10); ok {
		foreign := append(bytes.Clone(buf), e...)
		if n, err := w.Commit(foreign, 0); n != 0 || !errors.Is(err, errForeign) {
			t.Errorf("a foreign buffer: %d, %v", n, err)
		}
	}
	if _, ok := w.Reserve(1 << 30); ok {
		t.Error("room for 1 GiB")
	}
	s := mustClose(t, w)
	if s.Acknowledged != 2 || s.Invalid != 1 {
		t.Errorf("%+v", s)
	}
}

// The JSON of other loggers, and what becomes of it.
func TestJSONRecords(t *testing.T) {
	now := time.Unix(1_700_000_000, 5)
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	tests := []struct {
		in   string
		time time.Time
		want string // the record as JSON
	}{
		{`{"level":"info","time":"2026-02-03T04:05:06Z","message":"m"}`, at, `{"level":"info","message":"m"}`},
		{`{"time":"2026-02-03T05:05:06.000000007+01:00"}`, at.Add(7), `{}`},
		{`{"a":1,"time":"2026-02-03T04:05:06Z","b":2}`, at, `{"a":1,"b":2}`},
		{`{"time":1770091506,"m":1}`, at, `{"time":1770091506,"m":1}`},
		{`{"time":1770091506000,"m":1}`, at, `{"time":1770091506000,"m":1}`},
		{`{"time":1770091506000000}`, at, `{"time":1770091506000000}`},
		{`{"time":1770091506000000009}`, at.Add(9), `{"time":1770091506000000009}`},
		{`{"time":1770091506.5}`, at.Add(time.Second / 2), `{"time":1770091506.5}`},
		{`{"time":"yesterday"}`, now, `{"time":"yesterday"}`},
		{`{"time":"2026-02-03T04:05:06"}`, now, `{"time":"2026-02-03T04:05:06"}`},
		{`{"time":"1969-12-31T23:59:59Z"}`, now, `{"time":"1969-12-31T23:59:59Z"}`},
		{`{"time":"2107-01-01T00:00:00Z"}`, now, `{"time":"2107-01-01T00:00:00Z"}`},
		{`{"time":-1,"x":{"time":"2026-02-03T04:05:06Z"}}`, now, `{"time":-1,"x":{"time":"2026-02-03T04:05:06Z"}}`},
		{`{"time":"no","time":"2026-02-03T04:05:06Z"}`, at, `{"time":"no"}`},
		{`{"time":18446744073709551615}`, now, `{"time":"18446744073709551615"}`},
		{`{}`, now, `{}`},
		{`{"a":NaN,"b":[Infinity,-Infinity,{"c":NaN}],"d":1e400}`, now, `{"a":"NaN","b":["+Inf","-Inf",{"c":"NaN"}],"d":"1e400"}`},
		{`{"a":9223372036854775807,"b":9223372036854775808}`, now, `{"a":9223372036854775807,"b":"9223372036854775808"}`},
		{"{\"a\":\"\xff\\ud800\"}", now, `{"a":"` + "\ufffd\ufffd" + `"}`},
		{`{"a":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, now,
			`{"a":` + strings.Repeat("[", 31) + `"` + strings.Repeat("[", 9) + strings.Repeat("]", 9) + `"` + strings.Repeat("]", 31) + `}`},
	}
	cv := newConverter()
	for _, tt := range tests {
		e, err := cv.entry([]byte(tt.in), now)
		if err != nil {
			t.Errorf("%s: %v", tt.in, err)
			continue
		}
		if end, err := checkEntry(e, 0); err != nil || end != len(e) {
			t.Errorf("%s: not an entry: %v", tt.in, err)
		}
		got, rest, err := jsonmsgpack.AppendJSON(nil, e[entryStart:])
		if string(got) != tt.want || len(rest) != 0 || err != nil {
			t.Errorf("%s\nis   %s (%v)\nwant %s", tt.in, got, err, tt.want)
		}
		if want := jsonmsgpack.AppendEventTime([]byte{entryByte}, tt.time); !bytes.HasPrefix(e, want) {
			t.Errorf("%s: time %x, want %x", tt.in, e[:entryStart], want)
		}
	}
}

// The header of a map shrinks with the count when the time is taken out.
func TestJSONTimeCut(t *testing.T) {
	for _, n := range []int{0, 1, 14, 15, 16, 17, 300, 65_535, 65_536} {
		var sb strings.Builder
		for i := range n {
			fmt.Fprintf(&sb, `"k%d":%d,`, i, i)
			if i == n/2 {
				sb.WriteString(`"time":"2026-02-03T04:05:06Z",`)
			}
		}
		in := strings.TrimSuffix(sb.String(), ",")
		e, err := newConverter().entry([]byte("{"+in+"}"), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		want, err := jsonmsgpack.Append(nil, []byte(strings.Replace("{"+in+"}", `"time":"2026-02-03T04:05:06Z",`, "", 1)))
		if n == 1 {
			want, err = []byte("\x81\xa2k0\x00"), nil
		}
		if err != nil || !bytes.Equal(e[entryStart:], want) {
			t.Errorf("%d fields: %v, not the same record", n, err)
		}
	}
}

// A streaming handler and the byte slice way make the same records.
func TestStreamedSame(t *testing.T) {
	r := start(t, receiver.Options{})
	at := time.Now().Round(0)
	for _, opt := range []handler.Option{nil, handler.WithConcurrentWriter()} {
		w := dial(t, r.Addr(), quickly()...)
		rec := slog.NewRecord(at, slog.LevelInfo, "m", 0)
		rec.AddAttrs(tenAttrs()...)
		if err := handler.New(w, opt).Handle(context.Background(), rec); err != nil {
			t.Fatal(err)
		}
		mustClose(t, w)
	}
	recs := r.Records()
	if len(recs) != 2 || fmt.Sprint(recs[0]) != fmt.Sprint(recs[1]) {
		t.Errorf("%v", recs)
	}
}
