package handler

import (
	"log/slog"
	"time"

	"github.com/slogpack/slogpack/internal/jsonwire"
)

// In this generator every field ends with its comma, and the brace that closes
// an object overwrites the last one. So no field needs to know whether it is
// the first, and an object that got no field is seen by its length and taken
// back.

// jsonPlan is what the JSON generator works out once per configuration.
type jsonPlan struct {
	timeKey    string // `"time":"`, with the quote that opens the text
	levelKey   string // `"level":`
	sourceKey  string // `"source":`
	messageKey string // `"msg":`
	sourceName string // the source's key unescaped
}

func newJSONPlan(p Profile) jsonPlan {
	key := func(k string) string {
		if k == "" {
			return ""
		}
		return string(appendKey(nil, k))
	}
	plan := jsonPlan{
		timeKey:    key(p.TimeKey),
		levelKey:   key(p.LevelKey),
		sourceKey:  key(p.SourceKey),
		messageKey: key(p.MessageKey),
		sourceName: p.SourceKey,
	}
	if plan.timeKey != "" {
		plan.timeKey += `"`
	}
	return plan
}

// setLevel fills in the JSON forms of f, whose text is set.
func (j *jsonPlan) setLevel(f *levelForm) {
	if j.levelKey != "" {
		f.field = j.levelKey + string(jsonwire.AppendString(nil, f.text, jsonwire.Slog)) + ","
	}
	f.head = f.field + j.messageKey
}

// setSource fills in the JSON form of f.
func (j *jsonPlan) setSource(f *sourceForm, s *slog.Source) {
	if j.sourceKey == "" {
		return
	}
	p := newPair() // plain attrs only: no configuration is asked for
	f.field = string(p.group(nil, j.sourceName, sourceAttrs(s)))
}

func appendKey(dst []byte, key string) []byte {
	return append(jsonwire.AppendString(dst, key, jsonwire.Slog), ':')
}

// record appends the whole record. lf is the form of its level.
func (p *pair) record(dst []byte, h *Handler, r *slog.Record, lf *levelForm) []byte {
	dst = append(dst, '{')
	if h.c.replace == nil {
		dst = p.builtins(dst, r, lf)
	} else {
		dst = p.replacedBuiltins(dst, r, lf)
	}
	for _, a := range p.ctxAttrs {
		dst = p.attr(dst, a)
	}
	if h.c.replace != nil {
		p.setGroups(h.groups)
	}
	dst = append(dst, h.pre...)
	closers := 1 + h.nOpen
	if r.NumAttrs() > 0 {
		mark := len(dst)
		dst = append(dst, h.pending...)
		start := len(dst)
		r.Attrs(func(a slog.Attr) bool {
			dst = p.attr(dst, a)
			return true
		})
		if len(dst) > start {
			closers = 1 + len(h.groups)
		} else {
			dst = dst[:mark]
		}
	}
	if n := len(dst) - 1; dst[n] == ',' {
		dst = dst[:n]
	}
	const closing = "}}}}}}}}\n"
	for ; closers >= len(closing); closers-- {
		dst = append(dst, '}')
	}
	return append(dst, closing[len(closing)-1-closers:]...)
}

// builtins appends the record's own fields where nothing rewrites them.
func (p *pair) builtins(dst []byte, r *slog.Record, lf *levelForm) []byte {
	j := &p.c.plan
	if !r.Time.IsZero() && j.timeKey != "" {
		dst = append(dst, j.timeKey...)
		dst = append(p.timeText(dst, r.Time, true), `",`...)
	}
	if p.c.addSource && r.PC != 0 {
		dst = append(dst, lf.field...)
		dst = append(dst, p.c.source(r.PC).field...)
		dst = append(dst, j.messageKey...)
	} else {
		dst = append(dst, lf.head...)
	}
	if j.messageKey != "" {
		dst = append(jsonwire.AppendString(dst, r.Message, jsonwire.Slog), ',')
	}
	return dst
}

// replacedBuiltins has ReplaceAttr see the record's own fields by log/slog's
// keys and types. What keeps its key and type is written in the profile's way,
// anything else as an ordinary attr.
func (p *pair) replacedBuiltins(dst []byte, r *slog.Record, lf *levelForm) []byte {
	j := &p.c.plan
	p.hidden = true
	if !r.Time.IsZero() {
		a := p.callReplace(slog.Time(slog.TimeKey, r.Time.Round(0)))
		if a.Key != slog.TimeKey || a.Value.Kind() != slog.KindTime {
			dst = p.value(dst, a)
		} else if j.timeKey != "" {
			dst = append(dst, j.timeKey...)
			dst = append(p.timeText(dst, a.Value.Time(), true), `",`...)
		}
	}
	a := p.callReplace(slog.Any(slog.LevelKey, r.Level))
	if l, ok := a.Value.Any().(slog.Level); !ok || a.Key != slog.LevelKey {
		dst = p.value(dst, a)
	} else {
		if l != r.Level {
			lf = p.c.level(l)
		}
		dst = append(dst, lf.field...)
	}
	if p.c.addSource {
		// log/slog calls it with an empty source where the PC is zero.
		a := p.callReplace(slog.Any(slog.SourceKey, sourceOf(r.PC)))
		if s, ok := a.Value.Any().(*slog.Source); !ok || a.Key != slog.SourceKey {
			dst = p.value(dst, a)
		} else if j.sourceKey != "" {
			dst = p.group(dst, j.sourceName, sourceAttrs(s))
		}
	}
	a = p.callReplace(slog.String(slog.MessageKey, r.Message))
	if a.Key != slog.MessageKey || a.Value.Kind() != slog.KindString {
		dst = p.value(dst, a)
	} else if j.messageKey != "" {
		dst = append(dst, j.messageKey...)
		dst = append(jsonwire.AppendString(dst, a.Value.String(), jsonwire.Slog), ',')
	}
	p.hidden = false
	return dst
}

