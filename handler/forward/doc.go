/*
Package forward sends log records to Fluent Bit, fluentd, an OpenTelemetry
Collector or any other receiver of the Fluent Forward protocol:

	fw, err := forward.Dial(ctx, "127.0.0.1:24224", forward.WithTag("shop.orders"))
	…
	defer fw.Close()
	slog.SetDefault(slog.New(handler.New(fw)))

handler.New learns from the Writer that it wants the Forward format. Loggers
that write JSON, one object a line, work as they are: zerolog.New(fw),
slog.NewJSONHandler(fw, nil), io.MultiWriter. Several may share one Writer.

The package is experimental until the module's first release: its API may
change, what is said here about delivery will not.

# What is promised

  - Dial returns at once. A receiver that is down, at the start or later, is a
    state and not an error: records wait in a queue that is bounded in bytes
    ([WithBufferBytes], 16 MiB), all that is built, waits or is on its way
    included. There is no spool on disk: what is in the queue when the process
    is killed is lost.
  - Nobody who logs waits longer than [WithBlockTimeout], 100 ms, and once
    nothing has moved for so long nobody waits at all until something does. Then
    the newest record is dropped and counted; [WithPolicy] has the alternatives.
    When there is room again, a record of ours in the stream says how many were
    dropped.
  - Acknowledged frames leave the queue. Frames whose acknowledgement does not
    come are sent again, with the same chunk id, after the connection has been
    made anew: at least once. Receivers do not remove duplicates; what may have
    arrived twice is counted in [Stats].Resent.
  - At every moment Accepted = Acknowledged + Dropped + Refused + Pending, in
    records.
  - A record that a receiver does not take is found, dropped, counted as refused
    and told to the error handler, and the others go through. Its bytes are told
    on request only ([WithRefusedBytes]): they may hold secrets.
  - From slog.LevelError up a batch is sent at once, without waiting for it.
    What other loggers give by Write counts as Info, whatever its text says.
  - A record costs no allocation, and one copy, or none where it is long and the
    handler formats it in the batch.
  - Close ends within [WithCloseTimeout], 5 s, and says how many records it
    could not deliver. No goroutine is left.

# What an acknowledgement means

It depends on the receiver. Fluent Bit acknowledges what it has received, before
it decodes it. fluentd acknowledges what is in its buffer. OpenTelemetry's
receiver acknowledges what its pipeline has accepted; with a batch processor
behind it, that is memory. With [WithoutAcks] it only means that the operating
system took the bytes.

A receiver that answers {} during an outage of its own, or hangs up after each
frame, looks like one that dislikes the record. It costs a record that is alone
in the queue: 8 refusals with nothing else to prove the receiver well, 11 to 23 s
with the default pauses, and it is given up and counted in [Stats].Refused. An
outage with a frame taken in between may cost those that were refused alone before
and after it. Let such a receiver stop listening instead, which refuses nothing, or
leave frames unanswered, which counts only where others were acknowledged. Or have
longer pauses, 92 to 183 s in all by WithBackoff(time.Second, time.Minute). Or keep
what was refused: with [WithRefusedBytes] the error handler gets the record in a
[*RefusedError].

# What receivers need

The Writer keeps the rules that OpenTelemetry Collector v0.161.0, fluentd 1.16.5,
Fluent Bit 5.1.1 and npm's @fluent-org/logger 1.0.10 have together, and refuses
entries that break them: times as EventTime, keys as str, no ext in a record,
finite floats, integers up to 2^63-1, valid UTF-8, at most 32 containers deep,
frames of about 1 MB at most. package handler writes such entries, and JSON is
converted by the same rules: what does not fit becomes text. A JSON record's
time is taken from its field time: text in the form of RFC 3339 leaves the record
for it, a number of seconds, milli-, micro- or nanoseconds stays. OpenTelemetry
takes the field message as the body, which is what zerolog and the profile OTel
call it; log/slog's own msg leaves the body empty.

# Security

The protocol is cleartext. [WithSharedKey] and [WithUser] prove who talks to
whom, and encrypt nothing. Prefer a unix socket to a receiver on the same machine,
or [WithTLS]. OpenTelemetry's receiver has neither TLS nor the handshake: keep it
on the loopback interface. Nothing of the handshake is ever logged or part of an
error.

# When not to use it

In a container whose standard output is collected, writing JSON there is simpler
and outlives the process. Use this package where there is a receiver on the node
or beside the service, where lines are longer than the 16 KiB at which container
runtimes cut, or where standard output is not collected.

# File map

	forward.go     Writer, Dial, LogFormat
	options.go     the options, and the config they collapse into
	addr.go        addresses
	write.go       Write, WriteLevel, Reserve, Commit
	entry.go       what an entry must be
	jsonrecord.go  the JSON of other loggers
	wire.go        reading MessagePack
	queue.go       chunks, blocks, what memory there is
	wait.go        a full queue
	note.go        the record that tells of drops
	frame.go       frames, gzip
	sender.go      the goroutine that sends
	link.go        connections, backoff, the goroutine that reads
	failover.go    going back to a better receiver
	handshake.go   shared key and user
	answer.go      acknowledgements and what else receivers say
	poison.go      records that receivers do not take
	close.go       Flush, Close, Shutdown
	stats.go       Stats
	report.go      who is told of errors
	internal/receiver  a strict receiver with faults, for tests
	internal/e2e       tests with real receivers, a module of its own
*/
package forward
