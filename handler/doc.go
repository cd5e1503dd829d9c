/*
Package handler is a [slog.Handler] that writes what log/slog's JSON handler
writes, several times faster, without garbage, and without ever writing a broken
record:

	slog.SetDefault(slog.New(handler.New(os.Stderr)))

# From record to writer

Handle takes a generator and its buffer from a pool, appends the whole record,
gives it to the writer in exactly one call, and puts the pair back. The records
of all handlers derived from one [New] go through one mutex, held around the
write only. A short write is [io.ErrShortWrite]; the rest of the record is kept
and written ahead of the next one, so that a disk that was full for a while
leaves no torn line. After three records it is given up, and the next record
starts with a newline.

Into a [StreamWriter], a *bytes.Buffer or a *bufio.Writer (these two exactly:
a type that embeds one has a lock of its own) the record is formatted in the
writer's own buffer, with no second buffer and no copy. That happens while
nobody else wants the lock, and only for plain values: at the first value that
runs user code, or when the room ends, what is done moves to the pooled buffer,
the lock is released, and formatting goes on there. User code never runs under a
lock. A bufio.Writer is flushed before a record that does not fit, so that its
cuts fall between records.

A writer that logs to its own handler deadlocks, as with log/slog. If a writer
panics the lock is released and the panic goes on to the caller.

# One valid record, whatever the value

Each record is one line of valid JSON in valid UTF-8. No key, value, group name,
time or panic breaks it:

  - A value that cannot be encoded costs its own field: "!ERROR:" and the
    reason, as log/slog has it. NaN and infinities are such values, and times
    whose year has not four digits.
  - A panic in a value's method, in ReplaceAttr or in a context function costs
    its own field: "!PANIC: " and its text, "<nil>" for a nil pointer. A panic
    in a LogValue comes out as [slog.Value.Resolve] words it. [runtime.Goexit]
    ends the goroutine, but the record is written, with "!PANIC:
    runtime.Goexit" in that field's place.
  - Groups that contain themselves, or go deeper than 100, cost one field:
    "!ERROR: nesting too deep". So does what comes after 65536 groups in one
    record or 4096 of them deeper than 8, and a group within a group once the
    record has 64 MiB.
  - A group without attrs vanishes, by whatever route it became empty.
  - Keys and group names are escaped like values. Invalid UTF-8 becomes U+FFFD,
    also in the JSON that a value makes of itself.
  - A nil or cancelled context changes nothing.

Out of reach are methods that recurse without end, values deep enough to make
encoding/json exhaust the stack, and maps that another goroutine writes to while
they are logged: Go ends the program for these. Duplicate keys are written as
they come.

# The same bytes as log/slog

For records that log/slog's JSONHandler writes as valid JSON and by its own
documentation, this handler writes the same bytes, on the toolchain in use; the
tests compare the two on random programs. It differs where log/slog is at fault:
empty groups and ReplaceAttr calls that follow them, years with five digits (Go
1.26 and older), WithGroup(""), a nil *slog.LevelVar or *slog.Source, panics in
ReplaceAttr, cyclic groups.

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

	handler.go    Handler, New, Handle, WithAttrs, WithGroup, Flush
	options.go    the options, and the config they collapse into
	profile.go    Format, Profile, levels
	generator.go  the pooled pair
	json.go       JSON: the record's own fields and the walk over attrs
	any.go        JSON: values of kind Any
	source.go     call sites, formatted once
	user.go       where user code is called, and what its panics become
	nesting.go    limits on groups
	writer.go     the write, its lock, torn records, Flush
	stream.go     StreamWriter and formatting in the writer's buffer
	report.go     who is told of errors

Not obvious: a generator is called directly and not through an interface, since
a record handed to an interface method escapes to the heap or has to be copied,
288 bytes, once more. Fields end with a comma that the closing brace overwrites.
Handle's deferred function is there for Goexit only.
*/
package handler
