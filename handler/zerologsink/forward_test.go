package zerologsink_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/vmihailenco/msgpack/v5"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/forward"
	"github.com/slogpack/slogpack/handler/zerologsink"
	"github.com/slogpack/slogpack/jsonmsgpack"
)

// receive takes the frames that a forward.Writer sends, acknowledges each, and
// gives its records to the channel as JSON. A strict receiver has the package
// forward itself; here what counts is what the records say.
func receive(t *testing.T) (addr string, records <-chan string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	out := make(chan string, 10_000) // more than any test logs: no receiver waits for its test
	done := make(chan error, 1)
	go func() {
		c, err := ln.Accept()
		if err == nil {
			err = readFrames(c, out)
			c.Close()
		}
		close(out)
		done <- err
	}()
	t.Cleanup(func() {
		ln.Close()
		if err := <-done; err != nil && err != io.EOF {
			t.Errorf("receiver: %v", err)
		}
	})
	return ln.Addr().String(), out
}

func readFrames(c net.Conn, out chan<- string) error {
	d := msgpack.NewDecoder(c)
	for {
		raw, err := d.DecodeRaw()
		if err != nil {
			return err
		}
		text, _, err := jsonmsgpack.AppendJSON(nil, raw) // a bin comes as base64
		if err != nil {
			return err
		}
		var options struct{ Chunk string }
		var tag, packed string
		if err := json.Unmarshal(text, &[]any{&tag, &packed, &options}); err != nil {
			return fmt.Errorf("%w: %s", err, text)
		}
		rest, err := base64.StdEncoding.DecodeString(packed)
		if err != nil {
			return err
		}
		for len(rest) > 0 {
			if text, rest, err = jsonmsgpack.AppendJSON(nil, rest); err != nil {
				return err
			}
			var record json.RawMessage
			if err := json.Unmarshal(text, &[]any{new(any), &record}); err != nil {
				return fmt.Errorf("%w: %s", err, text)
			}
			out <- string(record)
		}
		ack, err := msgpack.Marshal(map[string]string{"ack": options.Chunk})
		if err != nil {
			return err
		}
		if _, err := c.Write(ack); err != nil {
			return err
		}
	}
}

func dial(t *testing.T, addr string, opts ...forward.Option) *forward.Writer {
	t.Helper()
	w, err := forward.Dial(context.Background(), addr, append(opts, forward.WithCloseTimeout(patience))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // of a test that failed before it closed w, which the receiver waits for
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = w.Shutdown(ctx)
	})
	return w
}

// TestForwardShared: as TestBufferShared, with a forward.Writer.
func TestForwardShared(t *testing.T) {
	const each = 300
	addr, records := receive(t)
	w := dial(t, addr, forward.WithPolicy(forward.Block), forward.WithBatch(8<<10, 10*time.Millisecond))
	total := logAll(w, each)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for r := range records {
		got = append(got, r)
	}
	inOrder(t, got, each)
	if s := w.Stats(); s.Acknowledged != int64(total) || s.Invalid != 0 {
		t.Errorf("%d records: %+v", total, s)
	}
}

// TestForwardLevels: zerolog's Error has a forward.Writer send its batch at
// once, which nothing else here does.
func TestForwardLevels(t *testing.T) {
	addr, records := receive(t)
	w := dial(t, addr, forward.WithBatch(1<<20, time.Hour))
	slog.New(handler.New(w)).Info("before")
	l := zerolog.New(zerologsink.Writer(w))
	l.Info().Msg("m")
	l.Error().Msg("e")
	for _, want := range []string{"before", "m", "e"} {
		select {
		case r := <-records:
			if got := fromJSON(t, r).(map[string]any)["message"]; got != want {
				t.Errorf("message %q, want %q", got, want)
			}
		case <-time.After(patience):
			t.Fatalf("%q has not been sent", want)
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
