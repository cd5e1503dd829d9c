package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// defaultDocument is MaxDocument where no option says otherwise.
const defaultDocument = 64 << 20

// convertOptions are those of encode and of decode.
type convertOptions struct {
	output      string
	stats       bool
	strict, lax bool
	wide, lines bool
	int64Only   bool
	deepText    bool
	workers     int
	depth       int
	maxDocument size
	timeFields  list

	big, dup, utf8, nonFinite, badKeys jsonmsgpack.Policy
}

func encodeFlags(o *convertOptions) *flag.FlagSet {
	f := commonFlags("encode", o)
	f.BoolVar(&o.wide, "wide", false, "")
	f.BoolVar(&o.lines, "lines", false, "")
	f.BoolVar(&o.int64Only, "int64", false, "")
	f.BoolVar(&o.deepText, "deep-text", false, "")
	f.IntVar(&o.workers, "workers", 1, "")
	f.Var(&o.timeFields, "time-field", "")
	policyFlag(f, &o.big, "big", "float", "text", "fail")
	policyFlag(f, &o.dup, "dup", "keep", "last", "fail")
	return f
}

func decodeFlags(o *convertOptions) *flag.FlagSet {
	f := commonFlags("decode", o)
	policyFlag(f, &o.nonFinite, "non-finite", "null", "text", "fail")
	policyFlag(f, &o.badKeys, "bad-keys", "fail", "text")
	return f
}

func commonFlags(name string, o *convertOptions) *flag.FlagSet {
	f := newFlags(name)
	f.StringVar(&o.output, "o", "", "")
	f.BoolVar(&o.stats, "stats", false, "")
	f.BoolVar(&o.strict, "strict", false, "")
	f.BoolVar(&o.lax, "lax", false, "")
	f.IntVar(&o.depth, "depth", 0, "")
	f.Var(&o.maxDocument, "max-document", "")
	policyFlag(f, &o.utf8, "utf8", "replace", "fail")
	return f
}

// check finds what package flag cannot, and settles what options imply.
func (o *convertOptions) check(f *flag.FlagSet) error {
	given := map[string]bool{}
	f.Visit(func(fl *flag.Flag) { given[fl.Name] = true })
	switch {
	case o.strict && o.lax:
		return errors.New("--strict and --lax exclude each other")
	case given["depth"] && o.depth < 1:
		return fmt.Errorf("--depth must be at least 1, not %d", o.depth)
	case o.workers < 0:
		return fmt.Errorf("--workers must be 0 (one for each core) or more, not %d", o.workers)
	case given["o"] && o.output == "":
		return errors.New("-o needs the name of a file, or - for standard output")
	}
	if o.workers == 0 {
		o.workers = runtime.GOMAXPROCS(0)
	}
	// Only lines can be converted apart; and Lax implies them.
	if given["workers"] || o.lax {
		o.lines = true
	}
	return nil
}

// encoder returns the options of the converter: first the preset, so that the
// others refine it wherever they stand on the command line.
func (o *convertOptions) encoder() []jsonmsgpack.Option {
	opts := o.common()
	if o.wide {
		opts = append(opts, jsonmsgpack.Wide())
	}
	if o.lines {
		opts = append(opts, jsonmsgpack.Lines())
	}
	if o.int64Only {
		opts = append(opts, jsonmsgpack.Int64Only())
	}
	if o.deepText {
		opts = append(opts, jsonmsgpack.DeepText())
	}
	if len(o.timeFields) > 0 {
		opts = append(opts, jsonmsgpack.TimeFields(o.timeFields...))
	}
	// A policy that was not given is none, which changes nothing.
	return append(opts, jsonmsgpack.BigNumbers(o.big), jsonmsgpack.Duplicates(o.dup))
}

// decoder returns the options for the way back. The presets say there what
// they say of JSON: take what can be taken, or nothing that changes.
func (o *convertOptions) decoder() []jsonmsgpack.Option {
	opts := o.common()
	switch {
	case o.lax:
		opts = append(opts, jsonmsgpack.NonFinite(jsonmsgpack.Text), jsonmsgpack.BadKeys(jsonmsgpack.Text))
	case o.strict:
		opts = append(opts, jsonmsgpack.NonFinite(jsonmsgpack.Fail))
	}
	return append(opts, jsonmsgpack.NonFinite(o.nonFinite), jsonmsgpack.BadKeys(o.badKeys))
}

func (o *convertOptions) common() []jsonmsgpack.Option {
	var opts []jsonmsgpack.Option
	switch {
	case o.strict:
		opts = append(opts, jsonmsgpack.Strict())
	case o.lax:
		opts = append(opts, jsonmsgpack.Lax())
	}
	return append(opts, jsonmsgpack.MaxDepth(o.depth),
		jsonmsgpack.MaxDocument(int64(o.maxDocument)), jsonmsgpack.InvalidUTF8(o.utf8))
}

// A size is a number of bytes, with K, M or G for powers of 1024.
type size int64

func (s *size) String() string { return "" }

func (s *size) Set(text string) error {
	number := strings.TrimRight(strings.TrimSuffix(strings.ToUpper(text), "B"), "KMG")
	unit := strings.TrimSuffix(strings.ToUpper(text), "B")[len(number):]
	shift := map[string]uint{"": 0, "K": 10, "M": 20, "G": 30}
	n, err := strconv.ParseInt(number, 10, 64)
	by, ok := shift[unit]
	if err != nil || !ok || n < 1 || n > math.MaxInt64>>by {
		return errors.New("must be a number of bytes such as 1000000, 64M or 2G")
	}
	*s = size(n << by)
	return nil
}
