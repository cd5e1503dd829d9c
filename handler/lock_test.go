package handler_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/slogpack/slogpack/handler"
)

// spy is user code of every kind that asks whether the lock is held.
type spy struct {
	h     *handler.Handler
	calls int
	held  int
}

func (s *spy) look() {
	s.calls++
	if s.h != nil && handler.Locked(s.h) {
		s.held++
	}
}

type (
	spyValuer  struct{ *spy }
	spyJSON    struct{ *spy }
	spyText    struct{ *spy }
	spyKey     struct{ *spy }
	spyError   struct{ *spy }
	spyPack    struct{ *spy }
	spyPanic   struct{ *spy }
	spyEncoded struct{ *spy }
)

func (s spyValuer) LogValue() slog.Value          { s.look(); return slog.AnyValue(spyJSON(s)) }
func (s spyJSON) MarshalJSON() ([]byte, error)    { s.look(); return []byte("1"), nil }
func (s spyText) MarshalText() ([]byte, error)    { s.look(); return []byte("t"), nil }
func (s spyKey) MarshalText() ([]byte, error)     { s.look(); return []byte("k"), nil }
func (s spyError) Error() string                  { s.look(); return "e" }
func (s spyPack) MarshalMsgpack() ([]byte, error) { s.look(); return []byte{1}, nil }
func (s spyPanic) LogValue() slog.Value           { s.look(); panic(spyPrinted(s)) }
func (s spyPanic) MarshalJSON() ([]byte, error)   { s.look(); panic(spyPrinted(s)) }
func (s spyPanic) Error() string                  { s.look(); panic(spyPrinted(s)) }

type spyPrinted struct{ *spy }

func (s spyPrinted) String() string { s.look(); return "p" }

func (s *spy) AppendValue(dst []byte, f handler.Format, v any) ([]byte, bool, error) {
	if _, ok := v.(spyEncoded); !ok {
		return dst, false, nil
	}
	s.look()
	if f == handler.JSON {
		return append(dst, '1'), true, nil
	}
	return append(dst, 1), true, nil
}

// User code of every kind runs without the lock, wherever it is met.
func TestNoUserCodeUnderTheLock(t *testing.T) {
	// These have no code of their own, or none that the format or the profile asks.
	quiet := map[string]bool{"wrapped": true, "errors": true, "strings and errors": true, "MarshalMsgpack": true}
	for _, f := range []handler.Format{handler.JSON, handler.MessagePack, handler.Forward} {
		s := new(spy)
		values := map[string]any{
			"LogValue": spyValuer{s}, "MarshalJSON": spyJSON{s}, "MarshalText": spyText{s}, "Error": spyError{s},
			"MarshalMsgpack": spyPack{s}, "ValueEncoder": spyEncoded{s},
			"map key": map[spyKey]int{{s}: 1}, "map value": map[string]any{"a": spyJSON{s}}, "strings and errors": []any{"a", spyError{s}},
			"errors": []error{nil, spyError{s}}, "wrapped": fmt.Errorf("x: %w", spyError{s}), "joined": errors.Join(spyError{s}, spyError{s}),
			"struct": struct{ V any }{spyJSON{s}}, "pointer": &spyJSON{s}, "panics": spyPanic{s},
			"panics as JSON": struct{ V any }{spyPanic{s}},
		}
		level := handler.Slog()
		level.Errors = handler.ErrorText
		level.LevelText = func(l slog.Level) string { s.look(); return l.String() }
		for name, v := range values {
			for place, attr := range map[string]func(any) slog.Attr{
				"attr":  func(v any) slog.Attr { return slog.Any("v", v) },
				"group": func(v any) slog.Attr { return slog.Group("g", slog.Int("a", 1), slog.Group("h", slog.Any("v", v))) },
			} {
				*s = spy{}
				h := newHandler(new(sliceWriter), handler.WithFormat(f), handler.WithProfile(level), handler.WithValues(s))
				s.h = h
				ctx := context.Background()
				_ = h.Handle(ctx, record(0, "first"))
				if s.calls == 0 {
					t.Errorf("%v: LevelText was not called", f)
				}
				calls := s.calls
				for range 3 {
					_ = h.Handle(ctx, record(0, "m", slog.Int("a", 1), attr(v), slog.Int("b", 1), attr(v)))
					_ = h.WithGroup("x").Handle(ctx, record(0, "m", attr(v)))
					_ = h.HandleAttrs(ctx, record(0, "m").Time, 0, "m", 0, []slog.Attr{attr(v)})
				}
				if s.calls < calls+9 && !quiet[name] {
					t.Errorf("%v %s in %s: %d calls", f, name, place, s.calls-calls)
				}
				if s.held > 0 {
					t.Errorf("%v %s in %s: %d of %d calls under the lock", f, name, place, s.held, s.calls)
				}
				if handler.Locked(h) {
					t.Fatalf("%v %s in %s: the lock is held at the end", f, name, place)
				}
			}
		}
	}
}
