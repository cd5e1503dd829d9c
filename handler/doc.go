/*
Package handler is a [slog.Handler] that formats each record itself and gives it
to any io.Writer in one call. As it comes it writes what log/slog's JSON handler
writes:

	slog.SetDefault(slog.New(handler.New(os.Stderr)))

Options choose another format ([MessagePack], [Forward]) and other names and
forms for what every record has ([Profile]). Whatever they are, a plain record
costs no allocation, and no value breaks one.

# From record to writer

Handle takes a generator and its buffer from a pool, appends the whole record,
gives it to the writer in exactly one call, and puts the pair back. The records
of all handlers derived from one [New] go through one mutex, held around the
write only. A short write is [io.ErrShortWrite]; the rest of the record is kept
and written ahead of the next one, so that a disk that was full for a while
leaves no torn record. After three records it is given up, and the next JSON
record starts with a newline.

Into a [StreamWriter], a *bytes.Buffer or a *bufio.Writer (these two exactly: a
type that embeds one has a lock of its own) long records are formatted in the
writer's own buffer, with no second buffer and no copy: from 4 KiB on, or what is
likely to be so long, since its message or the With attrs are or the record before
it was. Shorter ones take the pair's buffer, which is there anyway: for them a
copy costs less than to hold the lock longer. Streaming happens while nobody else
wants the lock, and only for plain values: at the first value that runs user code,
or when the room ends, what is done moves to the pooled buffer, the lock is
released, and formatting goes on there. User code never runs under a lock. With
[WithReplaceAttr] or [WithDedup] nothing is streamed. A bufio.Writer is flushed
before a record that does not fit, so that its cuts fall between records.

A writer that logs to its own handler deadlocks, as with log/slog. If a writer
panics the lock is released and the panic goes on to the caller.

# Formats and profiles

A [Format] is how a record is encoded:

	JSON         one object, in one line that ends with a newline
	MessagePack  one map, with nothing between records
	Forward      one entry of the Fluent Forward protocol, [EventTime, map]

MessagePack has the fields of JSON, with no JSON in between: the smallest forms
of integers, float64, bin for []byte, timestamps (ext -1, the zone is lost) for
times, nested maps for groups. Slices and maps of common types keep their numbers'
types; other values of kind Any are written by an encoder of [WithValues], by
MarshalMsgpack if they have it and it makes one object, or by way of their JSON,
with numbers beyond 64 bits as text.

Forward has what every receiver of that protocol takes: no ext inside of the
record, base64 for []byte, text for NaN and infinities and for integers above
[math.MaxInt64], at most 32 maps and arrays within each other, and beyond that
their JSON as text. The record's time is the entry's: a zero time is now, and one
before 1970 or after 2106 the nearest that EventTime can say, with the true one
as text in the field "time".

A [Profile] is how the record's own fields are called, ordered and written, and
what becomes of times, durations, bytes, errors and floats:

	            Slog         Zerolog       GoogleCloud    ECS          OTel
	time        time         time          time           @timestamp   time
	            nanoseconds  seconds       nanoseconds    nanoseconds  nanoseconds
	level       level        level         severity       log.level    level,
	            INFO+2       info          INFO           info+2       severity_number
	message     msg          message       message        message      message
	source      source       caller        logging.goo…¹  log.origin   code.… ²
	order       time first   level, attrs  time first     time first   time first
	Duration    ns           ms, float     ns             ns           ns
	[]byte      base64       text          base64         base64       base64
	NaN         !ERROR:…     "NaN"         "NaN"          "NaN"        "NaN"
	error       MarshalJSON  Error()       Error()        Error()      Error()
	failure     !ERROR:      marshaling    !ERROR:        !ERROR:      !ERROR:
	                         error:
	static                                                ecs.version
	own fields  duplicates   duplicates    protected      protected    protected
	longest                                250000 bytes

¹ logging.googleapis.com/sourceLocation. ² code.function.name, code.file.path and
code.line.number. The rows Duration and error hold for all formats, []byte and NaN
for JSON and Forward. Forward has OTel where no option says otherwise, and at most
1000000 bytes. The Zerolog profile writes zerolog's bytes; the tests compare the
two on random programs and list the exceptions.

ReplaceAttr sees log/slog's keys and types in every profile: what it leaves under
its own key gets the profile's key and form.

# One valid record, whatever the value

Each record is one line of valid JSON in valid UTF-8, or one valid MessagePack
object. No key, value, group name, time or panic breaks it:

  - A value that cannot be encoded costs its own field: "!ERROR:" and the
    reason, as log/slog has it. In JSON, NaN and infinities are such values in
    the Slog profile, and so are times whose year has not four digits, but in
    the Zerolog profile.
  - A panic in a value's method, in ReplaceAttr, in a [ValueEncoder] or in a
    context function costs its own field: "!PANIC: " and its text, "<nil>" for a
    nil pointer. A panic in a LogValue comes out as [slog.Value.Resolve] words
    it. [runtime.Goexit] ends the goroutine, but the record is written, with
    "!PANIC: runtime.Goexit" in that field's place.
  - Groups that contain themselves, or go deeper than 100, cost one field:
    "!ERROR: nesting too deep". So does a group within a group that comes after
    65536 in one record, or after 4096 deeper than 8, or once the record has
    64 MiB.
  - A group without attrs vanishes, by whatever route it became empty.
  - Keys and group names are escaped like values. Invalid UTF-8 becomes U+FFFD,
    also in the JSON that a value makes of itself.
  - A nil or cancelled context changes nothing.

Out of reach are methods that recurse without end, values deep enough to make
encoding/json exhaust the stack, and maps that another goroutine writes to while
they are logged: Go ends the program for these.

# What the options promise that look at the whole record

[WithDedup]: in each object every key is there once; the later attr wins, at its
place, and equal groups replace each other whole. The record's own fields win
over attrs outside groups that have their keys; these are kept under "attr." and
the key. Without it two equal keys stay two, but the profiles whose readers act
on time and level (GoogleCloud, ECS, OTel) protect the record's own fields always.

[WithMaxRecordSize]: no record is longer, all bytes counted. Texts are shortened
before attrs are dropped, keys last of all, and "truncated":true says that it
happened. A limit below 256 counts as 256.

[WithRedactKeys]: the values of these keys, groups too, never reach the writer,
at any depth and also inside of values of kind Any, in every format. It does not
look into texts: a secret in a message or in an error's text is written.

# The same bytes as log/slog

In the Slog profile and in JSON: for records that log/slog's JSONHandler writes as
valid JSON and by its own documentation, this handler writes the same bytes, on
the toolchain in use; the tests compare the two on random programs. It differs
where log/slog is at fault: empty groups and ReplaceAttr calls that follow them,
years with five digits (Go 1.26 and older), WithGroup(""), a nil *slog.LevelVar or
*slog.Source, panics in ReplaceAttr, cyclic groups.

# Concurrency, ownership, errors

Handlers are immutable and safe for concurrent use. WithAttrs and WithGroup
never write to memory that another handler sees. The bytes given to a writer
are lent for the call. Attr slices given to WithAttrs are not kept.

Handle returns the writer's error, which [slog.Logger] drops; [WithErrorHandler]
has it too, and otherwise standard error is told of the first one and then at
most once a minute. A record costs no allocation, except what its values'
own methods and encoding/json allocate, and the first time that a level or a
call site is met.

# File map

	handler.go        Handler, New, Handle, WithAttrs, WithGroup, Flush
	options.go        most options
	config.go         what all options collapse into
	profile.go        Format, Profile and its fields
	profiles.go       Slog, Zerolog, GoogleCloud, ECS, OTel
	generator.go      the pooled pair
	attr.go           what happens to an attr first: resolve, replace, redact, rename
	head.go           JSON: the record's own fields where nothing rewrites them
	json.go           JSON: records and plain values
	any.go            values of kind Any
	any_common.go     the common slices and maps
	pack.go           MessagePack and Forward: records
	pack_start.go     what most records begin with
	pack_attr.go      attrs of plain values, groups
	pack_maps.go      maps, patched when they close
	pack_text.go      texts
	pack_any.go       values of kind Any
	pack_common.go    the common slices and maps
	pack_deep.go      Forward: what lies deeper than receivers go
	time.go           times, in all formats
	duration.go       durations, in all formats
	level.go          levels, formatted once
	source.go         call sites, formatted once
	values.go         ValueEncoder
	keys.go           the record's own keys and those to be redacted
	nesting.go        limits on groups
	user.go           where user code is called, and what its panics become
	edit.go           WithDedup, WithRedactKeys, and changes to a whole record
	truncate.go       WithMaxRecordSize
	document.go       a record taken apart again
	document_json.go  and written again, JSON
	document_pack.go  and written again, MessagePack
	document_scan.go  values that are not to be taken apart
	writer.go         the write, its lock, torn records, Flush
	stream.go         StreamWriter and formatting in the writer's buffer
	report.go         who is told of errors

Not obvious: a generator is called directly and not through an interface, since
a record handed to an interface method escapes to the heap or has to be copied,
288 bytes, once more. In JSON fields end with a comma that the closing brace
overwrites; in MessagePack the count of a map is patched into its header when it
closes, and the prefix of WithAttrs holds maps that are still open.
Handle's deferred function is there for Goexit only.
*/
package handler
