package handler_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/jsonmsgpack"
)

const secretMark, openMark = "sEcReT-mark", "open-mark"

// secretTree makes random attrs. Every value under a key to be redacted holds
// secretMark somewhere, every other text is openMark; it counts the latter.
type secretTree struct {
	rnd  *rand.Rand
	open int
}

func (s *secretTree) key() (key string, secret bool) {
	keys := []string{"password", "PassWord", "api-key", "API-KEY", "user", "pass", "passwords", "a", "b", "c"}
	i := s.rnd.IntN(len(keys))
	return keys[i], i < 4
}

func (s *secretTree) text(secret bool) string {
	if secret {
		return secretMark
	}
	s.open++
	return openMark
}

func (s *secretTree) attr(depth int, secret bool) slog.Attr {
	key, is := s.key()
	secret = secret || is
	switch s.rnd.IntN(12) {
	case 0, 1, 2:
		if depth > 0 {
			if s.rnd.IntN(4) == 0 && !is {
				key = ""
			}
			return slog.Attr{Key: key, Value: slog.GroupValue(s.attrs(depth-1, secret)...)}
		}
	case 3:
		if depth > 0 {
			if s.rnd.IntN(2) == 0 {
				return slog.Any(key, toValue{slog.AnyValue(s.any(depth-1, secret))})
			}
			return slog.Any(key, toValue{slog.GroupValue(s.attrs(depth-1, secret)...)})
		}
	case 4, 5, 6, 7, 8:
		return slog.Any(key, s.any(depth, secret))
	}
	return slog.String(key, s.text(secret))
}

func (s *secretTree) attrs(depth int, secret bool) []slog.Attr {
	as := make([]slog.Attr, 1+s.rnd.IntN(3))
	for i := range as {
		as[i] = s.attr(depth, secret)
	}
	return as
}

type (
	secretStruct struct {
		Password any               `json:"password"`
		User     any               `json:"user"`
		In       map[string]string `json:"in"`
	}
	bothForms struct{ json, pack []byte }
)

func (b bothForms) MarshalJSON() ([]byte, error)    { return b.json, nil }
func (b bothForms) MarshalMsgpack() ([]byte, error) { return b.pack, nil }

func (s *secretTree) any(depth int, secret bool) any {
	if depth == 0 {
		return s.text(secret)
	}
	k, is := s.key()
	switch s.rnd.IntN(8) {
	case 0:
		return map[string]any{k: s.any(depth-1, secret || is)}
	case 1:
		return []any{s.any(depth-1, secret), s.any(depth-1, secret)}
	case 2:
		return map[string]string{k: s.text(secret || is)}
	case 3:
		return secretStruct{s.any(depth-1, true), s.any(depth-1, secret), map[string]string{k: s.text(secret || is)}}
	case 4:
		b, _ := json.Marshal(map[string]any{k: s.any(depth-1, secret || is)})
		b = []byte(strings.Replace(string(b), "password", `p\u0061ssword`, 1))
		return json.RawMessage(b)
	case 5:
		b, _ := json.Marshal(map[string]any{k: s.any(depth-1, secret || is)})
		p, err := jsonmsgpack.Append(nil, b)
		if err != nil {
			panic(err)
		}
		return bothForms{b, p}
	case 6:
		return []map[string]string{{k: s.text(secret || is)}}
	}
	return s.text(secret)
}

// Values of redacted keys are nowhere in the record, and nothing else is gone.
func TestRedactProperty(t *testing.T) {
	for i := range fewer(1500) {
		s := &secretTree{rnd: rand.New(rand.NewPCG(uint64(i), 3))}
		p := namedProfiles()[i%5]
		if i%4 == 0 { // attrs with these keys get other ones
			p.ProtectBuiltins = true
			p.Static = []slog.Attr{slog.Int("password", 1), slog.Int("API-KEY", 2)}
		}
		f := formats[i/5%3]
		_, w, out := diffWriter(i / 3)
		opts := []handler.Option{handler.WithRedactKeys("Password"), handler.WithRedactKeys("api-key", "unused")}
		if i%2 == 0 {
			opts = append(opts, handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr { return a }))
		}
		if i%7 == 0 {
			ctx := s.attrs(2, false)
			opts = append(opts, handler.WithContextAttrs(func(context.Context) []slog.Attr { return ctx }))
		}
		var h slog.Handler = newHandler(w, wireOptions(f, p.Profile, opts...)...)
		secret := false
		for range s.rnd.IntN(4) {
			if s.rnd.IntN(2) == 0 {
				h = h.WithAttrs(s.attrs(3, secret))
				continue
			}
			k, is := s.key()
			h, secret = h.WithGroup(k), secret || is
		}
		for range s.rnd.IntN(2) * 40 { // to where Forward has text
			h = h.WithGroup("deep")
		}
		handle(t, h, record(0, "m", s.attrs(4, secret)...))
		all := string(out())
		if strings.Contains(all, secretMark) {
			t.Fatalf("%v %s, seed %d: a secret is in %q", f, p.name, i, clip(all))
		}
		if got := strings.Count(all, openMark); got != s.open {
			t.Fatalf("%v %s, seed %d: %d texts of %d are left: %q", f, p.name, i, got, s.open, clip(all))
		}
		decodeRecords(t, f, out())
	}
}

