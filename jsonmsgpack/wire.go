package jsonmsgpack

import (
	"encoding/binary"
	"math"
	"time"
)

// The first bytes of MessagePack's formats, by the names of its specification.
const (
	fixMap   = 0x80
	fixArray = 0x90
	fixStr   = 0xa0
	wireNil  = 0xc0
	wireNone = 0xc1 // never used by the specification
	wireF    = 0xc2
	wireT    = 0xc3
	bin8     = 0xc4
	bin16    = 0xc5
	bin32    = 0xc6
	ext8     = 0xc7
	ext16    = 0xc8
	ext32    = 0xc9
	f32      = 0xca
	f64      = 0xcb
	u8       = 0xcc
	u16      = 0xcd
	u32      = 0xce
	u64      = 0xcf
	i8       = 0xd0
	i16      = 0xd1
	i32      = 0xd2
	i64      = 0xd3
	fixExt1  = 0xd4
	fixExt2  = 0xd5
	fixExt4  = 0xd6
	fixExt8  = 0xd7
	fixExt16 = 0xd8
	str8     = 0xd9
	str16    = 0xda
	str32    = 0xdb
	array16  = 0xdc
	array32  = 0xdd
	map16    = 0xde
	map32    = 0xdf
)

const (
	extTimestamp = -1 // the specification's own ext type
	extEventTime = 0  // Fluentd's

	// maxLen is the longest string, binary or ext and the largest count that
	// the format can name.
	maxLen = 1<<32 - 1
)

// The stateless functions below append one MessagePack object each. They are
// for code that is handed a dst and returns it, as a ValueEncoder of package
// handler is, and for hot paths: a slice passed and returned stays in
// registers, one kept in a struct is loaded and stored at every call. Counts
// are then the caller's to keep; a Packer does it.

// AppendNil appends nil to dst and returns the extended slice.
func AppendNil(dst []byte) []byte { return append(dst, wireNil) }

// AppendBool appends v to dst and returns the extended slice.
func AppendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, wireT)
	}
	return append(dst, wireF)
}

// AppendInt appends v to dst in the smallest integer form that holds it
// (unsigned forms for 0 and up, as most encoders do) and returns the extended
// slice.
func AppendInt(dst []byte, v int64) []byte {
	// One comparison for both fixints: -32..127.
	if uint64(v)+32 < 160 {
		return append(dst, byte(v))
	}
	if v >= 0 {
		return appendUint(dst, uint64(v))
	}
	return appendNegative(dst, v)
}

func appendNegative(dst []byte, v int64) []byte {
	switch {
	case v >= math.MinInt8:
		return append(dst, i8, byte(v))
	case v >= math.MinInt16:
		return append(dst, i16, byte(v>>8), byte(v))
	case v >= math.MinInt32:
		return append(dst, i32, byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
	}
	return binary.BigEndian.AppendUint64(append(dst, i64), uint64(v))
}

// AppendUint appends v to dst in the smallest unsigned form that holds it and
// returns the extended slice.
func AppendUint(dst []byte, v uint64) []byte {
	if v < 0x80 {
		return append(dst, byte(v))
	}
	return appendUint(dst, v)
}

func appendUint(dst []byte, v uint64) []byte {
	switch {
	case v <= math.MaxUint8:
		return append(dst, u8, byte(v))
	case v <= math.MaxUint16:
		return append(dst, u16, byte(v>>8), byte(v))
	case v <= math.MaxUint32:
		return append(dst, u32, byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
	}
	return binary.BigEndian.AppendUint64(append(dst, u64), v)
}

// AppendFloat64 appends v to dst as float64, never as an integer, and returns
// the extended slice.
func AppendFloat64(dst []byte, v float64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, f64), math.Float64bits(v))
}

// AppendFloat32 appends v to dst as float32 and returns the extended slice.
func AppendFloat32(dst []byte, v float32) []byte {
	return binary.BigEndian.AppendUint32(append(dst, f32), math.Float32bits(v))
}

// AppendString appends s to dst as str and returns the extended slice. The
// bytes are taken as they are: the caller sees to it that they are UTF-8.
// What lies beyond 2^32-1 bytes, which the format cannot hold, is cut off.
func AppendString[S string | []byte](dst []byte, s S) []byte {
	if len(s) < 32 {
		return append(append(dst, fixStr|byte(len(s))), s...)
	}
	n := clampLen(len(s))
	return append(appendStrHeader(dst, n), s[:n]...)
}

