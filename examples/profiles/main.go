// Command profiles writes one and the same record in every profile and every
// format, so that they can be compared, and ends.
//
//	go run ./examples/profiles
//
// JSON is printed as it is. MessagePack and Forward are binary: what is printed
// is their length and what they say, turned into JSON by package jsonmsgpack.
//
// The lines between the marks in handler/README.md are this program's output;
// a test keeps them so.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/jsonmsgpack"
)

// profiles are all there are, in the order of the documentation.
var profiles = [...]struct {
	name string
	make func() handler.Profile
}{
	{"Slog", handler.Slog},
	{"Zerolog", handler.Zerolog},
	{"GoogleCloud", handler.GoogleCloud},
	{"ECS", handler.ECS},
	{"OTel", handler.OTel},
}

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "profiles:", err)
		os.Exit(1)
	}
}

func run(w io.Writer) error {
	record := example()
	for _, f := range []handler.Format{handler.JSON, handler.MessagePack, handler.Forward} {
		if _, err := fmt.Fprintf(w, "# %s\n", f); err != nil {
			return err
		}
		for _, p := range profiles {
			b, err := write(record, f, p.make())
			if err != nil {
				return err
			}
			text, err := readable(f, b)
			if err != nil {
				return fmt.Errorf("%s in profile %s: %w", f, p.name, err)
			}
			if _, err := fmt.Fprintf(w, "%s, %d bytes:\n%s\n", p.name, len(b), text); err != nil {
				return err
			}
		}
	}
	return nil
}

// example is a record with a value of each kind that profiles write differently.
func example() slog.Record {
	pc, _, _, _ := runtime.Caller(0)
	r := slog.NewRecord(time.Date(2026, 1, 2, 15, 4, 5, 123456789, time.UTC),
		slog.LevelWarn+2, "payment failed", pc)
	r.AddAttrs(
		slog.String("order", "A-17"),
		slog.Duration("took", 1500*time.Millisecond),
		slog.Any("token", []byte("tea")),
		slog.Float64("rate", math.NaN()),
		slog.Any("error", errors.New("card declined")),
		slog.Group("client", slog.Int("id", 7), slog.Time("since", time.Date(2020, 2, 29, 0, 0, 0, 0, time.UTC))),
	)
	return r
}

// write returns the record as a handler writes it.
func write(r slog.Record, f handler.Format, p handler.Profile) ([]byte, error) {
	var buf bytes.Buffer
	h := handler.New(&buf,
		handler.WithFormat(f),
		handler.WithProfile(p),
		handler.WithSource(),
		handler.WithReplaceAttr(shortSource))
	err := h.Handle(context.Background(), r)
	return buf.Bytes(), err
}

// shortSource has the source without its directory, which differs from machine
// to machine. ReplaceAttr sees log/slog's keys and types in every profile; what
// it leaves under its own key gets the profile's key and form.
func shortSource(groups []string, a slog.Attr) slog.Attr {
	if s, ok := a.Value.Any().(*slog.Source); ok && len(groups) == 0 {
		short := *s
		short.File = filepath.Base(s.File)
		a.Value = slog.AnyValue(&short)
	}
	return a
}

// readable returns b as text.
func readable(f handler.Format, b []byte) ([]byte, error) {
	if f == handler.JSON {
		return bytes.TrimSuffix(b, []byte("\n")), nil
	}
	text, rest, err := jsonmsgpack.AppendJSON(nil, b, jsonmsgpack.NonFinite(jsonmsgpack.Text))
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%d bytes are left over", len(rest))
	}
	return text, err
}
