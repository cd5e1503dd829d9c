// Command jsonmsgpack converts JSON to MessagePack and back, and makes logs
// readable: as a development console, after the fact, and after damage.
//
//	go install github.com/slogpack/slogpack/jsonmsgpack/cmd/jsonmsgpack@latest
//
// What becomes of what, and why, is documented in package jsonmsgpack, whose
// options those of encode and decode are.
//
//	Jsonmsgpack converts JSON to MessagePack and back, and makes logs readable.
//
//	Usage:
//	  jsonmsgpack encode [options] [file ...]    JSON to MessagePack
//	  jsonmsgpack decode [options] [file ...]    MessagePack to JSON
//	  jsonmsgpack cat [options] [file ...]       logs of either kind, for people
//	  jsonmsgpack help [command]                 this, or all about a command
//	  jsonmsgpack version
//
//	Without a file, and for the file -, standard input is read. Options may stand
//	before and after the files; -- ends them.
//
//	Exit status:
//	  0  everything was converted or shown
//	  1  some of the input is broken: each line, or the place, is listed on
//	     standard error, and the rest converted as far as the command says
//	  2  usage, a file that cannot be read or written, an interruption
//
//	Examples:
//	  jsonmsgpack encode -o data.msgpack data.json
//	  jsonmsgpack decode data.msgpack | jq .
//	  go run . 2>&1 | jsonmsgpack cat --pretty
//
// # Encode
//
//	Usage: jsonmsgpack encode [options] [file ...]
//
//	Encode converts the JSON documents of the files, any number in each, to
//	MessagePack. Documents may span lines; the first error stops. With --lines each
//	line is a document, and a bad one costs only itself.
//
//	Output:
//	  -o FILE            write to FILE instead of standard output, under a
//	                     temporary name until it is whole; documents may then be
//	                     larger than memory (but not with --dup last)
//	  --stats            print what was counted to standard error at the end
//	  --wide             headers of five bytes for all containers: faster, larger
//
//	Input:
//	  --lines            each line is a document; those that fail are listed on
//	                     standard error, and the exit status is 1
//	  --workers N        convert lines with N workers, in order; 0: one for each
//	                     core; implies --lines
//	  --depth N          at most N containers within each other (10000; 512 with
//	                     --lax, 1000 with --strict)
//	  --deep-text        what lies deeper becomes its JSON text, not an error
//	  --max-document N   at most N bytes for a document or a line, and with -o for
//	                     a string; K, M and G are understood (64M)
//
//	What becomes of what:
//	  --lax              for logs: numbers that do not fit become text, broken
//	                     text U+FFFD, NaN and raw control characters are taken;
//	                     implies --lines
//	  --strict           nothing may change: numbers that float64 cannot give
//	                     back, duplicate keys, byte order marks are errors
//	  --big HOW          integers beyond 64 bits, numbers beyond float64: float
//	                     (1e400 is an error), text or fail
//	  --int64            integers from 2^63 up are treated as --big says too
//	  --dup HOW          keys that an object has twice: keep, last or fail
//	  --utf8 HOW         invalid UTF-8 and lone surrogates: replace or fail
//	  --time-field NAME  RFC 3339 text under this key becomes a timestamp; may be
//	                     given again, or with commas
//
//	On a terminal, the progress of a large conversion is shown on standard error.
//
//	Examples:
//	  jsonmsgpack encode -o data.msgpack data.json
//	  jsonmsgpack encode --lax --workers 0 --stats -o app.msgpack app.log
//	  curl -s https://example.com/api | jsonmsgpack encode | wc -c
//
// # Decode
//
//	Usage: jsonmsgpack decode [options] [file ...]
//
//	Decode converts the MessagePack objects of the files, any number in each, to
//	JSON, one a line. Timestamps become text by RFC 3339, binaries base64, other
//	exts {"type":n,"data":base64}. The first error stops, with all objects before
//	it written; to a file that is given with -o, nothing is written then. On a
//	terminal, what would act on it is shown as \u escapes, and it still is JSON.
//
//	Output:
//	  -o FILE            write to FILE instead of standard output, under a
//	                     temporary name until it is whole
//	  --stats            print what was counted to standard error at the end
//
//	Input:
//	  --depth N          at most N containers within each other (10000; 512 with
//	                     --lax, 1000 with --strict)
//	  --max-document N   at most N bytes for a string, binary or ext; K, M and G
//	                     are understood (64M)
//
//	What becomes of what:
//	  --lax              the same as --non-finite text --bad-keys text
//	  --strict           the same as --non-finite fail --bad-keys fail --utf8 fail
//	  --non-finite HOW   NaN and infinities: null, text or fail (null)
//	  --bad-keys HOW     keys that are binaries, exts or containers: text or fail
//	                     (fail)
//	  --utf8 HOW         invalid UTF-8: replace or fail (replace)
//
//	On a terminal, the progress of a large conversion is shown on standard error.
//
//	Examples:
//	  jsonmsgpack decode data.msgpack
//	  jsonmsgpack decode -o data.json data.msgpack
//	  tail -c +1 -f app.msgpack | jsonmsgpack decode | jq .msg
//
// # Cat
//
//	Usage: jsonmsgpack cat [options] [file ...]
//
//	Cat shows log records, one a line: time, level, message, then the attrs as
//	key=value, those in groups as group.key=value. It reads MessagePack, entries of
//	the Fluent Forward protocol and lines of JSON, told apart by how each begins,
//	and knows the keys of log/slog, zerolog, ECS, Google Cloud and OpenTelemetry.
//	Lines that are not JSON are shown as they are. Nothing that a log holds acts on
//	the terminal: control characters, escapes and marks that turn the direction of
//	text are shown as escapes, invalid UTF-8 as U+FFFD.
//
//	How:
//	  --pretty           times in one format, in colour on a terminal, texts of
//	                     several lines over several lines
//	  --color WHEN       auto (with --pretty on a terminal, unless NO_COLOR is
//	                     set), always or never
//	  --json             records as lines of JSON, for programs; other lines are
//	                     left out
//
//	What:
//	  --level LEVEL      records of at least this level: trace, debug, info, warn,
//	                     error, fatal, panic, INFO+2; what has no level is shown
//	  --grep PATTERN     what matches the regular expression, as shown in one line
//	                     without colour; (?i) at its beginning ignores case
//	  -f, --follow       wait for more at the end of the file, and go on when it is
//	                     cut or another file takes its name; Ctrl-C ends
//	  --resync           after damage in MessagePack, look for the next whole
//	                     record instead of stopping; a record is found by its keys
//
//	Damage, and a last record that is cut off, are reported on standard error with
//	their offset, and the exit status is 1; everything whole before is shown.
//
//	When standard input is a pipe, the first Ctrl-C is left to the program that
//	writes to it, whose last records are still shown; the second ends.
//
//	Examples:
//	  go run . 2>&1 | jsonmsgpack cat --pretty
//	  jsonmsgpack cat --level warn --grep 'user=4711' app.msgpack
//	  jsonmsgpack cat -f --pretty /var/log/app.log
//	  jsonmsgpack cat --resync --json broken.msgpack >saved.jsonl
//
// # Files
//
// A file that is written with -o gets its name when it is whole; until then it
// lies beside it as .NAME.tmp and a number, and is removed when the conversion
// fails or is interrupted. It keeps the permissions of the file it replaces,
// not its owner; a link stays a link, and the file it leads to is replaced. A
// device or a pipe is written to. Lines that fail do not keep the others from
// the file; anything else that is wrong does.
//
// # Terminals
//
// Progress is shown if standard error is a terminal, the output is not on one,
// and the input has 8 MiB or more. MessagePack is not written to a terminal
// without -o -. What cat and decode show there is printable text and, in cat,
// colours of its own.
//
// # Damage
//
// MessagePack has no marks between records. Cat takes the input for damaged
// where a record is not well formed, and where what follows it is no beginning
// of another while inside of it there is one: a writer that died left a torn
// record, and the next one wrote on. With --resync it looks for the next record
// of up to 1 MiB: one with a time, a level or a message, and with the same first
// key as the last record or with another record behind it. A group inside of
// the damage that looks like that is taken for one; and where a record was torn
// right before its last value, the next one is that value. Whether a record
// seems to go on into another may hang on how much of the stream is there when
// it is looked at.
//
// # How it is made
//
// main.go (commands), flags.go, options.go, help.go, convert.go (encode and
// decode), workers.go (lines in parallel), input.go, output.go (temporary
// files), progress.go, terminal.go (what a terminal may get); of cat: cat.go
// (options), records.go (the stream), wire.go (where an object ends), record.go
// (time, level and message), show.go (layout), resync.go, follow.go.
package main
