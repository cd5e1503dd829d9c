package handler

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/slogpack/slogpack/internal/jsonwire"
	"github.com/slogpack/slogpack/jsonmsgpack"
	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

var documentJSON = []string{
	`{}`, `[]`, `0`, `""`, `null`, `{"a":1}`, `{"a":{"b":[1,{"c":[]},"d"]},"e":{}}`, `[[],[[]],{"":{}}]`, ` { "a" : [ 1 , -2.5e+7 , true , null ] , "b\"\\" : "\u0041\ud83d\ude00\\" } `,
	"[\"\\\\\",\"\\\"\",\"]\",\"}\"]", "{\"a\":\"x\",\"a\":\"y\",\"\\u0061\":\"z\"}", strings.Repeat("[", 600) + strings.Repeat("]", 600), strings.Repeat(`{"k":`, 100) + "1" + strings.Repeat("}", 100),
	"\t[\n1\r,2]\n", `"é日本😀` + "\u2028" + `"`, `{"":""}`, `[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]`,
}

// What is taken apart is put together again as encoding/json compacts it.
func FuzzDocumentJSON(f *testing.F) {
	for _, s := range documentJSON {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if !json.Valid(src) {
			return
		}
		var want bytes.Buffer
		if err := json.Compact(&want, src); err != nil {
			t.Fatal(err)
		}
		var d document
		for range 2 { // a used one as well
			d.parseJSON(src)
			if got := d.appendJSON(nil, jsonwire.Slog); !bytes.Equal(got, want.Bytes()) {
				t.Fatalf("got %s, want %s", got, want.Bytes())
			}
			checkTree(t, &d)
		}
	})
}

// checkTree fails unless the nodes are a tree that covers its source in order.
func checkTree(t *testing.T, d *document) {
	t.Helper()
	for i := range d.nodes {
		n := &d.nodes[i]
		if int(n.next) <= i || int(n.next) > len(d.nodes) || n.start >= n.end || n.end > len(d.src) {
			t.Fatalf("node %d of %d: %+v", i, len(d.nodes), *n)
		}
		if i > 0 && (n.parent < 0 || int(n.parent) >= i || d.nodes[n.parent].next < n.next) {
			t.Fatalf("node %d has the parent %d", i, n.parent)
		}
	}
}

var documentPack = []string{
	"\x80", "\x90", "\xc0", "\x01", "\xa0", "\x81\xa1a\x01", "\x82\xa1a\x92\x01\x81\xa1b\xc3\xa1c\xcb\x40\x09\x21\xfb\x54\x44\x2d\x18", "\xde\x00\x01\xa1a\xdc\x00\x02\x01\x02", "\xdf\x00\x00\x00\x01\xda\x00\x01a\xc4\x02ab",
	"\x81\x01\x02", "\x81\xc4\x01a\x02", "\x81\xc0\x02", "\x81\x90\x02", "\x81\x80\x02", "\x81\x91\x01\x02", "\xc1", "\xc7\x03\x05abc", "\xc8\x00\x01\x05a", "\xc9\x00\x00\x00\x01\x05a", "\xd4\x01a", "\xd8\xff0123456789abcdef", "\xd6\xff\x00\x00\x00\x01",
	"\xdf\xff\xff\xff\xff", "\xdd\xff\xff\xff\xff\x01", "\xdb\xff\xff\xff\xffab", "\xc6\xff\xff\xff\xffab", "\xc9\xff\xff\xff\xff\x01ab", "\x81", "\x81\xa1a", "\x92\x01", "\xa2a", "\xcc", "\xcf\xff\xff\xff\xff\xff\xff\xff\xff", "\xd3\x80\x00\x00\x00\x00\x00\x00\x00", "\xca\x7f\xc0\x00\x00", "\x01\x02",
	strings.Repeat("\x91", 511) + "\x01", strings.Repeat("\x91", 512) + "\x01", strings.Repeat("\x91", 513) + "\x01", strings.Repeat("\x81\xa0", 600) + "\x01", "\xdc\x00\x11" + strings.Repeat("\x90", 17), "",
}

