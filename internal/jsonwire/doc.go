// Package jsonwire appends the scalars of JSON text: strings in three dialects
// of escapes, integers, floats and times. It knows nothing of objects, commas
// or records.
//
// Every function takes the destination slice, appends to it and returns it, as
// append does; none keeps dst or its argument. All functions are safe for
// concurrent use; a [TimeCache] is not.
//
// File map: string.go (quotes and escapes), scan.go (where the next byte to
// escape is), number.go (integers, floats), time.go (RFC 3339, TimeCache).
package jsonwire
