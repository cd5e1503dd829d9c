package jsonmsgpack

import (
	"bytes"
	"io"
	"testing"
	"time"
)

func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	src := []byte(mixed())
	line := []byte(benchTweet)
	packed, _ := Append(nil, src)
	dst := make([]byte, 0, 1<<16)
	c := NewConverter()
	lax := NewConverter(Lax(), TimeFields("created_at"), Duplicates(LastWins), DeepText(), MaxDepth(20))
	w := NewWriter(io.Discard)
	var p Packer
	p.BeginMap()
	m := p.Mark()
	p.String("g")
	p.BeginMap()
	f := p.Snapshot(m)
	at := time.Unix(1, 2)
	big := BigNumbers(Text)
	r := bytes.NewReader(src)
	for name, do := range map[string]func(){
		"Converter.Append":            func() { c.Append(dst, src) },
		"Converter.Append, with all":  func() { lax.Append(dst, src) },
		"Append":                      func() { Append(dst, line) },
		"Append with options":         func() { Append(dst, line, Lax(), big, MaxDepth(20)) },
		"AppendJSON":                  func() { AppendJSON(dst, packed) },
		"AppendJSON with options":     func() { AppendJSON(dst, packed, BadKeys(Text), Lax()) },
		"Writer.Write":                func() { w.Write(line) },
		"Packer.JSON":                 func() { p.Reset(dst); p.JSON(line, big) },
		"lone surrogates and invalid": func() { lax.Append(dst, []byte("\"\\ud800\xff\"")) },
		"Packer": func() {
			p.Reset(dst)
			p.BeginMap()
			p.Resume(&f)
			for range 20 {
				p.String("key")
				p.Time(at)
			}
			m := p.Mark()
			p.BeginArray()
			p.Rollback(m)
			p.EndMap()
			p.EndMap()
			p.Bytes()
		},
	} {
		do()
		if n := testing.AllocsPerRun(100, do); n >= 1 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	// A stream costs a few objects, whatever it holds.
	do := func() { r.Reset(src); c.Convert(io.Discard, r) }
	do()
	if n := testing.AllocsPerRun(100, do); n > 4 {
		t.Errorf("Convert: %v allocations", n)
	}
}
