package forward

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/forward/internal/receiver"
)

// Everything that handlers write keeps all the rules, by TCP and by a unix
// socket, plain, compressed and encrypted.
func TestSend(t *testing.T) {
	cert, pool := certificate(t)
	tests := []struct {
		name string
		o    receiver.Options
		opts []Option
	}{
		{"tcp", receiver.Options{}, nil},
		{"unix", receiver.Options{Network: "unix", Addr: filepath.Join(t.TempDir(), "fwd.sock")}, nil},
		{"gzip", receiver.Options{}, []Option{WithGzip()}},
		{"tls", receiver.Options{TLS: serverTLS(cert)}, []Option{WithTLS(clientTLS(pool))}},
		{"shared key", receiver.Options{SharedKey: "k3y"}, []Option{WithSharedKey("k3y")}},
		{"bin in HELO", receiver.Options{SharedKey: "k3y", HeloBin: true}, []Option{WithSharedKey("k3y")}},
		{"user", receiver.Options{SharedKey: "k3y", User: "ann", Password: "pw"}, []Option{WithSharedKey("k3y"), WithUser("ann", "pw")}},
		{"user without key", receiver.Options{User: "ann", Password: "pw"}, []Option{WithUser("ann", "pw")}},
		{"all", receiver.Options{TLS: serverTLS(cert), SharedKey: "k3y", User: "ann", Password: "pw"},
			[]Option{WithTLS(clientTLS(pool)), WithSharedKey("k3y"), WithUser("ann", "pw"), WithGzip()}},
		{"no keepalive", receiver.Options{SharedKey: "k3y", Once: true}, []Option{WithSharedKey("k3y")}},
		{"slow reads", receiver.Options{ReadSize: 7}, nil},
		{"without acks", receiver.Options{}, []Option{WithoutAcks()}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, tt.o)
			w := dial(t, r.Addr(), quickly(tt.opts...)...)
			stop := watchSums(t, w)
			const n = 500
			logN(w, 0, n)
			stop()
			s := mustClose(t, w)
			if s.Acknowledged != n || s.Dropped+s.Refused+s.Invalid+s.Resent != 0 {
				t.Errorf("%+v", s)
			}
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			if err := r.Wait(ctx, func(kept, _ int) bool { return kept == n }); err != nil {
				t.Fatal(err)
			}
			arrived(t, r, n, 0)
			for _, f := range r.Frames() {
				id, err := base64.StdEncoding.DecodeString(f.Chunk)
				switch {
				case f.Tag != "app.log":
					t.Errorf("tag %q", f.Tag)
				case w.c.noAcks != (f.Chunk == ""):
					t.Errorf("chunk %q", f.Chunk)
				case !w.c.noAcks && (err != nil || len(id) != 16):
					t.Errorf("chunk %q is not base64 of 128 bits", f.Chunk)
				case f.Gzip != w.c.gzip:
					t.Errorf("gzip %v", f.Gzip)
				}
			}
		})
	}
}

// The values that receivers have trouble with, in a handler's record.
func TestHandlerValues(t *testing.T) {
	r := start(t, receiver.Options{})
	w := dial(t, r.Addr(), quickly(WithTag("svc.test"))...)
	at := time.Date(2026, 2, 3, 4, 5, 6, 789, time.UTC)
	deep := slog.Int("bottom", 1)
	for range 60 {
		deep = slog.Attr{Key: "d", Value: slog.GroupValue(deep)}
	}
	h := handler.New(w, handler.WithSource()).WithAttrs([]slog.Attr{slog.String("host", "h1")})
	rec := slog.NewRecord(at, slog.LevelWarn, "a\xff message", 0)
	rec.AddAttrs(slog.Float64("nan", math.NaN()), slog.Uint64("big", math.MaxUint64), slog.Any("bytes", []byte{1, 2}),
		slog.Time("t", at), slog.String("bad\xfe", "x"), deep, slog.Any("list", []float64{3, math.Inf(1)}))
	if err := h.Handle(context.Background(), rec); err != nil {
		t.Fatal(err)
	}
	mustClose(t, w)
	recs := r.Records()
	if len(recs) != 1 || r.Frames()[0].Tag != "svc.test" {
		t.Fatalf("%d records", len(recs))
	}
	got := recs[0]
	if !got.Time.Equal(at) {
		t.Errorf("time %v", got.Time)
	}
	want := map[string]any{"level": "WARN", "severity_number": int64(13), "message": "a\ufffd message", "host": "h1",
		"nan": "NaN", "big": "18446744073709551615", "bytes": "AQI=", "t": "2026-02-03T04:05:06.000000789Z",
		"bad\ufffd": "x", "list": []any{3.0, "+Inf"}}
	for k, v := range want {
		if !reflect.DeepEqual(got.Fields.Get(k), v) {
			t.Errorf("%s is %#v, want %#v", k, got.Fields.Get(k), v)
		}
	}
}

