package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

func newFlags(name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	// Its messages and its help are replaced by our own.
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	return f
}

// errHelp: the arguments ask for help, which has been printed.
var errHelp = errors.New("help")

// parse parses options wherever they stand, before and after file names, up
// to "--", and returns the file names.
func parse(f *flag.FlagSet, args []string) (files []string, err error) {
	for {
		if err := f.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, errHelp
			}
			return nil, explain(f, err)
		}
		n := len(args) - f.NArg()
		rest := f.Args()
		if len(rest) == 0 || n > 0 && args[n-1] == "--" {
			return append(files, rest...), nil
		}
		files = append(files, rest[0])
		args = rest[1:]
	}
}

// explain words an error of package flag as the help does: two dashes, and
// what may have been meant.
func explain(f *flag.FlagSet, err error) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		var names []string
		f.VisitAll(func(fl *flag.Flag) { names = append(names, fl.Name) })
		if s := nearest(name, names); s != "" {
			return fmt.Errorf("there is no option %s; did you mean %s?", dashed(name), dashed(s))
		}
		return fmt.Errorf("there is no option %s", dashed(name))
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		return fmt.Errorf("%s needs a value", dashed(name))
	}
	for _, is := range []string{" for flag -", " for -"} {
		if head, tail, ok := strings.Cut(text, is); ok {
			name, why, _ := strings.Cut(tail, ": ")
			if why == "parse error" {
				why = "must be a number"
			}
			return fmt.Errorf("%s for %s: %s", head, dashed(name), why)
		}
	}
	return err
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// nearest returns the name that s is most likely a misspelling of, or "".
func nearest(s string, names []string) string {
	best, at := 3, ""
	if len(s) < 4 {
		best = 2
	}
	for _, n := range names {
		if len(n) == 1 {
			continue
		}
		if d := distance(s, n); d < best {
			best, at = d, n
		} else if at == "" && len(s) > 2 && strings.HasPrefix(n, s) {
			at = n
		}
	}
	return at
}

// distance counts the letters to insert, delete or replace between a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// A policy is an option that takes one of a few words.
type policy struct {
	p  *jsonmsgpack.Policy
	of []string
}

// words are the policies as they are written on the command line.
var words = [...]struct {
	word string
	p    jsonmsgpack.Policy
}{
	{"float", jsonmsgpack.Float}, {"text", jsonmsgpack.Text}, {"fail", jsonmsgpack.Fail},
	{"keep", jsonmsgpack.Keep}, {"last", jsonmsgpack.LastWins},
	{"replace", jsonmsgpack.Replace}, {"null", jsonmsgpack.Null},
}

func policyFlag(f *flag.FlagSet, p *jsonmsgpack.Policy, name string, of ...string) {
	f.Var(policy{p, of}, name, "")
}

func (p policy) String() string { return "" }

func (p policy) Set(s string) error {
	if slices.Contains(p.of, s) {
		for _, w := range words {
			if w.word == s {
				*p.p = w.p
			}
		}
		return nil
	}
	return fmt.Errorf("must be %s or %s", strings.Join(p.of[:len(p.of)-1], ", "), p.of[len(p.of)-1])
}

// A list is an option that may be given several times, or names with commas
// between them.
type list []string

func (l *list) String() string { return "" }

func (l *list) Set(s string) error {
	for _, name := range strings.Split(s, ",") {
		if name == "" {
			return errors.New("empty name")
		}
		*l = append(*l, name)
	}
	return nil
}
