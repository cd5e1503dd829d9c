package main

import (
	"bytes"
	"time"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// A layout is how cat shows records.
type layout struct {
	pretty bool // fixed columns, long texts over several lines
	color  bool
	// tails are the texts of several lines of a pretty record, which come
	// below its line.
	tails []tail
}

type tail struct {
	key  []byte
	text []byte
}

// Colours by what they are for. All but the reset are written by paint alone.
const (
	colorOff   = "\x1b[0m"
	colorDim   = "\x1b[2m"
	colorBold  = "\x1b[1m"
	colorKey   = "\x1b[36m"
	colorError = "\x1b[31m"
)

// levelColor returns the colour of a level.
func levelColor(rank int) string {
	switch {
	case rank >= 12:
		return "\x1b[1;31m"
	case rank >= 8:
		return colorError
	case rank >= 4:
		return "\x1b[33m"
	case rank >= 0:
		return "\x1b[32m"
	case rank >= -4:
		return "\x1b[34m"
	}
	return "\x1b[35m"
}

// append appends the record as one line: time, level, message, and the attrs
// as key=value, those in groups with the group's name and a dot before. Pretty
// records may have more lines, indented, for texts of several lines.
func (l *layout) append(dst []byte, r *record) []byte {
	l.tails = l.tails[:0]
	begin := len(dst)
	gap := func() {
		if len(dst) > begin {
			dst = append(dst, ' ')
		}
	}
	if r.time >= 0 || r.envelope {
		dst = l.paint(dst, colorDim, l.time(nil, r))
	}
	if r.levelTxt != nil {
		gap()
		text := appendSafe(nil, bytes.ToUpper(r.levelTxt), safeText)
		for len(text) < len("ERROR") {
			text = append(text, ' ')
		}
		dst = l.paint(dst, levelColor(r.rank), text)
	}
	if r.msg >= 0 {
		gap()
		text := r.fields[r.msg].val.data
		if l.pretty && bytes.IndexByte(text, '\n') >= 0 {
			first, rest, _ := bytes.Cut(text, []byte{'\n'})
			l.tails = append(l.tails, tail{nil, rest})
			text = first
		}
		dst = l.paint(dst, colorBold, appendSafe(nil, text, safeText))
	}
	for i := range r.fields {
		f := &r.fields[i]
		if i == r.time || i == r.level || i == r.msg || i == r.number && r.level >= 0 {
			continue
		}
		dst = l.attr(dst, begin, f.key, f, 0)
	}
	dst = append(dst, '\n')
	for _, t := range l.tails {
		dst = l.appendTail(dst, t)
	}
	return dst
}

// time appends the record's time: as it is, or in a pretty record with as many
// digits as in any other.
func (l *layout) time(dst []byte, r *record) []byte {
	switch {
	case r.whenText != nil:
		return appendSafe(dst, r.whenText, safeText)
	case l.pretty:
		return r.when.AppendFormat(dst, "2006-01-02 15:04:05.000")
	case r.time >= 0 && r.fields[r.time].val.kind == kindStr:
		return appendSafe(dst, r.fields[r.time].val.data, safeText)
	}
	return r.when.AppendFormat(dst, time.RFC3339Nano)
}

// maxGroups is how deep groups become parts of the key. Deeper ones are shown
// as JSON.
const maxGroups = 8

// attr appends the field, whose key with those of the groups around it is
// key. The record begins at dst[begin].
func (l *layout) attr(dst []byte, begin int, key []byte, f *field, depth int) []byte {
	var text []byte
	switch {
	case f.val.kind == kindMap && depth == 0:
		text = appendSource(nil, f)
	case f.val.kind == kindStr && l.pretty && bytes.IndexByte(f.val.data, '\n') >= 0:
		l.tails = append(l.tails, tail{key, f.val.data})
		return dst
	case f.val.kind == kindStr:
		text = appendText(nil, f.val.data)
	case f.val.kind == kindExt:
		text = appendScalar(nil, f.wire)
	}
	if text == nil && f.val.kind == kindMap && f.val.n > 0 && depth < maxGroups {
		var group record
		group.readFields(f.wire)
		for i := range group.fields {
			sub := &group.fields[i]
			name := append(append(key[:len(key):len(key)], '.'), sub.key...)
			dst = l.attr(dst, begin, name, sub, depth+1)
		}
		return dst
	}
	if text == nil {
		text = appendSafe(nil, appendJSON(nil, f.wire), safeJSON)
	}
	if len(dst) > begin {
		dst = append(dst, ' ')
	}
	dst = l.paint(dst, colorKey, append(appendText(nil, key), '='))
	color := ""
	if s := string(key); s == "error" || s == "err" || s == "exception" {
		color = colorError
	}
	return l.paint(dst, color, text)
}

// appendText appends s as it is if that cannot be mistaken for anything else,
// and in quotes otherwise.
func appendText(dst, s []byte) []byte {
	n := len(dst)
	dst = appendSafe(append(dst, '"'), s, safeQuote)
	if quoted := dst[n+1:]; len(s) > 0 && bytes.Equal(quoted, s) && !bytes.ContainsAny(s, " =") {
		return dst[:n+copy(dst[n:], quoted)]
	}
	return append(dst, '"')
}

// appendSource appends the place in a program that a field is, as file:line,
// and nil if it is none: log/slog's source, Google's and ECS's.
func appendSource(dst []byte, f *field) []byte {
	switch string(f.key) {
	case "source", "logging.googleapis.com/sourceLocation", "log.origin":
	default:
		return nil
	}
	var group record
	group.readFields(f.wire)
	var file, line []byte
	for i := range group.fields {
		g := &group.fields[i]
		switch string(g.key) {
		case "file", "file.name":
			if g.val.kind == kindStr {
				file = g.val.data
			}
		case "line", "file.line":
			line = appendScalar(nil, g.wire)
		}
	}
	if file == nil || line == nil {
		return nil
	}
	return appendText(dst, append(append(append([]byte(nil), file...), ':'), line...))
}

// appendTail appends a text of several lines, indented below its record.
func (l *layout) appendTail(dst []byte, t tail) []byte {
	indent := "    "
	if t.key != nil {
		dst = append(dst, indent...)
		dst = l.paint(dst, colorKey, append(appendText(nil, t.key), '='))
		dst = append(dst, '\n')
		indent += indent
	}
	for _, line := range bytes.Split(bytes.TrimRight(t.text, "\n"), []byte{'\n'}) {
		line = bytes.TrimSuffix(line, []byte{'\r'})
		dst = append(append(dst, indent...), appendSafe(nil, line, safeText)...)
		dst = append(dst, '\n')
	}
	return dst
}

// paint appends text, which is safe already, in a colour.
func (l *layout) paint(dst []byte, color string, text []byte) []byte {
	if !l.color || color == "" || len(text) == 0 {
		return append(dst, text...)
	}
	dst = append(dst, color...)
	dst = append(dst, text...)
	return append(dst, colorOff...)
}

// appendJSON appends the JSON of a MessagePack object that is known to be
// whole. What has no form in JSON is shown as text: cat shows all it can.
func appendJSON(dst, src []byte) []byte {
	out, _, err := jsonmsgpack.AppendJSON(dst, src,
		jsonmsgpack.BadKeys(jsonmsgpack.Text), jsonmsgpack.NonFinite(jsonmsgpack.Text))
	if err != nil {
		return append(dst, "!ERROR: "+err.Error()...)
	}
	return out
}

// appendScalar appends an object that is no container as text without quotes.
func appendScalar(dst, src []byte) []byte {
	n := len(dst)
	dst = appendSafe(dst, appendJSON(nil, src), safeJSON)
	if text := dst[n:]; len(text) >= 2 && text[0] == '"' {
		return append(dst[:n], text[1:len(text)-1]...)
	}
	return dst
}