func TestLogFormat(t *testing.T) {
	w := dial(t, "127.0.0.1:1", quickly()...)
	f, p := w.LogFormat()
	if f != handler.Forward || !reflect.DeepEqual(p, handler.OTel()) {
		t.Errorf("%v %+v", f, p)
	}
	if err := w.CheckFormat(handler.MessagePack); err == nil || !strings.Contains(err.Error(), "MessagePack") {
		t.Errorf("MessagePack: %v", err)
	}
	if w.CheckFormat(handler.JSON) != nil || w.CheckFormat(handler.Forward) != nil {
		t.Error("JSON or Forward refused")
	}
}

// A handler that writes JSON into the Writer, streamed or not, is converted;
// MessagePack is refused by the handler, which then writes JSON.
func TestHandlerFormats(t *testing.T) {
	r := start(t, receiver.Options{})
	w := dial(t, r.Addr(), quickly()...)
	var told []error
	slog.New(handler.New(w, handler.WithFormat(handler.JSON))).Info("as JSON", "n", 1, "any", map[string]int{"a": 1})
	slog.New(handler.New(w, handler.WithFormat(handler.JSON))).Info("streamed JSON", "n", 2)
	slog.New(handler.New(w, handler.WithFormat(handler.MessagePack), handler.WithErrorHandler(func(err error) { told = append(told, err) }))).Info("packed", "n", 3)
	slog.New(slog.NewJSONHandler(w, nil)).Info("log/slog", "n", 4)
	if s := mustClose(t, w); s.Acknowledged != 4 || s.Invalid != 0 {
		t.Errorf("%+v", s)
	}
	if len(told) != 1 {
		t.Errorf("MessagePack: %v", told)
	}
	if got := numbers(r); len(got) != 4 {
		t.Errorf("%v", got)
	}
}

// From Error up a batch goes out at once, streamed or not.
func TestFlushLevel(t *testing.T) {
	for _, attr := range []slog.Attr{slog.Int("n", 1), slog.Any("n", []int{1})} {
		r := start(t, receiver.Options{})
		w := dial(t, r.Addr(), WithBatch(1<<20, time.Hour), WithErrorHandler(func(error) {}))
		l := slog.New(handler.New(w))
		l.Info("waits")
		l.LogAttrs(context.Background(), slog.LevelError, "goes", attr)
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := r.Wait(ctx, func(kept, _ int) bool { return kept == 2 }); err != nil {
			t.Fatal(err)
		}
		mustClose(t, w)
	}
}

// A batch goes out when its age has come, and Flush does not wait for that.
func TestAgeAndFlush(t *testing.T) {
	r := start(t, receiver.Options{})
	w := dial(t, r.Addr(), WithBatch(1<<20, 20*time.Millisecond), WithErrorHandler(func(error) {}))
	logN(w, 0, 3)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := r.Wait(ctx, func(kept, _ int) bool { return kept == 3 }); err != nil {
		t.Fatal(err)
	}
	mustClose(t, w)

	w = dial(t, r.Addr(), WithBatch(1<<20, time.Hour), WithCloseTimeout(patience))
	h := handler.New(w)
	slog.New(h).Info("x", "n", 3)
	if err := h.Flush(); err != nil {
		t.Fatal(err)
	}
	if s := w.Stats(); s.Acknowledged != 1 || s.Pending != 0 {
		t.Errorf("%+v", s)
	}
	if err := w.Flush(); err != nil { // nothing there
		t.Fatal(err)
	}
	mustClose(t, w)
	if err := w.Flush(); !errors.Is(err, ErrClosed) {
		t.Errorf("Flush after Close: %v", err)
	}
	arrived(t, r, 4, 0)
}

