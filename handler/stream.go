package handler

import (
	"io"
	"log/slog"
)

// A StreamWriter lends the handler its own buffer, so that a record is put, or
// even formatted, in the place it is written to. It is safe for concurrent use by
// itself: the handler takes no lock of its own around it.
//
// Records of 4 KiB and more, or that are likely to be so long, are formatted in
// the writer's buffer, unless they have to run user code; the handler asks for
// about what they need. For all others it asks for just what they need and copies
// them there at once, so that the writer's lock is held for a moment only. Records
// for which Reserve has no room come by Write (or WriteLevel, if the writer has
// it), and so do long ones with user code. The handler never calls user code
// between Reserve and Commit.
type StreamWriter interface {
	io.Writer
	// Reserve takes the writer's lock and returns a slice to which n bytes can
	// be appended without growing it, or returns false, holding no lock, where
	// that would mean to wait or to make room.
	Reserve(n int) (buf []byte, ok bool)
	// Commit gives the lock back. buf is what Reserve returned with one record
	// appended, l that record's level; a nil buf means that nothing was.
	// Commit returns how many bytes of the record it took.
	Commit(buf []byte, l slog.Level) (int, error)
}

// stream is the state of a record that is being formatted in the writer's own
// buffer, under the writer's lock.
type stream struct {
	active bool
	out    *output
	base   []byte // what a StreamWriter lent
	first  *byte  // where the room begins, to see whether append left it
}

const (
	// coolRecords is for how many records a handler that had to wait for the
	// lock formats outside it: formatting under a lock that others want halves
	// the throughput of two cores.
	coolRecords = 256
	// coolLeft is for how many it does so after a record that had to be moved
	// out of the writer's buffer: the next one is probably of the same kind.
	coolLeft = 16
	// roomBuiltins is room for what a record's own fields take besides texts.
	roomBuiltins = 192
	// roomAttr is room for what a plain attr takes besides texts.
	roomAttr = 48
	// roomSpare is how much must be left behind that: jsonwire may grow a slice
	// somewhat before it is full.
	roomSpare = 80
)

// streamFrom is the length in bytes from which a record is formatted in the
// writer's buffer. What streaming saves is a buffer as large as the record and the
// copy of it; below this length the pair's own buffer is there anyway, and the
// copy costs less than the care that another's needs. It is also better not to
// format under a lock.
const streamFrom = 4 << 10

// worthStreaming reports whether r is to be formatted in the writer's buffer. The
// length of a record is known when it is formatted; what is known before is its
// message, the handler's attrs, and how long the last one was.
func (o *output) worthStreaming(h *Handler, r *slog.Record) bool {
	return o.long.Load() || len(r.Message)+h.pre.size() >= h.c.streamFrom
}

// wrote notes the length of a record.
func (o *output) wrote(n int) {
	if long := n >= streamFrom; long != o.long.Load() {
		o.long.Store(long)
	}
}

// notStreamed notes that b comes by way of a pair's buffer.
func (o *output) notStreamed(b []byte) {
	o.wrote(len(b))
	if c := o.cool.Load(); c > 0 {
		o.cool.Store(c - 1)
	}
}

// commit copies a record to where a StreamWriter wants it.
func (o *output) commit(b []byte, l slog.Level) error {
	o.wrote(len(b))
	buf, ok := o.lender.Reserve(len(b))
	if ok && cap(buf)-len(buf) < len(b) {
		_, _ = o.lender.Commit(nil, 0)
		ok = false
	}
	if !ok {
		return o.write(b, l)
	}
	n, err := o.lender.Commit(append(buf, b...), l)
	if _, err = o.counted(b, n, err); err != nil {
		o.report(err)
	}
	return err
}

