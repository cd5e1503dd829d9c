package sink

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// writing is the state of the goroutine that writes. There is one while there
// is something to write, and none otherwise. Guarded by Buffer.mu.
type writing struct {
	start   func() // run; kept, as a go statement with a receiver allocates
	running bool
	calling bool        // run is in the writer's code
	paused  bool        // writing failed: it begins again when resume fires
	resume  *time.Timer // calls again
	delay   time.Duration

	armed bool        // tick will fire
	timer *time.Timer // calls tick

	streak  int   // attempts that failed since something was written
	fails   int64 // all attempts that failed
	lastErr error // of the last one
	told    bool  // the error handler knows that this block has trouble

	noteFor  Dropped // the note that is being formatted
	noteForm form

	// Flushes of the writer. One that has begun is finished for the records it
	// began with, or a steady stream of requests would put it off for ever.
	asked   uint64 // requests so far
	flushed uint64 // requests answered
	aim     uint64 // request to be answered next, 0 for none
	aimed   uint64 // the records that it is for
	dirty   bool   // something was written since the last flush

	fullSince time.Time // when a record first found no room, since something moved
	untold    int64     // drops that the error handler has not been told of
	tellNext  time.Time
}

// Attempts that fail are repeated after minDelay, then twice that, up to
// maxDelay.
const (
	minDelay = time.Millisecond
	maxDelay = time.Second
	// patience is how many attempts in a row must fail until Flush gives up: an
	// EAGAIN is no reason to.
	patience = 4
)

var errGoexit = errors.New("the writer ended its goroutine")

// kick sees to it that somebody writes what is to be written. b.mu is held.
func (b *Buffer) kick() {
	if b.running || b.paused || b.gone {
		return
	}
	b.running = true
	go b.start()
}

// arm starts the interval. b.mu is held.
func (b *Buffer) arm() {
	b.armed = true
	if b.timer == nil {
		b.timer = time.AfterFunc(b.c.interval, b.tick)
		return
	}
	b.timer.Reset(b.c.interval)
}

// tick ends an interval.
func (b *Buffer) tick() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.armed = false
	if b.pendingAny() || b.flusher != nil && b.dirty {
		b.request()
	}
}

// again ends a pause.
func (b *Buffer) again() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.paused {
		b.paused = false
		b.kick()
	}
}

// urge ends a pause before its time. b.mu is held.
func (b *Buffer) urge() {
	if b.paused {
		b.resume.Stop()
		b.paused = false
	}
	b.kick()
}

// A goal is what a request to write waits for.
type goal struct {
	records uint64 // the number of the last record to be written
	told    int64  // drops that the stream is to be told of
	asked   uint64 // the flush of the writer
}

// request has everything written that is in the Buffer now. b.mu is held.
func (b *Buffer) request() goal {
	b.want = b.entered
	if b.flusher != nil {
		b.asked++
	}
	b.kick()
	return goal{records: b.entered, told: b.lostAll, asked: b.asked}
}

// reached reports whether g has been met, if only because the records were
// dropped.
func (b *Buffer) reached(g goal) bool {
	return b.oldest() > g.records && b.toldAll >= g.told && b.flushed >= g.asked
}

// oldest is the number of the oldest record in the Buffer, or of the next one
// to come. b.mu is held.
func (b *Buffer) oldest() uint64 {
	switch {
	case b.head != nil && !b.head.note:
		return b.head.first + uint64(b.head.done)
	case len(b.queue) > 0:
		return b.queue[0].first
	case b.cur != nil && len(b.cur.ends) > 0:
		return b.cur.first
	}
	return b.entered + 1
}

// pendingAny reports whether anything is left to be done.
func (b *Buffer) pendingAny() bool {
	return b.oldest() <= b.entered || b.toldAll < b.lostAll || b.flushed < b.asked
}

// next makes the oldest block that is to be written now the head. It returns
// false if there is none.
func (b *Buffer) next() bool {
	if b.head != nil {
		return true
	}
	if len(b.queue) == 0 && b.want > b.sealed {
		b.seal()
	}
	var lost *Dropped
	form := b.form
	switch {
	case len(b.queue) > 0:
		lost, form = &b.queue[0].lost, formOf(b.queue[0].buf)
	case b.cur == nil:
		lost = &b.lost
	case len(b.cur.ends) == 0:
		lost = &b.cur.lost
	}
	if lost != nil && lost.Records > 0 {
		b.noteFor, *lost = *lost, Dropped{}
		b.noteForm = form
		return true // run formats it, without the lock
	}
	if len(b.queue) == 0 {
		return false
	}
	b.head = b.pop()
	b.told = false
	return true
}

