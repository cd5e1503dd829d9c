package forward_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/forward"
	"github.com/slogpack/slogpack/handler/forward/internal/receiver"
)

// startReceiver stands for Fluent Bit, fluentd or an OpenTelemetry Collector.
func startReceiver() *receiver.Receiver {
	r, err := receiver.Start(receiver.Options{})
	if err != nil {
		panic(err)
	}
	return r
}

// A logger whose records go to a receiver.
func ExampleDial() {
	r := startReceiver()
	defer r.Stop()

	fw, err := forward.Dial(context.Background(), r.Addr(), forward.WithTag("shop.orders"))
	if err != nil {
		fmt.Println(err) // the address or an option is wrong
		return
	}
	log := slog.New(handler.New(fw))
	log.Info("order placed", "order", 4711, slog.Group("customer", "id", 12))

	if err := fw.Close(); err != nil {
		fmt.Println(err) // what was lost, and why
	}
	for _, f := range r.Frames() {
		for _, rec := range f.Records {
			fmt.Println(f.Tag, rec.Text("level"), rec.Text("message"), rec.Fields.Get("order"), rec.Fields.Get("customer"))
		}
	}
	// Output: shop.orders INFO order placed 4711 [{id 12}]
}

// Lines of JSON, as zerolog.New(fw) or any other logger writes them.
func ExampleWriter_Write() {
	r := startReceiver()
	defer r.Stop()
	fw, err := forward.Dial(context.Background(), r.Addr())
	if err != nil {
		fmt.Println(err)
		return
	}
	both := io.MultiWriter(fw, os.Stdout)
	fmt.Fprintln(both, `{"level":"warn","time":"2026-02-03T04:05:06Z","message":"disk nearly full","used":0.93}`)
	if _, err := fw.Write([]byte("plain text\n")); err != nil {
		fmt.Println(err)
	}
	_ = fw.Close()
	for _, rec := range r.Records() {
		fmt.Println(rec.Time.UTC(), rec.Text("message"), rec.Fields.Get("used"))
	}
	// Output:
	// {"level":"warn","time":"2026-02-03T04:05:06Z","message":"disk nearly full","used":0.93}
	// forward: record not sent, at byte 0: it begins with the byte 0x70, as neither a Forward entry (0x92) nor a JSON object does
	// 2026-02-03 04:05:06 +0000 UTC disk nearly full 0.93
}

// The counters add up at every moment.
func ExampleWriter_Stats() {
	ln, _ := net.Listen("tcp", "127.0.0.1:0")
	down := ln.Addr().String()
	_ = ln.Close() // nobody is there

	fw, err := forward.Dial(context.Background(), down, forward.WithErrorHandler(func(error) {}))
	if err != nil {
		fmt.Println(err)
		return
	}
	slog.New(handler.New(fw)).Info("kept until the receiver is there")
	s := fw.Stats()
	fmt.Println(s.Accepted, "=", s.Acknowledged, "+", s.Dropped, "+", s.Refused, "+", s.Pending)

	ctx, cancel := context.WithCancel(context.Background())
	cancel() // do not wait
	_ = fw.Shutdown(ctx)
	s = fw.Stats()
	fmt.Println(s.Accepted, "=", s.Acknowledged, "+", s.Dropped, "+", s.Refused, "+", s.Pending)
	// Output:
	// 1 = 0 + 0 + 0 + 1
	// 1 = 0 + 1 + 0 + 0
}
