// Command lumberjack logs to a file that is rotated by size, by the writer of
// gopkg.in/natefinch/lumberjack.v2, with a Buffer before it:
//
//	go -C examples/rotate/lumberjack run .
//
// Lumberjack takes a lock and makes a system call for every record that it is
// given. The Buffer gives it a quarter of its size at a time, which begins and
// ends with a whole record, so that rotation cuts between records as before.
// Blocks must be smaller than MaxSize, which lumberjack does not write beyond:
// MaxSize is a megabyte at least, and a block 64 KiB unless WithSize says more;
// records longer than MaxSize are refused by lumberjack in any case.
//
// This module is apart from the main one, so that nobody gets lumberjack who
// does not use it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"gopkg.in/natefinch/lumberjack.v2"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/sink"
)

func main() {
	n := flag.Int("n", 30_000, "how many `records` to log")
	flag.Parse()
	dir, err := os.MkdirTemp("", "lumberjack")
	if err == nil {
		err = run(dir, *n)
		err = errors.Join(err, list(dir), os.RemoveAll(dir))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "lumberjack:", err)
		os.Exit(1)
	}
}

// run logs n records to app.log in dir.
func run(dir string, n int) (err error) {
	file := &lumberjack.Logger{
		Filename: filepath.Join(dir, "app.log"),
		MaxSize:  1, // megabytes
	}
	buffer := sink.NewBuffer(file, sink.WithPolicy(sink.Block))
	// The Buffer first: it still has records for the file.
	defer func() { err = errors.Join(err, buffer.Close(), file.Close()) }()

	logger := slog.New(handler.New(buffer))
	for i := range n {
		logger.Info("request answered", "n", i, "method", "GET", "path", "/items/7", "status", 200)
	}
	return nil
}

// list prints the files that came of it.
func list(dir string) error {
	files, err := os.ReadDir(dir)
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			return err
		}
		fmt.Printf("%8d bytes %s\n", info.Size(), f.Name())
	}
	return err
}
