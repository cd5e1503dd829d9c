package handler

import "log/slog"

// Limits that no sensible record meets. They keep values that contain
// themselves, by a slice that holds itself or a LogValue that returns more of
// its own kind, from costing more than their own field.
const (
	maxDepth     = 100      // groups inside each other
	maxGroups    = 1 << 16  // groups in one record
	deep         = 8        // from this depth on
	maxDeep      = 1 << 12  // there are at most so many
	maxNestBytes = 64 << 20 // no group within a group is begun beyond this
)

const tooDeep = "!ERROR: nesting too deep"

// nesting knows the groups that are open at the moment, outermost first. Most records
// have groups in no others, so that the outermost is kept apart: no element of an array
// has to be found for it, nor cleared again.
type nesting struct {
	depth  int
	opened int
	deep   int // opened at the depth called deep or below
	outer  groupID
	open   [maxDepth]groupID // from the second on
}

// groupID tells whether two groups are the same memory.
type groupID struct {
	first *slog.Attr
	n     int
}

// enter is called before a group's attrs are walked; size is the length of the
// record so far. It reports false where the group must not be walked, and then
// leave must not be called.
func (n *nesting) enter(attrs []slog.Attr, size int) bool {
	if n.depth == 0 {
		n.outer = groupID{&attrs[0], len(attrs)}
	} else if !n.enterInner(groupID{&attrs[0], len(attrs)}, size) {
		return false
	}
	n.depth++
	n.opened++
	return true
}

func (n *nesting) enterInner(id groupID, size int) bool {
	if n.depth >= maxDepth || n.opened >= maxGroups || size > maxNestBytes {
		return false
	}
	if n.depth >= deep {
		if n.deep >= maxDeep {
			return false
		}
		n.deep++
	}
	if n.outer == id {
		return false
	}
	for _, o := range n.open[1:n.depth] {
		if o == id {
			return false
		}
	}
	n.open[n.depth] = id
	return true
}

func (n *nesting) leave() {
	if n.depth--; n.depth > 0 {
		n.open[n.depth].first = nil
	}
}

// reset forgets the groups of a record.
func (n *nesting) reset() {
	if n.opened > 0 {
		n.opened, n.deep, n.outer.first = 0, 0, nil
	}
}
