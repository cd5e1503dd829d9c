package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// A job is one run of encode or decode: some inputs, one after another, to
// one output.
type job struct {
	a      *app
	o      convertOptions
	out    *output
	w      io.Writer // out, or what makes it safe for a terminal
	called string    // the input being read
	end    int64     // bytes of it that were read
	stats  jsonmsgpack.Stats
	begun  time.Time

	convert func(j *job, r io.Reader) (jsonmsgpack.Stats, error)
}

func (a *app) encode(args []string) int {
	j := &job{a: a, convert: (*job).encode}
	f := encodeFlags(&j.o)
	files, err := parse(f, args)
	if err == nil {
		err = j.o.check(f)
	}
	if errors.Is(err, errHelp) {
		return a.print(helpEncode)
	}
	if err != nil {
		return a.usage("encode", "%v", err)
	}
	if j.o.output == "" && isTerminal(a.stdout) {
		return a.usage("encode", "MessagePack is not for terminals: write to a file with -o FILE, or to a pipe (or insist with -o -)")
	}
	return j.run(files)
}

func (a *app) decode(args []string) int {
	j := &job{a: a, convert: (*job).decode}
	f := decodeFlags(&j.o)
	files, err := parse(f, args)
	if err == nil {
		err = j.o.check(f)
	}
	if errors.Is(err, errHelp) {
		return a.print(helpDecode)
	}
	if err != nil {
		return a.usage("decode", "%v", err)
	}
	return j.run(files)
}

// run converts all inputs and returns the exit status.
func (j *job) run(files []string) (code int) {
	a := j.a
	out, err := a.create(j.o.output)
	if err != nil {
		return a.fail(err)
	}
	defer out.discard()
	j.out, j.w, j.begun = out, out.f, time.Now()
	files = inputs(files)
	p := a.watch(a.total(files), out.f)
	err = j.all(files, p)
	if err == nil {
		err = out.commit()
	}
	if err != nil {
		out.waitForEnd()
	}
	p.end(err == nil)
	switch {
	case err != nil:
		code = j.failed(err)
	case j.stats.Failed > 0:
		code = exitFailed
	}
	if j.o.stats {
		j.printStats()
	}
	return code
}

func (j *job) all(files []string, p *progress) error {
	for i, name := range files {
		f, called, err := j.a.open(name)
		if err != nil {
			return advise(err, files, i, j.o.output)
		}
		j.called = called
		st, err := j.convert(j, p.reader(f))
		f.Close()
		j.end = st.In
		j.stats.Documents += st.Documents
		j.stats.Failed += st.Failed
		j.stats.Replaced += st.Replaced
		j.stats.Lossy += st.Lossy
		j.stats.In += st.In
		j.stats.Out += st.Out
		if err != nil {
			return err
		}
	}
	return nil
}

// encode converts one input to MessagePack. With lines, those that fail are
// reported as they come and are no error.
func (j *job) encode(r io.Reader) (jsonmsgpack.Stats, error) {
	opts := j.o.encoder()
	if j.o.lines {
		if j.o.workers > 1 {
			return j.parallel(r, opts)
		}
		opts = append(opts, jsonmsgpack.OnError(func(_ int64, err error) bool {
			j.report(err)
			return true
		}))
	}
	c := jsonmsgpack.NewConverter(opts...)
	// A document to a file may be larger than memory, unless all of its keys
	// must be seen before the first is written.
	if at := j.out.at(j.stats.Out); at != nil && j.o.dup != jsonmsgpack.LastWins {
		return c.ConvertAt(at, r)
	}
	if j.out.target != "" {
		if _, err := j.out.f.Seek(j.stats.Out, io.SeekStart); err != nil {
			return jsonmsgpack.Stats{}, err
		}
	}
	return c.Convert(j.w, r)
}

// decode converts one input to JSON. What it writes to a terminal is still
// JSON, with everything escaped that a terminal would act on.
func (j *job) decode(r io.Reader) (jsonmsgpack.Stats, error) {
	var w io.Writer = j.w
	if isTerminal(j.out.f) {
		w = &safeJSONWriter{w: w}
	}
	last := &lastByteWriter{w: w, last: '\n'}
	st, err := jsonmsgpack.NewConverter(j.o.decoder()...).ConvertJSON(last, r)
	if err != nil && last.last != '\n' {
		// The beginning of a long document is out already; what comes after
		// must not be glued to it.
		io.WriteString(w, "\n")
	}
	return st, err
}

// A lastByteWriter remembers the last byte that it passed on.
type lastByteWriter struct {
	w    io.Writer
	last byte
}

func (l *lastByteWriter) Write(p []byte) (int, error) {
	if len(p) > 0 {
		l.last = p[len(p)-1]
	}
	return l.w.Write(p)
}

// report tells of a line, or a document, that could not be converted.
func (j *job) report(err error) {
	j.a.say("%s: %s", j.called, strings.TrimPrefix(err.Error(), "jsonmsgpack: "))
}

// failed tells why the conversion stopped and returns the exit status.
func (j *job) failed(err error) int {
	var bad *jsonmsgpack.SyntaxError
	code := exitFailed
	switch {
	case !errors.As(err, &bad):
		code = j.a.fail(err)
	case errors.Is(err, jsonmsgpack.ErrTooLarge) && bad.Line > 0:
		j.a.say("%s: line %d (offset %d): a document or string longer than --max-document; a larger one needs that raised, or -o FILE, where documents may be larger than memory",
			j.called, bad.Line, bad.Offset)
	case errors.Is(err, io.ErrUnexpectedEOF) && bad.Line == 0:
		j.a.say("%s: offset %d: the input ends in the middle of an object; %s before it", j.called, j.end, documents(j.stats.Documents))
	default:
		j.report(err)
		if bad.Line > 1 && !j.o.lines {
			j.a.say("(if each line is a document: --lines goes on with the next line after a bad one)")
		}
	}
	if j.out.discard() {
		j.a.say("%s is not written", j.out.target)
	}
	return code
}

func documents(n int64) string {
	if n == 1 {
		return "1 document is whole"
	}
	return fmt.Sprintf("%d documents are whole", n)
}

// printStats prints what Stats counted, to standard error.
func (j *job) printStats() {
	st, took := &j.stats, time.Since(j.begun)
	ratio := ""
	if st.In > 0 {
		ratio = fmt.Sprintf(" (%.1f %% of the input)", 100*float64(st.Out)/float64(st.In))
	}
	fmt.Fprintf(j.a.stderr, "documents  %d\nfailed     %d\nreplaced   %d\nlossy      %d\nin         %d bytes\nout        %d bytes%s\ntime       %s (%s)\n",
		st.Documents, st.Failed, st.Replaced, st.Lossy, st.In, st.Out, ratio, tookText(took), rateText(st.In, took))
}
