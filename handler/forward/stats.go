package forward

// Stats counts what became of the records given to a Writer. At every moment
//
//	Accepted = Acknowledged + Dropped + Refused + Pending
//
// holds, in records. Lines and entries that are no records are Invalid and in
// none of these.
type Stats struct {
	Accepted     int64 // records taken, or dropped at once
	Acknowledged int64 // a receiver has them (WithoutAcks: the operating system)
	Dropped      int64 // for want of room, or because Close ran out of time
	Refused      int64 // given up because no receiver took them
	Pending      int64 // in the queue, or sent and not yet acknowledged

	Invalid int64 // neither an entry nor JSON, or too large; Write returned an error
	Notes   int64 // records of the Writer's own, telling of drops

	Frames     int64 // frames written
	Resent     int64 // records written again, each time counted: what receivers may have twice
	BytesSent  int64 // of frames, after compression
	Bytes      int64 // of Pending, in the queue
	Allocated  int64 // memory of the queue, at most WithBufferBytes
	Connects   int64 // connections made, handshakes included
	Reconnects int64 // those after the first
	Failures   int64 // attempts to connect that failed, connections that broke

	Connected bool   // there is a connection now
	Server    string // its address, or the last one's
}

// Stats returns the counts of this moment. It is safe for concurrent use.
func (w *Writer) Stats() Stats {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.stats
	s.Pending, s.Bytes = w.pending()
	s.Allocated = int64(w.allocated)
	s.Reconnects = max(s.Connects-1, 0)
	return s
}
