package suite

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog/diode"
	"go.uber.org/zap/zapcore"

	"github.com/slogpack/slogpack/benchmarks/internal/measure"
	"github.com/slogpack/slogpack/benchmarks/internal/peers"
	"github.com/slogpack/slogpack/benchmarks/internal/scenario"
	"github.com/slogpack/slogpack/handler/sink"
)

// Contenders of Files besides peers that write each record to the file.
const (
	SinkFile    = "slogpack, sink.Buffer"
	SinkDiscard = "slogpack, sink.Buffer, no file"
	NoFile      = "slogpack, no file"
	ZapBuffered = ", BufferedWriteSyncer"
	Diode       = ", diode"
)

const (
	fileBuffer   = 256 << 10 // of sink.Buffer and of zap's, which is what both have by default
	fileInterval = time.Second

	// diodeSize is more than fits in one slice of a measurement, since a diode
	// overwrites what has not been written yet.
	diodeSize = 1 << 17
	// diodeInterval is how often it is emptied: ten times as often as its
	// documentation has it, as a run has to wait for that. Without an interval
	// it may sleep on, having missed the call that wakes it.
	diodeInterval = time.Millisecond

	// fileLimit keeps a measurement from filling the disk.
	fileLimit = 64 << 20
)

// FileGroups are the groups of Files.
func FileGroups() []string { return []string{"file/none", "file/three", "file/ten"} }

// bounded is a file that is emptied now and then.
type bounded struct {
	f       *os.File
	n       int
	records atomic.Int64 // writes
}

func (w *bounded) Write(p []byte) (int, error) {
	w.records.Add(1)
	if w.n += len(p); w.n > fileLimit {
		w.n = 0
		if err := w.f.Truncate(0); err != nil {
			return 0, err
		}
	}
	return w.f.Write(p)
}

// files makes cases, and the files they write to.
type files struct {
	dir   string
	cases []measure.Case
	ends  []func() error
	open  []*os.File
	err   error
}

// Files is whole log calls into a file: by every peer with a call of the file
// for each record, by ours and others' through a buffer, and by ours to a
// writer that discards. What a buffer holds at the end of a run is written
// within its time. The files are in dir; end closes everything.
func Files(dir string) (cases []measure.Case, end func() error, err error) {
	fs := &files{dir: dir}
	for _, group := range FileGroups() {
		s := scenario.Named(group[len("file/"):])
		fs.group(group, &s)
	}
	return fs.cases, fs.end, fs.err
}

func (fs *files) group(group string, s *scenario.Scenario) {
	add := func(name string, log func(), flush func() error) *measure.Case {
		fs.cases = append(fs.cases, measure.Case{Group: group, Name: name, Run: func(n int) {
			for range n {
				log()
			}
			if err := flush(); err != nil {
				panic(err) // a full disk makes no figures
			}
		}})
		return &fs.cases[len(fs.cases)-1]
	}
	logger := func(h slog.Handler) func() {
		l, ctx := slog.New(s.Derive(h)), context.Background()
		return func() { s.Log(ctx, l) }
	}
	nothing := func() error { return nil }
	sunk := func(name string, w io.Writer) {
		// Block: what is measured is written, not dropped.
		b := sink.NewBuffer(w, sink.WithSize(fileBuffer), sink.WithInterval(fileInterval), sink.WithPolicy(sink.Block))
		fs.ends = append(fs.ends, b.Close)
		add(name, logger(peers.Slogpack(b, s)), b.Flush)
	}
	add(NoFile, logger(peers.Slogpack(discard{}, s)), nothing)
	sunk(SinkDiscard, discard{})
	sunk(SinkFile, fs.file())
	for _, p := range peers.Handlers() {
		add(p.Name, logger(p.New(fs.file(), s)), nothing)
	}
	for _, p := range peers.Natives() {
		add(p.Name, p.New(fs.file(), s), nothing)
	}

	zapBuffer := func() *zapcore.BufferedWriteSyncer {
		// AddSync gives a Sync that does nothing: no other contender has an fsync.
		b := &zapcore.BufferedWriteSyncer{WS: zapcore.AddSync(fs.file()), Size: fileBuffer, FlushInterval: fileInterval}
		fs.ends = append(fs.ends, b.Stop)
		return b
	}
	for _, p := range peers.Handlers() {
		switch p.Name {
		case "zap slog":
			b := zapBuffer()
			add(p.Name+ZapBuffered, logger(p.New(b, s)), b.Sync)
		case "zerolog slog":
			fs.diode(add, p.Name, func(w io.Writer) func() { return logger(p.New(w, s)) })
		}
	}
	for _, p := range peers.Natives() {
		switch p.Name {
		case "zap native":
			b := zapBuffer()
			add(p.Name+ZapBuffered, p.New(b, s), b.Sync)
		case "zerolog native":
			fs.diode(add, p.Name, func(w io.Writer) func() { return p.New(w, s) })
		}
	}
}

// diode adds a case of zerolog's diode, which loses records when it is full.
func (fs *files) diode(add func(string, func(), func() error) *measure.Case, name string, log func(io.Writer) func()) {
	f := fs.file()
	var logged, missed atomic.Int64
	d := diode.NewWriter(f, diodeSize, diodeInterval, func(n int) { missed.Add(int64(n)) })
	fs.ends = append(fs.ends, d.Close)
	one := log(d)
	c := add(name+Diode, func() { logged.Add(1); one() }, func() error {
		// It has no flush; it writes each record by itself.
		for f.records.Load()+missed.Load() < logged.Load() {
			time.Sleep(diodeInterval / 10)
		}
		return nil
	})
	c.Lost = func() float64 { return float64(missed.Load()) / float64(logged.Load()) }
}

// file makes a file of its own for a contender.
func (fs *files) file() *bounded {
	f, err := os.OpenFile(filepath.Join(fs.dir, strconv.Itoa(len(fs.open))+".log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	fs.err = errors.Join(fs.err, err)
	fs.open = append(fs.open, f)
	return &bounded{f: f}
}

// end ends what writes to the files, and closes these.
func (fs *files) end() error {
	var errs []error
	for _, e := range fs.ends {
		errs = append(errs, e())
	}
	for _, f := range fs.open {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