// The same from an encoder, and keys of MessagePack that are bin.
func TestRedactEncoders(t *testing.T) {
	e := anyEncoder(func(dst []byte, f handler.Format, v any) ([]byte, bool, error) {
		return append(dst, wireOf(f, `{"x":[{"KEY":"s3cret"}],"key":{"a":"s3cret"}}`, "\x82\xa1x\x91\x81\xa3KEY\xa6s3cret\xa3key\x81\xa1a\xa6s3cret")...), true, nil
	})
	for _, f := range formats {
		o := loggedOne(t, f, handler.Slog(), record(0, "m", slog.Any("v", known{})), handler.WithValues(e), handler.WithRedactKeys("Key"))
		if v, _ := o.at("v"); show(v) != `{"x":[{"KEY":"[REDACTED]"}],"key":"[REDACTED]"}` {
			t.Errorf("%v: %s", f, show(v))
		}
	}
	for _, b := range []string{"\x81\xc4\x03KEY\xa6s3cret", "\x81\xc5\x00\x03key\xc4\x06s3cret", "\x81\xd9\x03kEy\x91\xa6s3cret", "\x81\xdb\x00\x00\x00\x03kEy\x81\x01\xa6s3cret"} {
		o := loggedOne(t, handler.MessagePack, handler.Slog(), record(0, "m", slog.Any("v", packsItself{[]byte(b)})), handler.WithRedactKeys("Key"))
		if s := show(o); strings.Contains(s, "s3cret") || !strings.Contains(s, "[REDACTED]") {
			t.Errorf("%x: %s", b, s)
		}
	}
}

// Lengths are what the pre-check asks about; ASCII only is folded.
func TestRedactKeys(t *testing.T) {
	long := strings.Repeat("k", 64+3) // as "key", modulo 64
	for _, c := range []struct {
		key, redact string
		gone        bool
	}{
		{"key", "key", true}, {"KEY", "key", true}, {"key", "KEY", true}, {"key", long, false}, {long, "key", false}, {long, strings.ToUpper(long), true},
		{"é", "É", false}, {"é", "é", true}, {"ké", "Ké", true}, {"\u212aey", "key", false}, {"", "", true}, {"x", "", false}, {"k[", "K{", false}, {"@k", "`k", false},
	} {
		for _, f := range formats {
			o := loggedOne(t, f, handler.Slog(), record(0, "m", slog.Int(c.key, 1), slog.Any("v", map[string]any{c.key: 1}), slog.Any("j", map[string]int{c.key: 1})), handler.WithRedactKeys(c.redact))
			for _, path := range [][]string{{c.key}, {"v", c.key}, {"j", c.key}} {
				if v, _ := o.at(path...); (v == "[REDACTED]") != c.gone {
					t.Errorf("%v: redact %q: %q is %s", f, c.redact, path, show(v))
				}
			}
		}
	}
}

// A key that is one of the record's own fields is a secret under its own name and
// under the one that the attr gets.
func TestRedactProtected(t *testing.T) {
	for _, redact := range []string{"message", "attr.message"} {
		forEachWire(t, func(t *testing.T, f handler.Format, p namedProfile) {
			p.MessageKey, p.ProtectBuiltins = "message", true
			for where, h := range map[string]func(h slog.Handler) slog.Handler{
				"record":    func(h slog.Handler) slog.Handler { return h },
				"With":      func(h slog.Handler) slog.Handler { return h.WithAttrs([]slog.Attr{slog.String("message", secretMark)}) },
				"WithGroup": func(h slog.Handler) slog.Handler { return h.WithGroup("message") },
			} {
				_, w, out := diffWriter(1)
				h := h(newHandler(w, wireOptions(f, p.Profile, handler.WithRedactKeys(redact))...))
				a := slog.String("message", secretMark)
				handle(t, h, record(0, "m", a, slog.Group("", a), slog.Group("message", "b", secretMark)))
				if all := string(out()); strings.Contains(all, secretMark) || !strings.Contains(all, "attr.message") {
					t.Errorf("%s, redact %s: %q", where, redact, all)
				}
			}
		})
	}
}

// Built-ins and messages are not attrs; static attrs are.
func TestRedactNotOwn(t *testing.T) {
	forEachWire(t, func(t *testing.T, f handler.Format, p namedProfile) {
		p.Static = nil
		want := loggedOne(t, f, p.Profile, record(0, "m"))
		got := loggedOne(t, f, p.Profile, record(0, "m"), handler.WithRedactKeys(strings.Fields(want.keys())...))
		if s := unequal(f, got, want); s != "" {
			t.Error(s)
		}
	})
}