// reserve begins streaming if the writer can be streamed into now. n is about
// what the record needs.
func (o *output) reserve(p *pair, n int) (room []byte, ok bool) {
	if o.cool.Load() > 0 && o.lender == nil {
		return nil, false // written under the lock, which counts cool down
	}
	switch {
	case o.lender != nil:
		if c := o.cool.Load(); c > 0 {
			o.cool.CompareAndSwap(c, c-1)
			return nil, false
		}
		buf, ok := o.lender.Reserve(n)
		if !ok {
			o.cool.Store(coolLeft)
			return nil, false
		}
		p.stream.base = buf
		room = buf[len(buf):cap(buf)][:0]
	case !o.mu.TryLock():
		o.cool.Store(coolRecords)
		return nil, false
	case o.torn.any:
		o.mu.Unlock()
		return nil, false
	case o.buffer != nil:
		if o.buffer.Available() < n {
			o.growBuffer(n)
		}
		room = o.buffer.AvailableBuffer()
	default:
		if o.bufio.Available() < n {
			o.mu.Unlock()
			return nil, false
		}
		room = o.bufio.AvailableBuffer()
	}
	if cap(room) == 0 {
		o.abandon(p)
		return nil, false
	}
	p.stream.active, p.stream.out = true, o
	p.stream.first = &room[:1][0]
	p.place(p.top)
	return room, true
}

// growBuffer gives a bytes.Buffer room for n bytes. It panics where Write
// would, and then gives the lock back.
func (o *output) growBuffer(n int) {
	grown := false
	defer func() {
		if !grown {
			o.mu.Unlock()
		}
	}()
	o.buffer.Grow(n)
	grown = true
}

// abandon ends streaming with nothing written.
func (o *output) abandon(p *pair) {
	p.stream.active, p.stream.out = false, nil
	p.place(p.top)
	p.stream.first = nil
	if o.lender != nil {
		p.stream.base = nil
		_, _ = o.lender.Commit(nil, 0)
		return
	}
	o.mu.Unlock()
}

// watch is called before each attr of a streamed record. It moves the record
// to the pair's own buffer, and gives the lock back, when the attr may run user
// code or the room ends.
func (p *pair) watch(dst []byte, a slog.Attr) []byte {
	need := len(a.Key) + roomAttr
	switch a.Value.Kind() {
	case slog.KindString:
		need += len(a.Value.String())
	case slog.KindAny, slog.KindLogValuer:
		return p.leave(dst)
	}
	if cap(dst)-len(dst) >= need+roomSpare {
		return dst
	}
	return p.more(dst, need)
}

// more makes room for n bytes more, which only a bytes.Buffer can do in place.
func (p *pair) more(dst []byte, n int) []byte {
	o := p.stream.out
	if o.buffer == nil || p.stream.first != &dst[0] {
		return p.leave(dst)
	}
	// Grow moves what the buffer holds, but knows nothing of the record.
	o.buffer.Grow(len(dst) + n + roomSpare)
	dst = append(o.buffer.AvailableBuffer(), dst...)
	p.stream.first = &dst[0]
	return dst
}

// leave moves the record out of the writer's buffer.
func (p *pair) leave(dst []byte) []byte {
	dst = append(p.buf.B[:0], dst...)
	o := p.stream.out
	o.cool.Store(coolLeft)
	o.abandon(p)
	return dst
}

// streamed formats a record into room and commits it.
func (h *Handler) streamed(p *pair, room []byte, r *slog.Record, as *[]slog.Attr, lf *levelForm) error {
	o := h.out
	n, err := o.formatStreamed(p, h, room, r, as, lf)
	if n >= 0 { // it was moved out of the writer's buffer
		return o.write(p.buf.B[:n], r.Level)
	}
	if err != nil {
		o.report(err)
	}
	return err
}

// formatStreamed returns a negative length if the record has been written, by
// whatever outcome.
func (o *output) formatStreamed(p *pair, h *Handler, room []byte, r *slog.Record, as *[]slog.Attr, lf *levelForm) (int, error) {
	defer func() {
		if p.stream.active { // a panic of the writer
			o.abandon(p)
		}
	}()
	dst := p.record(room, h, r, as, lf)
	if !p.stream.active {
		p.buf.B = dst
		return len(dst), nil
	}
	if &dst[0] != p.stream.first {
		// Escapes took more than was reserved, and append went elsewhere. That
		// memory becomes the pair's own buffer.
		p.buf.B = dst
		o.abandon(p)
		return len(dst), nil
	}
	if o.lender == nil {
		o.wrote(len(dst))
		err := o.put(dst, r.Level)
		o.abandon(p)
		return -1, err
	}
	o.wrote(len(dst))
	base := p.stream.base
	p.stream = stream{}
	n, err := o.lender.Commit(base[:len(base)+len(dst)], r.Level)
	if err == nil && n < len(dst) {
		err = io.ErrShortWrite
	}
	return -1, err
}