// AppendBinary appends b to dst as bin and returns the extended slice. What
// lies beyond 2^32-1 bytes is cut off.
func AppendBinary(dst, b []byte) []byte {
	n := clampLen(len(b))
	switch {
	case n <= math.MaxUint8:
		dst = append(dst, bin8, byte(n))
	case n <= math.MaxUint16:
		dst = append(dst, bin16, byte(n>>8), byte(n))
	default:
		dst = binary.BigEndian.AppendUint32(append(dst, bin32), uint32(n))
	}
	return append(dst, b[:n]...)
}

// AppendExt appends an extension object of type typ with data to dst and
// returns the extended slice. Negative types are the specification's own.
// What lies beyond 2^32-1 bytes is cut off.
func AppendExt(dst []byte, typ int8, data []byte) []byte {
	n := clampLen(len(data))
	switch {
	case n == 1:
		dst = append(dst, fixExt1)
	case n == 2:
		dst = append(dst, fixExt2)
	case n == 4:
		dst = append(dst, fixExt4)
	case n == 8:
		dst = append(dst, fixExt8)
	case n == 16:
		dst = append(dst, fixExt16)
	case n <= math.MaxUint8:
		dst = append(dst, ext8, byte(n))
	case n <= math.MaxUint16:
		dst = append(dst, ext16, byte(n>>8), byte(n))
	default:
		dst = binary.BigEndian.AppendUint32(append(dst, ext32), uint32(n))
	}
	return append(append(dst, byte(typ)), data[:n]...)
}

// AppendTime appends t to dst as the specification's timestamp (ext -1) in the
// smallest of its three forms, which together hold every time.Time to the
// nanosecond, and returns the extended slice. The zone is not kept.
func AppendTime(dst []byte, t time.Time) []byte {
	sec, nsec := t.Unix(), uint64(t.Nanosecond())
	if uint64(sec) < 1<<34 {
		if nsec == 0 && sec <= math.MaxUint32 {
			dst = append(dst, fixExt4, 0xff)
			return binary.BigEndian.AppendUint32(dst, uint32(sec))
		}
		dst = append(dst, fixExt8, 0xff)
		return binary.BigEndian.AppendUint64(dst, nsec<<34|uint64(sec))
	}
	dst = append(dst, ext8, 12, 0xff)
	dst = binary.BigEndian.AppendUint32(dst, uint32(nsec))
	return binary.BigEndian.AppendUint64(dst, uint64(sec))
}

// AppendEventTime appends t to dst as Fluentd's EventTime (ext 0: seconds and
// nanoseconds, 32 bits each) and returns the extended slice. Times outside of
// 1970 to 2106, which it cannot hold, become the nearest it can.
func AppendEventTime(dst []byte, t time.Time) []byte {
	sec, nsec := t.Unix(), uint32(t.Nanosecond())
	if sec < 0 {
		sec, nsec = 0, 0
	} else if sec > math.MaxUint32 {
		sec, nsec = math.MaxUint32, 999999999
	}
	dst = append(dst, fixExt8, extEventTime)
	dst = binary.BigEndian.AppendUint32(dst, uint32(sec))
	return binary.BigEndian.AppendUint32(dst, nsec)
}

// clampLen is n, or the longest length the format can name. The types keep it
// right where int has 32 bits and no slice is that long.
func clampLen(n int) int {
	return int(min(int64(n), maxLen))
}

// appendStrHeader appends the header of a str of n bytes, n at most maxLen.
func appendStrHeader(dst []byte, n int) []byte {
	switch {
	case n < 32:
		return append(dst, fixStr|byte(n))
	case n <= math.MaxUint8:
		return append(dst, str8, byte(n))
	case n <= math.MaxUint16:
		return append(dst, str16, byte(n>>8), byte(n))
	}
	return binary.BigEndian.AppendUint32(append(dst, str32), uint32(n))
}

// strHeaderLen is the number of bytes appendStrHeader appends for n.
func strHeaderLen(n int) int {
	switch {
	case n < 32:
		return 1
	case n <= math.MaxUint8:
		return 2
	case n <= math.MaxUint16:
		return 3
	}
	return 5
}
