// Command recordsize prints how many bytes a log record takes in each format,
// as it is and gzipped, and what gzip costs:
//
//	go run ./cmd/recordsize
//
// The records are those of a server that logs its requests: the same ten fields
// in each, values that differ, among them ids that no compression makes
// shorter. They are the same at each run, so the sizes are too, but for what
// another Go version's gzip does.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"math/rand"
	"os"
	"time"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/sink"
)

// Sizes of what is gzipped at once: what sink.Buffer writes by default, and
// what handler/forward sends at most.
const (
	block = 256 << 10 / 8
	frame = 1 << 20
)

func main() {
	n := flag.Int("n", 100_000, "records")
	flag.Parse()
	if err := run(os.Stdout, *n); err != nil {
		log.Fatal(err)
	}
}

// size is what a record of a format takes, in bytes, and nanoseconds to gzip.
type size struct {
	name          string
	plain         float64
	blocks        float64
	frames        float64
	nanosToBlocks float64
}

func run(out io.Writer, n int) error {
	fmt.Fprintf(out, "%d records; bytes a record, and ns to gzip one on one core, fastest level\n\n", n)
	fmt.Fprintf(out, "| | bytes | gzipped by 32 KiB | gzipped by 1 MiB | ns to gzip |\n|---|---:|---:|---:|---:|\n")
	for _, f := range []handler.Format{handler.JSON, handler.MessagePack, handler.Forward} {
		s, err := measure(f, n)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| %s | %.0f | %.0f | %.0f | %.0f |\n", s.name, s.plain, s.blocks, s.frames, s.nanosToBlocks)
	}
	return nil
}

// measure logs n records in a format.
func measure(f handler.Format, n int) (*size, error) {
	var all bytes.Buffer
	blocks := &zipped{}
	b := sink.NewBuffer(io.MultiWriter(&all, blocks), sink.WithPolicy(sink.Block), sink.WithInterval(time.Hour), sink.WithCloseTimeout(time.Hour))
	requests(slog.New(fixed{handler.New(b, handler.WithFormat(f))}), n)
	if err := b.Close(); err != nil {
		return nil, err
	}
	frames := &zipped{}
	for p := all.Bytes(); len(p) > 0; {
		m := min(frame, len(p))
		if _, err := frames.Write(p[:m]); err != nil {
			return nil, err
		}
		p = p[m:]
	}
	each := func(total int64) float64 { return float64(total) / float64(n) }
	return &size{f.String(), each(int64(all.Len())), each(blocks.n), each(frames.n), each(int64(blocks.took))}, nil
}

// zipped counts what each Write takes when it is gzipped by itself.
type zipped struct {
	n    int64
	took time.Duration
	out  bytes.Buffer
	z    *gzip.Writer
}

func (c *zipped) Write(p []byte) (int, error) {
	start := time.Now()
	c.out.Reset()
	if c.z == nil {
		c.z, _ = gzip.NewWriterLevel(&c.out, gzip.BestSpeed) // as handler/forward does; the level is known
	} else {
		c.z.Reset(&c.out)
	}
	if _, err := c.z.Write(p); err != nil {
		return 0, err
	}
	if err := c.z.Close(); err != nil {
		return 0, err
	}
	c.took += time.Since(start)
	c.n += int64(c.out.Len())
	return len(p), nil
}

// fixed gives records the time that their attr at says.
type fixed struct{ slog.Handler }

func (h fixed) Handle(ctx context.Context, r slog.Record) error {
	var made slog.Record
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "at" {
			made = slog.NewRecord(a.Value.Time(), r.Level, r.Message, 0)
		} else {
			made.AddAttrs(a)
		}
		return true
	})
	return h.Handler.Handle(ctx, made)
}

// requests logs what a server with a thousand users and fifty paths does.
func requests(l *slog.Logger, n int) {
	rnd := rand.New(rand.NewSource(1))
	at := time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC)
	for range n {
		at = at.Add(time.Duration(rnd.ExpFloat64() * float64(10*time.Microsecond))) // 100 000 a second
		level, status := slog.LevelInfo, 200
		switch p := rnd.Float64(); {
		case p < 0.01:
			level, status = slog.LevelError, 502
		case p < 0.05:
			level, status = slog.LevelWarn, 404
		}
		l.LogAttrs(context.Background(), level, "request served",
			slog.Time("at", at), // comes first: it is the record's time
			slog.String("method", []string{"GET", "GET", "GET", "POST"}[rnd.Intn(4)]),
			slog.String("path", fmt.Sprintf("/api/v1/items/%d", rnd.Intn(50))),
			slog.Int("status", status),
			slog.Duration("took", time.Duration(rnd.ExpFloat64()*float64(3*time.Millisecond))),
			slog.Int("bytes", rnd.Intn(50_000)),
			slog.String("user", fmt.Sprintf("u-%04d", rnd.Intn(1000))),
			slog.String("remote", fmt.Sprintf("10.1.%d.%d:%d", rnd.Intn(4), rnd.Intn(256), 1024+rnd.Intn(60_000))),
			slog.Bool("cached", rnd.Intn(3) == 0),
			slog.String("pod", "shop-7d9c5b8f6d-x2x7q"),
			slog.String("trace_id", fmt.Sprintf("%016x%016x", rnd.Uint64(), rnd.Uint64())))
	}
}
