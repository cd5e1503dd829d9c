// Command zerologswap logs the same things twice, by zerolog and by log/slog,
// into the same zerolog writers, and ends: a ConsoleWriter for people, and for
// machines a MultiLevelWriter of everything and of errors alone.
//
//	go run ./examples/zerologswap
//
// The writers stay as they are (sinks.go); what changes is how the logger is
// made, zerologsink.New in place of zerolog.New, and the calls, which are
// log/slog's: before.go and after.go stand side by side, function by function.
// What is written is the same. together.go has both on one set of writers, for
// the time in which a program is moved over file by file.
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "zerologswap:", err)
		os.Exit(1)
	}
}

func run(w io.Writer) error {
	for _, part := range []struct {
		name string
		log  func(*sinks)
	}{
		{"before, by zerolog", before},
		{"after, by log/slog", after},
		{"together", together},
	} {
		var s sinks
		part.log(&s)
		for _, out := range []struct {
			name string
			text *bytes.Buffer
		}{
			{"people", &s.people}, {"machines", &s.machines}, {"errors", &s.errors},
		} {
			if _, err := fmt.Fprintf(w, "# %s: %s\n%s", part.name, out.name, out.text); err != nil {
				return err
			}
		}
	}
	return nil
}
