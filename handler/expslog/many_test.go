package expslog_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"testing"
	"time"

	xslog "golang.org/x/exp/slog"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/expslog"
)

// Records of any number of attrs, with a group at any place, are handler's: the
// first few are converted on the stack, the others and groups in a pooled slice.
func TestAttrsAndGroupsAnywhere(t *testing.T) {
	var want, got bytes.Buffer
	h, x := handler.New(&want), expslog.New(&got)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for n := range 14 {
		for group := range n + 1 {
			for _, size := range []int{0, 1, 7} {
				r, rx := slog.NewRecord(at, 0, "m", 0), xslog.NewRecord(at, 0, "m", 0)
				for i := range n {
					k := fmt.Sprint("k", i)
					if i != group && i != group+2 {
						r.AddAttrs(slog.Int(k, i))
						rx.AddAttrs(xslog.Int(k, i))
						continue
					}
					var in, inx []any
					for j := range size {
						in, inx = append(in, slog.Group("g", slog.Int("j", j))), append(inx, xslog.Group("g", xslog.Int("j", j)))
					}
					r.AddAttrs(slog.Group(k, in...))
					rx.AddAttrs(xslog.Group(k, inx...))
				}
				want.Reset()
				got.Reset()
				if err := h.Handle(ctx, r); err != nil {
					t.Fatal(err)
				}
				if err := x.Handle(ctx, rx); err != nil {
					t.Fatal(err)
				}
				if got.String() != want.String() {
					t.Fatalf("%d attrs, group at %d of %d:\n got %swant %s", n, group, size, &got, &want)
				}
			}
		}
	}
}
