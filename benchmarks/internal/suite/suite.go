// Package suite lists what the report measures of handlers.
package suite

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"

	"github.com/slogpack/slogpack/benchmarks/internal/measure"
	"github.com/slogpack/slogpack/benchmarks/internal/peers"
	"github.com/slogpack/slogpack/benchmarks/internal/scenario"
	"github.com/slogpack/slogpack/handler"
)

// Names of contenders that are no peers.
const (
	Slogpack    = "slogpack"
	MessagePack = "slogpack MessagePack"
	Forward     = "slogpack Forward"
	Floor       = "floor"   // a handler that pools, locks and writes, and formats nothing
	Nothing     = "nothing" // a handler that does nothing
)

// discard is a writer that io's and the peers' own short cuts do not know.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// floor is the least that a handler which hands whole records to a writer does.
type floor struct {
	mu   sync.Mutex
	pool sync.Pool
	w    io.Writer
}

func newFloor() *floor {
	return &floor{w: discard{}, pool: sync.Pool{New: func() any { b := make([]byte, 0, 1024); return &b }}}
}

func (*floor) Enabled(context.Context, slog.Level) bool { return true }
func (f *floor) WithAttrs([]slog.Attr) slog.Handler     { return f }
func (f *floor) WithGroup(string) slog.Handler          { return f }

func (f *floor) Handle(context.Context, slog.Record) error {
	b := f.pool.Get().(*[]byte)
	f.mu.Lock()
	_, err := f.w.Write(append((*b)[:0], '\n'))
	f.mu.Unlock()
	f.pool.Put(b)
	return err
}

type nothing struct{}

func (nothing) Enabled(context.Context, slog.Level) bool  { return true }
func (nothing) Handle(context.Context, slog.Record) error { return nil }
func (h nothing) WithAttrs([]slog.Attr) slog.Handler      { return h }
func (h nothing) WithGroup(string) slog.Handler           { return h }

// handle is a case of Handle with a record that exists already.
func handle(group, name string, h slog.Handler, s *scenario.Scenario) measure.Case {
	h = s.Derive(h)
	r := s.Record()
	ctx := context.Background()
	return measure.Case{Group: group, Name: name, Run: func(n int) {
		for range n {
			_ = h.Handle(ctx, r)
		}
	}}
}

// Handle is every scenario by every peer, into a writer that discards.
func Handle() (cases []measure.Case) {
	for _, s := range scenario.All() {
		group := "handle/" + s.Name
		for _, p := range peers.Handlers() {
			if p.Lacks[s.Name] == "" {
				cases = append(cases, handle(group, p.Name, p.New(discard{}, &s), &s))
			}
		}
		cases = append(cases,
			handle(group, MessagePack, peers.SlogpackWith(discard{}, &s, handler.WithFormat(handler.MessagePack)), &s),
			handle(group, Forward, peers.SlogpackWith(discard{}, &s, handler.WithFormat(handler.Forward)), &s),
			handle(group, Floor, newFloor(), &s))
	}
	return cases
}

// Logger is whole log calls, by slog.Logger and by native loggers.
func Logger() (cases []measure.Case) {
	for _, name := range []string{"none", "three", "ten", "with"} {
		s := scenario.Named(name)
		group := "logger/" + name
		add := func(name string, h slog.Handler) {
			l := slog.New(s.Derive(h))
			ctx := context.Background()
			cases = append(cases, measure.Case{Group: group, Name: name, Run: func(n int) {
				for range n {
					s.Log(ctx, l)
				}
			}})
		}
		for _, p := range peers.Handlers() {
			add(p.Name, p.New(discard{}, &s))
		}
		add(Nothing, nothing{})
		for _, p := range peers.Natives() {
			log := p.New(discard{}, &s)
			cases = append(cases, measure.Case{Group: group, Name: p.Name, Run: func(n int) {
				for range n {
					log()
				}
			}})
		}
	}
	return cases
}

// streamSize is the length of the text in a record of that name.
func streamSize(name string) int {
	switch name {
	case "1K":
		return 900
	case "10K":
		return 10_000
	case "300K":
		return 300_000
	}
	return 0 // a record without attrs has about a hundred bytes
}

// StreamGroups are the groups of Streaming.
func StreamGroups() (groups []string) {
	for _, size := range []string{"100", "1K", "10K", "300K"} {
		groups = append(groups, "stream/"+size+"/bytes.Buffer", "stream/"+size+"/bufio.Writer")
	}
	return groups
}

// Names of the two ways.
const (
	Stream = "stream"
	Slice  = "byte slice"
)

// Streaming is formatting in the writer's own buffer beside formatting in a
// pooled one.
func Streaming() (cases []measure.Case) {
	for _, group := range StreamGroups() {
		part := strings.Split(group, "/")
		s := scenario.Named("none")
		if n := streamSize(part[1]); n > 0 {
			s.Attrs = []slog.Attr{slog.String("text", strings.Repeat("x", n))}
		}
		for _, way := range []string{Stream, Slice} {
			var w io.Writer
			var reset func()
			if part[2] == "bytes.Buffer" {
				b := new(bytes.Buffer)
				w = b
				reset = func() {
					if b.Len() > 1<<20 {
						b.Reset()
					}
				}
			} else {
				w, reset = bufio.NewWriterSize(discard{}, 1<<20), func() {}
			}
			if way == Slice {
				w = struct{ io.Writer }{w}
			}
			h, r, ctx := peers.Slogpack(w, &s), s.Record(), context.Background()
			cases = append(cases, measure.Case{Group: group, Name: way, Run: func(n int) {
				for range n {
					_ = h.Handle(ctx, r)
					reset()
				}
			}})
		}
	}
	return cases
}

// Parallel is handlers used from as many goroutines as there are processors;
// the time is for one record of all.
func Parallel() (cases []measure.Case) {
	s := scenario.Named("three")
	add := func(name string, h slog.Handler) {
		r := s.Record()
		cases = append(cases, measure.Case{Group: "parallel", Name: name, Run: func(n int) {
			var wg sync.WaitGroup
			procs := runtime.GOMAXPROCS(0)
			for g := range procs {
				wg.Add(1)
				go func() {
					defer wg.Done()
					ctx := context.Background()
					for range (n + g) / procs {
						_ = h.Handle(ctx, r)
					}
				}()
			}
			wg.Wait()
		}})
	}
	for _, p := range peers.Handlers() {
		add(p.Name, p.New(discard{}, &s))
	}
	add(Concurrent, peers.SlogpackWith(discard{}, &s, handler.WithConcurrentWriter()))
	add(BufioStream, peers.Slogpack(bufio.NewWriterSize(discard{}, 1<<16), &s))
	add(BufioSlice, peers.Slogpack(struct{ io.Writer }{bufio.NewWriterSize(discard{}, 1<<16)}, &s))
	return cases
}

// Contenders of Parallel besides peers.
const (
	Concurrent  = "slogpack, concurrent writer"
	BufioStream = "slogpack, bufio.Writer"
	BufioSlice  = "slogpack, bufio.Writer, byte slice"
)
