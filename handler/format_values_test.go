package handler_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/slogpack/slogpack/handler"
)

// encoderFunc is a ValueEncoder for values of type known.
type encoderFunc func(dst []byte, f handler.Format, v known) ([]byte, bool, error)

type known struct{ s string }

func (e encoderFunc) AppendValue(dst []byte, f handler.Format, v any) ([]byte, bool, error) {
	k, ok := v.(known)
	if !ok {
		return append(dst, "this must not matter"...), false, nil
	}
	return e(dst, f, k)
}

func wireOf(f handler.Format, json, pack string) string {
	if f == handler.JSON {
		return json
	}
	return pack
}

// What an encoder appends is the value, checked and cleaned; whatever else it
// does costs the field.
func TestValueEncoders(t *testing.T) {
	var own = []byte(`"my own"`)
	var ownPack = []byte("\xa6my own")
	var kept [][]byte
	for name, c := range map[string]struct {
		f    func(dst []byte, f handler.Format, v known) ([]byte, bool, error)
		want string // "!" begins what is any failure
	}{
		"appends": {func(dst []byte, f handler.Format, v known) ([]byte, bool, error) {
			return append(dst, wireOf(f, `{"a":[1,"x"]}`, "\x81\xa1a\x92\x01\xa1x")...), true, nil
		}, `{"a":[1,"x"]}`},
		"leaves it": {func(dst []byte, f handler.Format, v known) ([]byte, bool, error) { return nil, false, nil }, `{}`},
		"fails": {func(dst []byte, f handler.Format, v known) ([]byte, bool, error) {
			return dst, true, errors.New("bad\nluck")
		}, `"!ERROR:bad\nluck"`},
		"fails and leaves it": {func(dst []byte, f handler.Format, v known) ([]byte, bool, error) {
			return dst, false, errors.New("x")
		}, `"!ERROR:x"`},
		"panics": {func(dst []byte, f handler.Format, v known) ([]byte, bool, error) { panic("boom") }, `"!PANIC: boom"`},
		"fails with a panicking one": {func(dst []byte, f handler.Format, v known) ([]byte, bool, error) {
			return dst, true, panicError{"in error"}
		}, `"!PANIC: in error"`},
		"nothing": {func(dst []byte, f handler.Format, v known) ([]byte, bool, error) { return dst, true, nil }, "!"},
		"nil":     {func(dst []byte, f handler.Format, v known) ([]byte, bool, error) { return nil, true, nil }, "!"},
		"spaces": {func(dst []byte, f handler.Format, v known) ([]byte, bool, error) {
			return append(dst, " \n"...), true, nil
		}, "!"},
		"two": {func(dst []byte, f handler.Format, v known) ([]byte, bool, error) {
			return append(dst, wireOf(f, "1 2", "\x01\x02")...), true, nil
		}, "!"},
		"breaks out": {func(dst []byte, f handler.Format, v known) ([]byte, bool, error) {
			return append(dst, wireOf(f, `1,"evil":2`, "\x01\xa4evil\x02")...), true, nil
		}, "!"},
		"half": {func(dst []byte, f handler.Format, v known) ([]byte, bool, error) {
			return append(dst, wireOf(f, `{"a":`, "\x82\xa1a\x01")...), true, nil
		}, "!"},
		"garbage": {func(dst []byte, f handler.Format, v known) ([]byte, bool, error) {
			return append(dst, 0xc1, 0xff), true, nil
		}, "!"},
		"line breaks": {func(dst []byte, f handler.Format, v known) ([]byte, bool, error) {
			return append(dst, wireOf(f, "\r\n{ \"a\":\n\t1\n}\n", "\x81\xa1a\x01")...), true, nil
		}, `{"a":1}`},
		"bad UTF-8": {func(dst []byte, f handler.Format, v known) ([]byte, bool, error) {
			return append(dst, wireOf(f, "\"a\xff\"", "\xa2a\xff")...), true, nil
		}, `"a` + "\ufffd" + `"`},
		"its own memory": {func(dst []byte, f handler.Format, v known) ([]byte, bool, error) {
			return map[bool][]byte{true: own, false: ownPack}[f == handler.JSON], true, nil
		}, `"my own"`},
		"keeps dst": {func(dst []byte, f handler.Format, v known) ([]byte, bool, error) {
			for _, k := range kept {
				copy(k[:cap(k)], "overwritten overwritten overwritten")
			}
			dst = append(dst, wireOf(f, `"kept"`, "\xa4kept")...)
			kept = append(kept, dst)
			return dst, true, nil
		}, `"kept"`},
		"a part of dst": {func(dst []byte, f handler.Format, v known) ([]byte, bool, error) {
			dst = append(dst, "junk"...)
			n := len(dst)
			return append(dst, wireOf(f, `"part"`, "\xa4part")...)[n:], true, nil
		}, `"part"`},
		"long": {func(dst []byte, f handler.Format, v known) ([]byte, bool, error) {
			return append(dst, wireOf(f, `"`+strings.Repeat("x", 70000)+`"`, "\xdb\x00\x01\x11\x70"+strings.Repeat("x", 70000))...), true, nil
		}, `"` + strings.Repeat("x", 70000) + `"`},
	} {
		for _, f := range formats {
			for _, opt := range []handler.Option{nil, handler.WithRedactKeys("no such key"), handler.WithDedup()} {
				own, ownPack = []byte(`"my own"`), []byte("\xa6my own")
				e := encoderFunc(func(dst []byte, asked handler.Format, v known) ([]byte, bool, error) {
					if want := map[handler.Format]handler.Format{handler.Forward: handler.JSON}[f]; asked != max(f%2, want) {
						t.Errorf("%v asks for %v", f, asked)
					}
					return c.f(dst, asked, v)
				})
				os := logged(t, f, handler.Slog(), func(h slog.Handler) {
					h = h.WithAttrs([]slog.Attr{slog.Any("w", known{"w"})})
					for range 3 {
						handle(t, h, record(0, "m", slog.Any("x", map[string]int{"n": 1}), slog.Any("a", known{"a"}), slog.Any("y", []bool{true}), slog.Group("g", slog.Any("b", known{"b"})), slog.Any("z", struct{ Z string }{strings.Repeat("z", 90)}), slog.Int("last", 1)))
					}
				}, handler.WithValues(nil, e), opt)
				for _, o := range os {
					for _, path := range [][]string{{"w"}, {"a"}, {"g", "b"}} {
						v, _ := o.at(path...)
						if s, _ := v.(string); show(v) != c.want && !(c.want == "!" && strings.HasPrefix(s, "!ERROR:")) {
							t.Errorf("%s in %v: %v is %s, want %s", name, f, path, brief(v), brief(c.want))
						}
					}
					y, _ := o.at("y")
					x, _ := o.at("x", "n")
					z, _ := o.at("z", "Z")
					last, _ := o.at("last")
					if show(y) != "[true]" || x != int64(1) || z != strings.Repeat("z", 90) || last != int64(1) {
						t.Errorf("%s in %v: neighbours are %s", name, f, brief(o))
					}
				}
				if string(own) != `"my own"` || string(ownPack) != "\xa6my own" {
					t.Errorf("%s in %v: the encoder's own memory is %q, %q", name, f, own, ownPack)
				}
			}
		}
	}
}

