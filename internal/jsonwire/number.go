package jsonwire

import (
	"encoding/binary"
	"math/bits"
	"strconv"
)

// pairs holds "00" to "99", the first digit in the low byte. It has room for
// every index cut to seven bits.
var pairs = makePairs()

func makePairs() (t [128]uint16) {
	for i := range 100 {
		t[i] = uint16('0'+i/10) | uint16('0'+i%10)<<8
	}
	return t
}

const (
	asciiZeros = '0' * ones

	// numberRoom is what a number's words may touch: up to three of eight
	// digits, the first of them shifted.
	numberRoom = 24
)

// digits8 returns the eight digits of v < 1e8, leading zeros included, as the
// bytes of a word from the lowest up. All lanes are divided at once: by
// 10000, then two by 100, then four by 10, with multiplications whose error is
// below one for these ranges.
func digits8(v uint32) uint64 {
	x := uint64(v/10000) | uint64(v%10000)<<32
	q := (x * 10486 >> 20) & 0x0000007f0000007f
	x = q | (x-100*q)<<16
	q = (x * 103 >> 10) & 0x000f000f000f000f
	return (q | (x-10*q)<<8) + asciiZeros
}

// trailingZeroDigits counts the zeros at the end of eight digits, not all zero.
func trailingZeroDigits(w uint64) int { return bits.LeadingZeros64(w-asciiZeros) >> 3 }

// putPair writes the two digits of v < 100.
func putPair(dst []byte, v uint32) {
	binary.LittleEndian.PutUint16(dst, pairs[v&127])
}

// AppendInt appends v in decimal and returns the extended slice.
func AppendInt(dst []byte, v int64) []byte {
	neg := v >> 63
	return appendNumber(dst, uint64(v^neg-neg), int(-neg))
}

// AppendUint appends v in decimal and returns the extended slice.
func AppendUint(dst []byte, v uint64) []byte { return appendNumber(dst, v, 0) }

// appendNumber appends v, with a minus if neg is 1, not if it is 0.
func appendNumber(dst []byte, v uint64, neg int) []byte {
	n := len(dst)
	if cap(dst)-n < 1+numberRoom {
		// Rare, and it asks for no more room than the digits need.
		return strconv.AppendUint(append(dst, "-"[:neg]...), v, 10)
	}
	dst[:n+1][n] = '-' // the first digit's place, if there is none
	n += neg
	out := (*[numberRoom]byte)(dst[n : n+numberRoom])
	switch {
	case v < 10:
		out[0] = '0' + byte(v)
		return dst[:n+1]
	case v < 100:
		binary.LittleEndian.PutUint16(out[:], pairs[v&127])
		return dst[:n+2]
	case v < 1e4:
		// Status codes, ports and milliseconds are worth a case.
		hi, lo := uint32(v)/100, uint32(v)%100
		w := uint32(pairs[hi&127]) | uint32(pairs[lo&127])<<16
		if v < 1000 {
			binary.LittleEndian.PutUint32(out[:], w>>8)
			return dst[:n+3]
		}
		binary.LittleEndian.PutUint32(out[:], w)
		return dst[:n+4]
	case v < 1e8:
		k := digitCount(uint32(v))
		binary.LittleEndian.PutUint64(out[:], digits8(uint32(v))>>(-8*k&63))
		return dst[:n+k]
	case v < 1e16:
		k := putLeading(out, uint32(v/1e8))
		binary.LittleEndian.PutUint64(out[k&15:k&15+8], digits8(uint32(v%1e8)))
		return dst[:n+k+8]
	}
	low := v % 1e16
	k := putLeading(out, uint32(v/1e16))
	binary.LittleEndian.PutUint64(out[k&7:k&7+8], digits8(uint32(low/1e8)))
	binary.LittleEndian.PutUint64(out[k&7+8:k&7+16], digits8(uint32(low%1e8)))
	return dst[:n+k+16]
}

// putLeading writes v, 0 < v < 1e8, without leading zeros and returns the number
// of digits. It writes eight bytes whatever that is.
func putLeading(out *[numberRoom]byte, v uint32) int {
	k := digitCount(v)
	binary.LittleEndian.PutUint64(out[:], digits8(v)>>(-8*k&63))
	return k
}

// digitCount is the number of digits of v, 0 < v < 1e8. To count the zeros among
// the digits would do, but whatever follows in the record has to wait for the
// count, and the digits take three times as long.
func digitCount(v uint32) int {
	k := bits.Len32(v) * 1233 >> 12 // log10(2), rounded down
	if uint64(v) >= powersOf10[k&15] {
		k++
	}
	return k
}
