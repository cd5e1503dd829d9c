package sink

import (
	"fmt"
	"time"
)

// add counts what other counts too.
func (d *Dropped) add(other Dropped) {
	if other.Records == 0 {
		return
	}
	if d.Records == 0 {
		d.Since = other.Since
	}
	d.Records += other.Records
	d.Bytes += other.Bytes
}

// place returns the block for a record of n bytes, waiting for room as the
// policy says; nil if the record is to be dropped. b.mu is held, but not while
// it waits.
func (b *Buffer) place(n int) (*block, error) {
	var started time.Time
	for {
		if b.closed {
			return nil, ErrClosed
		}
		if n > maxRecord {
			return nil, ErrTooLarge
		}
		if k := b.fit(n); k != nil {
			return k, nil
		}
		// What has been begun is in the way, too.
		b.want = b.entered
		b.kick()
		if b.c.policy == Block {
			b.sleep(-1, nil)
			continue
		}
		now := time.Now()
		if b.fullSince.IsZero() {
			b.fullSince = now
		}
		if started.IsZero() {
			started = now
		}
		// Nobody waits longer than the timeout, whatever others get; and once
		// nothing has moved for that long, nobody waits at all, so that a disk
		// that stalls costs a service one timeout and not one for each record.
		since := started
		if b.fullSince.Before(since) {
			since = b.fullSince
		}
		if left := b.c.blockTimeout - now.Sub(since); left > 0 {
			b.sleep(left, nil)
			continue
		}
		if b.c.policy == DropOldest && b.dropOldest() {
			continue
		}
		return nil, nil
	}
}

// drop counts a record of n bytes as dropped, and gives back the lock.
func (b *Buffer) drop(n int) (int, error) {
	b.stats.Accepted++
	b.stats.AcceptedBytes += int64(n)
	// The next record that finds room begins a block, before which the stream
	// is told: exactly where the dropped ones are missing.
	b.seal()
	b.lost.add(b.dropped(1, int64(n)))
	tell := b.tellDrops()
	b.mu.Unlock()
	b.reports.report(tell)
	return n, nil
}

// dropOldest drops the oldest block that is not being written, and reports
// whether there was one. The one being written is not touched, and neither is
// one that was written in part, so that no record is torn.
func (b *Buffer) dropOldest() bool {
	if len(b.queue) == 0 {
		return false
	}
	k := b.pop()
	lost := k.lost
	lost.add(b.dropped(k.left()))
	switch {
	case len(b.queue) > 0:
		lost.add(b.queue[0].lost)
		b.queue[0].lost = lost
	case b.cur != nil:
		lost.add(b.cur.lost)
		b.cur.lost = lost
	default:
		lost.add(b.lost)
		b.lost = lost
	}
	b.release(k)
	b.wake() // who waits for these records need not any longer
	return true
}

// dropped counts records as dropped.
func (b *Buffer) dropped(records, bytes int64) Dropped {
	b.stats.Dropped += records
	b.stats.DroppedBytes += bytes
	b.lostAll += records
	b.untold += records
	return Dropped{Records: records, Bytes: bytes, Since: time.Now()}
}

// tellDrops returns what the error handler is to be told of drops, now and
// then.
func (b *Buffer) tellDrops() error {
	now := time.Now()
	if b.untold == 0 || now.Before(b.tellNext) {
		return nil
	}
	b.tellNext = now.Add(reportEvery)
	err := fmt.Errorf("slogpack: sink: %w: %d records dropped", ErrFull, b.untold)
	b.untold = 0
	return err
}

// pop takes the oldest block out of the queue.
func (b *Buffer) pop() *block {
	k := b.queue[0]
	last := copy(b.queue, b.queue[1:])
	b.queue[last] = nil // there are few
	b.queue = b.queue[:last]
	return k
}