// Encoders are asked in their order, before every built-in way but for nil and
// sources; several options add up.
func TestValueEncoderOrder(t *testing.T) {
	say := func(s string, when func(v any) bool) handler.ValueEncoder {
		return anyEncoder(func(dst []byte, f handler.Format, v any) ([]byte, bool, error) {
			if !when(v) {
				return nil, false, nil
			}
			return append(dst, wireOf(f, `"`+s+`"`, string([]byte{0xa0 | byte(len(s))})+s)...), true, nil
		})
	}
	isError := func(v any) bool { _, ok := v.(error); return ok }
	notNil := func(v any) bool {
		if v == nil {
			t.Error("an encoder was asked for nil")
		}
		return true
	}
	for _, f := range formats {
		o := loggedOne(t, f, handler.Slog(), record(0, "m", slog.Any("e", errors.New("x")), slog.Any("b", []byte("x")), slog.Any("p", packsItself{[]byte{1}}), slog.Any("l", slog.LevelInfo),
			slog.Any("nil", nil), slog.Int("i", 1), slog.Any("s", &slog.Source{Line: 3}), slog.Any("v", toValue{slog.AnyValue([]int{1})})),
			handler.WithValues(say("first", isError), say("second", isError)), handler.WithValues(say("third", notNil)))
		want := `"e":"first","b":"third","p":"third","l":"third","nil":null,"i":1,"s":{"line":3},"v":"third"}`
		if !strings.HasSuffix(show(o), want) {
			t.Errorf("%v: got %s, want %s", f, show(o), want)
		}
	}
}

type anyEncoder func(dst []byte, f handler.Format, v any) ([]byte, bool, error)

func (e anyEncoder) AppendValue(dst []byte, f handler.Format, v any) ([]byte, bool, error) {
	return e(dst, f, v)
}

// An encoder that hands out memory that all goroutines share is not written to:
// the race detector and the bytes tell.
func TestValueEncoderSharedMemory(t *testing.T) {
	shared := []byte("  {\"secret\":\"a\xff\",\"b\":1}  ")
	before := bytes.Clone(shared)
	e := anyEncoder(func(dst []byte, f handler.Format, v any) ([]byte, bool, error) {
		_, ok := v.(known)
		return shared, ok, nil
	})
	var w sliceWriter
	h := newHandler(&w, handler.WithValues(e), handler.WithRedactKeys("secret"))
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 50 {
				handle(t, h, record(0, "m", slog.Any("a", known{}), slog.Any("b", []int{1, 2, 3})))
			}
		}()
	}
	wg.Wait()
	if !bytes.Equal(shared, before) {
		t.Errorf("the encoder's memory is %q", shared)
	}
	for _, l := range checkLines(t, w.b, 200) {
		if !strings.HasSuffix(l, `"a":{"secret":"[REDACTED]","b":1},"b":[1,2,3]}`) {
			t.Fatalf("got %s", l)
		}
	}
}
