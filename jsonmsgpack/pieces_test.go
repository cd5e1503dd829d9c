package jsonmsgpack

import (
	"bytes"
	"testing"
	"testing/iotest"
)

// countingWriter counts what it is given.
type countingWriter struct{ n int }

func (w *countingWriter) Write(p []byte) (int, error) { w.n += len(p); return len(p), nil }

// TestWriterKeepsLongTokens: a token that comes in many pieces stays where it
// is: what is held is a part of the same memory after each Write, but when it
// had to grow.
func TestWriterKeepsLongTokens(t *testing.T) {
	var out countingWriter
	w := NewWriter(&out)
	if _, err := w.Write(append([]byte{'"'}, bytes.Repeat([]byte("a"), 1<<16)...)); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		first, grown := &w.hold[0], cap(w.hold)
		if _, err := w.Write([]byte("b")); err != nil {
			t.Fatal(err)
		}
		if cap(w.hold) == grown && first != &w.hold[0] {
			t.Fatal("what is held was moved")
		}
	}
	if _, err := w.Write([]byte("\"\n")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if out.n < 1<<16+1000 {
		t.Errorf("%d bytes came out", out.n)
	}
}

// TestContainerKeyInPieces: a container as a key in one-byte pieces gives what
// it gives whole.
func TestContainerKeyInPieces(t *testing.T) {
	key := append([]byte{0x81, 0xdd, 0, 0, 0x40, 0}, bytes.Repeat([]byte{1}, 0x4001)...)
	doc := append(key, key...) // two documents
	var whole, pieces bytes.Buffer
	if _, err := NewConverter(BadKeys(Text)).ConvertJSON(&whole, bytes.NewReader(doc)); err != nil {
		t.Fatal(err)
	}
	r := iotest.OneByteReader(bytes.NewReader(doc))
	if _, err := NewConverter(BadKeys(Text)).ConvertJSON(&pieces, r); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(whole.Bytes(), pieces.Bytes()) || whole.Len() == 0 {
		t.Errorf("%d bytes in pieces, %d whole", pieces.Len(), whole.Len())
	}
}