// attr appends one attr, or nothing if it is empty.
func (p *pair) attr(dst []byte, a slog.Attr) []byte {
	if p.special {
		if p.stream.active {
			dst = p.watch(dst, a)
		}
		if p.c.replace != nil {
			if a.Value.Kind() == slog.KindLogValuer {
				a.Value = p.resolve(a.Value)
			}
			if a.Value.Kind() != slog.KindGroup {
				a = p.callReplace(a)
			}
		}
	}
	return p.value(dst, a)
}

// value appends an attr that nothing rewrites any more.
func (p *pair) value(dst []byte, a slog.Attr) []byte {
	switch a.Value.Kind() {
	case slog.KindString:
		dst = jsonwire.AppendString(appendKey(dst, a.Key), a.Value.String(), jsonwire.Slog)
	case slog.KindInt64:
		dst = jsonwire.AppendInt(appendKey(dst, a.Key), a.Value.Int64())
	case slog.KindUint64:
		dst = jsonwire.AppendUint(appendKey(dst, a.Key), a.Value.Uint64())
	case slog.KindBool:
		dst = appendKey(dst, a.Key)
		if a.Value.Bool() {
			dst = append(dst, "true"...)
		} else {
			dst = append(dst, "false"...)
		}
	case slog.KindDuration:
		dst = jsonwire.AppendInt(appendKey(dst, a.Key), int64(a.Value.Duration()))
	case slog.KindFloat64:
		dst = appendFloat(appendKey(dst, a.Key), a.Value.Float64())
	case slog.KindTime:
		dst = append(appendKey(dst, a.Key), '"')
		dst = append(p.timeText(dst, a.Value.Time(), false), '"')
	case slog.KindGroup:
		return p.group(dst, a.Key, a.Value.Group())
	case slog.KindLogValuer:
		a.Value = p.resolve(a.Value)
		return p.value(dst, a)
	default:
		return p.any(dst, a)
	}
	return append(dst, ',')
}

// group appends a group, inline if it has no key, or nothing if it ends up
// empty.
func (p *pair) group(dst []byte, key string, attrs []slog.Attr) []byte {
	if len(attrs) == 0 {
		return dst
	}
	if !p.nest.enter(attrs, len(dst)) {
		return p.text(dst, key, tooDeep)
	}
	mark := len(dst)
	named := key != ""
	if named {
		dst = append(appendKey(dst, key), '{')
		if p.special {
			p.push(key)
		}
	}
	start := len(dst)
	for i := range attrs {
		dst = p.attr(dst, attrs[i])
	}
	p.nest.leave()
	if named && p.special {
		p.pop()
	}
	if len(dst) == start {
		return dst[:mark]
	}
	if named {
		dst[len(dst)-1] = '}'
		dst = append(dst, ',')
	}
	return dst
}

// text appends a field of text that is not the user's.
func (p *pair) text(dst []byte, key, text string) []byte {
	return append(jsonwire.AppendString(appendKey(dst, key), text, jsonwire.Slog), ',')
}

// appendFloat appends f as encoding/json does, which has no form for NaN and
// infinities and says so in an error.
func appendFloat(dst []byte, f float64) []byte {
	if f-f == 0 {
		return jsonwire.AppendFloat(dst, f, 64)
	}
	const open = `"!ERROR:json: unsupported value: `
	switch {
	case f > 0:
		return append(dst, open+`+Inf"`...)
	case f < 0:
		return append(dst, open+`-Inf"`...)
	}
	return append(dst, open+`NaN"`...)
}

// Unix seconds between which the year has four digits in every zone.
const (
	minFourDigits = -62135596800 // 0001-01-01
	maxFourDigits = 253370764800 // 9999-01-01
)

// timeText appends t without quotes. RFC 3339 has exactly four digits for the
// year, so that other years are an error, as in encoding/json.
func (p *pair) timeText(dst []byte, t time.Time, own bool) []byte {
	if sec := t.Unix(); sec < minFourDigits || sec >= maxFourDigits {
		if y := t.Year(); y < 0 || y > 9999 {
			return append(dst, "!ERROR:time.Time year outside of range [0,9999]"...)
		}
	}
	if own {
		return p.times.AppendTime(dst, t, -1)
	}
	return p.times.AppendAttrTime(dst, t, -1)
}
