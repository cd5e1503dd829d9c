package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"
)

// catOptions are those of cat.
type catOptions struct {
	pretty, json   bool
	color          string
	level, pattern string
	follow, resync bool

	minRank int
	grep    *regexp.Regexp
}

func catFlags(o *catOptions) *flag.FlagSet {
	f := newFlags("cat")
	f.BoolVar(&o.pretty, "pretty", false, "")
	f.BoolVar(&o.json, "json", false, "")
	f.StringVar(&o.color, "color", "auto", "")
	f.StringVar(&o.level, "level", "", "")
	f.StringVar(&o.pattern, "grep", "", "")
	f.BoolVar(&o.follow, "f", false, "")
	f.BoolVar(&o.follow, "follow", false, "")
	f.BoolVar(&o.resync, "resync", false, "")
	return f
}

// check finds what package flag cannot, and settles what options mean.
func (o *catOptions) check(files []string) error {
	switch o.color {
	case "auto", "always", "never":
	default:
		return fmt.Errorf("--color must be auto, always or never, not %q", o.color)
	}
	if o.json && (o.pretty || o.color == "always") {
		return errors.New("--json is for programs: it excludes --pretty and --color always")
	}
	if o.level != "" {
		rank, ok := rankOfText([]byte(o.level))
		if !ok {
			return fmt.Errorf("--level must be trace, debug, info, warn, error, fatal or panic, or one like INFO+2, not %q", o.level)
		}
		o.minRank = rank
	}
	if o.pattern != "" {
		re, err := regexp.Compile(o.pattern)
		if err != nil {
			return fmt.Errorf("--grep: %w", err)
		}
		o.grep = re
	}
	if o.follow && (len(files) != 1 || files[0] == "-") {
		return errors.New("-f follows one file: give its name (standard input is read to its end in any case)")
	}
	return nil
}

// colored says whether records are shown in colour. NO_COLOR, set to anything,
// turns off what nobody asked for by name: see no-color.org.
func (o *catOptions) colored(terminal bool) bool {
	switch o.color {
	case "always":
		return true
	case "never":
		return false
	}
	return o.pretty && terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

func (a *app) cat(args []string) int {
	var o catOptions
	files, err := parse(catFlags(&o), args)
	if err == nil {
		err = o.check(files)
	}
	if errors.Is(err, errHelp) {
		return a.print(helpCat)
	}
	if err != nil {
		return a.usage("cat", "%v", err)
	}
	c := &catter{
		a: a, o: &o,
		out:    bufio.NewWriterSize(a.stdout, 64<<10),
		layout: layout{pretty: o.pretty, color: o.colored(isTerminal(a.stdout))},
		conv:   newLineConverter(),
	}
	code := exitOK
	for _, name := range inputs(files) {
		if err = c.file(name); err != nil {
			break
		}
	}
	if errors.Is(err, context.Canceled) {
		err = nil // the way to end -f
	}
	if ferr := c.out.Flush(); err == nil {
		err = ferr
	}
	if c.broken {
		code = exitFailed
	}
	if err != nil && !errors.Is(err, errDamage) {
		code = a.fail(err)
	}
	return code
}

// file shows one input.
func (c *catter) file(name string) error {
	if c.o.follow {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		defer stop()
		f, err := newFollower(ctx, name)
		if err != nil {
			return err
		}
		defer f.close()
		return c.copy(f, name)
	}
	f, called, err := c.a.open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if name == "-" && !isTerminal(f) {
		// Ctrl-C goes to the program at the other end of the pipe too, and what
		// that logs while it shuts down is worth seeing: the first one only
		// makes the second work as ever.
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		context.AfterFunc(ctx, stop)
	}
	return c.copy(f, called)
}
