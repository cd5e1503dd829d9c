package forward

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Poison is a record that makes the receiver hang up, or answer that it does
// not take the frame, each time it is sent. It must not hold up the others for
// ever, nor be confused with a receiver that is ill. So:
//
//   - Chunks that were on their way when something went wrong become suspects.
//     They are sent alone, with nothing else on its way, which shows which one
//     is refused: each time is a strike.
//   - After refusals strikes a chunk waits until another one has been
//     acknowledged, which proves that the receiver is well, and is then split.
//     Its parts are suspects too, and split after one strike each, down to
//     single records.
//   - A single record with as many strikes is sent once more when the receiver is
//     proven well: it may have been ill until then, and refused everything. Struck
//     again, and the receiver proven well again, it is refused: counted, told,
//     dropped. Where there is nothing left to send that could prove it, that takes
//     loneRefusals, and either an earlier proof, or a record that is alone in the
//     queue.
const (
	refusals     = 3
	loneRefusals = 8
)

// RefusedError is told to the error handler when a record is given up because
// the receiver does not take it.
type RefusedError struct {
	Server string // its address
	Size   int    // of the record's entry, in bytes
	Entry  []byte // the Forward entry, with WithRefusedBytes only
	Reason error  // what the receiver did
}

// Error says what happened, without anything of the record.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("forward: %s: a record of %d bytes was refused and is dropped: %v", e.Server, e.Size, e.Reason)
}

// Unwrap returns e.Reason.
func (e *RefusedError) Unwrap() error { return e.Reason }

var errNack = errors.New("the receiver answered that it does not take the frame")

// The methods below are called with w.mu held.

// blame judges the chunks that were on their way when a connection ended.
func (w *Writer) blame(back []*chunk, why error) {
	if w.c.noAcks {
		return
	}
	for _, c := range back {
		w.suspectChunk(c)
	}
	// A receiver that does not read cannot dislike what it gets.
	if len(back) == 1 && (hungUp(why) || errors.Is(why, errAckTimeout)) {
		w.strike(back[0], why)
	}
}

func (w *Writer) suspectChunk(c *chunk) {
	if !c.suspect {
		c.suspect = true
		w.suspects++
	}
}

// strike notes a refusal of c alone.
func (w *Writer) strike(c *chunk, why error) {
	if c.strikes == 0 {
		c.mark = w.acks
	}
	c.strikes++
	if !errors.Is(why, errAckTimeout) {
		c.hangups++
	}
	c.refusal, c.refuser = why, w.stats.Server
}

// stuck reports whether c was refused often enough.
func (c *chunk) stuck() bool {
	if c.part && c.entries() > 1 || c.retried {
		return c.strikes > 0
	}
	return c.strikes >= refusals
}

// pickCareful chooses among suspects and, where that helps to judge them,
// others. It returns nil if that left nothing to send.
func (w *Writer) pickCareful() *chunk {
	for i := 0; i < len(w.ready); i++ {
		c := w.ready[i]
		if !c.stuck() || w.acks == c.mark {
			continue
		}
		if c.entries() > 1 {
			w.split(i)
			break
		}
		if c.retried {
			w.refuse(c)
			i--
			continue
		}
		c.retried, c.proven = true, true
		c.strikes, c.hangups = 0, 0
	}
	if i := slices.IndexFunc(w.ready, func(c *chunk) bool { return !c.stuck() }); i >= 0 {
		return w.ready[i]
	}
	if w.cur != nil && w.cur.entries() > 0 {
		w.seal()
		return w.ready[len(w.ready)-1]
	}
	// All are stuck, and nothing is proven: parts may prove it.
	if i := slices.IndexFunc(w.ready, func(c *chunk) bool { return c.entries() > 1 }); i >= 0 {
		w.split(i)
		return w.ready[i]
	}
	for i := 0; i < len(w.ready); i++ {
		c := w.ready[i]
		if c.proven && c.strikes >= loneRefusals || len(w.ready) == 1 && c.hangups >= loneRefusals {
			w.refuse(c)
			i--
		}
	}
	if len(w.ready) == 0 {
		return nil
	}
	// In turn, so that one that is taken by now is found.
	c := w.ready[0]
	w.ready = append(w.ready[1:], c)
	return c
}

// split replaces w.ready[i] by its halves, which share its block.
func (w *Writer) split(i int) {
	c := w.ready[i]
	proven := c.proven || w.acks != c.mark
	half := c.entries() / 2
	at := c.from
	for range half {
		at, _ = skip(c.blk.b, at) // what is in a block is valid
	}
	first := &chunk{blk: c.blk, from: c.from, to: at, n: half, seq: c.seq, born: c.born, suspect: true, part: true, proven: proven, writes: c.writes}
	second := &chunk{blk: c.blk, from: at, to: c.to, n: c.entries() - half, seq: c.seq, born: c.born, suspect: true, part: true, proven: proven, writes: c.writes}
	if c.note > 0 {
		first.note = c.note
		first.n--
	}
	c.blk.refs++
	w.suspects++
	w.ready = slices.Replace(w.ready, i, i+1, first, second)
}

// refuse gives up c, which has one entry.
func (w *Writer) refuse(c *chunk) {
	w.ready = slices.DeleteFunc(w.ready, func(r *chunk) bool { return r == c })
	w.stats.Refused += int64(c.n)
	e := &RefusedError{Server: c.refuser, Size: c.to - c.from, Reason: c.refusal}
	if w.c.refusedBytes {
		e.Entry = slices.Clone(c.blk.b[c.from:c.to])
	}
	if c.n > 0 { // a note of ours is not worth a word
		w.reports.add(e)
	}
	w.suspects--
	w.release(c)
	w.settled()
}

// nack takes an answer that refuses a frame without saying which. When as many
// frames are unanswered as were refused, it was these.
func (w *Writer) nack(l *link) {
	if len(w.inflight) == 0 || w.c.noAcks {
		return
	}
	w.nacks++
	w.judgeNacks(l)
}

// judgeNacks is called after each answer, and when a frame has been written.
func (w *Writer) judgeNacks(l *link) {
	if w.nacks == 0 || w.nacks < len(w.inflight) {
		return
	}
	back := w.inflight
	if slices.ContainsFunc(back, func(c *chunk) bool { return c.busy }) {
		return // send calls again
	}
	w.nacks = 0
	w.inflight = nil
	for _, c := range back {
		w.suspectChunk(c)
		w.strike(c, errNack)
	}
	w.ready = append(back, w.ready...)
	l.hold = time.Now().Add(w.backoff(l.nacked))
	l.nacked++
}
