// Command zerologmsgpack makes a MessagePack logger of zerolog: its sink is a
// jsonmsgpack.Writer on a file. Then the file is read back and printed, and the
// program ends.
//
//	go run ./examples/zerologmsgpack
//
// Each record goes to the file in one Write, from any number of goroutines. On
// standard output the records stand as JSON again, one a line; what is meant
// for people goes to standard error. Such a file is shown by
//
//	jsonmsgpack cat --pretty app.msgpack
package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

func main() {
	if err := run(os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "zerologmsgpack:", err)
		os.Exit(1)
	}
}

// run logs to a temporary file, which is gone when it returns, and prints what
// is in it.
func run(stdout, stderr io.Writer) (err error) {
	f, err := os.CreateTemp("", "zerologmsgpack-*.msgpack")
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}()

	// All that a program with zerolog needs: Lax, because a record with a flaw
	// is better than none; and times as MessagePack's own.
	w := jsonmsgpack.NewWriter(f, jsonmsgpack.Lax(), jsonmsgpack.TimeFields("time", "due"))
	in := &counter{w: w}
	written := work(zerolog.New(in).With().Timestamp().Str("service", "shop").Logger())
	// Close reports a record that was not whole. It leaves the file open.
	if err := w.Close(); err != nil {
		return err
	}

	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	stats, err := jsonmsgpack.NewConverter().ConvertJSON(stdout, f)
	if err != nil {
		return err
	}
	if stats.Documents != int64(written) {
		return fmt.Errorf("%d records were logged, %d are in the file", written, stats.Documents)
	}
	fmt.Fprintf(stderr, "%d records, %d bytes of JSON from zerolog, %d bytes of MessagePack in the file\n", written, in.n, stats.In)
	return nil
}

// work logs what a small service would, and returns the number of records.
func work(log zerolog.Logger) (written int) {
	log.Info().Str("version", "1.4.0").Ints("ports", []int{8080, 9090}).Msg("starting")
	log.Debug().
		Dict("request", zerolog.Dict().Str("method", "GET").Str("path", "/items/7").Int("status", 200)).
		Dur("took", 1234*time.Microsecond).
		Msg("served")
	log.Warn().Time("due", time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)).Float64("used", 0.93).Msg("disk is filling up")
	_, err := os.Open("no-such-file")
	var path *fs.PathError
	log.Error().Err(err).Bool("path", errors.As(err, &path)).Msg("cannot read the catalogue")
	log.Info().Str("name", "Zoë \"Z\" \x1b[31m\xff").Bytes("raw", []byte{0, 255}).Msg("text of any kind")
	log.Log().Msg("") // without a level and without a message
	written = 6

	// The Writer is safe for concurrent use, and so is a Logger.
	const workers, each = 4, 5
	var wg sync.WaitGroup
	for id := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			log := log.With().Int("worker", id).Logger()
			for n := range each {
				log.Info().Int("job", n).Msg("done")
			}
		}()
	}
	wg.Wait()
	return written + workers*each
}

// counter counts the JSON that zerolog writes, to compare.
type counter struct {
	w  io.Writer
	mu sync.Mutex
	n  int
}

func (c *counter) Write(p []byte) (int, error) {
	c.mu.Lock()
	c.n += len(p)
	c.mu.Unlock()
	return c.w.Write(p)
}
