package forward

import (
	"errors"
	"fmt"
	"slices"
)

// maxAnswer is the longest answer that is read.
const maxAnswer = 64 << 10

var (
	errAnswer = errors.New("the receiver sent something that is no answer of the Forward protocol: is this its port?")
	errHelo   = errors.New("the receiver asks for a handshake: use WithSharedKey, and WithUser where it has users")
)

// answers takes the whole answers that b begins with and returns how much of b
// they are.
func (w *Writer) answers(l *link, b []byte) (used int, err error) {
	for used < len(b) {
		end, st := skip(b, used)
		if st == short {
			// Only a map may go on; the text of a web server is none.
			if o, st := head(b, used); st == good && o.kind != kindMap && o.kind != kindArray {
				return used, errAnswer
			}
			return used, nil
		}
		if st != good {
			return used, errAnswer
		}
		if err := w.answer(l, b[used:end]); err != nil {
			return used, err
		}
		used = end
	}
	return used, nil
}

// answer takes one answer, a whole object.
func (w *Writer) answer(l *link, b []byte) error {
	o, _ := head(b, 0)
	if o.kind == kindArray {
		if word, _, ok := text(b, o.header); ok && string(word) == "HELO" {
			return errHelo
		}
	}
	if o.kind != kindMap {
		return errAnswer
	}
	i := o.header
	for range o.count {
		key, value, isText := text(b, i)
		if !isText {
			value, _ = skip(b, i)
		}
		end, _ := skip(b, value)
		if isText && string(key) == "ack" {
			id, _, ok := text(b, value)
			if !ok {
				return fmt.Errorf("%w: its ack is no text", errAnswer)
			}
			w.ack(l, id)
			return nil
		}
		i = end
	}
	// Vector answers {} for a frame that it did not take.
	w.mu.Lock()
	w.nack(l)
	w.mu.Unlock()
	w.wakeSender()
	return nil
}

// ack takes an acknowledgement. One for an id that is not on its way, or not
// any more, changes nothing.
func (w *Writer) ack(l *link, id []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.IndexFunc(w.inflight, func(c *chunk) bool { return string(c.id[:]) == string(id) })
	if i < 0 {
		return
	}
	c := w.inflight[i]
	if c.busy { // Write has not returned yet, its bytes are in use
		c.acked = true
		return
	}
	w.inflight = slices.Delete(w.inflight, i, i+1)
	l.nacked = 0
	w.acknowledge(c)
	w.judgeNacks(l)
	w.wakeSender()
}
