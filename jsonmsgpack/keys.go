package jsonmsgpack

import (
	"hash/maphash"
	"slices"
)

// What a key of an object means to run, where keys are watched.
type keyVerdict uint8

const (
	keyFine  keyVerdict = iota
	keyTwice            // a duplicate, of which the earlier pair is cut out
	keyBad              // reported
)

// key looks at the key that was written to dst[start:end], from the token at
// index off of the input.
func (c *Converter) key(dst []byte, start, end, off int) keyVerdict {
	name := strBody(dst[start:end])
	c.stamp = false
	for _, f := range c.cfg.timeFields {
		if f == string(name) {
			c.stamp = true
			break
		}
	}
	if c.cfg.duplicates == Keep {
		return keyFine
	}
	if !c.keys.add(name, start) {
		return keyFine
	}
	if c.cfg.duplicates == Fail {
		c.fail(off, "a key that is not in the object yet", errDuplicate)
		return keyBad
	}
	return keyTwice
}

// strBody returns what follows the header of the str b.
func strBody(b []byte) []byte {
	switch {
	case b[0] < str8:
		return b[1:]
	case b[0] == str8:
		return b[2:]
	case b[0] == str16:
		return b[3:]
	}
	return b[5:]
}

// A keySet knows the keys of all open objects, for Duplicates. One hash table
// serves all of them: an object's keys are taken out when it closes, last in
// first out, which linear probing survives without tombstones. The hash is
// seeded, so that nobody can send keys that collide.
type keySet struct {
	seed    maphash.Seed
	table   []int32 // index+1 into entries, 0 for free; a power of two long
	entries []keyEntry
	frames  []keyFrame
	names   []byte
	cuts    []span
}

type keyEntry struct {
	hash   uint64
	off, n int // in names
	pair   span
	frame  int32
}

type keyFrame struct {
	first int32 // of the frame's entries
	last  int32 // the entry of the pair that is being read, -1 for none
}

// A span is a part of the output.
type span struct{ start, end int }

func (s *keySet) reset() {
	if len(s.entries) > 0 {
		clear(s.table)
	}
	s.entries, s.frames = s.entries[:0], s.frames[:0]
	s.names, s.cuts = s.names[:0], s.cuts[:0]
}

func (s *keySet) open() {
	s.frames = append(s.frames, keyFrame{int32(len(s.entries)), -1})
}

func (s *keySet) close() {
	if len(s.table) == 0 {
		s.frames = s.frames[:len(s.frames)-1]
		return
	}
	fr := s.frames[len(s.frames)-1]
	s.frames = s.frames[:len(s.frames)-1]
	mask := uint64(len(s.table) - 1)
	for i := int32(len(s.entries)); i > fr.first; i-- {
		e := &s.entries[i-1]
		h := e.hash & mask
		for s.table[h] != i {
			h = (h + 1) & mask
		}
		s.table[h] = 0
		s.names = s.names[:e.off]
	}
	s.entries = s.entries[:fr.first]
}

// add notes the key name of a pair that begins at offset start of the output,
// and reports whether the object had it already. If so, the earlier pair is
// noted to be cut out.
func (s *keySet) add(name []byte, start int) bool {
	if len(s.table) < 2*(len(s.entries)+1) {
		s.rehash()
	}
	frame := int32(len(s.frames))
	fr := &s.frames[frame-1]
	if fr.last >= 0 {
		s.entries[fr.last].pair.end = start
	}
	hash := maphash.Bytes(s.seed, name) + uint64(frame)
	mask := uint64(len(s.table) - 1)
	h := hash & mask
	for ; s.table[h] != 0; h = (h + 1) & mask {
		e := &s.entries[s.table[h]-1]
		if e.hash == hash && e.frame == frame && string(s.names[e.off:e.off+e.n]) == string(name) {
			s.cuts = append(s.cuts, e.pair)
			e.pair.start = start
			fr.last = s.table[h] - 1
			return true
		}
	}
	s.entries = append(s.entries, keyEntry{
		hash: hash, off: len(s.names), n: len(name), pair: span{start: start}, frame: frame,
	})
	s.names = append(s.names, name...)
	s.table[h] = int32(len(s.entries))
	fr.last = int32(len(s.entries)) - 1
	return false
}

// rehash doubles the table. The entries go in in their order again, so that
// the last one in is the first out still.
func (s *keySet) rehash() {
	if len(s.table) == 0 {
		s.seed = maphash.MakeSeed()
	}
	s.table = make([]int32, max(64, 2*len(s.table)))
	mask := uint64(len(s.table) - 1)
	for i := range s.entries {
		h := s.entries[i].hash & mask
		for s.table[h] != 0 {
			h = (h + 1) & mask
		}
		s.table[h] = int32(i + 1)
	}
}

// move brings the offsets up to date when the output moves down by n bytes.
func (s *keySet) move(n int) {
	for i := range s.entries {
		s.entries[i].pair.start -= n
		s.entries[i].pair.end -= n
	}
	for i := range s.cuts {
		s.cuts[i].start -= n
		s.cuts[i].end -= n
	}
}

// cut takes the cuts out of buf in one pass and returns what is left of it and
// of nodes, whose positions follow. To take each out where it is found would
// move the rest of the document once for every duplicate.
func (s *keySet) cut(buf []byte, nodes []node) ([]byte, []node) {
	slices.SortFunc(s.cuts, func(a, b span) int { return a.start - b.start })
	kept := nodes[:0]
	// What lies in front of the first cut stays: it may be other documents.
	w, k := s.cuts[0].start, 0
	r := w
	for _, cut := range s.cuts {
		if cut.start < r {
			continue // inside of one that went already
		}
		for ; k < len(nodes) && int(nodes[k].pos) < cut.start; k++ {
			nd := nodes[k]
			nd.pos -= int64(r - w)
			kept = append(kept, nd)
		}
		for k < len(nodes) && int(nodes[k].pos) < cut.end {
			k++
		}
		w += copy(buf[w:], buf[r:cut.start])
		r = cut.end
	}
	for ; k < len(nodes); k++ {
		nd := nodes[k]
		nd.pos -= int64(r - w)
		kept = append(kept, nd)
	}
	w += copy(buf[w:], buf[r:])
	s.cuts = s.cuts[:0]
	return buf[:w], kept
}
