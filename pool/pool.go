package pool

import (
	"sync"
	"sync/atomic"
)

// Pool hands out objects of type *T and takes them back for reuse. Make one with
// [New]; the zero value is not ready. It is safe for concurrent use and must not
// be copied.
type Pool[T any] struct {
	pool    sync.Pool
	newT    func() *T
	reset   func(*T) bool
	created atomic.Uint64
	refused atomic.Uint64
}

// Stats says how often a pool could not reuse. Objects the garbage collector
// took show as later ones created.
type Stats struct {
	Created uint64 // objects made because the pool had none
	Refused uint64 // objects given back that reset did not want kept
}

// New returns a pool.
//
// newT makes an object when the pool has none; nil means new(T), and so does a
// nil result. reset is called by Put, on the caller's goroutine, with each object
// given back: it drops what the last use left and returns whether the object is
// to be kept. A nil reset keeps all as they are. Both may be called by several
// goroutines at once, for different objects.
func New[T any](newT func() *T, reset func(*T) bool) *Pool[T] {
	return &Pool[T]{newT: newT, reset: reset}
}

// Get returns an object, reused or new, that belongs to the caller until Put. It
// is never nil.
func (p *Pool[T]) Get() *T {
	if pooling {
		if v, ok := p.pool.Get().(*T); ok {
			return v
		}
	}
	return p.create()
}

// create is apart so that Get stays small.
//
//go:noinline
func (p *Pool[T]) create() *T {
	p.created.Add(1)
	if p.newT != nil {
		if v := p.newT(); v != nil {
			return v
		}
	}
	return new(T)
}

// Put gives v back; the caller must not use it, or anything in it, afterwards. A
// nil v is ignored.
//
// If reset panics, v is not kept and the panic goes on to the caller of Put: the
// pool cannot know what the panic means, and an object half cleaned must not be
// handed out. Such a loss is not counted as refused.
func (p *Pool[T]) Put(v *T) {
	if v == nil || !pooling {
		return
	}
	if p.reset != nil && !p.reset(v) {
		p.refused.Add(1)
		return
	}
	p.pool.Put(v)
}

// Stats returns the counts so far. The two are read one after the other, not at
// one instant.
func (p *Pool[T]) Stats() Stats {
	return Stats{Created: p.created.Load(), Refused: p.refused.Load()}
}
