package handler

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/slogpack/slogpack/internal/jsonwire"
	"github.com/slogpack/slogpack/pool"
)

// pair is what one Handle call works with: the state of the generator and the
// buffer that it appends to. It comes from a pool and belongs to that call
// alone, which is what lets handlers be immutable.
type pair struct {
	buf pool.Buffer
	c   *config

	// special is set where attrs need more than to be appended: a ReplaceAttr
	// has to see them, or the room of a streamed record has to be watched.
	special bool
	stream  stream

	times  jsonwire.TimeCache
	groups []string // names of the open groups, kept for ReplaceAttr only
	hidden bool     // the built-ins' ReplaceAttr calls see no groups
	nest   nesting
	user   userCalls

	ctxAttrs []slog.Attr
	enc      *json.Encoder // writes to the pair's own Write
	encoded  []byte        // where Write appends
}

var pairs = pool.New(newPair, (*pair).reset)

func newPair() *pair {
	p := &pair{}
	p.buf.B = make([]byte, 0, 1024)
	return p
}

// reset runs when a pair is given back. A pair whose use met a panic is not
// taken: nobody knows what the panic left half done in its encoder.
func (p *pair) reset() bool {
	if p.user.damaged {
		return false
	}
	p.setGroups(nil)
	if len(p.ctxAttrs) > 0 {
		clear(p.ctxAttrs)
		p.ctxAttrs = p.ctxAttrs[:0]
	}
	p.c = nil
	p.user.calls, p.nest.opened, p.nest.deep = 0, 0, 0
	return p.buf.Reset()
}

// begin prepares p for one record or one WithAttrs of h.
func (p *pair) begin(h *Handler) {
	p.c = h.c
	p.special = h.c.replace != nil
}

// setGroups says which groups are open around the attrs to come.
func (p *pair) setGroups(names []string) {
	if len(p.groups) > len(names) {
		clear(p.groups[len(names):])
	}
	p.groups = append(p.groups[:0], names...)
}

// push and pop keep the names of open groups, for ReplaceAttr only.
func (p *pair) push(name string) {
	if !p.hidden && p.c.replace != nil {
		p.groups = append(p.groups, name)
	}
}

func (p *pair) pop() {
	if !p.hidden && p.c.replace != nil {
		p.setGroups(p.groups[:len(p.groups)-1])
	}
}

// collect asks the context functions, and keeps a copy of their attrs.
func (p *pair) collect(ctx context.Context) {
	for _, f := range p.c.contexts {
		p.ctxAttrs = append(p.ctxAttrs, p.callContext(f, ctx)...)
	}
}
