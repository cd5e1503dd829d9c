package handler

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/slogpack/slogpack/internal/jsonwire"
	"github.com/slogpack/slogpack/jsonmsgpack"
	"github.com/slogpack/slogpack/pool"
)

// pair is what one Handle call works with: the state of the generator and the
// buffer that it appends to. It comes from a pool and belongs to that call
// alone, which is what lets handlers be immutable.
type pair struct {
	buf pool.Buffer
	c   *config

	// special is set where the attrs to come need more than to be appended:
	// something has to see or rename them, or the room of a streamed record to
	// be watched.
	special bool
	packed  bool // the format is MessagePack or Forward
	top     bool // the attr to come is outside all groups
	ours    bool // the attrs to come are no user's
	stream  stream

	times  jsonwire.TimeCache
	groups []string // names of the open groups, kept for ReplaceAttr only
	hidden bool     // the built-ins' ReplaceAttr calls see no groups
	secret int      // open groups of With whose names are to be redacted
	nest   nesting
	user   userCalls

	locked bool // the output's lock is held, to be given back whatever happens

	// own is HandleAttrs's record, which has no attrs. One on the stack would have to
	// be cleared first, all of it.
	own     slog.Record
	ownUsed bool

	filterPanic string // of a filter, to be told once the record is written

	ctxAttrs []slog.Attr
	enc      *json.Encoder // writes to the pair's own Write
	encoded  []byte        // where Write appends
	scratch  []byte        // values on their way through another form
	mapKeys  []string      // of the maps that are being written, sorted

	// MessagePack only.
	out         []byte // the record, while attrs are put into it
	open        []openMap
	maps        int     // open now, groups of With and others
	fields      int     // in the innermost map
	anyPath     []anyID // the slices and maps that are being written
	conv        *jsonmsgpack.Converter
	convForward *jsonmsgpack.Converter
	convRoom    int // the depth that convForward allows

	doc document // for changes to a whole record
}

var pairs = pool.New(newPair, (*pair).reset)

func newPair() *pair {
	p := &pair{}
	p.buf.B = make([]byte, 0, 1024)
	return p
}

// maxScratch is how much of a value's other form is kept for the next one.
const maxScratch = 64 << 10

// maxCtxAttrs is how much room for context attrs is kept.
const maxCtxAttrs = 1024

// reset runs when a pair is given back. A pair whose use met a panic is not
// taken: nobody knows what the panic left half done in its encoder.
func (p *pair) reset() bool {
	// Records of plain attrs leave nothing behind but their bytes.
	if p.user.calls > 0 || len(p.ctxAttrs) > 0 || cap(p.scratch) > maxScratch {
		if p.user.damaged || cap(p.scratch) > maxScratch {
			return false
		}
		p.setGroups(nil)
		clear(p.ctxAttrs)
		if p.ctxAttrs = p.ctxAttrs[:0]; cap(p.ctxAttrs) > maxCtxAttrs {
			p.ctxAttrs = nil
		}
		p.user.calls = 0
	}
	p.nest.reset()
	p.out = nil
	if p.ownUsed {
		p.own.Time, p.own.Message, p.ownUsed = time.Time{}, "", false
	}
	return p.buf.Reset()
}

// begin prepares p for one record or one WithAttrs of h.
func (p *pair) begin(h *Handler) {
	if p.c != h.c { // a store of a pointer costs more than the question
		p.c = h.c
		p.packed = h.c.format != JSON
	}
	p.top = true
	p.special = h.c.special
}

// place says whether the attrs to come are outside all groups.
func (p *pair) place(top bool) {
	p.top = top
	p.special = !p.ours && (p.stream.active || p.c.everyAttr || top && p.c.special)
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

// record appends the whole record. lf is the form of its level; as are its attrs
// where r does not hold them.
func (p *pair) record(dst []byte, h *Handler, r *slog.Record, as *[]slog.Attr, lf *levelForm) []byte {
	if p.packed {
		dst = p.packRecord(dst, h, r, as, lf)
	} else {
		dst = p.jsonRecord(dst, h, r, as, lf)
	}
	if p.c.dedup || len(dst) > p.c.maxLen {
		dst = p.edit(dst)
	}
	return dst
}

// with appends what h's With attrs are, and then attrs. It reports false where
// nothing came of attrs.
func (p *pair) with(h *Handler, attrs []slog.Attr) (prefix, bool) {
	if p.packed {
		return p.packWith(h, attrs)
	}
	return p.jsonWith(h, attrs)
}

// prefix is what a handler's With attrs are formatted to.
type prefix struct {
	json []byte     // fields with their commas, groups left open
	pack packPrefix // fields, maps left open
}

func (f *prefix) size() int { return len(f.json) + len(f.pack.buf) }
