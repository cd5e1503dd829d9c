/*
Package zerologsink puts zerolog's writers and marshalers under log/slog, and
zerolog's loggers onto this module's writers:

	slog.SetDefault(slog.New(zerologsink.New(zerolog.ConsoleWriter{Out: os.Stderr})))

# slog handlers on zerolog's writers

[New] is [handler.New] with three things added. A zerolog.LevelWriter gets each
record's level. A writer that belongs to zerolog gets records with the keys and
forms that zerolog writes, since ConsoleWriter and the journald writer read
them. And values that are zerolog's marshalers are written as zerolog writes
them. [Levels] and [Values] are the parts, for programs that call handler.New
themselves.

Levels are mapped as the Zerolog profile names them: below -4 trace, below 0
debug, below 4 info, below 8 warn, below 12 error, below 16 fatal, else panic.
So a writer never sees a level outside of trace and panic, which
SyslogLevelWriter would panic at. Fatal and panic are names here: the program is
not ended and nothing panics, because only zerolog's Logger does that, and no
Logger is involved.

Writers that take text only (ConsoleWriter, TestWriter, TriggerLevelWriter,
those of syslog and journald, inside of MultiLevelWriter and the other wrappers
too) refuse MessagePack and Forward; the error handler is told once, and JSON is
written.

# zerolog loggers on this module's writers

[Writer] makes a zerolog.LevelWriter of a handler.LevelWriter or any io.Writer.
zerolog loggers and slog handlers that are given the same Writer share it, line
by line.

# Concurrency and ownership

Everything here is safe for concurrent use. Bytes are lent to the writers for
the call. A program that changes zerolog's variables (field names, time format,
LevelFieldMarshalFunc) does so before it calls New, which reads them once.

# File map

	sink.go     New, Levels: zerolog writers as the handler's
	inspect.go  what a writer is made of, by reflection
	profile.go  the Zerolog profile by zerolog's variables
	level.go    levels, both ways
	values.go   Values: zerolog's marshalers
	writer.go   Writer: the handler's writers as zerolog's
*/
package zerologsink
