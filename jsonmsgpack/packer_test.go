package jsonmsgpack

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vmihailenco/msgpack/v5"
)

// TestPackerForms holds the bytes of every kind of value.
func TestPackerForms(t *testing.T) {
	b := func(n int) []byte { return bytes.Repeat([]byte{'x'}, n) }
	rows := []struct {
		name string
		pack func(p *Packer)
		want string // the first bytes, in hexadecimal
		size int    // of all, if not those
	}{
		{"nil", func(p *Packer) { p.Nil() }, "c0", 0},
		{"true", func(p *Packer) { p.Bool(true) }, "c3", 0},
		{"false", func(p *Packer) { p.Bool(false) }, "c2", 0},
		{"int -32", func(p *Packer) { p.Int(-32) }, "e0", 0},
		{"int -33", func(p *Packer) { p.Int(-33) }, "d0df", 0},
		{"int 127", func(p *Packer) { p.Int(127) }, "7f", 0},
		{"int 128", func(p *Packer) { p.Int(128) }, "cc80", 0},
		{"int min", func(p *Packer) { p.Int(math.MinInt64) }, "d38000000000000000", 0},
		{"int max", func(p *Packer) { p.Int(math.MaxInt64) }, "cf7fffffffffffffff", 0},
		{"uint max", func(p *Packer) { p.Uint(math.MaxUint64) }, "cfffffffffffffffff", 0},
		{"uint 127", func(p *Packer) { p.Uint(127) }, "7f", 0},
		{"float64", func(p *Packer) { p.Float64(1) }, "cb3ff0000000000000", 0},
		{"float32", func(p *Packer) { p.Float32(1.5) }, "ca3fc00000", 0},
		{"str 31", func(p *Packer) { p.String(string(b(31))) }, "bf", 32},
		{"str 32", func(p *Packer) { p.StringBytes(b(32)) }, "d920", 34},
		{"str 256", func(p *Packer) { p.String(string(b(256))) }, "da0100", 259},
		{"str 65536", func(p *Packer) { p.StringBytes(b(65536)) }, "db00010000", 65541},
		{"bin 0", func(p *Packer) { p.Binary(nil) }, "c400", 0},
		{"bin 256", func(p *Packer) { p.Binary(b(256)) }, "c50100", 259},
		{"bin 65536", func(p *Packer) { p.Binary(b(65536)) }, "c600010000", 65541},
		{"ext 0", func(p *Packer) { p.Ext(5, nil) }, "c70005", 0},
		{"ext 1", func(p *Packer) { p.Ext(-5, b(1)) }, "d4fb78", 0},
		{"ext 2", func(p *Packer) { p.Ext(5, b(2)) }, "d5057878", 0},
		{"ext 3", func(p *Packer) { p.Ext(5, b(3)) }, "c70305787878", 0},
		{"ext 4", func(p *Packer) { p.Ext(5, b(4)) }, "d60578787878", 0},
		{"ext 8", func(p *Packer) { p.Ext(5, b(8)) }, "d705", 10},
		{"ext 16", func(p *Packer) { p.Ext(5, b(16)) }, "d805", 18},
		{"ext 256", func(p *Packer) { p.Ext(5, b(256)) }, "c8010005", 260},
		{"ext 65536", func(p *Packer) { p.Ext(5, b(65536)) }, "c90001000005", 65542},
		{"time 32", func(p *Packer) { p.Time(time.Unix(1, 0)) }, "d6ff00000001", 0},
		{"time 32, last", func(p *Packer) { p.Time(time.Unix(math.MaxUint32, 0)) }, "d6ffffffffff", 0},
		{"time 64", func(p *Packer) { p.Time(time.Unix(1, 1)) }, "d7ff0000000400000001", 0},
		{"time 64, no ns", func(p *Packer) { p.Time(time.Unix(1<<32, 0)) }, "d7ff0000000100000000", 0},
		{"time 96", func(p *Packer) { p.Time(time.Unix(1<<34, 5)) }, "c70cff000000050000000400000000", 0},
		{"time 96, early", func(p *Packer) { p.Time(time.Unix(-1, 0)) }, "c70cff00000000ffffffffffffffff", 0},
		{"EventTime", func(p *Packer) { p.EventTime(time.Unix(1, 2)) }, "d7000000000100000002", 0},
		{"EventTime, early", func(p *Packer) { p.EventTime(time.Unix(-1, 2)) }, "d7000000000000000000", 0},
		{"EventTime, late", func(p *Packer) { p.EventTime(time.Unix(1<<32, 2)) }, "d700ffffffff3b9ac9ff", 0},
		{"raw", func(p *Packer) { p.Raw([]byte{1}) }, "01", 0},
		{"JSON", func(p *Packer) { p.JSON([]byte(`{"a":[1]}`)) }, "81a1619101", 0},
	}
	var p Packer
	p.BeginArray()
	var all []byte
	for _, r := range rows {
		var one Packer
		r.pack(&one)
		got, err := one.Bytes()
		size := max(r.size, len(r.want)/2)
		if err != nil || !strings.HasPrefix(hex.EncodeToString(got), r.want) || len(got) != size {
			t.Errorf("%s: %d bytes %x…, want %d bytes %s…, %v", r.name, len(got), got[:min(16, len(got))], size, r.want, err)
		}
		all = append(all, got...)
		r.pack(&p)
	}
	p.EndArray()
	got, err := p.Bytes()
	if want := append([]byte{array16, 0, byte(len(rows))}, all...); err != nil || !bytes.Equal(got, want) {
		t.Errorf("all in an array: %v", err)
	}
}

