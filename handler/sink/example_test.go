package sink_test

import (
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/sink"
)

// withoutTime is for examples whose output is compared.
func withoutTime() handler.Option {
	p := handler.Slog()
	p.TimeKey = ""
	return handler.WithProfile(p)
}

func ExampleNewBuffer() {
	b := sink.NewBuffer(os.Stdout,
		sink.WithSize(1<<20),
		sink.WithInterval(500*time.Millisecond),
		sink.WithErrorHandler(func(err error) { fmt.Fprintln(os.Stderr, err) }))
	logger := slog.New(handler.New(b, withoutTime()))

	logger.Info("held back", "n", 1)
	logger.Error("written at once, and what came before it", "n", 2)
	fmt.Println("---")
	logger.Info("written by Close")
	if err := b.Close(); err != nil {
		fmt.Println(err) // how many records were not written, and why
	}
	// Output:
	// {"level":"INFO","msg":"held back","n":1}
	// {"level":"ERROR","msg":"written at once, and what came before it","n":2}
	// ---
	// {"level":"INFO","msg":"written by Close"}
}

// Stats says what became of every record.
func ExampleBuffer_Stats() {
	b := sink.NewBuffer(os.Stdout)
	logger := slog.New(handler.New(b, withoutTime()))
	logger.Info("one")
	b.Close()
	logger.Info("too late")
	s := b.Stats()
	fmt.Println(s.Accepted, "=", s.Delivered, "+", s.Dropped, "+", s.Refused, "+", s.Pending)
	// Output:
	// {"level":"INFO","msg":"one"}
	// 2 = 1 + 0 + 1 + 0
}

// The standard library's log.Fatal ends the program without deferred calls. A
// log.Logger whose records have level Error is flushed before that.
func ExampleWithFlushLevel() {
	b := sink.NewBuffer(os.Stdout, sink.WithFlushLevel(slog.LevelError))
	defer b.Close()
	h := handler.New(b, withoutTime())
	old := slog.NewLogLogger(h, slog.LevelError)
	old.Print("log.Fatal writes like this")
	fmt.Println("and is written")
	_ = log.Fatal
	// Output:
	// {"level":"ERROR","msg":"log.Fatal writes like this"}
	// and is written
}

// Rotation: somebody renames the file, usually another program that then sends
// a signal, and Reopen goes on under the old name.
func ExampleFile_Reopen() {
	dir, err := os.MkdirTemp("", "sink")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "app.log")

	f, err := sink.OpenFile(path)
	if err != nil {
		log.Fatal(err)
	}
	b := sink.NewBuffer(f)
	logger := slog.New(handler.New(b, withoutTime()))

	logger.Info("before")
	err = errors.Join(
		b.Flush(), // or the record goes to the new file
		os.Rename(path, path+".1"),
		f.Reopen())
	if err != nil {
		log.Fatal(err)
	}
	logger.Info("after")
	if err := errors.Join(b.Close(), f.Close()); err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{path + ".1", path} {
		text, _ := os.ReadFile(name)
		fmt.Println(filepath.Base(name), strings.TrimSpace(string(text)))
	}
	// Output:
	// app.log.1 {"level":"INFO","msg":"before"}
	// app.log {"level":"INFO","msg":"after"}
}