// refPack returns the length of the object that b begins with and how deep it
// nests, by msgpack/v5; container keys count as no object.
func refPack(d *msgpack.Decoder, key bool) (depth int, ok bool) {
	c, err := d.PeekCode()
	if err != nil {
		return 0, false
	}
	isMap := msgpcode.IsFixedMap(c) || c == msgpcode.Map16 || c == msgpcode.Map32
	isArray := msgpcode.IsFixedArray(c) || c == msgpcode.Array16 || c == msgpcode.Array32
	if !isMap && !isArray {
		return 0, d.Skip() == nil
	}
	if key {
		return 0, false
	}
	n := 0
	if isMap {
		n, err = d.DecodeMapLen()
	} else {
		n, err = d.DecodeArrayLen()
	}
	if err != nil {
		return 0, false
	}
	if isMap {
		n *= 2
	}
	for i := range n {
		below, ok := refPack(d, isMap && i%2 == 0)
		if !ok {
			return 0, false
		}
		depth = max(depth, below)
	}
	if n == 0 {
		return 0, true // opens nothing
	}
	return depth + 1, true
}

// Only whole objects are taken, and put together again they say the same.
func FuzzDocumentPack(f *testing.F) {
	for _, s := range documentPack {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 1<<16 {
			return // since the reference recurses
		}
		r := bytes.NewReader(src)
		depth, ok := refPack(msgpack.NewDecoder(r), false)
		ok = ok && depth <= maxPackDepth
		var d document
		n, err := d.parsePack(src, maxPackDepth)
		if strconv.IntSize == 32 && err != nil {
			return // there msgpack/v5 takes lengths from 2^31 on for no length
		}
		if ok != (err == nil) {
			t.Fatalf("accepted: %v, msgpack/v5 says %v at depth %d, of %x", err == nil, ok, depth, src)
		}
		if !ok {
			return
		}
		if want := len(src) - r.Len(); n != want {
			t.Fatalf("%d bytes, want %d of %x", n, want, src)
		}
		if m, _, scanErr := d.scanPack(src, maxPackDepth); m != n || (scanErr == nil) != (err == nil) {
			t.Fatalf("scanPack says %d, %v, parsePack %d, %v", m, scanErr, n, err)
		}
		src = src[:n]
		d.parsePack(src, maxPackDepth)
		checkTree(t, &d)
		packed := d.appendPack(nil)
		if len(packed) > len(src) {
			t.Fatalf("%d bytes became %d", len(src), len(packed))
		}
		opts := []jsonmsgpack.Option{jsonmsgpack.BadKeys(jsonmsgpack.Text), jsonmsgpack.NonFinite(jsonmsgpack.Text)}
		got, rest, err := jsonmsgpack.AppendJSON(nil, packed, opts...)
		want, _, err2 := jsonmsgpack.AppendJSON(nil, src, opts...)
		if err != nil || err2 != nil || len(rest) > 0 || !bytes.Equal(got, want) {
			t.Fatalf("got %s (%v, %d left), want %s (%v)", got, err, len(rest), want, err2)
		}
	})
}

// cutJSON and cutText keep whole runes and escapes, and as many as fit.
func FuzzCut(f *testing.F) {
	for _, s := range []string{"", "abc", "é日😀", "a\\n\\\"\\\\b", "\\u00e9\\ud83d\\ude00x", "\\ud83d\\ud83d\\ude00", "\\ud800\\ud800\\udC00", "\\udc00\\ud800", "\\ud800", "\\uD83D\\uDE00\\udfffz", "\ufffd"} {
		f.Add(s, 3)
		f.Add(s, 16)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		if limit < 0 {
			return
		}
		quoted := `"` + s + `"`
		if json.Valid([]byte(quoted)) && strings.ToValidUTF8(s, "") == s {
			var whole string
			if json.Unmarshal([]byte(quoted), &whole) != nil {
				t.Fatal(s)
			}
			k := cutJSON([]byte(s), limit)
			if k > limit && k < len(s) || k > len(s) || k < min(len(s), limit)-11 {
				t.Fatalf("%q cut at %d for %d", s, k, limit)
			}
			var part string
			if err := json.Unmarshal([]byte(`"`+s[:k]+`"`), &part); err != nil {
				t.Fatalf("%q cut at %d: %v", s, k, err)
			}
			if !strings.HasPrefix(whole, part) {
				t.Fatalf("%q cut at %d says %q", s, k, part)
			}
		}
		s = strings.ToValidUTF8(s, "x")
		k := cutText([]byte(s), limit)
		if k > limit || k > len(s) || strings.ToValidUTF8(s[:k], "") != s[:k] || k < min(len(s), limit)-3 {
			t.Fatalf("%q cut at %d for %d", s, k, limit)
		}
	})
}
