// Command msgpackfile logs into a file as MessagePack and reads it back, first
// with package jsonmsgpack and then with the command of the same name, and
// ends. The file lies in a temporary directory that is removed.
//
//	go run ./examples/msgpackfile
//
// With -o the file stays, to be looked at with the command, or from another
// language (handler/README.md shows how):
//
//	go run ./examples/msgpackfile -o app.msgpack
//	go run ./jsonmsgpack/cmd/jsonmsgpack cat --pretty app.msgpack
//
// File map: main.go (writing and reading), command.go (finding the command).
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/jsonmsgpack"
)

const records = 1000

func main() {
	keep := flag.String("o", "", "write this `file`, which must not exist, and keep it")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *keep); err != nil {
		fmt.Fprintln(os.Stderr, "msgpackfile:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, name string) error {
	if name == "" {
		dir, err := os.MkdirTemp("", "msgpackfile")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		name = filepath.Join(dir, "app.msgpack")
	}
	name, err := filepath.Abs(name) // the command may run in another directory
	if err != nil {
		return err
	}
	if err := write(name, out); err != nil {
		return err
	}
	if err := read(name, out); err != nil {
		return err
	}
	// What an operator does: the errors, for people; everything, for programs.
	if err := command(ctx, out, "cat", "--level", "error", name); err != nil {
		return err
	}
	return command(ctx, io.Discard, "decode", name)
}

// write logs into the file. The bufio.Writer is what makes a thousand records a
// few system calls; the handler formats them in its buffer.
func write(name string, out io.Writer) (err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	packed := handler.New(bufio.NewWriterSize(f, 64<<10), handler.WithFormat(handler.MessagePack))
	work(slog.New(packed))
	if err := packed.Flush(); err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	// The same once more as JSON, to have something to compare with.
	var text counter
	work(slog.New(handler.New(&text)))
	_, err = fmt.Fprintf(out, "%d records: %d bytes of MessagePack, %d as JSON\n", records, info.Size(), text)
	return err
}

func work(logger *slog.Logger) {
	logger = logger.With("service", "shop")
	for i := range records {
		request := slog.Group("request", "id", i, "path", "/items/7", "took", time.Duration(i)*time.Microsecond)
		if i%250 == 249 {
			logger.Error("no answer", request, "error", errors.New("connection reset"), "body", []byte{0, 0xff})
			continue
		}
		logger.Info("answered", request, "status", 200, "load", float64(i)/4)
	}
}

// counter is a writer that counts bytes.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// read reads the file record by record. Nothing lies between them: each says
// itself where it ends. A file too large for memory is for
// jsonmsgpack.Converter.ConvertJSON, which streams.
func read(name string, out io.Writer) error {
	rest, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var line []byte
	n := 0
	for ; len(rest) > 0; n++ {
		if line, rest, err = jsonmsgpack.AppendJSON(line[:0], rest); err != nil {
			return fmt.Errorf("record %d: %w", n+1, err)
		}
		if n == 0 {
			if _, err := fmt.Fprintf(out, "the first: %s\n", line); err != nil {
				return err
			}
		}
	}
	_, err = fmt.Fprintf(out, "%d records read back\n", n)
	return err
}
