package handler_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/slogpack/slogpack/handler"
)

// noTime makes the output of examples stable.
func noTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

func ExampleNew() {
	logger := slog.New(handler.New(os.Stdout, handler.WithReplaceAttr(noTime)))
	logger.Info("listening", "addr", ":8080", "tls", true)
	logger.With("user", 7).WithGroup("request").Warn("slow", "path", "/search", "err", errors.New("timed out"))
	// Output:
	// {"level":"INFO","msg":"listening","addr":":8080","tls":true}
	// {"level":"WARN","msg":"slow","user":7,"request":{"path":"/search","err":"timed out"}}
}

// Options of log/slog's own handlers work unchanged.
func ExampleWithHandlerOptions() {
	h := handler.New(os.Stdout, handler.WithHandlerOptions(&slog.HandlerOptions{
		Level:       slog.LevelDebug,
		ReplaceAttr: noTime,
	}))
	slog.New(h).Debug("shown", "n", 1)
	// Output:
	// {"level":"DEBUG","msg":"shown","n":1}
}

func ExampleWithLevel() {
	var level slog.LevelVar // Info, until it is set
	logger := slog.New(handler.New(os.Stdout, handler.WithLevel(&level), handler.WithReplaceAttr(noTime)))
	logger.Debug("dropped")
	level.Set(slog.LevelDebug)
	logger.Debug("shown")
	// Output:
	// {"level":"DEBUG","msg":"shown"}
}

func ExampleWithSource() {
	logger := slog.New(handler.New(os.Stdout, handler.WithSource(),
		handler.WithReplaceAttr(func(groups []string, a slog.Attr) slog.Attr {
			if s, ok := a.Value.Any().(*slog.Source); ok && len(groups) == 0 {
				return slog.String(a.Key, filepath.Base(s.File))
			}
			return noTime(groups, a)
		})))
	logger.Info("here")
	// Output:
	// {"level":"INFO","source":"example_test.go","msg":"here"}
}

func ExampleWithReplaceAttr() {
	logger := slog.New(handler.New(os.Stdout, handler.WithReplaceAttr(func(groups []string, a slog.Attr) slog.Attr {
		switch {
		case len(groups) == 0 && a.Key == slog.TimeKey:
			return slog.Attr{} // no time
		case a.Key == "password":
			return slog.String(a.Key, "***")
		}
		return a
	})))
	logger.Info("login", slog.Group("user", "name", "ada", "password", "hunter2"))
	// Output:
	// {"level":"INFO","msg":"login","user":{"name":"ada","password":"***"}}
}

type requestID struct{}

func ExampleWithContextAttrs() {
	logger := slog.New(handler.New(os.Stdout, handler.WithReplaceAttr(noTime),
		handler.WithContextAttrs(func(ctx context.Context) []slog.Attr {
			if id, ok := ctx.Value(requestID{}).(string); ok {
				return []slog.Attr{slog.String("request_id", id)}
			}
			return nil
		})))
	ctx := context.WithValue(context.Background(), requestID{}, "r-17")
	logger.WithGroup("http").InfoContext(ctx, "done", "status", 200)
	// Output:
	// {"level":"INFO","msg":"done","request_id":"r-17","http":{"status":200}}
}

func ExampleWithFilter() {
	logger := slog.New(handler.New(os.Stdout, handler.WithReplaceAttr(noTime),
		handler.WithFilter(func(_ context.Context, r slog.Record) bool {
			return !strings.HasPrefix(r.Message, "health")
		})))
	logger.Info("health check")
	logger.Info("order placed")
	// Output:
	// {"level":"INFO","msg":"order placed"}
}

// fullDisk fails every write.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func ExampleWithErrorHandler() {
	logger := slog.New(handler.New(fullDisk{}, handler.WithErrorHandler(func(err error) {
		fmt.Println("logging failed:", err)
	})))
	logger.Info("lost")
	// Output:
	// logging failed: no space left on device
}

