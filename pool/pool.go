package pool

import (
	"sync"
	"sync/atomic"
)

// Pool hands out objects of type *T and takes them back for reuse. It is safe
// for concurrent use and must not be copied. Make one with New.
type Pool[T any] struct {
	pool    sync.Pool
	newT    func() *T
	reset   func(*T) bool
	created atomic.Uint64
	refused atomic.Uint64
}

// Stats says how often a pool could not reuse.
type Stats struct {
	Created uint64 // objects made because the pool had none
	Refused uint64 // objects given back but not kept
}

// New returns a pool whose objects are made by newT (nil: new(T)) and cleaned by
// reset when they come back; reset returning false means: do not keep. A nil
// reset keeps all.
func New[T any](newT func() *T, reset func(*T) bool) *Pool[T] {
	if newT == nil {
		newT = func() *T { return new(T) }
	}
	return &Pool[T]{newT: newT, reset: reset}
}

// Get returns an object for the caller alone.
func (p *Pool[T]) Get() *T {
	if v, _ := p.pool.Get().(*T); v != nil {
		return v
	}
	p.created.Add(1)
	return p.newT()
}

// Put gives v back. The caller must not use it afterwards. A nil v is ignored.
func (p *Pool[T]) Put(v *T) {
	if v == nil {
		return
	}
	if p.reset != nil && !p.reset(v) {
		p.refused.Add(1)
		return
	}
	p.pool.Put(v)
}

// Stats returns the counts so far.
func (p *Pool[T]) Stats() Stats {
	return Stats{Created: p.created.Load(), Refused: p.refused.Load()}
}
