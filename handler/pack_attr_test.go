package handler

import (
	"bytes"
	"io"
	"log/slog"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// newPackPair returns a pair of a handler of format f.
func newPackPair(f Format, opts ...Option) (*pair, *Handler) {
	h := New(io.Discard, append([]Option{WithFormat(f)}, opts...)...)
	p := newPair()
	p.begin(h)
	return p, h
}

// packed is what packValue appends to a slice with so much room.
func packed(p *pair, room int, a slog.Attr) []byte {
	return p.packValue(append(make([]byte, 0, 3+room), "abc"...), a)[3:]
}

// TestPackAttrTexts puts every kind of byte at every place of keys and values of
// every length that it makes a difference to, with room for the attr and without.
func TestPackAttrTexts(t *testing.T) {
	p, _ := newPackPair(MessagePack)
	check := func(s string) {
		t.Helper()
		text, x := wantText(s)[1:], wantText("x")[1:]
		for _, room := range []int{0, 1, len(s), 1000} {
			if got := string(packed(p, room, slog.String(s, "x"))); got != text+x {
				t.Errorf("key %q, room %d: got %x, want %x", s, room, got, text+x)
			}
			if got := string(packed(p, room, slog.String("x", s))); got != x+text {
				t.Errorf("text %q, room %d: got %x, want %x", s, room, got, x+text)
			}
			if got := string(packed(p, room, slog.Bool(s, true))); got != text+"\xc3" {
				t.Errorf("key %q of a bool, room %d: got %x, want %x", s, room, got, text+"\xc3")
			}
		}
	}
	for n := range 70 {
		base := strings.Repeat("abcdefgh", 20)[:n]
		check(base)
		for i := range n {
			for _, c := range []string{"\x00", "\x7f", "\xff", "é", "世"} {
				check(base[:i] + c + base[i+1:])
			}
		}
	}
}

// TestPackAttrNumbers: every length of number, and what is one less and more.
func TestPackAttrNumbers(t *testing.T) {
	for _, format := range []Format{MessagePack, Forward} {
		p, _ := newPackPair(format)
		check := func(a slog.Attr, want []byte) {
			t.Helper()
			for _, room := range []int{0, 1000} {
				if got := packed(p, room, a); !bytes.Equal(got, append([]byte("\xa1k"), want...)) {
					t.Errorf("%v %v: got %x, want %x behind the key", format, a, got, want)
				}
			}
		}
		for bit := range 64 {
			for d := uint64(0); d < 3; d++ {
				u := uint64(1)<<bit + d - 1
				check(slog.Uint64("k", u), p.packUint(nil, u))
				for _, v := range []int64{int64(u), -int64(u)} {
					check(slog.Int64("k", v), jsonmsgpack.AppendInt(nil, v))
					check(slog.Duration("k", time.Duration(v)), p.packDuration(nil, time.Duration(v)))
					check(slog.Float64("k", float64(v)), jsonmsgpack.AppendFloat64(nil, float64(v)))
				}
			}
		}
		for _, f := range []float64{0, math.Copysign(0, -1), math.Inf(1), math.NaN(), math.SmallestNonzeroFloat64} {
			check(slog.Float64("k", f), p.packFloat(nil, f))
		}
		check(slog.Bool("k", false), []byte{0xc2})
	}
}

// TestPackQuick holds the way that most records take against the one that takes
// all.
func TestPackQuick(t *testing.T) {
	events := Slog()
	events.PackTime = PackEventTime
	omit := ECS()
	omit.OmitEmptyMessage = true
	bare := Slog()
	bare.MessageKey = ""
	long := Slog()
	long.MessageKey = strings.Repeat("m", 50)
	static := OTel()
	static.Static = []slog.Attr{slog.String("service.name", "x"), slog.Int("n", 1)}
	profiles := map[string]Profile{
		"Slog": Slog(), "Zerolog": Zerolog(), "GoogleCloud": GoogleCloud(), "ECS": ECS(), "OTel": OTel(),
		"events": events, "omit": omit, "bare": bare, "long": long, "static": static,
	}
	times := []time.Time{
		{}, time.Unix(0, 0), time.Unix(0, 1), time.Unix(-1, 999999999), time.Unix(1<<32-1, 5), time.Unix(1<<32, 0), time.Unix(1<<32, 7),
		time.Unix(1<<34-1, 999999999), time.Unix(1<<34, 1), time.Unix(1700000000, 0), time.Unix(1700000000, 123456789).UTC(),
		time.Date(9999, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600)),
	}
	var pcs [1]uintptr
	runtime.Callers(1, pcs[:])
	quick := 0
	for name, profile := range profiles {
		for _, format := range []Format{MessagePack, Forward} {
			for _, source := range []bool{false, true} {
				opts := []Option{WithProfile(profile)}
				if source {
					opts = append(opts, WithSource())
				}
				p, top := newPackPair(format, opts...)
				many := make([]slog.Attr, 20)
				for i := range many {
					many[i] = slog.Int(string(rune('a'+i)), i)
				}
				handlers := []slog.Handler{
					top, top.WithAttrs(many[:9]), top.WithAttrs(many), top.WithGroup("g"),
					top.WithGroup("g").WithAttrs(many[:2]).WithGroup("h"), top.WithAttrs(many[:15]).WithGroup("g"),
				}
				for _, at := range times {
					if format == Forward && at.IsZero() {
						continue // each takes the time of its own now
					}
					for _, l := range []slog.Level{slog.LevelInfo, slog.LevelError, 100} {
						for _, msg := range []string{"", "hello", strings.Repeat("long ", 20), "\xff"} {
							for _, h := range handlers {
								for _, n := range []int{0, 3, 20} {
									h := h.(*Handler)
									r := slog.NewRecord(at, l, msg, pcs[0])
									r.AddAttrs(many[:n]...)
									lf := h.c.level(l, &p.user)
									want := bytes.Clone(p.record(nil, h, &r, nil, lf))
									got := p.packQuick(h, &r, nil, lf)
									if !bytes.Equal(got, want) {
										t.Fatalf("%s %v source=%v %v %v %q: got\n%x, want\n%x", name, format, source, at, l, msg, got, want)
									}
									lent := many[:n]
									r = slog.NewRecord(at, l, msg, pcs[0])
									if got := p.packQuick(h, &r, &lent, lf); !bytes.Equal(got, want) {
										t.Fatalf("%s %v source=%v %v %v %q, lent attrs: got\n%x, want\n%x", name, format, source, at, l, msg, got, want)
									}
									if lf.start.maxSec > 0 {
										quick++
									}
									if !p.reset() {
										t.Fatal("the pair is refused")
									}
								}
							}
						}
					}
				}
			}
		}
	}
	if quick == 0 {
		t.Error("no record took the quick way")
	}
}
