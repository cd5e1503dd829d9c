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

// nesting knows the groups that are open at the moment, outermost first.
type nesting struct {
	depth  int
	opened int
	deep   int // opened at the depth called deep or below
	open   [maxDepth]groupID
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
	id := groupID{&attrs[0], len(attrs)}
	if n.depth > 0 {
		if n.depth >= maxDepth || n.opened >= maxGroups || size > maxNestBytes {
			return false
		}
		if n.depth >= deep {
			if n.deep >= maxDeep {
				return false
			}
			n.deep++
		}
		for _, o := range n.open[:n.depth] {
			if o == id {
				return false
			}
		}
	}
	n.open[n.depth] = id
	n.depth++
	n.opened++
	return true
}

func (n *nesting) leave() {
	n.depth--
	n.open[n.depth].first = nil
}
