package jsonmsgpack

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"
	"time"
)

func TestPackerQuick(t *testing.T) {
	var p Packer
	p.BeginMap()
	m := p.Mark()
	p.String("a")
	p.BeginArray()
	for i := range 20 {
		p.Int(int64(i))
	}
	p.EndArray()
	p.String("g")
	p.BeginMap()
	f := p.Snapshot(m)
	for i := range 20 {
		p.Int(int64(i))
		p.Nil()
	}
	bad := p.Mark()
	p.String("x")
	p.BeginArray()
	p.EndMap()
	p.Rollback(bad)
	p.EndMap()
	p.EndMap()
	b, err := p.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	want := append([]byte(nil), b...)
	p.Reset(nil)
	p.BeginMap()
	p.Resume(&f)
	for i := range 20 {
		p.Int(int64(i))
		p.Nil()
	}
	p.EndMap()
	if _, err := p.Bytes(); !errors.Is(err, ErrUnfinished) {
		t.Fatal(err)
	}
	p.EndMap()
	b, err = p.Bytes()
	if err != nil || !bytes.Equal(b, want) {
		t.Fatalf("%x\n%x %v", b, want, err)
	}
	p.Reset(nil)
	p.Time(time.Unix(1, 0))
	if b, _ := p.Bytes(); hex.EncodeToString(b) != "d6ff00000001" {
		t.Fatalf("%x", b)
	}
}
