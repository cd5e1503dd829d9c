package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// records returns n records as a handler writes them, each with its line as
// cat shows it.
func records(t testing.TB, n int) (wire, lines []string) {
	t.Helper()
	for i := range n {
		text := fmt.Sprintf(`{"time":"2026-07-28T10:11:12Z","level":"INFO","msg":"record number %d","request":{"method":"GET","id":%d,"tags":["a","b"]},"ok":true}`, i, i*1000)
		b, err := jsonmsgpack.Append(nil, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		wire = append(wire, string(b))
		lines = append(lines, fmt.Sprintf("2026-07-28T10:11:12Z INFO  record number %d request.method=GET request.id=%d request.tags=[\"a\",\"b\"] ok=true\n", i, i*1000))
	}
	return wire, lines
}

// show runs cat in this process, for tests that need many runs.
func show(t testing.TB, in string, o catOptions) (out, errs string, failed bool) {
	t.Helper()
	return showPieces(t, &pieces{in, len(in)}, o)
}

// A file that ends anywhere in its last record: everything before is shown,
// what is missing is said, and that is status 1.
func TestTorn(t *testing.T) {
	wire, lines := records(t, 3)
	for cut := 1; cut < len(wire[2]); cut++ {
		in := wire[0] + wire[1] + wire[2][:cut]
		out, errs, failed := show(t, in, catOptions{})
		if !failed || out != lines[0]+lines[1] {
			t.Errorf("cut after %d bytes: failed %v\n%s", cut, failed, out)
		}
		for _, w := range []string{
			fmt.Sprintf("offset %d: the last record is torn", len(wire[0])+len(wire[1])),
			fmt.Sprintf("%d bytes are there", cut), "more are missing",
		} {
			if !strings.Contains(errs, w) {
				t.Errorf("cut after %d bytes: no %q in %s", cut, w, errs)
			}
		}
	}
	name := write(t, "torn", wire[0]+wire[1][:60])
	r := jm(t, "", "cat", name).check(t, exitFailed, name+": offset", "3 of 5 fields are whole (2026-07-28T10:11:12Z INFO  record number 1)",
		"60 bytes are there, at least 9 more")
	r.wantOut(t, lines[0])
	event := "\x92\xd7\x00\x6a\x68\x81\x80\x1d\xcd\x65\x00\x82\xa3msg\xa1m\xa1k\xa5ab"
	jm(t, event, "cat").check(t, exitFailed, "1 of 2 fields are whole (m); 23 bytes are there, at least 3 more are missing")
	// Of lines, only one of JSON that breaks off is torn.
	jm(t, "{\"a\":1}\n{\"a\":", "cat").check(t, exitFailed, "offset 8", "torn").wantOut(t, "a=1\n{\"a\":\n")
	jm(t, "{\"a\":1}", "cat").check(t, 0).wantOut(t, "a=1\n")
	jm(t, "text", "cat").check(t, 0).wantOut(t, "text\n")
}

// A writer that died in the middle of a record, and a next one that goes on
// behind it: without --resync cat stops there and says where the next record
// is, with it all others are shown and nothing else is.
func TestTornInTheMiddle(t *testing.T) {
	wire, lines := records(t, 4)
	// Without its last byte, a boolean, the torn record takes all of the next
	// one for that value, and all is well formed.
	for cut := 1; cut < len(wire[1])-1; cut++ {
		in := wire[0] + wire[1][:cut] + wire[2] + wire[3]
		at := fmt.Sprintf("offset %d", len(wire[0]))
		next := fmt.Sprintf("record at offset %d", len(wire[0])+cut)
		out, errs, failed := show(t, in, catOptions{})
		if !failed || out != lines[0] || !strings.Contains(errs, at) || !strings.Contains(errs, next) {
			t.Errorf("cut after %d bytes: failed %v, %s\n%s", cut, failed, errs, out)
		}
		next = strings.Replace(next, "at", "is at", 1)
		out, errs, failed = show(t, in, catOptions{resync: true})
		if !failed || out != lines[0]+lines[2]+lines[3] || !strings.Contains(errs, at) || !strings.Contains(errs, next) {
			t.Errorf("cut after %d bytes, with resync: failed %v, %s\n%s", cut, failed, errs, out)
		}
		// What comes in pieces is shown as soon as it is whole, at times before
		// it can be known to be torn. The records behind are found all the same.
		out, errs, failed = showPieces(t, &pieces{in, 7}, catOptions{resync: true})
		if !failed || !strings.HasPrefix(out, lines[0]) || !strings.HasSuffix(out, lines[3]) {
			t.Errorf("cut after %d bytes, in pieces: failed %v, %s\n%s", cut, failed, errs, out)
		}
	}
}

// Bytes overwritten with anything cost the records they are in, and perhaps
// the one behind; nothing is shown twice, and the end is always found.
func TestResync(t *testing.T) {
	wire, lines := records(t, 40)
	all := strings.Join(wire, "")
	rng := rand.New(rand.NewPCG(3, 4))
	lost, runs := 0, 300
	for run := range runs {
		b := []byte(all)
		at, n := len(wire[0])+rng.IntN(len(b)-3*len(wire[39])), 1+rng.IntN(40)
		for i := range n {
			switch run % 3 {
			case 0:
				b[at+i] = byte(rng.IntN(256))
			case 1:
				b[at+i] = 0
			case 2:
				b[at+i] = 0xc1
			}
		}
		out, errs, failed := show(t, string(b), catOptions{resync: true})
		if !strings.HasSuffix(out, lines[39]) || !strings.HasPrefix(out, lines[0]) {
			t.Errorf("run %d: the ends are not there: failed %v, %s", run, failed, errs)
		}
		missing := 0
		for _, l := range lines {
			switch strings.Count(out, l) {
			case 0:
				missing++
			case 1:
			default:
				t.Errorf("run %d: shown twice: %s", run, l)
			}
		}
		if missing > 3 {
			t.Errorf("run %d: %d records are missing for %d bytes: %s", run, missing, n, errs)
		}
		lost += missing
	}
	t.Logf("%.2f records lost for each damage", float64(lost)/float64(runs))
}

// Garbage before, between and behind, and nothing but garbage.
func TestResyncGarbage(t *testing.T) {
	wire, lines := records(t, 3)
	tests := []struct{ name, in, want string }{
		{"zeros between", wire[0] + strings.Repeat("\x00", 5000) + wire[1], lines[0] + lines[1]},
		{"zeros before", strings.Repeat("\x00", 5000) + wire[1] + wire[2], lines[1] + lines[2]},
		{"zeros behind", wire[0] + strings.Repeat("\x00", 5000), lines[0]},
		{"c1", wire[0] + "\xc1" + wire[1], lines[0] + lines[1]},
		{"twice", wire[0] + "\xc1" + wire[1] + "\xc1" + wire[2], lines[0] + lines[1] + lines[2]},
		{"a claim", wire[0] + "\xdb\xff\xff\xff\xff" + wire[1], lines[0] + lines[1]},
		{"a map's claim", wire[0] + "\xdf\xff\xff\xff\xff" + wire[1] + wire[2], lines[0] + lines[1] + lines[2]},
		{"a line of JSON", wire[0] + "\x00\x00\n{\"msg\":\"m\"}\n" + wire[1], lines[0] + "m\n" + lines[1]},
		{"a group's end", wire[0] + wire[1][60:] + wire[2], lines[0] + lines[2]},
		{"only garbage", "\xc1\x00\x01", ""},
	}
	for _, test := range tests {
		for _, size := range []int{1, 100, len(test.in)} {
			out, errs, failed := showPieces(t, &pieces{test.in, size}, catOptions{resync: true})
			if out != test.want || !failed {
				t.Errorf("%s, in pieces of %d: failed %v, %s\ngot  %q\nwant %q", test.name, size, failed, errs, out, test.want)
			}
		}
	}
}

// Damage that looks like the beginnings of many long records is looked at for
// a bounded time.
func TestResyncHostile(t *testing.T) {
	wire, lines := records(t, 1)
	for _, unit := range []string{"\x81\xa1a", "\xdf\x00\x0f\xff\xff\xa1a", "\xde\xff\xff\xa4time\xa0", "\x92\xd7\x00abcdefgh", "{\"\n"} {
		in := wire[0] + "\xc1" + strings.Repeat(unit, (1<<18)/len(unit)) + wire[0]
		out, errs, failed := show(t, in, catOptions{resync: true})
		if !failed || !strings.HasPrefix(out, lines[0]) {
			t.Errorf("%q: failed %v, %.200s", unit, failed, errs)
		}
	}
}

// FuzzCat: any bytes, in any pieces: no panic, no hang, nothing on the
// terminal that acts there, and the same in pieces as in whole but for
// the guess at what is torn.
func FuzzCat(f *testing.F) {
	wire, _ := records(f, 2)
	f.Add(wire[0]+wire[1], byte(7), byte(0))
	f.Add(wire[0]+wire[1][:50]+wire[1], byte(1), byte(1))
	f.Add("text\n{\"msg\":\"m\"}\n"+wire[0]+"\x00\xc1", byte(3), byte(2))
	f.Add("\x81\xa1k0\x81\xa80\x81\xa1k\xa700000000", byte(0), byte('<'))
	f.Add("\x92\xd7\x00\x6a\x68\x81\x80\x1d\xcd\x65\x00\x81\xa3msg\xa1m", byte(2), byte(3))
	for _, h := range hostile {
		f.Add(h+"\n\x81\xa1k\xd9"+string([]byte{byte(len(h))})+h, byte(5), byte(1))
	}
	f.Fuzz(func(t *testing.T, in string, size, how byte) {
		o := catOptions{resync: how&1 != 0, pretty: how&2 != 0, json: how&6 == 4}
		out, errs, failed := show(t, in, o)
		if bad := unsafeIn(out + errs); bad != "" {
			t.Errorf("%s reaches the terminal", bad)
		}
		if failed {
			return // what is taken for damage may depend on how much is seen at once
		}
		inPieces, errs2, failed2 := showPieces(t, &pieces{in, int(size) + 1}, o)
		if failed2 && strings.Contains(errs2, "a record that goes on into another one") {
			return // the one guess that hangs on what is seen at once; doc.go says so
		}
		if inPieces != out || failed2 {
			t.Errorf("in whole\n%q\n%s\nin pieces (failed %v)\n%q\n%s", out, errs, failed2, inPieces, errs2)
		}
	})
}
