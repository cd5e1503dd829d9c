package jsonmsgpack

import "encoding/binary"

// kind says what a container is.
type kind uint8

const (
	kindArray kind = iota
	kindMap
)

// A node is one container in the output whose header is not settled: open, or
// closed with more elements than the one reserved byte can count.
type node struct {
	pos    int64 // of its first header byte
	n      int64 // elements (pairs of a map) once it is closed or has an open child
	parent int32 // index+1 in the list of the container around it, 0 for none
	kind   kind
	state  nodeState
}

type nodeState uint8

const (
	nodeOpen    nodeState = iota
	nodeSettled           // closed, header final; only in the list because it was not its last
	nodeGrown             // closed, to be widened by the sweep
	nodeOut               // open, its 5-byte header already written out (see ConvertAt)
)

// headerLen is the width of the header that n elements need.
func headerLen(n int64) int {
	switch {
	case n <= 15:
		return 1
	case n <= 0xffff:
		return 3
	}
	return 5
}

// putHeader writes the header of n elements in the width given, which is
// enough for n. b has at least that many bytes.
func putHeader(b []byte, k kind, n int64, width int) {
	switch width {
	case 1:
		if k == kindMap {
			b[0] = fixMap | byte(n)
		} else {
			b[0] = fixArray | byte(n)
		}
	case 3:
		if b[0] = array16; k == kindMap {
			b[0] = map16
		}
		binary.BigEndian.PutUint16(b[1:], uint16(n))
	default:
		if b[0] = array32; k == kindMap {
			b[0] = map32
		}
		binary.BigEndian.PutUint32(b[1:], uint32(n))
	}
}

// sweep widens the header of every container in nodes that outgrew its one
// byte. It goes from the last to the first and from right to left, so that
// each byte of buf moves at most once however deep the containers nest; to
// widen each container when it closes would move the innermost bytes once for
// every container around them.
//
// nodes are in the order of their offsets. Open containers are given five
// bytes: the caller writes the buffer out and patches the count when it comes
// to know it. The positions of all nodes are brought up to date.
func sweep(buf []byte, nodes []node) []byte {
	extra := 0
	for i := range nodes {
		extra += nodes[i].width() - 1
	}
	if extra == 0 {
		return buf
	}
	end := len(buf)
	buf = grow(buf, extra)[:end+extra]
	for i := len(nodes) - 1; i >= 0 && extra > 0; i-- {
		nd := &nodes[i]
		w := nd.width()
		if w == 1 {
			// Nothing to write, but what is left of it may still widen.
			nd.pos += int64(extra)
			continue
		}
		from := int(nd.pos) + 1
		copy(buf[from+extra:end+extra], buf[from:end])
		extra -= w - 1
		end = int(nd.pos)
		nd.pos += int64(extra)
		putHeader(buf[nd.pos:], nd.kind, nd.n, w)
	}
	return buf
}

// width is the number of header bytes the sweep gives to nd.
func (nd *node) width() int {
	switch nd.state {
	case nodeOpen:
		return 5
	case nodeGrown:
		return headerLen(nd.n)
	}
	return 1
}

// grow returns buf with room for n more elements behind its length.
func grow[T any](buf []T, n int) []T {
	if cap(buf)-len(buf) >= n {
		return buf
	}
	return append(buf, make([]T, n)...)[:len(buf)]
}

// settle closes the container nodes[top-1] of n elements and returns the one
// around it. false says that something is wrong with it, and reported. run has
// done it by itself for small containers that are the last of the list.
func (c *Converter) settle(dst []byte, top int32, n int64) (int32, bool) {
	nd := &c.nodes[top-1]
	nd.n = n
	if n > maxLen {
		c.fail(0, "a container of at most 2^32-1 elements", ErrTooLarge)
		return top, false
	}
	parent := nd.parent
	switch {
	case nd.state == nodeOut:
		c.patches = append(c.patches, *nd)
		nd.state = nodeSettled
	case c.cfg.wide:
		putHeader(dst[nd.pos:], nd.kind, n, 5)
		nd.state = nodeSettled
	case n <= 15:
		putHeader(dst[nd.pos:], nd.kind, n, 1)
		nd.state = nodeSettled
	default:
		nd.state = nodeGrown
		return parent, true
	}
	if int(top) == len(c.nodes) {
		c.nodes = c.nodes[:top-1]
		return parent, true
	}
	return c.bury(parent), true
}

// bury counts a settled container that stays in the list because it is not
// the last, and takes all of them out once they are more than half of it: what
// is kept stays in proportion to what is of use. parent is the innermost open
// container; bury returns where in the list that is then.
func (c *Converter) bury(parent int32) int32 {
	c.buried++
	if c.buried < 1024 || c.buried < len(c.nodes)/2 {
		return parent
	}
	// The open ones are the chain of parents, in rising order. Only they are
	// named by an index, so that only they need to be renamed.
	kept := c.nodes[:0]
	var open int32
	for _, nd := range c.nodes {
		if nd.state == nodeSettled {
			continue
		}
		kept = append(kept, nd)
		if nd.state == nodeOpen || nd.state == nodeOut {
			kept[len(kept)-1].parent = open
			open = int32(len(kept))
		}
	}
	c.nodes = kept
	c.buried = 0
	return open
}