func ExampleWithConcurrentWriter() {
	// Writes to a file opened for appending are whole, so that no lock is needed.
	f, err := os.OpenFile(filepath.Join(os.TempDir(), "slogpack-example.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(f.Name())
	defer f.Close()
	logger := slog.New(handler.New(f, handler.WithConcurrentWriter(), handler.WithReplaceAttr(noTime)))
	logger.Info("no lock taken")
	b, _ := os.ReadFile(f.Name())
	fmt.Print(string(b))
	// Output:
	// {"level":"INFO","msg":"no lock taken"}
}

func ExampleWithFormat() {
	logger := slog.New(handler.New(os.Stdout, handler.WithFormat(handler.JSON), handler.WithReplaceAttr(noTime)))
	logger.Info("one line a record")
	// Output:
	// {"level":"INFO","msg":"one line a record"}
}

func ExampleWithProfile() {
	p := handler.Slog()
	p.TimeKey = "" // no time
	p.MessageKey = "message"
	p.LevelText = func(l slog.Level) string { return strings.ToLower(l.String()) }
	logger := slog.New(handler.New(os.Stdout, handler.WithProfile(p)))
	logger.Info("own names", "msg", "not the message")
	// Output:
	// {"level":"info","message":"own names","msg":"not the message"}
}

// A bufio.Writer is formatted into directly, and Flush flushes it.
func ExampleHandler_Flush() {
	w := bufio.NewWriter(os.Stdout)
	h := handler.New(w, handler.WithReplaceAttr(noTime))
	slog.New(h).Info("still in the buffer")
	fmt.Println("flushing")
	if err := h.Flush(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// flushing
	// {"level":"INFO","msg":"still in the buffer"}
}

// perLevel writes errors to a second place as well.
type perLevel struct{ all, errors bytes.Buffer }

func (w *perLevel) Write(p []byte) (int, error) { return w.all.Write(p) }

func (w *perLevel) WriteLevel(l slog.Level, p []byte) (int, error) {
	if l >= slog.LevelError {
		w.errors.Write(p)
	}
	return w.all.Write(p)
}

func ExampleLevelWriter() {
	var w perLevel
	logger := slog.New(handler.New(&w, handler.WithReplaceAttr(noTime)))
	logger.Info("fine")
	logger.Error("broken")
	fmt.Print(w.errors.String())
	// Output:
	// {"level":"ERROR","msg":"broken"}
}

// block is a StreamWriter over one fixed block that is written out when full.
type block struct {
	lock chan struct{} // holds one token
	buf  []byte
	out  io.Writer
}

func (b *block) Reserve(n int) ([]byte, bool) {
	select {
	case <-b.lock:
	default:
		return nil, false // somebody else is writing
	}
	if cap(b.buf)-len(b.buf) < n {
		b.lock <- struct{}{}
		return nil, false
	}
	return b.buf, true
}

func (b *block) Commit(buf []byte, _ slog.Level) (int, error) {
	n := 0
	if buf != nil {
		n = len(buf) - len(b.buf)
		b.buf = buf
	}
	b.lock <- struct{}{}
	return n, nil
}

// Write takes records for which there was no room.
func (b *block) Write(p []byte) (int, error) {
	if err := b.Flush(); err != nil {
		return 0, err
	}
	return b.out.Write(p)
}

// Flush writes the block out.
func (b *block) Flush() error {
	<-b.lock
	defer func() { b.lock <- struct{}{} }()
	_, err := b.out.Write(b.buf)
	b.buf = b.buf[:0]
	return err
}

func ExampleStreamWriter() {
	w := &block{lock: make(chan struct{}, 1), buf: make([]byte, 0, 4096), out: os.Stdout}
	w.lock <- struct{}{}
	p := handler.Slog()
	p.TimeKey = ""
	h := handler.New(w, handler.WithProfile(p))
	logger := slog.New(h)
	logger.Info("copied into the block", "n", 1)
	logger.Info("formatted in the block, were it longer", "err", errors.New("or not, for its Error method"))
	if err := h.Flush(); err != nil {
		panic(err)
	}
	// Output:
	// {"level":"INFO","msg":"copied into the block","n":1}
	// {"level":"INFO","msg":"formatted in the block, were it longer","err":"or not, for its Error method"}
}
