package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
)

// Exit statuses, a promise to scripts.
const (
	exitOK     = 0 // all converted, all shown
	exitFailed = 1 // some of the input is broken; the rest is converted
	exitUsage  = 2 // usage, files, interrupted: nothing to do with the input
)

func main() { os.Exit(run(os.Args[1:])) }

// An app is one run of the command.
type app struct {
	stdin, stdout, stderr *os.File
	told                  io.Writer // stderr, but for tests
	// What may have a line on stderr. A signal may want to say something too.
	progress atomic.Pointer[progress]
}

func run(args []string) (code int) {
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, told: os.Stderr}
	// A user of the command can do nothing with a stack trace.
	defer func() {
		if p := recover(); p != nil {
			a.say("internal error, please report it: %v", p)
			code = exitUsage
		}
	}()
	name := ""
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	switch name {
	case "encode":
		return a.encode(args)
	case "decode":
		return a.decode(args)
	case "cat":
		return a.cat(args)
	case "version", "-version", "--version":
		return a.print("jsonmsgpack " + version() + "\n")
	case "help", "-h", "-help", "--help":
		if len(args) == 0 {
			return a.print(helpMain)
		}
		if text, ok := helps[args[0]]; ok {
			return a.print(text)
		}
		name = args[0]
	case "":
		io.WriteString(a.stderr, helpMain)
		return exitUsage
	}
	hint := ""
	if s := nearest(name, []string{"encode", "decode", "cat", "help", "version"}); s != "" {
		hint = "; did you mean " + s + "?"
	}
	what := "command"
	if strings.HasPrefix(name, "-") {
		what = "option"
		hint = "; options come after encode, decode or cat"
	}
	return a.usage("", "there is no %s %s%s", what, name, hint)
}

// print writes text that was asked for.
func (a *app) print(text string) int {
	if _, err := io.WriteString(a.stdout, text); err != nil {
		return a.fail(err)
	}
	return exitOK
}

// say writes a message to standard error. What it holds may come from the
// input or from file names, so it is made safe for a terminal.
func (a *app) say(format string, args ...any) {
	a.progress.Load().clear()
	text := appendSafe(nil, []byte(fmt.Sprintf(format, args...)), safeText)
	a.told.Write(append(append([]byte("jsonmsgpack: "), text...), '\n'))
}

// fail reports an error that is not the input's.
func (a *app) fail(err error) int {
	a.say("%s", strings.TrimPrefix(err.Error(), "jsonmsgpack: "))
	return exitUsage
}

// usage reports a mistake in the arguments, and where help is.
func (a *app) usage(command, format string, args ...any) int {
	a.say(format, args...)
	if command != "" {
		command += " "
	}
	a.say("see: jsonmsgpack %s-h", command)
	return exitUsage
}

// version is what the Go command noted of the module when it built this.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
