package sink

// Stats counts what became of the records given to a Buffer. At every moment
//
//	Accepted = Delivered + Dropped + Refused + Pending
//
// holds, in records and in bytes. A record that was written in part is pending,
// or dropped if Close gave it up; its bytes are counted by what became of each.
type Stats struct {
	Accepted  int64 // records given to the Buffer
	Delivered int64 // the writer took them
	Dropped   int64 // for want of room, or because Close ran out of time
	Refused   int64 // Write returned an error: after Close, or 2 GiB long
	Pending   int64 // in the Buffer

	AcceptedBytes  int64 // the same in bytes
	DeliveredBytes int64
	DroppedBytes   int64
	RefusedBytes   int64
	PendingBytes   int64

	Notes     int64 // records of the Buffer's own, telling of drops, that were written
	NoteBytes int64 // what the writer took of these

	Writes    int64 // calls of the writer's Write
	Failures  int64 // those after which nothing or not everything was written, or that returned an error
	Allocated int64 // bytes of memory for records
}

// Stats returns the counts of this moment. It is safe for concurrent use.
func (b *Buffer) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.stats
	s.Pending, s.PendingBytes = b.pending()
	s.Allocated = int64(b.used + len(b.free)*b.blockSize)
	if b.spare != nil {
		s.Allocated += int64(cap(b.spare.buf))
	}
	return s
}

// pending counts what is in the blocks. b.mu is held.
func (b *Buffer) pending() (records, bytes int64) {
	count := func(k *block) {
		r, n := k.left()
		records += r
		bytes += n
	}
	count(b.head)
	for _, k := range b.queue {
		count(k)
	}
	count(b.cur)
	return records, bytes
}
