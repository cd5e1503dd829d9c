package forward

import (
	"encoding/binary"
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
	f := openContainer{o.count, true}
	for depth := 1; ; {
		if f.left == 0 {
			if depth--; depth == 0 {
				return i, nil
			}
			f = stack[depth-1]
			continue
		}
		f.left--
		if f.keys {
			if end = shortText(src, i); end == 0 {
				if o, st = head(src, i); st != good || o.kind != kindStr {
					return 0, badEntry(i, st, "a key is no str")
				}
				end = i + o.header + o.payload
				if !utf8.Valid(src[i+o.header : end]) {
					return 0, badEntry(i, good, "a key is not UTF-8")
				}
			}
			i = end
		}
		if end = shortText(src, i); end > 0 {
			i = end
			continue
		}
		if o, st = head(src, i); st != good {
			return 0, badEntry(i, st, "")
		}
		end = i + o.header + o.payload
		switch o.kind {
		case kindArray, kindMap:
			if depth == maxDepth {
				return 0, badEntry(i, good, fmt.Sprintf("nested deeper than %d", maxDepth))
			}
			stack[depth-1] = f
			f = openContainer{o.count, o.kind == kindMap}
			depth++
		default:
			if reason := o.flaw(src[i+o.header : end]); reason != "" {
				return 0, badEntry(i, good, reason)
			}
		}
		i = end
	}
}

// shortText returns the end of the str at src[i] if it is of the common kind:
// shorter than 32 bytes, whole, ASCII. Otherwise it returns 0.
func shortText(src []byte, i int) (end int) {
	if i >= len(src) || src[i]-0xa0 >= 0x20 {
		return 0
	}
	end = i + 1 + int(src[i]&31)
	if end > len(src) {
		return 0
	}
	b := src[i+1 : end]
	for ; len(b) >= 8; b = b[8:] {
		if binary.LittleEndian.Uint64(b)&0x8080808080808080 != 0 {
			return 0
		}
	}
	var high byte
	for _, c := range b {
		high |= c
	}
	if high >= utf8.RuneSelf {
		return 0
	}
	return end
}

// flaw returns what is wrong with a value that is no container, or "".
func (o *object) flaw(payload []byte) string {
	switch {
	case o.kind == kindStr && !utf8.Valid(payload):
		return "a text is not UTF-8"
	case o.kind == kindFloat && !finite(o.num):
		return "a float is NaN or infinite"
	case o.kind == kindUint && o.num > math.MaxInt64:
		return "an integer is above 2^63-1"
	case o.kind == kindExt:
		return "an ext within the record"
	}
	return ""
}
