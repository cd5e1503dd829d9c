package sink

import (
	"encoding/binary"
	"strings"
	"testing"
)

// objectEnd is the skipper's reference: where the object at p[i] ends, or -1 if
// it is not whole, or -2 if it is none.
func objectEnd(p []byte, i int) int {
	if i >= len(p) {
		return -1
	}
	c := p[i]
	i++
	length := func(n int) int {
		if i+n > len(p) {
			return -1
		}
		b := make([]byte, 8)
		copy(b[8-n:], p[i:i+n])
		i += n
		return int(min(binary.BigEndian.Uint64(b), 1<<30)) // more is not whole anyway
	}
	pass := func(n int) int {
		if n < 0 || n > len(p)-i {
			return -1
		}
		return i + n
	}
	contents := func(n int) int {
		for ; n > 0 && i >= 0; n-- {
			i = objectEnd(p, i)
		}
		if n < 0 {
			return -1
		}
		return i
	}
	twice := func(n int) int {
		if n < 0 {
			return -1
		}
		return 2 * n
	}
	switch {
	case c < 0x80 || c >= 0xe0:
		return i
	case c < 0x90:
		return contents(2 * int(c&15))
	case c < 0xa0:
		return contents(int(c & 15))
	case c < 0xc0:
		return pass(int(c & 31))
	}
	// In the order of the specification's table of formats.
	fixed := map[byte]int{0xc0: 0, 0xc2: 0, 0xc3: 0, 0xca: 4, 0xcb: 8, 0xcc: 1, 0xcd: 2, 0xce: 4, 0xcf: 8,
		0xd0: 1, 0xd1: 2, 0xd2: 4, 0xd3: 8, 0xd4: 2, 0xd5: 3, 0xd6: 5, 0xd7: 9, 0xd8: 17}
	if n, ok := fixed[c]; ok {
		return pass(n)
	}
	switch c {
	case 0xc4, 0xd9:
		return pass(length(1))
	case 0xc5, 0xda:
		return pass(length(2))
	case 0xc6, 0xdb:
		return pass(length(4))
	case 0xc7, 0xc8, 0xc9:
		n := length(1 << (c - 0xc7))
		if n < 0 {
			return -1
		}
		return pass(n + 1)
	case 0xdc:
		return contents(length(2))
	case 0xdd:
		return contents(length(4))
	case 0xde:
		return contents(twice(length(2)))
	case 0xdf:
		return contents(twice(length(4)))
	}
	return -2
}

func reference(p []byte) (whole int, records int64, bad bool) {
	for whole < len(p) {
		if c := p[whole]; c < 0x80 || c > 0x9f && c < 0xdc || c > 0xdf {
			return whole, records, true
		}
		end := objectEnd(p, whole)
		if end < 0 {
			return whole, records, end == -2
		}
		whole = end
		records++
	}
	return whole, records, false
}

// checkSkip compares the skipper, given p in pieces of n bytes, with the
// reference.
func checkSkip(t *testing.T, p []byte, n int) {
	t.Helper()
	whole, records, bad := reference(p)
	var s skipper
	for rest := p; len(rest) > 0; {
		k := min(n, len(rest))
		s.skip(rest[:k])
		rest = rest[k:]
	}
	if int(s.whole) != whole || s.records != records || s.bad != bad {
		t.Errorf("%x in pieces of %d: %d bytes, %d records, bad %v; want %d, %d, %v", p, n, s.whole, s.records, s.bad, whole, records, bad)
	}
	if !s.bad && s.at != int64(len(p)) {
		t.Errorf("%x: at %d of %d", p, s.at, len(p))
	}
}

// records are MessagePack records with every type there is.
func records() (all [][]byte) {
	str := func(n int) string { return strings.Repeat("\x81", n) } // looks like a record
	values := []string{
		"\x00", "\x7f", "\x80", "\x90", "\xa0", "\xa1x", "\xbf" + str(31), "\xc0", "\xc2", "\xc3",
		"\xc4\x00", "\xc4\x02ab", "\xc5\x00\x01a", "\xc6\x00\x00\x00\x01a",
		"\xc7\x00t", "\xc7\x03tabc", "\xc8\x00\x01ta", "\xc9\x00\x00\x00\x01ta",
		"\xca" + str(4), "\xcb" + str(8), "\xcc" + str(1), "\xcd" + str(2), "\xce" + str(4), "\xcf" + str(8),
		"\xd0" + str(1), "\xd1" + str(2), "\xd2" + str(4), "\xd3" + str(8),
		"\xd4" + str(2), "\xd5" + str(3), "\xd6" + str(5), "\xd7" + str(9), "\xd8" + str(17),
		"\xd9\x20" + str(32), "\xda\x01\x00" + str(256), "\xdb\x00\x00\x00\x05" + str(5),
		"\xdc\x00\x02\x01\xa1x", "\xdd\x00\x00\x00\x01\xc0", "\xde\x00\x01\xa1k\x01", "\xdf\x00\x00\x00\x01\xa1k\x90",
		"\xe0", "\xff", "\x82\xa1a\x81\xa1b\x91\x91\xc0\xa1c\xdc\x00\x00",
	}
	for _, v := range values {
		all = append(all, []byte("\x82\xa4time"+v+"\xa1k"+v))
	}
	return append(all, []byte("\x92\xd7\x00"+str(8)+"\x81\xa1k\x01"))
}

func TestSkipTorn(t *testing.T) {
	for _, r := range records() {
		p := append(append([]byte{}, r...), r...)
		for cut := range len(p) + 1 {
			whole, n := skipRecords(p[:cut])
			if want := cut / len(r); whole != want*len(r) || n != int64(want) {
				t.Errorf("%x cut to %d: %d bytes, %d records", p, cut, whole, n)
			}
			for _, piece := range []int{1, 2, 5} {
				checkSkip(t, p[:cut], piece)
			}
		}
	}
}

func FuzzSkip(f *testing.F) {
	for _, r := range records() {
		f.Add(r, byte(1))
	}
	f.Add([]byte("\x81\xa1k\xc1"), byte(2))
	f.Add([]byte("\xdf\xff\xff\xff\xff"), byte(3))
	f.Add([]byte("\x81\xa1k\xdb\xff\xff\xff\xff"), byte(3))
	f.Fuzz(func(t *testing.T, p []byte, n byte) {
		checkSkip(t, p, 1+int(n))
	})
}