// A record in several writers: a full or closed forward.Writer does not keep
// the others from getting it, unless it is closed.
func TestMultiWriter(t *testing.T) {
	w := dial(t, "127.0.0.1:1", quickly(WithBufferBytes(1), WithBlockTimeout(0))...)
	var sb strings.Builder
	m := io.MultiWriter(w, &sb)
	for range 1000 {
		if _, err := io.WriteString(m, `{"message":"to both of them, at some length"}`+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(sb.String(), "\n"); n != 1000 {
		t.Errorf("%d lines", n)
	}
	s := w.Stats()
	sums(t, s)
	if s.Dropped == 0 || s.Accepted != 1000 {
		t.Errorf("%+v", s)
	}
}

func TestWriteAfterClose(t *testing.T) {
	r := start(t, receiver.Options{})
	w := dial(t, r.Addr(), quickly()...)
	mustClose(t, w)
	if n, err := w.Write([]byte(`{"a":1}`)); n != 0 || !errors.Is(err, ErrClosed) || !errors.Is(err, os.ErrClosed) {
		t.Errorf("%d, %v", n, err)
	}
	if _, ok := w.Reserve(10); ok {
		t.Error("Reserve after Close")
	}
	if err := handler.New(w, handler.WithErrorHandler(func(error) {})).Handle(context.Background(), slog.NewRecord(time.Now(), 0, "x", 0)); !errors.Is(err, ErrClosed) {
		t.Errorf("Handle: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Errorf("Close again: %v", err)
	}
	if s := w.Stats(); s.Accepted != 0 {
		t.Errorf("%+v", s)
	}
}

func TestDialErrors(t *testing.T) {
	for _, addr := range []string{"", "unix:", "unix://", "tcp://", "a/b:1", "::1:24224:x"} {
		if w, err := Dial(context.Background(), addr); err == nil {
			w.Close()
			t.Errorf("%q is taken", addr)
		}
	}
	if _, err := Dial(context.Background(), "h", WithServers("")); err == nil {
		t.Error("an empty further server is taken")
	}
	if _, err := Dial(context.Background(), "h", WithTag("\xff")); err == nil {
		t.Error("a tag that is not UTF-8 is taken")
	}
	for addr, want := range map[string]server{
		"h":               {"tcp", "h:24224", "h"},
		"h:":              {"tcp", "h:24224", "h"},
		"h:1":             {"tcp", "h:1", "h"},
		"tcp://h:1":       {"tcp", "h:1", "h"},
		"[::1]":           {"tcp", "[::1]:24224", "::1"},
		"[::1]:7":         {"tcp", "[::1]:7", "::1"},
		"/run/f.sock":     {"unix", "/run/f.sock", "localhost"},
		"./f.sock":        {"unix", "./f.sock", "localhost"},
		"unix:///run/f":   {"unix", "/run/f", "localhost"},
		"unix:f.sock":     {"unix", "f.sock", "localhost"},
		"@abstract":       {"unix", "@abstract", "localhost"},
		"192.0.2.3:24224": {"tcp", "192.0.2.3:24224", "192.0.2.3"},
	} {
		if got, err := parseAddr(addr); err != nil || got != want {
			t.Errorf("%q is %+v, %v", addr, got, err)
		}
	}
}

func TestWaitForConnection(t *testing.T) {
	r := start(t, receiver.Options{})
	w, err := Dial(context.Background(), r.Addr(), quickly(WithWaitForConnection())...)
	if err != nil {
		t.Fatal(err)
	}
	if s := w.Stats(); !s.Connected || s.Connects != 1 || s.Server != r.Addr() {
		t.Errorf("%+v", s)
	}
	mustClose(t, w)
	r.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err = Dial(ctx, r.Addr(), quickly(WithWaitForConnection())...)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), r.Addr()) {
		t.Errorf("%v", err)
	}
	if err := r.Restart(); err != nil {
		t.Fatal(err)
	}
}
