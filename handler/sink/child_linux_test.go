package sink_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/sink"
)

// child is what the test program does when a test starts it once more.
func child(run string) {
	path, format, _ := strings.Cut(run, " ")
	f, err := strconv.Atoi(format)
	if args := strings.Split(path, ":"); err == nil && args[0] == "rotate" {
		err = rotateFull(args[1], args[2] == "true", handler.Format(f))
	} else if err == nil {
		err = limited(path, handler.Format(f))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

const limit = 20_000

// limited logs to a file that may not grow beyond a limit, and goes on when it
// may again.
func limited(path string, format handler.Format) error {
	// Without this the kernel ends the process.
	signal.Ignore(syscall.SIGXFSZ)
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: old.Max}); err != nil {
		return err
	}
	f, err := sink.OpenFile(path)
	if err != nil {
		return err
	}
	b := sink.NewBuffer(f, sink.WithSize(1<<14), sink.WithBlockTimeout(0), sink.WithErrorHandler(func(error) {}))
	log := slog.New(handler.New(b, handler.WithFormat(format)))
	n := 0
	for err == nil {
		log.Info("m", "n", n)
		n++
		err = b.Flush()
	}
	if !errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("beyond the limit: %w", err)
	}
	for ; b.Stats().Dropped < 100; n++ {
		log.Info("m", "n", n)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		return err
	}
	for range 100 {
		log.Info("m", "n", n)
		n++
		if n%10 == 0 {
			if err := b.Flush(); err != nil {
				return err
			}
		}
	}
	if err := errors.Join(b.Close(), f.Close()); err != nil {
		return err
	}
	s := b.Stats()
	if s.Accepted != int64(n) || s.Accepted != s.Delivered+s.Dropped || s.Notes == 0 {
		return fmt.Errorf("of %d records: %+v", n, s)
	}
	fmt.Println(n)
	return nil
}

// A file that meets a limit is whole afterwards.
func TestFileSizeLimit(t *testing.T) {
	for _, format := range []handler.Format{handler.JSON, handler.MessagePack} {
		path := filepath.Join(t.TempDir(), "log")
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d", childEnv, path, format))
		out, err := cmd.CombinedOutput()
		if err != nil {
			if strings.Contains(err.Error(), "exec format error") {
				t.Skip("this test runs emulated, and the machine cannot start it a second time")
			}
			t.Fatalf("%v: %v: %s", format, err, out)
		}
		total, err := strconv.Atoi(strings.TrimSpace(string(out)))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		if len(text) < limit {
			t.Errorf("%v: %d bytes, the limit was not met", format, len(text))
		}
		if format != handler.JSON {
			text = unpackAll(t, text)
		}
		checkGaps(t, parse(t, text), total, 1)
	}
}

// A device that is always full: nothing is written, nothing hangs, all is
// counted.
func TestDevFull(t *testing.T) {
	f, err := sink.OpenFile("/dev/full")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var told errs
	b := sink.NewBuffer(f, sink.WithSize(1<<12), sink.WithBlockTimeout(0), sink.WithCloseTimeout(time.Minute), sink.WithErrorHandler(told.add))
	log := slog.New(handler.New(b))
	within(t, func() {
		for i := range 1000 {
			log.Info("m", "n", i)
			log.Error("m", "n", i)
		}
		if err := b.Flush(); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("Flush = %v", err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		if err := b.Shutdown(ctx); !errors.Is(err, syscall.ENOSPC) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Shutdown = %v", err)
		}
	})
	s := b.Stats()
	checkSum(t, s)
	if s.Accepted != 2000 || s.Dropped != 2000 {
		t.Errorf("%+v", s)
	}
	if told.count(syscall.ENOSPC) == 0 || told.count(sink.ErrFull) != 1 {
		t.Errorf("told: %v", told.all)
	}
	// And without a Buffer.
	h := handler.New(f, handler.WithErrorHandler(func(error) {}))
	if err := h.Handle(t.Context(), slog.NewRecord(time.Now(), 0, "m", 0)); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Handle = %v", err)
	}
}

// A rotation while the disk is full within a record: the record is whole in the
// new file, and the old one ends with a whole one.
func TestReopenWithinRecord(t *testing.T) {
	for _, format := range []handler.Format{handler.JSON, handler.MessagePack} {
		for _, buffered := range []bool{true, false} {
			path := filepath.Join(t.TempDir(), "log")
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=rotate:%s:%v %d", childEnv, path, buffered, format))
			if out, err := cmd.CombinedOutput(); err != nil {
				if strings.Contains(err.Error(), "exec format error") {
					t.Skip("this test runs emulated, and the machine cannot start it a second time")
				}
				t.Fatalf("%v: %v: %s", format, err, out)
			}
			var text string
			for _, name := range []string{path + ".1", path} {
				b, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				if len(b) < 100 {
					t.Errorf("%s: %d bytes", name, len(b))
				}
				if format != handler.JSON {
					b = []byte(unpackAll(t, string(b)))
				}
				parse(t, string(b)) // each of them is whole
				text += string(b)
			}
			checkGaps(t, parse(t, text), rotated, rotated)
		}
	}
}

const rotated = 300

// rotateFull renames a file that is full within a record.
func rotateFull(path string, buffered bool, format handler.Format) error {
	signal.Ignore(syscall.SIGXFSZ)
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		return err
	}
	f, err := sink.OpenFile(path)
	if err != nil {
		return err
	}
	h := handler.New(f, handler.WithFormat(format), handler.WithErrorHandler(func(error) {}))
	flush := func() error { return nil }
	if buffered {
		b := sink.NewBuffer(f, sink.WithErrorHandler(func(error) {}))
		h = handler.New(b, handler.WithFormat(format))
		flush = b.Flush
	}
	log := slog.New(h)
	n := 0
	for ; n < 100; n++ {
		log.Info("m", "n", n)
	}
	if err := flush(); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	cut := uint64(info.Size()) + 10 // within the next record
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: cut, Max: old.Max}); err != nil {
		return err
	}
	log.Info("m", "n", n)
	n++
	if err := flush(); buffered && !errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("Flush beyond the limit: %w", err)
	}
	if info, err = os.Stat(path); err != nil || uint64(info.Size()) != cut {
		return fmt.Errorf("the file has %d bytes, want %d: %w", info.Size(), cut, err)
	}
	if err := os.Rename(path, path+".1"); err != nil {
		return err
	}
	if err := f.Reopen(); err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		return err
	}
	for ; n < rotated; n++ {
		log.Info("m", "n", n)
	}
	return errors.Join(flush(), f.Close())
}
