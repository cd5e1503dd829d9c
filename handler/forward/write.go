package forward

import (
	"bytes"
	"fmt"
	"log/slog"
	"time"

	"github.com/slogpack/slogpack/pool"
)

// Write takes one or more records: Forward entries one after the other, as
// handlers write them, and JSON objects, one a line, of any other logger. JSON
// is converted; its field time, if it parses, becomes the record's time,
// otherwise that is now. p is not kept.
//
// What is neither is an error and never sent: a line is skipped to its end and
// the next ones are taken; where a binary entry is broken, the rest of p cannot
// be told apart and is refused with it. An entry is also refused for what some
// receiver would hang up for: see the package documentation. Write returns how
// much of p was dealt with, and the first error.
//
// Records wait for room in the queue as [WithBlockTimeout] and [WithPolicy]
// say; those that are dropped are no error, but are counted. After Close, the
// error is [ErrClosed]. Write is safe for concurrent use.
func (w *Writer) Write(p []byte) (int, error) { return w.WriteLevel(slog.LevelInfo, p) }

// WriteLevel is Write for records of level l. From [slog.LevelError] up, the
// batch is sent at once; WriteLevel does not wait for that.
func (w *Writer) WriteLevel(l slog.Level, p []byte) (n int, err error) {
	var cv *converter
	taken := 0
	i := 0
	for i < len(p) && err == nil {
		switch p[i] {
		case entryByte:
			var end int
			if end, err = checkEntry(p, i); err != nil {
				w.invalid()
				break
			}
			if err = w.enqueue(p[i:end], l); err == nil {
				i = end
				taken++
			}
			continue
		case ' ', '\t', '\r', '\n':
			i++
			continue
		default:
			if cv == nil {
				cv = converters.Get()
			}
			var records int
			i, records, err = w.writeLines(cv, p, i, l)
			taken += records
		}
	}
	if cv != nil {
		converters.Put(cv)
	}
	if taken == 0 && err != nil {
		return 0, err
	}
	return i, err
}

// converters is shared by all Writers.
var converters = pool.New(newConverter, func(cv *converter) bool { return cv.buf.Reset() })

// writeLines takes lines from p[i] until an entry begins. The first bad line
// is the error; the others are taken all the same.
func (w *Writer) writeLines(cv *converter, p []byte, i int, l slog.Level) (end, records int, first error) {
	for i < len(p) && p[i] != entryByte {
		next := len(p)
		if n := bytes.IndexByte(p[i:], '\n'); n >= 0 {
			next = i + n + 1
		}
		line := bytes.TrimSpace(p[i:next])
		if len(line) > 0 {
			entry, err := cv.line(line)
			switch {
			case err != nil:
				w.invalid()
				if first == nil {
					first = fmt.Errorf("forward: record not sent, at byte %d: %w", i, err)
				}
			default:
				if err := w.enqueue(entry, l); err != nil {
					return i, records, err
				}
				records++
			}
		}
		i = next
	}
	return i, records, first
}

// line returns the entry of a line.
func (cv *converter) line(line []byte) ([]byte, error) {
	if line[0] != '{' {
		return nil, fmt.Errorf("it begins with the byte %#02x, as neither a Forward entry (0x92) nor a JSON object does", line[0])
	}
	return cv.entry(line, time.Now())
}

// invalid counts a record that is none.
func (w *Writer) invalid() {
	w.mu.Lock()
	w.stats.Invalid++
	w.mu.Unlock()
}

// enqueue copies an entry into the batch being filled.
func (w *Writer) enqueue(entry []byte, l slog.Level) error {
	w.mu.Lock()
	if w.closing || len(entry) > w.c.maxEntry || !w.prepare(len(entry)) {
		if err := w.makeRoom(len(entry)); err != nil {
			return w.unroomed(err)
		}
	}
	w.cur.blk.b = append(w.cur.blk.b, entry...)
	wake := w.took(l)
	w.mu.Unlock()
	if wake {
		w.wakeSender()
	}
	return nil
}

// Reserve lends room for n bytes at the end of the batch being filled, and
// holds the queue's lock until [Writer.Commit]. It returns false, holding
// nothing, where it would have to wait, and after Close. It makes a
// [handler.StreamWriter] of w; other code uses Write.
func (w *Writer) Reserve(n int) (buf []byte, ok bool) {
	if !w.mu.TryLock() {
		return nil, false
	}
	if w.closing || n > w.c.batchBytes || !w.prepare(n) {
		w.mu.Unlock()
		return nil, false
	}
	b := w.cur.blk
	return b.b[: len(b.b) : b.size-trailerRoom], true
}

// Commit takes buf, which is what Reserve returned with one record of level l
// appended, or nil for none, and gives the lock back. It returns the record's
// length; the record may be a Forward entry or a JSON object, as for Write.
// Entries are taken as they are, since package handler makes them by the rules.
func (w *Writer) Commit(buf []byte, l slog.Level) (int, error) {
	b := w.cur.blk
	n := len(buf) - len(b.b)
	if buf == nil || n == 0 {
		w.mu.Unlock()
		return 0, nil
	}
	if n < 0 || n > w.space() || &buf[0] != &b.b[0] {
		w.mu.Unlock()
		return 0, errForeign
	}
	record := buf[len(b.b):]
	if n > entryStart && record[0] == entryByte && record[1] == 0xd7 && record[2] == 0 {
		b.b = buf
		wake := w.took(l)
		w.mu.Unlock()
		if wake {
			w.wakeSender()
		}
		return n, nil
	}
	// Something else, JSON most likely, which has to leave the batch in order
	// to come back as an entry.
	cv := converters.Get()
	cv.committed = append(cv.committed[:0], record...)
	w.mu.Unlock()
	m, err := w.WriteLevel(l, cv.committed)
	converters.Put(cv)
	return min(m, n), err
}
