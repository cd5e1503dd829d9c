package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// records is how many records each program logs, at Info, before it ends.
const records = 1000

var ends = map[string]func(*logFile) error{
	"sigterm":   untilSignal,
	"panic":     panicInMain,
	"goroutine": panicInGoroutine,
	"exit":      exitAfterError,
	"fatal":     logFatal,
}

func work(l *logFile) {
	for n := range records {
		l.Info("work", "n", n)
	}
}

// untilSignal works until it is told to stop, and returns: what is deferred
// does the rest. A second signal ends the program at once.
func untilSignal(l *logFile) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	work(l)
	fmt.Println("ready") // to be sent a signal
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
		return fmt.Errorf("no signal came")
	}
	stop()
	l.Info("stopping", "reason", context.Cause(ctx).Error())
	return nil
}

func panicInMain(l *logFile) error {
	work(l)
	var order []int
	l.Info("work", "n", order[len(order)-1]) // there is none
	return nil
}

func panicInGoroutine(l *logFile) error {
	work(l)
	go func() {
		defer l.logPanic()
		panic("in a goroutine")
	}()
	select {}
}

// exitAfterError needs nothing deferred: a log call of level Error returns when
// the record, and all before it, are in the file. What is logged at Info only
// has to be flushed before os.Exit.
func exitAfterError(l *logFile) error {
	work(l)
	l.Error("cannot go on", "error", "no configuration")
	os.Exit(3)
	return nil
}

// logFatal is for libraries that call log.Fatal: a log.Logger whose records
// have level Error. By log.SetOutput(buffer) they would have none, and be lost.
func logFatal(l *logFile) error {
	work(l)
	old := slog.NewLogLogger(l.Handler(), slog.LevelError)
	old.Fatal("fatal: no configuration")
	return nil
}
