package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// pieces is a reader that gives at most size bytes at a time.
type pieces struct {
	rest string
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.rest == "" {
		return 0, io.EOF
	}
	n := copy(b, p.rest[:min(p.size, len(p.rest))])
	p.rest = p.rest[n:]
	return n, nil
}

// showPieces runs cat in this process.
func showPieces(t testing.TB, r io.Reader, o catOptions) (out, errs string, failed bool) {
	t.Helper()
	var b, told bytes.Buffer
	c := &catter{
		a: &app{told: &told}, o: &o, out: bufio.NewWriter(&b),
		layout: layout{pretty: o.pretty}, conv: newLineConverter(),
	}
	if err := c.copy(r, "in"); err != nil && !errors.Is(err, errDamage) {
		t.Fatal(err)
	}
	c.out.Flush()
	return b.String(), told.String(), c.broken
}

// A sizer agrees with the package on where an object ends and on whether there
// is one, all at once and byte by byte.
func FuzzSizer(f *testing.F) {
	for _, s := range []string{
		"\x01", "\xff", "\x80", "\x81\xa1a\x01", "\x92\x01\x92\x02\x03", "\xc0", "\xc1", "\xc2", "\xc4\x01x", "\xc5\x00\x01x", "\xc6\x00\x00\x00\x01x",
		"\xc7\x01\x05x", "\xc8\x00\x01\x05x", "\xc9\x00\x00\x00\x01\x05x", "\xca\x00\x00\x00\x00", "\xcb\x00\x00\x00\x00\x00\x00\x00\x00",
		"\xcc\xff", "\xcd\xff\xff", "\xce\xff\xff\xff\xff", "\xcf\xff\xff\xff\xff\xff\xff\xff\xff", "\xd0\x80", "\xd1\x80\x00", "\xd2\x80\x00\x00\x00", "\xd3\x80\x00\x00\x00\x00\x00\x00\x00",
		"\xd4\x05x", "\xd5\x05xx", "\xd6\x05xxxx", "\xd7\x05xxxxxxxx", "\xd8\x05xxxxxxxxxxxxxxxx", "\xd9\x01x", "\xda\x00\x01x", "\xdb\x00\x00\x00\x01x",
		"\xdc\x00\x01\x01", "\xdd\x00\x00\x00\x01\x01", "\xde\x00\x01\xa1a\x01", "\xdf\x00\x00\x00\x01\xa1a\x01", "\x81\x90\x01", "\xdf\xff\xff\xff\xff", "\xdb\xff\xff\xff\xff",
	} {
		f.Add([]byte(s))
		f.Add([]byte("\x91" + s))
		f.Add([]byte("\x82\xa1k" + s + s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		_, rest, err := jsonmsgpack.AppendJSON(nil, src, jsonmsgpack.BadKeys(jsonmsgpack.Text))
		var whole, bytewise sizer
		st := whole.next(src)
		step := sizeMore
		for n := 0; n <= len(src) && step == sizeMore; n++ {
			step = bytewise.next(src[:n])
		}
		switch {
		case step != st, whole.at != bytewise.at:
			t.Fatalf("at once %d at %d, bytewise %d at %d", st, whole.at, step, bytewise.at)
		case st == sizeBad && err == nil && whole.why == "a map or array in the place of a key":
			// Which AppendJSON can show, and cat takes for damage.
		case (st == sizeWhole) != (err == nil):
			t.Fatalf("%d at %d, AppendJSON: %v", st, whole.at, err)
		case st == sizeWhole && len(src)-len(rest) != whole.at:
			t.Fatalf("ends at %d, AppendJSON at %d", whole.at, len(src)-len(rest))
		case st == sizeMore && whole.need <= uint64(len(src)):
			t.Fatalf("needs %d bytes of %d", whole.need, len(src))
		}
		if st == sizeWhole {
			// And the record made of it refers to nothing outside.
			var r record
			if r.parse(src[:whole.at:whole.at]) {
				(&layout{pretty: true}).append(nil, &r)
				appendRecordJSON(nil, &r, nil)
			}
		}
	})
}