func TestTimeIsReadByOthers(t *testing.T) {
	for _, at := range []time.Time{time.Unix(0, 0), time.Unix(1, 999999999), time.Unix(1<<34, 7), time.Unix(-5, 3), time.Date(9999, 12, 31, 23, 59, 59, 1, time.UTC)} {
		var got time.Time
		if err := msgpack.Unmarshal(AppendTime(nil, at), &got); err != nil || !got.Equal(at) {
			t.Errorf("%v read as %v, %v", at, got, err)
		}
	}
}

func TestPackerMistakes(t *testing.T) {
	for _, r := range []struct {
		name string
		do   func(p *Packer)
		want error
	}{
		{"open map", func(p *Packer) { p.BeginMap() }, ErrUnfinished},
		{"open array", func(p *Packer) { p.BeginArray(); p.BeginArray(); p.EndArray() }, ErrUnfinished},
		{"End alone", func(p *Packer) { p.EndMap() }, errEnd},
		{"wrong End", func(p *Packer) { p.BeginMap(); p.EndArray() }, errEnd},
		{"key alone", func(p *Packer) { p.BeginMap(); p.Nil(); p.EndMap() }, errOdd},
	} {
		var p Packer
		p.Reset([]byte("head"))
		p.Int(1)
		r.do(&p)
		b, err := p.Bytes()
		if string(b) != "head" || !errors.Is(err, r.want) {
			t.Errorf("%s: %q, %v, want %v", r.name, b, err, r.want)
		}
		p.Reset(nil)
		p.Int(1)
		if b, err := p.Bytes(); string(b) != "\x01" || err != nil {
			t.Errorf("%s, after Reset: %q, %v", r.name, b, err)
		}
	}
	// Containers left open are not the end.
	var p Packer
	p.BeginArray()
	if _, err := p.Bytes(); err == nil {
		t.Error("no error")
	}
	p.Int(5)
	p.EndArray()
	if b, err := p.Bytes(); string(b) != "\x91\x05" || err != nil {
		t.Errorf("%q %v", b, err)
	}
	// More may follow what Bytes returned.
	p.Int(6)
	if b, err := p.Bytes(); string(b) != "\x91\x05\x06" || err != nil {
		t.Errorf("%q %v", b, err)
	}
	// No slice of a 32-bit machine is too long.
	huge := math.MaxInt
	want := uint64(huge) > maxLen
	if p.long(huge) != want {
		t.Errorf("a string of %d bytes: too long %v", huge, !want)
	}
	if _, err := p.Bytes(); errors.Is(err, ErrTooLarge) != want {
		t.Errorf("after a string of %d bytes: %v", huge, err)
	}
	p.Reset(nil)
	p.BeginArray()
	if err := p.JSON([]byte(`[1,`)); err == nil || p.Count() != 0 || p.Len() != 1 {
		t.Errorf("JSON: %v, count %d, length %d", err, p.Count(), p.Len())
	}
}

