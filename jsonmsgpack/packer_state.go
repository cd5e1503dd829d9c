package jsonmsgpack

// What this file adds to Packer is for callers that pack by hand at high
// rates, as package handler does: appending to the Packer's buffer by
// themselves, taking back a field that failed, and beginning many outputs
// with the same part, its containers still open.

// Buffer returns what has been packed so far, behind what Reset was given,
// with headers not settled yet. Append objects to it and give it back with
// SetBuffer, before anything else is packed; or only look at it.
func (p *Packer) Buffer() []byte { return p.buf }

// SetBuffer takes buf, which is Buffer's result with n whole objects appended.
func (p *Packer) SetBuffer(buf []byte, n int) {
	p.buf = buf
	p.n += int64(n)
}

// Len returns the number of bytes packed so far, with what Reset was given.
func (p *Packer) Len() int { return len(p.buf) }

// Depth returns the number of open containers.
func (p *Packer) Depth() int { return int(p.depth) }

// Count returns the number of objects packed into the innermost open
// container, keys and values each counted: 0 says that it is empty.
func (p *Packer) Count() int { return int(p.n) }

// A Mark is a state of a Packer to come back to. It is valid while the
// containers open at that point are, and until Bytes or Reset.
type Mark struct {
	pos    int
	n      int64
	nodes  int32
	top    int32
	depth  int32
	failed bool
}

// Mark returns the present state.
func (p *Packer) Mark() Mark {
	return Mark{len(p.buf), p.n, int32(len(p.nodes)), p.top, p.depth, p.err != nil}
}

// Rollback takes back all that was packed, opened, closed and done wrong since
// m was taken.
func (p *Packer) Rollback(m Mark) {
	p.buf = p.buf[:m.pos]
	p.nodes = p.nodes[:m.nodes]
	p.n, p.top, p.depth = m.n, m.top, m.depth
	if !m.failed {
		p.err = nil
	}
}

// A Fragment is a part of an output, in which containers may be open. It does
// not change: any number of Packers may resume it, also at once. The zero
// value is empty.
type Fragment struct {
	buf   []byte
	nodes []node // pos and parent relative to the fragment
	outer int64  // objects it adds to the container around it
	n     int64  // objects in its own innermost open container
	top   int32
	depth int32
}

// Len returns the number of bytes of f.
func (f *Fragment) Len() int { return len(f.buf) }

// Depth returns the number of containers that f leaves open.
func (f *Fragment) Depth() int { return int(f.depth) }

// Snapshot returns a copy of all that was packed since m was taken, with the
// containers opened since and not closed. The Packer goes on unchanged.
func (p *Packer) Snapshot(m Mark) Fragment {
	f := Fragment{
		buf:   append([]byte(nil), p.buf[m.pos:]...),
		nodes: append([]node(nil), p.nodes[m.nodes:]...),
		outer: p.n - m.n,
		depth: p.depth - m.depth,
	}
	for i := range f.nodes {
		nd := &f.nodes[i]
		nd.pos -= int64(m.pos)
		nd.parent = max(nd.parent-m.nodes, 0)
	}
	if p.top > m.nodes {
		f.top, f.n = p.top-m.nodes, p.n
		// The outermost open container was counted when it was opened.
		if f.outer = 0; m.top != 0 {
			f.outer = p.nodes[m.top-1].n - m.n
		}
	}
	return f
}

// Resume packs f: its bytes follow what is there, what it counted is counted
// in the innermost open container, and the containers it left open are open.
func (p *Packer) Resume(f *Fragment) {
	pos, off := int64(len(p.buf)), int32(len(p.nodes))
	p.buf = append(p.buf, f.buf...)
	p.n += f.outer
	if f.top != 0 && p.top != 0 {
		p.nodes[p.top-1].n = p.n
	}
	for _, nd := range f.nodes {
		nd.pos += pos
		if nd.parent == 0 {
			nd.parent = p.top
		} else {
			nd.parent += off
		}
		p.nodes = append(p.nodes, nd)
	}
	if f.top != 0 {
		p.top, p.n = f.top+off, f.n
		p.depth += f.depth
	}
}