// run writes until there is nothing to be written now, or writing fails.
func (b *Buffer) run() {
	returned := false
	defer func() {
		if returned {
			return
		}
		// runtime.Goexit in code of the user's: this goroutine cannot go on.
		// Where it stopped is not known; what was to be written counts as not
		// written.
		b.mu.Lock()
		b.toldAll += b.noteFor.Records
		b.noteFor = Dropped{}
		inWriter := b.calling
		if inWriter {
			b.calling = false
			b.stats.Failures++
		}
		b.failed(errGoexit)
		b.stop()
		if inWriter {
			b.reports.report(fmt.Errorf("slogpack: sink: %w", errGoexit))
		}
	}()
	b.mu.Lock()
	for !b.paused && !b.gone {
		if b.aim == 0 && b.asked > b.flushed {
			b.aim, b.aimed = b.asked, b.want
		}
		if b.aim != 0 && b.oldest() > b.aimed {
			b.flushWriter()
			continue
		}
		if !b.next() {
			break
		}
		b.writeHead()
	}
	returned = true
	b.stop()
}

// stop ends run. It is called with b.mu held and gives it back.
func (b *Buffer) stop() {
	b.running = false
	if b.gone {
		b.discard()
	}
	b.wake()
	b.mu.Unlock()
}

// writeHead makes one attempt to write the head, or formats the note that is to
// become the head. b.mu is held, but not during the calls.
func (b *Buffer) writeHead() {
	if b.head == nil {
		d, f := b.noteFor, b.noteForm
		b.mu.Unlock()
		text := b.dropRecord(d, f)
		b.mu.Lock()
		b.noteFor = Dropped{}
		if len(text) == 0 {
			b.toldAll += d.Records
			return
		}
		b.head = &block{buf: text, ends: []uint32{uint32(len(text))}, note: true, lost: d}
		b.told = false
	}
	p := b.head.buf[b.head.off:]
	b.calling = true
	b.stats.Writes++
	b.mu.Unlock()
	n, err := call(b.w, p)
	b.mu.Lock()
	b.calling = false
	report := b.took(p, n, err)
	b.wake()
	b.tell(report)
}

// took notes that n bytes of p, which is the rest of the head, were written. It
// returns what is to be reported.
func (b *Buffer) took(p []byte, n int, err error) (report error) {
	k := b.head
	records := k.wrote(n)
	if k.note {
		b.stats.Notes += records
		b.stats.NoteBytes += int64(n)
	} else {
		b.stats.Delivered += records
		b.stats.DeliveredBytes += int64(n)
	}
	if err != nil || n < len(p) {
		b.stats.Failures++
		if !b.told || n == 0 {
			report = fmt.Errorf("slogpack: sink: %d of %d bytes written: %w", n, len(p), orShort(err))
			b.told = true
		}
	}
	if n > 0 {
		b.dirty = true
		b.streak, b.delay = 0, 0
		b.fullSince = time.Time{}
	}
	switch {
	case n == len(p):
		if k.note {
			b.toldAll += k.lost.Records
		}
		b.head = nil
		b.release(k)
	case n == 0:
		b.failed(orShort(err))
	}
	return report
}

// failed has writing pause after an attempt that achieved nothing.
func (b *Buffer) failed(err error) {
	b.fails++
	b.streak++
	b.lastErr = err
	b.delay = min(max(2*b.delay, minDelay), maxDelay)
	b.paused = true
	if b.resume == nil {
		b.resume = time.AfterFunc(b.delay, b.again)
	} else {
		b.resume.Reset(b.delay)
	}
}

// flushWriter has the writer flush what it buffers itself. b.mu is held, but
// not during the call.
func (b *Buffer) flushWriter() {
	aim := b.aim
	b.dirty = false
	b.calling = true
	b.mu.Unlock()
	err := callFlush(b.flusher)
	b.mu.Lock()
	b.calling = false
	b.aim = 0
	if err != nil {
		err = fmt.Errorf("slogpack: sink: flush of the writer: %w", err)
		b.stats.Failures++
		b.failed(err)
	} else {
		b.flushed = aim
		b.streak, b.delay = 0, 0
	}
	b.wake()
	b.tell(err)
}

// tell reports err without the lock, which it gives up meanwhile.
func (b *Buffer) tell(err error) {
	if err != nil {
		b.mu.Unlock()
		b.reports.report(err)
		b.mu.Lock()
	}
}

// call gives p to w. A panic of w, and a count that cannot be, are errors, and
// nothing counts as written.
func call(w io.Writer, p []byte) (n int, err error) {
	defer recovered(&n, &err)
	n, err = w.Write(p)
	if uint(n) > uint(len(p)) {
		count := fmt.Errorf("%T returned the count %d for %d bytes", w, n, len(p))
		return 0, errors.Join(count, err)
	}
	return n, err
}

func callFlush(f func() error) (err error) {
	defer recovered(new(int), &err)
	return f()
}

func recovered(n *int, err *error) {
	if r := recover(); r != nil {
		*n, *err = 0, fmt.Errorf("panic: %s", errText(panicError{r}))
	}
}

type panicError struct{ value any }

func (p panicError) Error() string { return fmt.Sprint(p.value) }

// orShort is the error of a write that was short.
func orShort(err error) error {
	if err == nil {
		return io.ErrShortWrite
	}
	return err
}
