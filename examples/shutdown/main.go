// Command shutdown shows how a program whose log is buffered ends without
// losing a record: by a signal, by a panic in main or in a goroutine, by
// os.Exit after an error, and by the standard library's log.Fatal.
//
//	go run ./examples/shutdown                  each of them, in a program of its own
//	go run ./examples/shutdown -end=panic -log=app.log
//
// File map: main.go (the log and how it is closed), ends.go (the ways to end),
// demo.go (starts each and counts what is in its file).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/sink"
)

// grace is how long the log may take at the end, less than what an orchestrator
// waits until it kills.
const grace = 5 * time.Second

func main() {
	end := flag.String("end", "", "how to end: sigterm, panic, goroutine, exit, fatal; empty tries each")
	path := flag.String("log", "shutdown.log", "the log `file`")
	flag.Parse()
	var err error
	if *end == "" {
		err = demo()
	} else {
		err = run(*end, *path)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "shutdown:", err)
		os.Exit(1)
	}
}

// run is what main is in an ordinary program: everything that has to be undone
// is deferred here, since os.Exit in main runs no deferred calls.
func run(end, path string) (err error) {
	l, err := openLog(path)
	if err != nil {
		return err
	}
	// Runs when run returns, and when it panics. It says what was lost.
	defer func() { err = errors.Join(err, l.close()) }()
	// Runs before that.
	defer l.logPanic()

	how, ok := ends[end]
	if !ok {
		return fmt.Errorf("no way to end is called %q", end)
	}
	return how(l)
}

// logFile is a log in a file, through a Buffer.
type logFile struct {
	*slog.Logger
	buffer *sink.Buffer
	file   *sink.File
}

func openLog(path string) (*logFile, error) {
	f, err := sink.OpenFile(path)
	if err != nil {
		return nil, err
	}
	b := sink.NewBuffer(f,
		// So that nothing is written in time by chance.
		sink.WithInterval(time.Hour),
		// How long a call that logs an error may wait for the disk: with an
		// os.Exit behind it nobody else does.
		sink.WithBlockTimeout(time.Second))
	return &logFile{slog.New(handler.New(b)), b, f}, nil
}

// close writes what the Buffer holds, and closes the file.
func (l *logFile) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	return errors.Join(l.buffer.Shutdown(ctx), l.file.Close())
}

// logPanic is deferred in main and in every goroutine: a panic that no function
// of its own goroutine recovers ends the program, and then no other goroutine's
// deferred calls run. So the log is flushed here, before the panic goes on.
func (l *logFile) logPanic() {
	if v := recover(); v != nil {
		l.Error("panic", "value", fmt.Sprint(v), "stack", string(debug.Stack()))
		_ = l.buffer.Flush() // takes no longer than five seconds
		panic(v)
	}
}
