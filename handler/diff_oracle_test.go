package handler_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// The oracle says what the contract wants for a program. It builds the whole
// tree first and prints it afterwards, so it shares no mechanism with log/slog
// or with the handler; only single values are printed by log/slog. Where
// log/slog meets one of its faults on the way, the oracle notes it, and only
// then may the two differ.

type fault string

// The faults of log/slog that the comparison allows for, where the toolchain has them.
const (
	faultEmptied    fault = "a group that turns out empty spoils the comma or the group stack after it"
	faultPhantom    fault = "a group without attrs counts as content of the group around it"
	faultYear       fault = "years outside 0..9999 print two strings"
	faultGroupName  fault = `WithGroup("") opens a group`
	faultNilLevel   fault = "a nil LevelVar panics"
	faultNilSource  fault = "a nil Source panics, a zero one counts as content"
	faultReplace    fault = "a panic of ReplaceAttr escapes"
	faultNestPanic  fault = "a panic while printing a panic escapes"
	faultInvalidRaw fault = "invalid UTF-8 of a MarshalJSON passes"
)

const yearText = `"!ERROR:time.Time year outside of range [0,9999]"`

// A node is a field of the tree; kids is nil for a leaf, and not for a group.
type node struct {
	key  string
	raw  string
	kids *[]*node
}

type oracle struct {
	opts   slog.HandlerOptions
	faults map[fault]bool
}

func (o *oracle) note(f fault) { o.faults[f] = true }

// lines returns the record lines of a program, one for each of its records.
func (o *oracle) lines(p *program) []string {
	var lines []string
	for i, r := range p.records {
		root := new([]*node)
		cur := root
		var groups []string
		for _, b := range o.builtins(r) {
			*cur = append(*cur, o.attr(b, nil, true, 0)...)
		}
		for _, s := range p.steps[:i] {
			switch {
			case s.attrs != nil:
				if len(s.attrs) == 0 {
					break
				}
				for _, a := range s.attrs {
					*cur = append(*cur, o.attr(a, groups, false, len(groups))...)
				}
			case s.group == "":
				o.note(faultGroupName)
			default:
				g := &node{key: s.group, kids: new([]*node)}
				*cur = append(*cur, g)
				cur = g.kids
				groups = append(groups[:len(groups):len(groups)], s.group)
			}
		}
		r.Attrs(func(a slog.Attr) bool {
			*cur = append(*cur, o.attr(a, groups, false, len(groups))...)
			return true
		})
		lines = append(lines, printNodes(*root))
	}
	return lines
}

func (o *oracle) builtins(r slog.Record) []slog.Attr {
	var as []slog.Attr
	if !r.Time.IsZero() {
		as = append(as, slog.Time(slog.TimeKey, r.Time))
	}
	as = append(as, slog.Any(slog.LevelKey, r.Level))
	if o.opts.AddSource {
		// Without a PC the source is empty: it prints nothing, but ReplaceAttr
		// sees it and may make something of it.
		src := new(slog.Source)
		if r.PC != 0 {
			src = sourceOf(r)
		}
		as = append(as, slog.Any(slog.SourceKey, src))
	}
	return append(as, slog.String(slog.MessageKey, r.Message))
}

// attr returns the nodes an attr leaves: none, one, or those of an inlined group.
func (o *oracle) attr(a slog.Attr, groups []string, builtin bool, depth int) []*node {
	a.Value = a.Value.Resolve()
	if rep := o.opts.ReplaceAttr; rep != nil && a.Value.Kind() != slog.KindGroup {
		a = o.replace(groups, a)
		a.Value = a.Value.Resolve()
	}
	v := a.Value
	if v.Kind() == slog.KindAny {
		if v.Any() == nil && a.Key == "" {
			return nil
		}
		if src, ok := v.Any().(*slog.Source); ok {
			if src == nil || *src == (slog.Source{}) {
				if src == nil || depth > 0 {
					o.note(faultNilSource)
				}
				return nil
			}
			v = sourceGroup(src)
		}
	}
	if v.Kind() != slog.KindGroup {
		return []*node{{key: a.Key, raw: o.leaf(v)}}
	}
	if len(v.Group()) == 0 {
		if depth > 0 {
			o.note(faultPhantom)
		}
		return nil
	}
	if a.Key != "" {
		depth++
		if !builtin {
			groups = append(groups[:len(groups):len(groups)], a.Key)
		}
	}
	kids := new([]*node)
	for _, k := range v.Group() {
		*kids = append(*kids, o.attr(k, groups, builtin, depth)...)
	}
	switch {
	case a.Key == "":
		return *kids
	case len(*kids) == 0:
		o.note(faultEmptied)
		return nil
	}
	return []*node{{key: a.Key, kids: kids}}
}

func (o *oracle) replace(groups []string, a slog.Attr) (out slog.Attr) {
	defer func() {
		if r := recover(); r != nil {
			o.note(faultReplace)
			out = slog.String(a.Key, fmt.Sprintf("!PANIC: %v", r))
		}
	}()
	return o.opts.ReplaceAttr(groups, a)
}

func (o *oracle) leaf(v slog.Value) string {
	if v.Kind() == slog.KindTime {
		if y := v.Time().Year(); y < 0 || y > 9999 {
			o.note(faultYear)
			return yearText
		}
	}
	raw := slogLeaf(v)
	if !utf8.ValidString(raw) {
		o.note(faultInvalidRaw)
	}
	return raw
}

// slogLeaf prints one value by log/slog.
func slogLeaf(v slog.Value) string {
	var b bytes.Buffer
	r := slog.NewRecord(time.Time{}, 0, "", 0)
	r.AddAttrs(slog.Attr{Key: "k", Value: v})
	if err := slog.NewJSONHandler(&b, nil).Handle(context.Background(), r); err != nil {
		panic(err)
	}
	const head, tail = `{"level":"INFO","msg":"","k":`, "}\n"
	return b.String()[len(head) : b.Len()-len(tail)]
}

func printNodes(nodes []*node) string {
	var parts []string
	for _, n := range nodes {
		raw := n.raw
		if n.kids != nil {
			if raw = printNodes(*n.kids); raw == "{}" {
				continue
			}
		}
		parts = append(parts, slogLeaf(slog.StringValue(n.key))+":"+raw)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func sourceGroup(s *slog.Source) slog.Value {
	var as []slog.Attr
	if s.Function != "" {
		as = append(as, slog.String("function", s.Function))
	}
	if s.File != "" {
		as = append(as, slog.String("file", s.File))
	}
	if s.Line != 0 {
		as = append(as, slog.Int("line", s.Line))
	}
	return slog.GroupValue(as...)
}

// sourceOf reads a record's source through log/slog, whose Record.Source is
// younger than this module's go line.
func sourceOf(r slog.Record) *slog.Source {
	var b bytes.Buffer
	r2 := slog.NewRecord(time.Time{}, 0, "", r.PC)
	if err := slog.NewJSONHandler(&b, &slog.HandlerOptions{AddSource: true}).Handle(context.Background(), r2); err != nil {
		panic(err)
	}
	var m struct{ Source slog.Source }
	if err := json.Unmarshal(b.Bytes(), &m); err != nil {
		panic(err)
	}
	return &m.Source
}

// known returns the noted faults that the running toolchain has, in order.
func (o *oracle) known() []string {
	var fs []string
	for f := range o.faults {
		if toolchainFaults()[f] {
			fs = append(fs, string(f))
		}
	}
	slices.Sort(fs)
	return fs
}
