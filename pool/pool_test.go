package pool

import (
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
)

type object struct {
	used bool
	n    int
}

// steady keeps the collector from emptying pools while a test counts reuse, and
// keeps the goroutine on one processor.
func steady(t *testing.T) {
	t.Helper()
	if raceEnabled {
		t.Skip("sync.Pool drops objects at random under the race detector")
	}
	procs := runtime.GOMAXPROCS(1)
	percent := debug.SetGCPercent(-1)
	t.Cleanup(func() {
		debug.SetGCPercent(percent)
		runtime.GOMAXPROCS(procs)
	})
}

func TestReuse(t *testing.T) {
	steady(t)
	p := New(func() *object { return &object{n: 7} }, func(o *object) bool { o.used = false; return true })
	first := p.Get()
	if first.n != 7 {
		t.Fatal("not made by newT")
	}
	first.used = true
	p.Put(first)
	for range 100 {
		o := p.Get()
		if o != first {
			t.Fatal("not reused")
		}
		if o.used {
			t.Fatal("not reset")
		}
		o.used = true
		p.Put(o)
	}
	if got, want := p.Stats(), (Stats{Created: 1}); got != want {
		t.Errorf("Stats = %+v, want %+v", got, want)
	}
}

func TestRefusal(t *testing.T) {
	steady(t)
	p := New(nil, func(o *object) bool { return o.n < 10 })
	good, bad := p.Get(), p.Get()
	bad.n = 10
	p.Put(bad)
	p.Put(good)
	if p.Get() != good {
		t.Error("the good object was not kept")
	}
	if p.Get() == bad {
		t.Error("the refused object came back")
	}
	if got, want := p.Stats(), (Stats{Created: 3, Refused: 1}); got != want {
		t.Errorf("Stats = %+v, want %+v", got, want)
	}
}

func TestNilArguments(t *testing.T) {
	steady(t)
	p := New[object](nil, nil)
	o := p.Get()
	if o == nil {
		t.Fatal("Get returned nil")
	}
	o.n = 3
	p.Put(nil)
	p.Put(o)
	if got := p.Get(); got != o || got.n != 3 {
		t.Error("a nil reset must keep the object as it is")
	}
	if got, want := p.Stats(), (Stats{Created: 1}); got != want {
		t.Errorf("Stats = %+v, want %+v", got, want)
	}
	if New(func() *object { return nil }, nil).Get() == nil {
		t.Error("a nil result of newT reached the caller")
	}
}

// TestResetPanics: the panic goes on, the object does not come back, the pool
// works on.
func TestResetPanics(t *testing.T) {
	steady(t)
	p := New(nil, func(o *object) bool {
		if o.used {
			panic("reset failed")
		}
		return true
	})
	o := p.Get()
	o.used = true
	func() {
		defer func() {
			if r := recover(); r != "reset failed" {
				t.Errorf("recovered %v", r)
			}
		}()
		p.Put(o)
	}()
	next := p.Get()
	if next == o {
		t.Error("the object whose reset panicked was kept")
	}
	p.Put(next)
	if p.Get() != next {
		t.Error("the pool no longer reuses")
	}
}

// TestGCEmpties: two collections and nothing is held, so that memory which is
// short comes back.
func TestGCEmpties(t *testing.T) {
	p := New[object](nil, nil)
	o := p.Get()
	gone := make(chan struct{})
	// A finalizer, since sync.Pool does not tell what it holds.
	runtime.SetFinalizer(o, func(*object) { close(gone) })
	p.Put(o)
	o = nil
	runtime.GC()
	runtime.GC()
	// The finalizer runs on its own goroutine once a collection has found the
	// object dead; each further one is another chance, not a wait.
	for {
		select {
		case <-gone:
		default:
			runtime.GC()
			runtime.Gosched()
			continue
		}
		break
	}
	p.Get()
	if got := p.Stats().Created; got != 2 {
		t.Errorf("Created = %d after the pool was emptied, want 2", got)
	}
}

// TestAlone: while one goroutine has an object nobody else has it.
func TestAlone(t *testing.T) {
	p := New(nil, func(o *object) bool { return o.n%97 != 0 })
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 5000 {
				o := p.Get()
				if o.used {
					t.Error("two owners")
					return
				}
				o.used = true // the race detector watches these two
				o.n = i
				o.used = false
				p.Put(o)
				if i%1000 == 0 {
					p.Stats()
				}
			}
		}()
	}
	wg.Wait()
	if got, want := p.Stats().Refused, uint64(8*52); got != want {
		t.Errorf("Refused = %d, want %d", got, want)
	}
}

func TestNoAllocs(t *testing.T) {
	steady(t)
	p := New(NewBuffer, (*Buffer).Reset)
	if n := testing.AllocsPerRun(1000, func() {
		b := p.Get()
		b.B = append(b.B, "some text"...)
		p.Put(b)
	}); n != 0 {
		t.Errorf("%v allocations for Get and Put", n)
	}
}

func BenchmarkGetPut(b *testing.B) {
	b.Run("Pool", func(b *testing.B) {
		p := New(NewBuffer, (*Buffer).Reset)
		for b.Loop() {
			v := p.Get()
			v.B = append(v.B, 'x')
			p.Put(v)
		}
	})
	b.Run("syncPool", func(b *testing.B) {
		p := sync.Pool{New: func() any { return NewBuffer() }}
		for b.Loop() {
			v := p.Get().(*Buffer)
			v.B = append(v.B, 'x')
			v.B = v.B[:0]
			p.Put(v)
		}
	})
}
