// Command rotate logs to a file that another program rotates, as logrotate
// does: it renames the file and sends SIGHUP, on which the file is opened anew.
// No record is lost, torn or written twice.
//
//	go run ./examples/rotate                  is both programs, for three rotations
//	go run ./examples/rotate -log=app.log     is the one that logs
//
// With logrotate, the latter needs
//
//	/path/of/app.log {
//		size 100M
//		rotate 7
//		missingok
//		delaycompress
//		compress
//		postrotate
//			pkill -HUP -x rotate
//		endscript
//	}
//
// and neither create, since the program makes the file, nor copytruncate, which
// loses what is logged between the copy and the cut. delaycompress, because the
// program writes to the renamed file until the signal has reached it.
//
// In lumberjack/ the program rotates by itself, by size, with a well-known
// writer behind the same Buffer.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/sink"
)

func main() {
	path := flag.String("log", "", "the log `file`; empty runs a demonstration")
	flag.Parse()
	var err error
	if *path == "" {
		err = demo()
	} else {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
		err = run(ctx, *path)
		stop()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rotate:", err)
		os.Exit(1)
	}
}

// run logs until ctx is done.
func run(ctx context.Context, path string) (err error) {
	file, err := sink.OpenFile(path)
	if err != nil {
		return err
	}
	// Block: this program logs without a pause, and shall not lose any.
	buffer := sink.NewBuffer(file, sink.WithPolicy(sink.Block))
	defer func() { err = errors.Join(err, buffer.Close(), file.Close()) }()
	logger := slog.New(handler.New(buffer))

	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	// In a goroutine of its own, so that nobody who logs waits for it.
	go func() {
		for range hup {
			if err := file.Reopen(); err != nil {
				// The file goes on as it was.
				logger.Error("rotation failed", "error", err)
				continue
			}
			fmt.Println("reopened")
		}
	}()

	fmt.Println("ready")
	for n := 0; ctx.Err() == nil; n++ {
		logger.Info("work", "n", n)
	}
	return nil
}