func TestRollback(t *testing.T) {
	var p Packer
	pack := func() {
		p.BeginMap()
		for i := range 20 {
			p.Int(int64(i))
			p.BeginArray()
			for range i {
				p.Nil()
			}
			p.EndArray()
		}
	}
	pack()
	p.EndMap()
	want, _ := p.Bytes()
	want = bytes.Clone(want)

	p.Reset(nil)
	pack()
	m := p.Mark()
	for _, spoil := range []func(){
		func() { p.String("k") },
		func() { p.String("k"); p.BeginArray() },
		func() { p.String("k"); p.BeginArray(); pack() },
		func() { p.String("k"); pack(); p.EndMap(); p.EndArray(); p.EndArray() },
		func() { p.EndArray() },
	} {
		spoil()
		p.Rollback(m)
		if p.Mark() != m || p.Depth() != 1 || p.Count() != 40 {
			t.Fatalf("%+v after Rollback, want %+v", p.Mark(), m)
		}
	}
	p.EndMap()
	if got, err := p.Bytes(); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%x, %v, want\n%x", got, err, want)
	}
}

// TestFragments cuts a record into parts at every place where that is
// possible and puts it together again in another Packer.
func TestFragments(t *testing.T) {
	steps := []func(p *Packer){}
	scalar := func(n int) {
		for range n {
			steps = append(steps, func(p *Packer) { p.String("v") })
		}
	}
	begin := func() { steps = append(steps, (*Packer).BeginMap) }
	end := func() { steps = append(steps, (*Packer).EndMap) }
	begin()
	scalar(3)
	begin()
	scalar(40)
	end()
	scalar(1)
	begin()
	scalar(1)
	begin()
	scalar(34)
	begin()
	end()
	scalar(1)
	end()
	end()
	scalar(32)
	end()

	var p Packer
	depths := []int{0}
	for _, s := range steps {
		s(&p)
		depths = append(depths, p.Depth())
	}
	want, err := p.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	want = bytes.Clone(want)
	for i := range steps {
		for j := i; j <= len(steps); j++ {
			// A fragment may not close what it did not open.
			low := depths[i]
			for _, d := range depths[i : j+1] {
				low = min(low, d)
			}
			if low < depths[i] {
				break
			}
			var a, b Packer
			a.Reset([]byte("other head"))
			for _, s := range steps[:i] {
				s(&a)
			}
			m := a.Mark()
			for _, s := range steps[i:j] {
				s(&a)
			}
			f := a.Snapshot(m)
			if f.Depth() != depths[j]-depths[i] || f.Len() != a.Len()-m.pos {
				t.Fatalf("%d:%d: depth %d, length %d", i, j, f.Depth(), f.Len())
			}
			for _, s := range steps[:i] {
				s(&b)
			}
			b.Resume(&f)
			for _, s := range steps[j:] {
				s(&b)
			}
			if got, err := b.Bytes(); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("steps %d to %d resumed: %v\n%x, want\n%x", i, j, err, got, want)
			}
		}
	}
}

// TestFragmentShared: one fragment serves many Packers at once.
func TestFragmentShared(t *testing.T) {
	var p Packer
	p.BeginMap()
	m := p.Mark()
	p.String("g")
	p.BeginMap()
	f := p.Snapshot(m)
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var p Packer
			for i := range 200 {
				p.Reset(nil)
				p.BeginMap()
				p.Resume(&f)
				for range i {
					p.Nil()
					p.Nil()
				}
				p.EndMap()
				p.EndMap()
				if _, err := p.Bytes(); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
}

func TestSetBuffer(t *testing.T) {
	var p Packer
	p.BeginMap()
	p.SetBuffer(AppendInt(AppendString(p.Buffer(), "k"), 1), 2)
	p.EndMap()
	if b, err := p.Bytes(); err != nil || string(b) != "\x81\xa1k\x01" {
		t.Errorf("%x %v", b, err)
	}
}
