/*
Package expslog is package handler for programs that still log by
golang.org/x/exp/slog:

	logger := slog.New(expslog.New(os.Stderr)) // slog is golang.org/x/exp/slog

[New] takes handler's options and makes handler's records: the same bytes for
the same attrs, by the same code, in every format and profile. Records and attrs
of x/exp are turned into log/slog's on the way, without allocating for plain
kinds and groups of them.

What comes out of x/exp's own types:

  - Levels are log/slog's, which have the same numbers.
  - A LogValuer of x/exp is asked by x/exp's Value.Resolve, at the time when
    handler would ask one of log/slog; a value of kind Any that is a LogValuer,
    a Value or a []Attr of log/slog counts as what it is there.
  - *Source and Level of x/exp, also as values of attrs, are log/slog's.
  - The source is that of the record's PC.

ReplaceAttr comes in both kinds: [WithReplaceAttr] takes x/exp's, handler's own
option log/slog's.

# Limits

x/exp's Value keeps a time as nanoseconds since 1970 in 64 bits. Times before
1678 or beyond 2262, but for the zero time, have become others before this
package sees them. A record's own time is not affected, unless x/exp's
ReplaceAttr returns it changed.

Once the groups of a record have 2^20 attrs in all, a group within a group that
comes after them is "!ERROR: nesting too deep"; handler goes on up to 64 MiB.

The conversion takes time: with BenchmarkHandle and BenchmarkLogger, in one run,
whole log calls need a twentieth more than with handler for up to three attrs, a
fifth more for ten and two fifths more for groups. Handle alone needs a sixth more
than handler's for records without attrs, a quarter more for three or ten attrs, two
thirds more for groups.

# File map

	handler.go  Handler, New
	convert.go  attrs of x/exp as log/slog's, pooled
	replace.go  WithReplaceAttr, and attrs the other way
*/
package expslog
