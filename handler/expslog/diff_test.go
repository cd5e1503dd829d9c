package expslog_test

import (
	"bytes"
	"errors"
	"log/slog"
	"math"
	"testing"
	"time"

	xslog "golang.org/x/exp/slog"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/expslog"
)

// twin is an attr in both packages' types.
type twin struct {
	std slog.Attr
	exp xslog.Attr
}

type bits []byte

func (b *bits) next() (c byte) {
	if len(*b) > 0 {
		c = (*b)[0]
		*b = (*b)[1:]
	}
	return c
}

func (b *bits) uint64() (v uint64) {
	for range 8 {
		v = v<<8 | uint64(b.next())
	}
	return v
}

func (b *bits) text() string {
	n := min(int(b.next()&7), len(*b))
	s := string((*b)[:n])
	*b = (*b)[n:]
	return s
}

func (b *bits) twins(depth int) (ts []twin) {
	for range b.next() & 7 {
		ts = append(ts, b.twin(depth))
	}
	return ts
}

func (b *bits) twin(depth int) twin {
	k := b.text()
	switch b.next() % 12 {
	case 0:
		v := b.text()
		return twin{slog.String(k, v), xslog.String(k, v)}
	case 1:
		v := int64(b.uint64())
		return twin{slog.Int64(k, v), xslog.Int64(k, v)}
	case 2:
		v := b.uint64()
		return twin{slog.Uint64(k, v), xslog.Uint64(k, v)}
	case 3:
		v := math.Float64frombits(b.uint64())
		return twin{slog.Float64(k, v), xslog.Float64(k, v)}
	case 4:
		v := b.next()&1 == 0
		return twin{slog.Bool(k, v), xslog.Bool(k, v)}
	case 5:
		v := time.Duration(b.uint64())
		return twin{slog.Duration(k, v), xslog.Duration(k, v)}
	case 6:
		v := time.Unix(0, int64(b.uint64())).In(time.FixedZone("", int(int8(b.next()))*600))
		return twin{slog.Time(k, v), xslog.Time(k, v)}
	case 7:
		v := errors.New(b.text())
		return twin{slog.Any(k, v), xslog.Any(k, v)}
	case 8:
		v := []any{b.text(), nil, map[string]int{b.text(): 1}}
		return twin{slog.Any(k, v), xslog.Any(k, v)}
	case 9:
		v := b.next()
		return twin{slog.Any(k, slog.Level(v)), xslog.Any(k, xslog.Level(v))}
	case 10:
		if depth > 3 {
			break
		}
		t := b.twin(depth + 1)
		return twin{slog.Any(k, valuer{t.std.Value}), xslog.Any(k, xvaluer{t.exp.Value})}
	case 11:
		if depth > 3 {
			break
		}
		std, exp := split(b.twins(depth + 1))
		return twin{slog.Attr{Key: k, Value: slog.GroupValue(std...)}, xslog.Attr{Key: k, Value: xslog.GroupValue(exp...)}}
	}
	return twin{slog.Any(k, nil), xslog.Any(k, nil)}
}

func split(ts []twin) (std []slog.Attr, exp []xslog.Attr) {
	for _, t := range ts {
		std, exp = append(std, t.std), append(exp, t.exp)
	}
	return std, exp
}

// FuzzBytes: what this package writes is what package handler writes for the
// same attrs, with the attrs of With and in groups, with and without a
// ReplaceAttr, into a writer that is streamed into and one that is not.
func FuzzBytes(f *testing.F) {
	f.Add([]byte{})
	for k := range byte(12) {
		f.Add([]byte{0, 1, 'm', 2, 1, 'a', k, 3, 'x', '"', 0xff, 1, 'b', k, 2, 'y', 'z', 1, 'g', 7, 1, 'c', k, 7, 1, 'd', 11, 3, 1, 'e', k, 1, 2, 3})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b := bits(data)
		format := handler.Format(b.next() % 3)
		msg := b.text()
		withStd, withExp := split(b.twins(0))
		name := b.text()
		inStd, inExp := split(b.twins(0))
		recStd, recExp := split(b.twins(0))
		drop := b.text()

		for _, replace := range []bool{false, true} {
			opts := func(o handler.Option) []handler.Option {
				if !replace {
					o = nil
				}
				return []handler.Option{handler.WithFormat(format), o}
			}
			var want, got, slice bytes.Buffer
			var hs slog.Handler = handler.New(&want, opts(handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == drop {
					return slog.Attr{}
				}
				return a
			}))...)
			hs = hs.WithAttrs(withStd).WithGroup(name).WithAttrs(inStd)
			rs := slog.NewRecord(when, slog.LevelInfo, msg, 0)
			rs.AddAttrs(recStd...)
			if err := hs.Handle(ctx, rs); err != nil {
				t.Fatal(err)
			}
			for _, w := range []struct {
				buf *bytes.Buffer
				h   *expslog.Handler
			}{
				{&got, expslog.New(&got, opts(expslog.WithReplaceAttr(dropper(drop)))...)},
				{&slice, expslog.New(writerOnly{&slice}, opts(expslog.WithReplaceAttr(dropper(drop)))...)},
			} {
				hx := w.h.WithAttrs(withExp).WithGroup(name).WithAttrs(inExp)
				rx := xslog.NewRecord(when, xslog.LevelInfo, msg, 0)
				rx.AddAttrs(recExp...)
				if err := hx.Handle(ctx, rx); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(w.buf.Bytes(), want.Bytes()) {
					t.Errorf("replace %v, %s\ngot  %q\nwant %q", replace, format, w.buf.Bytes(), want.Bytes())
				}
			}
		}
	})
}

func dropper(key string) func([]string, xslog.Attr) xslog.Attr {
	return func(_ []string, a xslog.Attr) xslog.Attr {
		if a.Key == key {
			return xslog.Attr{}
		}
		return a
	}
}
