// Command linecheck reads lines from standard input and fails unless every one
// of them is a JSON record: one object, valid UTF-8, no key twice, an RFC 3339
// time, and the keys asked for.
//
//	go run ./examples/quickstart | linecheck -min 24 -keys time,level,msg -some request.path,error
//
// A dot in a key leads into an object. Lines that fail are printed.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

func main() {
	least := flag.Int("min", 1, "how many `lines` there must be at least")
	every := flag.String("keys", "time,level,msg", "`keys` every record must have")
	some := flag.String("some", "", "`keys` at least one record must have")
	flag.Parse()
	n, err := check(os.Stdin, *least, split(*every), split(*some))
	if err != nil {
		fmt.Fprintln(os.Stderr, "linecheck:", err)
		os.Exit(1)
	}
	fmt.Printf("%d lines, each a JSON record\n", n)
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

// check returns the number of lines read and what is wrong with them, all of
// it: one look at the log should be enough.
func check(r io.Reader, least int, every, some []string) (n int, err error) {
	var problems []error
	missing := slices.Clone(some)
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			break
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return n, err
		}
		n++
		if errors.Is(err, io.EOF) {
			problems = append(problems, fmt.Errorf("line %d does not end in a newline", n))
		}
		has, err := record(line, every)
		if err != nil {
			problems = append(problems, fmt.Errorf("line %d: %w: %q", n, err, line))
			continue
		}
		missing = slices.DeleteFunc(missing, has)
	}
	if n < least {
		problems = append(problems, fmt.Errorf("%d lines, want at least %d", n, least))
	}
	for _, k := range missing {
		problems = append(problems, fmt.Errorf("no record has the key %s", k))
	}
	return n, errors.Join(problems...)
}

// record checks one line and returns what tells whether it has a key.
func record(line []byte, every []string) (has func(key string) bool, err error) {
	if !utf8.Valid(line) {
		return nil, errors.New("invalid UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if t, err := dec.Token(); err != nil {
		return nil, err
	} else if t != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	fields, err := object(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	has = func(key string) bool { return lookup(fields, key) != nil }
	for _, k := range every {
		if !has(k) {
			return nil, fmt.Errorf("no key %s", k)
		}
	}
	if t, ok := fields["time"].(string); ok {
		if _, err := time.Parse(time.RFC3339Nano, t); err != nil {
			return nil, err
		}
	}
	return has, nil
}

// object reads the members after an opening brace. encoding/json by itself
// would keep the last of two equal keys and say nothing.
func object(dec *json.Decoder) (map[string]any, error) {
	fields := map[string]any{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, err
		}
		key := t.(string) // the decoder takes nothing else for a key
		if _, twice := fields[key]; twice {
			return nil, fmt.Errorf("key %s twice in one object", key)
		}
		if fields[key], err = value(dec); err != nil {
			return nil, err
		}
	}
	_, err := dec.Token()
	return fields, err
}

func value(dec *json.Decoder) (any, error) {
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		return object(dec)
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			v, err := value(dec)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := dec.Token()
		return list, err
	case nil:
		return json.RawMessage("null"), nil // there, unlike a missing key
	}
	return t, nil
}

func lookup(fields map[string]any, key string) any {
	if v, ok := fields[key]; ok {
		return v
	}
	if head, rest, ok := strings.Cut(key, "."); ok {
		if in, ok := fields[head].(map[string]any); ok {
			return lookup(in, rest)
		}
	}
	return nil
}
