package jsonmsgpack

import (
	"encoding/binary"
	"io"
	"math/bits"
)

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
		o, n, top, depth = len(dst), c.n, c.top, c.depth
		inMap            = top != 0 && c.nodes[top-1].kind == kindMap
		stamp, watch     = c.stamp, c.watch // the value of a time field follows; keys are looked at
		start, k, digits int
		pad              int // white space between the last comma and key
		w, m, mant       uint64
		ch               byte
		neg, ok          bool
		pl               place
		expected         string
		nd               *node
	)
	dst = dst[:cap(dst)]
	switch c.place {
	case placeValue:
		goto value
	case placeFirstValue:
		goto firstValue
	case placeKey:
		pl = placeKey
		goto keyToken
	case placeFirstKey:
		goto firstKey
	case placeColon:
		goto colon
	}
	goto next

firstKey:
	if uint(i) < uint(len(src)) && src[i] <= ' ' {
		i = skipSpace(src, i)
	}
	if uint(i) < uint(len(src)) && src[i] == '}' {
		goto closing
	}
	pl = placeFirstKey
	goto keyToken

keyToken: // placeKey or placeFirstKey
	if uint(i) >= uint(len(src)) {
		expected = "a key"
		goto more
	}
	if src[i] != '"' {
		if k = skipSpace(src, i); k > i {
			i = k
			goto keyToken
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
	if uint(i) >= uint(len(src)) {
		pl, expected = placeColon, "':'"
		goto more
	}
	if src[i] != ':' {
		if src[i] == ' ' {
			i++
			goto colon
		}
		if k = skipSpace(src, i); k > i {
			i = k
			goto colon
		}
		expected = "':'"
		goto bad
	}
	i++
	if uint(i) < uint(len(src)) && src[i] == ' ' {
		i++
	}
	goto value

firstValue:
	if uint(i) < uint(len(src)) && src[i] <= ' ' {
		i = skipSpace(src, i)
	}
	if uint(i) < uint(len(src)) && src[i] == ']' {
		goto closing
	}
	pl = placeFirstValue
	goto valueToken

value:
	pl = placeValue
valueToken:
	if uint(i) >= uint(len(src)) {
		expected = "a value"
		goto more
	}
	ch = src[i]
	if len(dst)-o < room {
		dst = growTo(dst, o, room+len(src)-i)
	}
	if ch == '"' {
		if stamp {
			dst, o, k, st = c.timeField(dst, o, src, i)
			goto token
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
		goto token
	}
	if ch-'0' < 10 || ch == '-' {
		goto number
	}
	switch ch {
	case '{', '[':
		if depth >= c.cfg.maxDepth {
			dst, o, k, st = c.deep(dst, o, src, i, final)
			goto token
		}
		if top != 0 {
			c.nodes[top-1].n = n
		}
		if len(c.nodes) == cap(c.nodes) {
			c.nodes = grow(c.nodes, 1)
		}
		c.nodes = c.nodes[:len(c.nodes)+1]
		nd = &c.nodes[len(c.nodes)-1]
		nd.pos, nd.parent, nd.kind, nd.state = int64(o), top, kind(ch>>5&1), nodeOpen
		top = int32(len(c.nodes))
		depth++
		n = 0
		dst[o] = array32
		o += c.reserve
		i++
		if watch {
			stamp = false
			c.keys.open()
		}
		if inMap = ch == '{'; inMap {
			goto firstKey
		}
		goto firstValue
	case 't':
		if i+4 <= len(src) && string(src[i:i+4]) == "true" {
			dst[o], k = wireT, 4
			goto word
		}
	case 'f':
		if i+5 <= len(src) && string(src[i:i+5]) == "false" {
			dst[o], k = wireF, 5
			goto word
		}
	case 'n':
		if i+4 <= len(src) && string(src[i:i+4]) == "null" {
			dst[o], k = wireNil, 4
			goto word
		}
	case ' ', '\n', '\r', '\t':
		i = skipSpace(src, i)
		goto valueToken
	}
	dst, o, k, st = c.literal(dst, o, src, i, final)
	goto token

word: // of k bytes
	o++
	i += k
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
	mant = digits8(w << ((64 - 8*uint(k)) & 63))
	digits = k
	for k == 8 && digits < 24 {
		if i+digits+8 > len(src) {
			goto slowNumber
		}
		w = load8(src, i+digits)
		if k = first(nonDigit(w)); k == 0 {
			break
		}
		mant = mant*pow10[k] + digits8(w<<((64-8*uint(k))&63))
		digits += k
	}
	// No digit, a zero in front, a number that mant cannot hold or that may
	// go on in the next input: all is left to the careful way.
	if uint(digits-1) >= 19 || digits > 1 && src[i] == '0' || i+digits >= len(src) {
		goto slowNumber
	}
	i += digits
	ch = src[i]
	if ch == '.' || ch|0x20 == 'e' {
		i = c.fraction((*[9]byte)(dst[o:]), src, i, mant, digits, neg)
		if i == 0 || depth == 0 && src[i] > ' ' {
			goto slowNumber
		}
		o += 9
		goto after
	}
	if depth == 0 && ch > ' ' {
		goto slowNumber
	}
	if neg && mant-1 < 1<<63 {
		o += putNegative(dst[o:], mant)
		goto after
	}
	if !neg && mant <= c.maxUint {
		o += putUint(dst[o:], mant)
		goto after
	}

slowNumber:
	i = start
	dst, o, k, st = c.number(dst, o, src, i, final, depth)

token: // by another function, which ended at k
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
	if uint(i) >= uint(len(src)) {
		pl, expected = placeNext, "',' or the end of the container"
		goto more
	}
	ch = src[i]
	if ch == ',' {
		i++
		if inMap {
			pl = placeKey
			if uint(i) >= uint(len(src)) || src[i] == '"' {
				goto keyToken
			}
			// In pretty-printed input the next key mostly stands below this
			// one. Guessed and then checked, its place does not wait for the
			// white space to be counted.
			if k = i + pad; k < len(src) && src[k] == '"' && indented(src[i:k]) {
				i = k
				goto keyToken
			}
			k = i
			i = skipSpace(src, i)
			pad = i - k
			goto keyToken
		}
		goto value
	}
	if k = skipSpace(src, i); k > i {
		i = k
		goto next
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
	if n <= 15 && int(top) == len(c.nodes) && nd.state != nodeOut && !c.cfg.wide {
		if dst[nd.pos] = fixArray | byte(n); inMap {
			dst[nd.pos] = fixMap | byte(n)
		}
		top, c.nodes = nd.parent, c.nodes[:top-1]
	} else if top, ok = c.settle(dst, top, n); !ok {
		goto failed
	}
	if watch {
		c.keys.close()
	}
	if top != 0 {
		nd = &c.nodes[top-1]
		n = nd.n
		inMap = nd.kind == kindMap
	}
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
