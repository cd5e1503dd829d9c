/*
Package sink has two writers to put behind a logger: a [Buffer], which has
records written many at a time and loses none silently, and a [File], which is
appended to and can be opened anew for rotation.

	f, err := sink.OpenFile("app.log")
	if err != nil { … }
	b := sink.NewBuffer(f)
	defer f.Close()
	defer b.Close()
	slog.SetDefault(slog.New(handler.New(b)))

# What becomes of a record

A slog handler puts its records into the Buffer's memory without garbage: short
ones by one copy, those from 4 KiB on formatted in place. Any other logger gives
them by Write, one record a call, and several of both kinds may use one Buffer at
once. A goroutine gives the records to the writer, in the order in which they
came, a block at a time, which is a quarter of the buffer: when half of the buffer
is full; after an interval, one second; and at once from a level up, Error, in
which case the call that logs returns when the record has been written, or after
the block timeout, 100 ms.

Every call of the writer begins and ends at the end of a record. If the writer
takes only part of what it is given, or nothing, or panics, the rest is given to
it again, after a pause of a millisecond at first and a second at last, and no
error is remembered: when the disk has room again, the file is continued where
it ended. A writer that panics or returns an impossible count is taken to have
written nothing of that call.

If the writer is slower than the loggers, or does not return, the Buffer fills
up, and callers wait, at most for the block timeout; then the record that finds
no room is dropped and counted. Once nothing has been written for that long, no
caller waits any more until something is: a disk that stalls costs a service one
timeout, not one a record. [WithPolicy] chooses to wait without end, or to drop
the oldest. When writing goes on, a record of the Buffer's own stands where the
dropped ones would have been:

	{"time":…,"level":"WARN","msg":"slogpack: log records were dropped, the buffer was full","dropped_records":12,"dropped_bytes":3511,"dropped_since":…}

It is JSON, a MessagePack map, an entry of the Forward protocol or a line of
text, as the first bytes of the record behind it are, or, if it is the last, of
the block before it. Its fields are named by the profile that [WithFormat] gives.

[Buffer.Stats] has the counts. At every moment, in records and in bytes,

	Accepted = Delivered + Dropped + Refused + Pending

Memory is bounded by [WithSize], and one record that is longer than a quarter of
that; see there.

# What is guaranteed when the program ends

After [Buffer.Close] or Shutdown returned nil, the writer has every record. If
they return an error, it says how many records it has not; they take no longer
than five seconds, or as told. After Flush returned nil, the writer has every
record that was logged before the call. After a log call from the flush level up
returned, the writer has that record and all before it, unless it failed or took
longer than the block timeout. So a program that logs an error and calls os.Exit
loses nothing; one that logs at Info and calls os.Exit, or dies of a panic, a
signal or the kernel, loses up to an interval's records unless it calls Close or
Flush first. A log.Fatal of the standard library is safe through
[slog.NewLogLogger] at LevelError, and not through log.SetOutput(b), which knows
no level. examples/shutdown shows each of these.

What a File was given is with the kernel, and outlives the program. It outlives a
power cut after [File.Sync], or after each Write with [WithSync].

A program that is killed within a write may leave half a record at the end of the
file. [OpenFile] and Reopen put that right, see there.

# Do not

  - give one Buffer's writer to somebody else, unless it is safe for concurrent
    use: two Buffers on one os.File may tear each other's records;
  - put a Buffer before a writer that wants one record a call, such as a
    datagram socket: it gets a block of them;
  - wait, in the writer or the error handler, for the Buffer that calls it. To
    log to it is allowed, but for policy Block.

# File map

	options.go  the options, and the config they collapse into
	buffer.go   Buffer, NewBuffer, Write, WriteLevel, Reserve, Commit
	block.go    blocks of records, and the memory they take
	room.go     waiting for room, and what is dropped
	write.go    the goroutine that writes: order, retries, flushes
	wait.go     waiting for the Buffer to change
	close.go    Flush, Shutdown, Close
	note.go     the record that tells of dropped ones
	stats.go    the counts
	report.go   who is told of errors
	errno.go    (and errno_plan9.go) the one error number that differs
	file.go     File: OpenFile, Write, Reopen
	repair.go   the end of a file that exists already
	skip.go     where MessagePack records end

Not obvious: the goroutine runs only while there is something to write, so that
a Buffer that nobody closes leaks none. Blocks, and not one ring, because the
block that a stalled writer holds cannot be reused, and what is dropped to make
room must be contiguous. The block being written, or written in part, is never
dropped but by Close, so that no record is torn.
*/
package sink
