// Package jsonmsgpack converts JSON to MessagePack and back, without a tree or
// Go values in between, and packs MessagePack from known values.
//
//	out, err := jsonmsgpack.Append(nil, []byte(`{"a":[1,2.5]}`)) // one document
//	stats, err := jsonmsgpack.NewConverter().Convert(w, r)        // a stream
//	log := zerolog.New(jsonmsgpack.NewWriter(file, jsonmsgpack.Lax())) // a logger
//	text, rest, err := jsonmsgpack.AppendJSON(nil, out)           // back
//
// # Offset patching
//
// MessagePack wants the number of a container's elements before them, JSON
// tells it behind them. So the converter writes a header of one byte,
// remembers where it is, writes the elements, and patches the header when the
// container closes. Containers of more than 15 elements need 3 or 5 bytes:
// they are kept in a list, and at the end of the document one sweep from its
// end to its beginning moves everything to its place, each byte at most once
// however deep it nests. All headers are minimal. Wide reserves five bytes
// instead and moves nothing.
//
// # What becomes what
//
// JSON to MessagePack, by default and by the presets Lax (for logs) and Strict
// (for data that must come back as it was):
//
//	JSON                            default            Lax               Strict
//	integer in -2^63..2^64-1        smallest int form  same              same
//	-0                              0                  0                 float -0.0
//	larger integer                  float64            text              error
//	number with . or exponent       float64            float64           error if it does not survive
//	1E400                           error              text              error
//	1e-400                          0.0                0.0               0.0
//	NaN, Infinity, -Infinity        error              float64           error
//	lone surrogate, invalid UTF-8   error              U+FFFD, counted   error
//	raw control character in string error              taken             error
//	\u0000                          kept               kept              kept
//	duplicate keys                  both, in order     both              error
//	depth                           10000              512               1000
//	more after the value (Append)   error              error             error
//	byte order mark                 at the start of a  skipped           error
//	                                stream skipped,
//	                                in Append an error
//	a document in a stream          ends by itself     is a line         ends by itself
//
// Each row is an option of its own too. Numbers with a point or an exponent
// are always float64, 1.0 too: a field must not change its type from record to
// record. A number survives when the float64, written with as many significant
// digits as the number has, gives it back: 0.1 does, and what a program wrote
// with %.17g; 0.1234567890123456789 does not. Nothing becomes bin or ext by a
// guess, since any path is valid base64; TimeFields names the keys whose
// RFC 3339 texts become timestamps. The order of keys is kept.
//
// MessagePack to JSON:
//
//	integers                        digits
//	float32, float64                shortest digits, with a point or an exponent (1.0)
//	NaN, infinities                 null (NonFinite: text, error)
//	str                             string, invalid UTF-8 as U+FFFD (InvalidUTF8: error)
//	bin                             base64
//	timestamp (ext -1)              RFC 3339 in UTC, with up to nine digits of the second
//	other ext                       {"type":n,"data":"base64"}
//	keys that are not str           their text: 1, 1.5, true, null, a time
//	bin, ext, container as key      error (BadKeys: their JSON as text)
//
// A document that the default policy accepts comes back equal by value, but
// for -0 without a point, and numbers that float64 does not hold: integers
// beyond 64 bits, more than 15 to 17 digits, fractions below 5e-324, which are
// 0. TimeFields lose the zone and what is below nanoseconds; a timestamp that
// RFC 3339 has no text for (years beyond 0 to 9999) comes back as ext.
//
// # What is streamed and what is held
//
//	Append       holds nothing; dst grows to the output
//	Convert      one token of input, a document of output: bounded by MaxDocument
//	ConvertAt    windows of 64 KiB on both sides, or a token if that is longer:
//	             documents may be larger than memory
//	ConvertJSON  windows of 64 KiB, or a token: likewise
//	Writer       as Convert
//
// All of them hold 24 bytes for each container that is open or outgrew its
// header (ConvertAt: that is open), and with Duplicates(LastWins) or
// Duplicates(Fail) the keys of the open objects. Nothing recurses.
//
// # Guarantees
//
// Append and AppendJSON never change dst[:len(dst)], and return it as it was
// with an error; the room behind it is scratch. Errors are *SyntaxError with
// the offset of what is wrong, in streams counted from their beginning.
// Bad input costs an error, never a panic; time is linear in the input, and
// memory is bounded by what is there, not by what lengths it claims. A reused
// Converter allocates nothing, nor do Append, AppendJSON, Writer and Packer,
// but for the room that buffers lack. Options made with arguments above 255,
// or with names, are best made once. A Converter and a Packer are for one
// goroutine at a time; Append, AppendJSON and Writer are for many.
//
// # Limits
//
// Strings, binaries, exts and counts reach 2^32-1. MaxDepth and MaxDocument
// are for the user to set. Line breaks are \n; columns count bytes.
//
// # Reading the output elsewhere
//
// Python, with msgpack; timestamps are msgpack.Timestamp, to the nanosecond,
// or with timestamp=3 datetime in UTC, to the microsecond:
//
//	with open("log.msgpack", "rb") as f:
//	    for record in msgpack.Unpacker(f, timestamp=3):
//	        print(record)
//
// JavaScript, with @msgpack/msgpack; timestamps are Date, to the millisecond,
// and integers beyond 2^53 are rounded unless useBigInt64 is set:
//
//	import { decodeMultiStream } from "@msgpack/msgpack";
//	import { createReadStream } from "node:fs";
//	for await (const record of decodeMultiStream(createReadStream("log.msgpack"))) console.log(record);
//
// Ruby, with msgpack; timestamps are unknown ext types, which are errors,
// until Time is registered for them, to the nanosecond:
//
//	require "msgpack"
//	MessagePack::DefaultFactory.register_type(-1, Time, packer: MessagePack::Time::Packer, unpacker: MessagePack::Time::Unpacker)
//	File.open("log.msgpack", "rb") { |f| MessagePack::DefaultFactory.unpacker(f).each { |record| p record } }
//
// # Specifications
//
// JSON is RFC 8259, UTF-8 RFC 3629 without surrogates, times RFC 3339.
// MessagePack is the specification at https://github.com/msgpack/msgpack,
// with str, bin and ext and the timestamp of 2017; what it calls old raw is
// not written, and read as str. EventTime is Fluentd's, of the Forward
// protocol, version 1.
//
// # Security
//
// The input may come from anyone. Depth, memory and time are bounded as said
// above; the hash of keys is seeded. Two things are for the user: duplicate
// keys, which readers resolve differently, are kept by default (Duplicates),
// and what strings hold is passed on as it is, control characters and all.
// MaxDocument bounds what one client of a Writer can make it hold.
//
// # Files
//
//	options.go                       options, presets, the config they become
//	errors.go                        SyntaxError and the sentinels
//	convert.go                       Converter, Append and its pools
//	scan.go, state.go                the state machine, and its state between runs
//	string.go, escape.go, utf8.go    strings
//	number.go, number_slow.go        numbers: the fast way and the careful way
//	float.go, pow10.go               Eisel-Lemire and its table
//	swar.go                          eight bytes at a time
//	literal.go, deep.go              words; DeepText
//	keys.go, timefield.go            Duplicates; TimeFields
//	container.go                     the list of containers, the sweep
//	feed.go, pending.go, input.go    streams: documents, tokens cut in two, the window
//	stream.go, streamat.go           Convert, ConvertAt
//	writer.go                        Writer
//	packer.go, packer_state.go       Packer; marks and fragments
//	wire.go                          MessagePack's forms, stateless appends
//	unpack.go, unpack_key.go         MessagePack to JSON
//	json.go, stream_json.go          AppendJSON, ConvertJSON
package jsonmsgpack
