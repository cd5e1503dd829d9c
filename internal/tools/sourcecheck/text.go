package main

import (
	"bytes"
	"regexp"
	"strings"
)

// pathCheck finds what names the machine a file was written on, and marks of
// unfinished work. The patterns are put together from pieces so that this file
// does not find itself.
type pathCheck struct {
	root     []byte // the checkout's own path; nil when too short to mean anything
	patterns []pattern
}

type pattern struct {
	re   *regexp.Regexp
	only string // suffixes of the files it applies to, space-separated; "" is all
	text string
}

func newPathCheck(root string) pathCheck {
	c := pathCheck{patterns: []pattern{
		{regexp.MustCompile(`(^|[^A-Za-z0-9_.~-])/(` + `home|Users)/[A-Za-z0-9_][A-Za-z0-9_.-]*/`), "", "names a home directory"},
		{regexp.MustCompile(`(^|[^A-Za-z0-9_.~/-])/` + `root/[A-Za-z0-9_.]`), "", "names a home directory"},
		{regexp.MustCompile(`[A-Za-z]:\\+` + `Users\\+[A-Za-z]`), "", "names a home directory"},
		{regexp.MustCompile(`://(10\.\d+|192\.168|172\.(1[6-9]|2\d|3[01]))` + `\.\d+\.\d+`), "", "names a host of a private network"},
		{regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`), ".go .md .sh .yml run", "unfinished work: do it, or file an issue"},
	}}
	// A checkout at / or /src would match far too much.
	if strings.Count(root, "/") >= 2 && len(root) >= 8 {
		c.root = []byte(root)
	}
	return c
}

func (c pathCheck) check(rel string, data []byte) (problems []problem) {
	report := func(offset int, text string) {
		problems = append(problems, problem{rel, 1 + bytes.Count(data[:offset], []byte("\n")), text})
	}
	if c.root != nil {
		if i := bytes.Index(data, c.root); i >= 0 {
			report(i, "names the directory it was written in")
		}
	}
	for _, p := range c.patterns {
		if !applies(p.only, rel) {
			continue
		}
		if loc := p.re.FindIndex(data); loc != nil {
			report(loc[0], p.text)
		}
	}
	return problems
}

func applies(suffixes, rel string) bool {
	if suffixes == "" {
		return true
	}
	for _, s := range strings.Fields(suffixes) {
		if strings.HasSuffix(rel, s) {
			return true
		}
	}
	return false
}
