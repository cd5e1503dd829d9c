package forward

import (
	"errors"
	"fmt"
	"math"
	"unicode/utf8"
)

// maxDepth is how many containers may be open at once in a record, its own map
// included: Fluent Bit drops deeper ones silently, fluentd resets at more.
const maxDepth = 32

const (
	entryByte  = 0x92 // an array of two: what every entry begins with
	entryStart = 11   // where the map of an entry with a minimal time begins
)

func floatBits(n uint64, width int) uint64 {
	if width == 4 {
		return math.Float64bits(float64(math.Float32frombits(uint32(n))))
	}
	return n
}

// finite reports whether the float64 with these bits is neither NaN nor an
// infinity.
func finite(bits uint64) bool { return bits>>52&0x7ff != 0x7ff }

var (
	errShort = errors.New("it ends too early")
	errWrong = errors.New("invalid MessagePack")
)

// entryError says why something that begins like a Forward entry is none that
// every receiver takes. Nothing of it has been sent.
type entryError struct {
	at     int
	reason error
}

func (e *entryError) Error() string {
	return fmt.Sprintf("forward: invalid entry, at byte %d: %v", e.at, e.reason)
}

func (e *entryError) Unwrap() error { return e.reason }

func badEntry(at int, st state, reason string) error {
	switch {
	case st == short:
		return &entryError{at, errShort}
	case st == wrong:
		return &entryError{at, errWrong}
	}
	return &entryError{at, errors.New(reason)}
}

// checkEntry returns the end of the entry at src[i], [EventTime, {record}], or
// what is wrong with it by the rules that all receivers together have.
func checkEntry(src []byte, i int) (end int, err error) {
	o, st := head(src, i+1)
	switch {
	case st != good:
		return 0, badEntry(i+1, st, "")
	case o.kind != kindExt || o.num != 0 || o.payload != 8:
		return 0, badEntry(i+1, good, "its time is no EventTime (ext type 0 with 8 bytes)")
	}
	record := i + 1 + o.header + o.payload
	if bigEndian(src[record-4:record]) >= 1e9 {
		return 0, badEntry(i+1, good, "its time has a second or more of nanoseconds")
	}
	return checkRecord(src, record)
}

// openContainer is an array or map whose end is still to come.
type openContainer struct {
	left int64 // elements, or pairs, to come
	keys bool  // it is a map
}

// checkRecord returns the end of the map at src[i].
func checkRecord(src []byte, i int) (end int, err error) {
	var stack [maxDepth]openContainer
	o, st := head(src, i)
	if st != good || o.kind != kindMap {
		return 0, badEntry(i, st, "its record is no map")
	}
	i += o.header
	stack[0] = openContainer{o.count, true}
	for depth := 1; depth > 0; {
		f := &stack[depth-1]
		if f.left == 0 {
			depth--
			continue
		}
		f.left--
		if f.keys {
			if o, st = head(src, i); st != good || o.kind != kindStr {
				return 0, badEntry(i, st, "a key is no str")
			}
			if !utf8.Valid(src[i+o.header : i+o.header+o.payload]) {
				return 0, badEntry(i, good, "a key is not UTF-8")
			}
			i += o.header + o.payload
		}
		if o, st = head(src, i); st != good {
			return 0, badEntry(i, st, "")
		}
		switch o.kind {
		case kindStr:
			if !utf8.Valid(src[i+o.header : i+o.header+o.payload]) {
				return 0, badEntry(i, good, "a text is not UTF-8")
			}
		case kindFloat:
			if !finite(o.num) {
				return 0, badEntry(i, good, "a float is NaN or infinite")
			}
		case kindUint:
			if o.num > math.MaxInt64 {
				return 0, badEntry(i, good, "an integer is above 2^63-1")
			}
		case kindExt:
			return 0, badEntry(i, good, "an ext within the record")
		case kindArray, kindMap:
			if depth == maxDepth {
				return 0, badEntry(i, good, fmt.Sprintf("nested deeper than %d", maxDepth))
			}
			stack[depth] = openContainer{o.count, o.kind == kindMap}
			depth++
		}
		i += o.header + o.payload
	}
	return i, nil
}
