package pool

import (
	"math/rand"
	"testing"
)

// use appends n bytes as a log record would, in pieces, and ends the use. It
// reports whether that made B a new array, and what Reset said.
func use(b *Buffer, n int) (moved, keep bool) {
	before := cap(b.B)
	var piece [512]byte
	for n > 0 {
		k := min(n, len(piece))
		b.B = append(b.B, piece[:k]...)
		n -= k
	}
	moved = cap(b.B) != before
	keep = b.Reset()
	return moved, keep
}

func TestBufferStartsAtOneKiB(t *testing.T) {
	if b := NewBuffer(); cap(b.B) != 1024 || len(b.B) != 0 {
		t.Errorf("NewBuffer: len %d, cap %d", len(b.B), cap(b.B))
	}
	var zero Buffer
	if !zero.Reset() {
		t.Error("a zero Buffer is refused")
	}
	zero.Grow(0)
	if cap(zero.B) != 1024 {
		t.Errorf("Grow(0) of a zero Buffer: cap %d", cap(zero.B))
	}
}

func TestBufferGrow(t *testing.T) {
	var b Buffer
	b.Grow(5000)
	if cap(b.B) < 5000 || len(b.B) != 0 {
		t.Errorf("Grow(5000): len %d, cap %d", len(b.B), cap(b.B))
	}
	b.B = append(b.B, "kept"...)
	b.Grow(100000)
	if string(b.B) != "kept" || cap(b.B)-len(b.B) < 100000 {
		t.Errorf("Grow lost or gave too little: %q, cap %d", b.B, cap(b.B))
	}
	size := cap(b.B)
	b.Grow(10)
	b.Grow(-1)
	if cap(b.B) != size {
		t.Error("Grow reallocated though there was room")
	}
}

// TestSmallAlwaysKept: up to 64 KiB nothing is ever given back.
func TestSmallAlwaysKept(t *testing.T) {
	b := &Buffer{B: make([]byte, 0, smallCap)}
	size := cap(b.B)
	for range 10000 {
		if _, keep := use(b, 10); !keep || cap(b.B) != size {
			t.Fatalf("keep %v, cap %d, was %d", keep, cap(b.B), size)
		}
	}
}

// TestOutlier: one record of 10 MB among small ones is let go within four, and
// what takes its place fits the small ones.
func TestOutlier(t *testing.T) {
	b := NewBuffer()
	use(b, 10<<20)
	if cap(b.B) < 10<<20 {
		t.Fatal("let go at once: a second large record would start from nothing")
	}
	for i := 1; cap(b.B) > smallCap; i++ {
		if i > 4 {
			t.Fatalf("cap %d after four small records", cap(b.B))
		}
		if _, keep := use(b, 3000); !keep {
			t.Fatal("the object was refused, though only its slice is too large")
		}
	}
	if got := cap(b.B); got < 3000 || got > 8000 {
		t.Errorf("replaced by cap %d for records of 3000", got)
	}
	if moved, _ := use(b, 3000); moved {
		t.Error("the replacement is too small for the records before it")
	}
}

// TestSteady: records of one size above smallCap settle and never reallocate
// again.
func TestSteady(t *testing.T) {
	for _, n := range []int{66 << 10, 100 << 10, 1 << 20, 10 << 20} {
		b := NewBuffer()
		use(b, n)
		for i := range 300 {
			if moved, keep := use(b, n); moved || !keep {
				t.Fatalf("size %d: moved %v, keep %v at use %d", n, moved, keep, i)
			}
		}
	}
}

// TestMixed: a large record now and then among small ones is kept for as long as
// carrying it costs less than making it again.
func TestMixed(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	b := NewBuffer()
	moved := 0
	for range 20000 {
		n := 200 + rng.Intn(2000)
		if rng.Intn(20) == 0 {
			n = 100<<10 + rng.Intn(50<<10)
		}
		if m, keep := use(b, n); !keep {
			t.Fatal("refused")
		} else if m {
			moved++
		}
	}
	// A thousand large records; only the way up to their size may move.
	if moved > 5 {
		t.Errorf("reallocated in %d of 20000 uses", moved)
	}
}

// TestRareLarge bounds the garbage of large records too rare to keep room for:
// at most their size per idleBudget bytes carried.
func TestRareLarge(t *testing.T) {
	b := NewBuffer()
	const every = 1000
	made := 0
	for i := range 20 * every {
		n := 300
		if i%every == 0 {
			n = 200 << 10
		}
		if moved, _ := use(b, n); moved {
			made++
		}
	}
	if made > 20 {
		t.Errorf("%d reallocations for 20 large records", made)
	}
	if cap(b.B) > smallCap {
		t.Errorf("still %d bytes after %d small records", cap(b.B), every-1)
	}
}

// TestHugeIsRefused: above 32 MiB the object is not worth keeping, and holds
// nothing even if its owner keeps it.
func TestHugeIsRefused(t *testing.T) {
	b := NewBuffer()
	b.Grow(maxCap + 1)
	if b.Reset() {
		t.Error("kept")
	}
	if cap(b.B) != 0 {
		t.Errorf("a refused Buffer still holds %d bytes", cap(b.B))
	}
	if moved, keep := use(b, 100); !moved || !keep {
		t.Error("a refused Buffer cannot be used again")
	}
}

// TestForeignSlices: B may be replaced by anything, nil included.
func TestForeignSlices(t *testing.T) {
	b := NewBuffer()
	for _, s := range [][]byte{nil, {}, make([]byte, 10), make([]byte, 70<<10), make([]byte, 10, 8<<20)} {
		b.B = s
		if !b.Reset() || len(b.B) != 0 {
			t.Errorf("Reset after B = slice of len %d, cap %d", len(s), cap(s))
		}
	}
}

func TestResetDoesNotAllocate(t *testing.T) {
	b := NewBuffer()
	b.Grow(1 << 20)
	if n := testing.AllocsPerRun(1000, func() {
		b.B = b.B[:1<<19]
		b.Reset()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkBufferReset(b *testing.B) {
	b.Run("small", func(b *testing.B) {
		v := NewBuffer()
		for b.Loop() {
			v.Reset()
		}
	})
	b.Run("large", func(b *testing.B) {
		v := NewBuffer()
		v.Grow(1 << 20)
		for b.Loop() {
			v.B = v.B[:cap(v.B)]
			v.Reset()
		}
	})
	b.Run("reslice", func(b *testing.B) {
		v := NewBuffer()
		for b.Loop() {
			v.B = v.B[:0]
		}
	})
}
