package forward

import (
	"log/slog"
	"strconv"
	"time"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// addNote begins the batch being filled with a record of ours that says how
// many were dropped since the last one. w.mu is held.
func (w *Writer) addNote() {
	c := w.cur
	c.note = w.unreported
	w.unreported = 0
	w.stats.Notes++
	c.blk.b = appendNote(c.blk.b, c.note, time.Now())
}

// appendNote appends the entry, at most noteRoom bytes, with the fields of
// handler.OTel.
func appendNote(dst []byte, dropped int64, now time.Time) []byte {
	dst = append(dst, entryByte)
	dst = jsonmsgpack.AppendEventTime(dst, now)
	dst = append(dst, 0x84)
	dst = jsonmsgpack.AppendString(dst, "level")
	dst = jsonmsgpack.AppendString(dst, slog.LevelWarn.String())
	dst = jsonmsgpack.AppendString(dst, "severity_number")
	dst = jsonmsgpack.AppendInt(dst, int64(slog.LevelWarn)+9)
	dst = jsonmsgpack.AppendString(dst, "message")
	dst = jsonmsgpack.AppendString(dst, "slogpack: "+strconv.FormatInt(dropped, 10)+" log records were dropped, the queue was full")
	dst = jsonmsgpack.AppendString(dst, "dropped_records")
	return jsonmsgpack.AppendInt(dst, dropped)
}

// noteIfIdle makes a batch of the note alone when nothing else is under way.
// w.mu is held.
func (w *Writer) noteIfIdle() bool {
	if w.unreported == 0 || !w.idle() {
		return false
	}
	if w.cur != nil { // empty; a note begins a batch
		w.seal()
	}
	if !w.begin(0) {
		return false
	}
	w.seal()
	return true
}
