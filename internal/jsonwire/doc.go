// Package jsonwire appends the scalars of JSON text: strings in three dialects
// of escapes, integers, floats and times. It knows nothing of objects, commas
// or records.
//
// Every function takes the destination slice, appends to it and returns it, as
// append does; none keeps dst or its argument. Bytes of dst's array beyond the
// returned length may have been written, and dst may be grown up to 72 bytes
// before it is full; with that much room to spare nothing allocates. All functions
// are safe for concurrent use; a [TimeCache] is not.
//
// The output is that of the standard library, byte for byte, which the fuzz
// targets hold: strings of encoding/json and log/slog in the running toolchain,
// integers of strconv, floats of encoding/json, times of time.AppendFormat.
//
// Why not call those: they look at one byte at a time, and half of what a log
// record costs is spent here. Strings are read eight bytes at a time, a float
// with few decimals is found by one multiplication and proved by one division,
// and a second is formatted once for all records that fall into it.
//
// File map: string.go (dialects, strings), escape.go (what is escaped in them),
// scan.go (words of eight bytes, runs of UTF-8), number.go (integers), float.go,
// time.go (RFC 3339, TimeCache).
package jsonwire
