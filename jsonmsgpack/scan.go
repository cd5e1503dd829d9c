package jsonmsgpack

import (
	"encoding/binary"
	"io"
	"math"
	"math/bits"
)

// status is how a run of the state machine ended.
type status uint8

const (
	statDone status = iota // a document is whole
	statMore               // the input ended in the middle of one
	statBad                // Converter.bad says what is wrong
)

// place is where the state machine stands between two tokens.
type place uint8

const (
	placeValue      place = iota // a value must follow
	placeFirstValue              // a value or the end of the array
	placeKey                     // a key
	placeFirstKey                // a key or the end of the object
	placeColon                   // a colon
	placeNext                    // a comma or the end of the container
)

// room is how many bytes of output one token may write without looking: a
// string of 31 bytes stored in words behind its header, or a number.
const room = 64

// run converts the rest of one document, from src[i:], and appends it to dst.
// It returns where it stopped: behind the document when that is whole, at the
// first byte not consumed when there must be more, which is the start of a
// token that does not end in src. The converter keeps the rest of its state,
// so that the next run goes on with the same byte in another src. final says
// that nothing follows src.
//
// It is one function with labels, not methods with a state each: the slice
// headers, the two indexes and the count stay in registers from token to
// token. No recursion: depth costs a node, not stack.
func (c *Converter) run(dst, src []byte, i int, final bool) (out []byte, next int, st status) {
	var (
		o             = len(dst)
		n             = c.n
		top           = c.top
		depth         = c.depth
		inMap         = top != 0 && c.nodes[top-1].kind == kindMap
		stamp         = c.stamp // the value of a time field follows
		watch         = c.watch
		dups          = c.cfg.duplicates != Keep
		start, k, exp int
		digits        int
		w, m, mant    uint64
		f             float64
		ch            byte
		neg, ok       bool
		pl            place
		expected      string
		nd            *node
		isNeg         bool
	)
	dst = dst[:cap(dst)]
	switch c.place {
	case placeValue:
		goto value
	case placeFirstValue:
		goto firstValue
	case placeKey:
		goto key
	case placeFirstKey:
		goto firstKey
	case placeColon:
		goto colon
	}
	goto next

firstKey:
	if i < len(src) && src[i] <= ' ' {
		i = skipSpace(src, i)
	}
	if i < len(src) && src[i] == '}' {
		goto closing
	}
	pl = placeFirstKey
	goto keyToken

key:
	pl = placeKey
keyToken:
	if i >= len(src) {
		expected = "a key"
		goto more
	}
	if src[i] != '"' {
		if src[i] <= ' ' {
			if k = skipSpace(src, i); k > i {
				i = k
				goto keyToken
			}
		}
		expected = "a key in quotes"
		if pl == placeFirstKey {
			expected = "a key in quotes or '}'"
		}
		goto bad
	}
	if len(dst)-o < room {
		dst = growTo(dst, o, room+len(src)-i)
	}
	start = o
	for k = 0; k < 32; k += 8 {
		if i+9+k > len(src) {
			break
		}
		w = load8(src, i+1+k)
		binary.LittleEndian.PutUint64(dst[o+1+k:], w)
		if m = special(w); m != 0 {
			k += bits.TrailingZeros64(m) >> 3
			if src[i+1+k] != '"' {
				break
			}
			dst[o] = fixStr | byte(k)
			o += 1 + k
			i += 2 + k
			k = i - 1 - (o - start)
			goto keyWritten
		}
	}
	dst, o, k, st = c.str(dst, o, src, i, min(k, 32))
	if st != statDone {
		goto stopped
	}
	i, k = k, i

keyWritten: // by the token at src[k]

	if watch {
		switch c.key(dst, start, o, k) {
		case keyBad:
			goto failed
		case keyTwice:
			n--
		}
		stamp = c.stamp
	}
colon:
	if i >= len(src) {
		pl, expected = placeColon, "':'"
		goto more
	}
	if src[i] != ':' {
		if k = skipSpace(src, i); k > i {
			i = k
			goto colon
		}
		expected = "':'"
		goto bad
	}
	i++
	if i < len(src) && src[i] == ' ' {
		i++
	}
	goto value

firstValue:
	if i < len(src) && src[i] <= ' ' {
		i = skipSpace(src, i)
	}
	if i < len(src) && src[i] == ']' {
		goto closing
	}
	pl = placeFirstValue
	goto valueToken

value:
	pl = placeValue
valueToken:
	if i >= len(src) {
		expected = "a value"
		goto more
	}
	ch = src[i]
	if len(dst)-o < room {
		dst = growTo(dst, o, room+len(src)-i)
	}
	if ch == '"' {
		if stamp {
			goto stampString
		}
		for k = 0; k < 32; k += 8 {
			if i+9+k > len(src) {
				break
			}
			w = load8(src, i+1+k)
			binary.LittleEndian.PutUint64(dst[o+1+k:], w)
			if m = special(w); m != 0 {
				k += bits.TrailingZeros64(m) >> 3
				if src[i+1+k] != '"' {
					break
				}
				dst[o] = fixStr | byte(k)
				o += 1 + k
				i += 2 + k
				goto after
			}
		}
		dst, o, k, st = c.str(dst, o, src, i, min(k, 32))
		if st != statDone {
			goto stopped
		}
		i = k
		goto after
	}
	if ch-'0' < 10 || ch == '-' {
		goto number
	}
	switch ch {
	case '{', '[':
		if depth >= c.cfg.maxDepth {
			goto deep
		}
		if top != 0 {
			c.nodes[top-1].n = n
		}
		c.nodes = append(c.nodes, node{pos: int64(o), parent: top, kind: kind(ch >> 5 & 1)})
		top = int32(len(c.nodes))
		depth++
		n = 0
		dst[o] = array32
		o += c.reserve
		i++
		if dups {
			c.keys.open()
		}
		if inMap = ch == '{'; inMap {
			goto firstKey
		}
		goto firstValue
	case 't':
		if i+4 <= len(src) && string(src[i:i+4]) == "true" {
			dst[o] = wireT
			o++
			i += 4
			goto after
		}
	case 'f':
		if i+5 <= len(src) && string(src[i:i+5]) == "false" {
			dst[o] = wireF
			o++
			i += 5
			goto after
		}
	case 'n':
		if i+4 <= len(src) && string(src[i:i+4]) == "null" {
			dst[o] = wireNil
			o++
			i += 4
			goto after
		}
	case ' ', '\n', '\r', '\t':
		i = skipSpace(src, i)
		goto valueToken
	}
	dst, o, k, st = c.literal(dst, o, src, i, final)
	if st != statDone {
		goto stopped
	}
	i = k
	goto after

number:
	start = i
	if neg = ch == '-'; neg {
		i++
	}
	if i+8 > len(src) {
		goto slowNumber
	}
	w = load8(src, i)
	k = first(nonDigit(w))
	mant = digits8(w << (64 - 8*uint(k)))
	digits = k
	if k == 8 {
		for digits < 24 {
			if i+digits+8 > len(src) {
				goto slowNumber
			}
			w = load8(src, i+digits)
			k = first(nonDigit(w))
			mant = mant*pow10[k] + digits8(w<<(64-8*uint(k)))
			digits += k
			if k < 8 {
				break
			}
		}
	}
	// No digit, a zero in front, a number that mant cannot hold or that may
	// go on in the next input: all is left to the careful way.
	if digits-1 >= 19 || digits > 1 && src[i] == '0' {
		goto slowNumber
	}
	i += digits
	if i >= len(src) || digits == 0 {
		goto slowNumber
	}
	ch = src[i]
	if ch == '.' || ch|0x20 == 'e' {
		goto fraction
	}
	if depth == 0 && ch > ' ' {
		goto slowNumber
	}
	if neg {
		if mant == 0 || mant > 1<<63 {
			goto slowNumber
		}
		o += putNegative(dst[o:], mant)
		goto after
	}
	if mant > c.maxUint {
		goto slowNumber
	}
	o += putUint(dst[o:], mant)
	goto after

fraction:
	exp = 0
	if ch == '.' {
		i++
		exp = i
		for {
			if i+8 > len(src) {
				goto slowNumber
			}
			w = load8(src, i)
			k = first(nonDigit(w))
			mant = mant*pow10[k] + digits8(w<<(64-8*uint(k)))
			i += k
			if k < 8 {
				break
			}
		}
		exp -= i
		digits -= exp
		// More digits than mant holds: 19 always fit.
		if exp == 0 || digits > 19 || i >= len(src) {
			goto slowNumber
		}
		ch = src[i]
	}
	if ch|0x20 == 'e' {
		if i+3 >= len(src) {
			goto slowNumber
		}
		i++
		ch = src[i]
		isNeg = ch == '-'
		if isNeg || ch == '+' {
			i++
		}
		k = i
		m = 0
		for i < len(src) && src[i]-'0' < 10 && i-k < 4 {
			m = m*10 + uint64(src[i]-'0')
			i++
		}
		if i == k || i >= len(src) || src[i]-'0' < 10 {
			goto slowNumber
		}
		if k = int(m); isNeg {
			k = -k
		}
		exp += k
		ch = src[i]
	}
	if depth == 0 && ch > ' ' || digits > 15 && c.count {
		goto slowNumber
	}
	if mant < 1<<53 && uint(exp+22) <= 44 {
		f = float64(mant)
		if exp < 0 {
			f /= float10[-exp]
		} else {
			f *= float10[exp]
		}
	} else if f, ok = eiselLemire(mant, exp); !ok {
		goto slowNumber
	}
	if neg {
		f = -f
	}
	dst[o] = f64
	binary.BigEndian.PutUint64(dst[o+1:], math.Float64bits(f))
	o += 9
	goto after

slowNumber:
	i = start
	dst, o, k, st = c.number(dst, o, src, i, final, depth)
	if st != statDone {
		goto stopped
	}
	i = k

after:
	if depth == 0 {
		goto done
	}
	n++
next:
	if i >= len(src) {
		pl, expected = placeNext, "',' or the end of the container"
		goto more
	}
	ch = src[i]
	if ch == ',' {
		i++
		if inMap {
			if i < len(src) && src[i] == '"' {
				pl = placeKey
				goto keyToken
			}
			goto key
		}
		goto value
	}
	if ch <= ' ' {
		if k = skipSpace(src, i); k > i {
			i = k
			goto next
		}
	}
	if inMap {
		expected = "',' or '}'"
		if ch == '}' {
			goto closing
		}
	} else {
		expected = "',' or ']'"
		if ch == ']' {
			goto closing
		}
	}
	goto bad

closing:
	i++
	depth--
	nd = &c.nodes[top-1]
	if n <= 15 && nd.state != nodeOut && !c.cfg.wide {
		if dst[nd.pos] = fixArray | byte(n); inMap {
			dst[nd.pos] = fixMap | byte(n)
		}
		if int(top) == len(c.nodes) {
			k = int(nd.parent)
			c.nodes = c.nodes[:top-1]
			top = int32(k)
		} else {
			nd.state = nodeSettled
			top = c.bury(nd.parent)
		}
	} else {
		top, ok = c.closeLarge(dst, top, n)
		if !ok {
			goto failed
		}
	}
	if dups {
		c.keys.close()
	}
	if top != 0 {
		nd = &c.nodes[top-1]
		n = nd.n
		inMap = nd.kind == kindMap
	}
	goto after

stampString:
	dst, o, k, st = c.timeField(dst, o, src, i)
	if st != statDone {
		goto stopped
	}
	i = k
	goto after

deep:
	dst, o, k, st = c.deep(dst, o, src, i, final)
	if st != statDone {
		goto stopped
	}
	i = k
	goto after

stopped:
	if st == statMore && !final {
		goto save
	}
	return dst[:o], i, statBad

more:
	if final {
		c.fail(i, expected, io.ErrUnexpectedEOF)
		return dst[:o], i, statBad
	}
save:
	c.n, c.top, c.depth, c.place, c.stamp = n, top, depth, pl, stamp
	return dst[:o], i, statMore

bad:
	c.fail(i, expected, errSyntax)
failed:
	return dst[:o], i, statBad

done:
	c.n, c.top, c.depth, c.place, c.stamp = 0, 0, 0, placeValue, false
	return dst[:o], i, statDone
}
