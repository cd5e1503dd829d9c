// Package pool is a typed object pool that may refuse what it is given back, and
// a byte buffer that keeps the size recent uses needed.
//
// # What it adds to sync.Pool
//
// A [Pool] stands on sync.Pool and keeps its properties: objects are cached per
// processor without locks, survive one garbage collection and go with the second
// if nobody takes them, so that memory which is short is given back by itself.
// It adds
//   - the type: Get returns *T, made by newT if there is none;
//   - reset on the way in: Put cleans an object before it enters, so that the
//     pool retains nothing of its last use, and whoever gets it finds it clean;
//   - refusal: an object that reset reports unfit is left to the collector;
//   - counts of both, kept away from the path that reuses ([Pool.Stats]).
//
// # Who owns what
//
// Between Get and Put the object belongs to the caller alone. After Put it
// belongs to the pool: the caller keeps neither it nor anything inside it. An
// object that may be damaged, say because its use panicked, is simply not given
// back; a pool never waits for its objects. Putting an object twice hands it to
// two callers; nothing detects that, as in sync.Pool.
//
// # Buffers
//
// Append makes slices as large as the largest use and sync.Pool never makes them
// smaller, so that a single record of 10 MB may hold 10 MB for good, in every
// buffer it ever passes through. Refusing large buffers by a fixed bound instead
// makes garbage of every record above the bound. [Buffer] looks at what recent
// uses needed.
//
// File map: pool.go (Pool, Stats), buffer.go (Buffer and its policy), pooling.go
// and nopooling.go (a build tag that turns reuse off, to measure its worth).
package pool
