// Package corpus has the documents that converters are measured on.
package corpus

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/slogpack/slogpack/handler"
)

// Doc is one input.
type Doc struct {
	Name string
	Data []byte
	// Lines says that each line is a document.
	Lines bool
}

// dir is where encoding/json keeps its own test documents: Go ships them, so
// that nothing has to be fetched.
const dir = "src/encoding/json/internal/jsontest/testdata"

// files are those that published benchmarks of JSON parsers use.
var files = []struct{ name, file string }{
	{"twitter", "twitter_status.json.zst"},
	{"citm_catalog", "citm_catalog.json.zst"},
	{"canada", "canada_geometry.json.zst"},
}

// All returns the six inputs of the README's table: three files of GOROOT, a
// hundred random integers, one tweet, a thousand log lines. A Go installation
// without the files is an error.
func All() ([]Doc, error) {
	var docs []Doc
	for _, f := range files {
		b, err := load(f.file)
		if err != nil {
			return nil, err
		}
		docs = append(docs, Doc{Name: f.name, Data: b})
	}
	tweet, err := firstTweet(docs[0].Data)
	if err != nil {
		return nil, err
	}
	return append(docs,
		Doc{Name: "ints", Data: Ints(100)},
		Doc{Name: "tweet", Data: tweet},
		Doc{Name: "loglines", Data: LogLines(1000), Lines: true},
	), nil
}

func load(file string) ([]byte, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("corpus: go env GOROOT: %w", err)
	}
	b, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), dir, file))
	if err != nil {
		return nil, fmt.Errorf("corpus: %w (Go 1.25 and newer have it)", err)
	}
	r, err := zstd.NewReader(nil)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.DecodeAll(b, nil)
}

// firstTweet cuts one status, with its indentation, out of the Twitter file.
func firstTweet(twitter []byte) ([]byte, error) {
	var file struct{ Statuses []json.RawMessage }
	if err := json.Unmarshal(twitter, &file); err != nil {
		return nil, err
	}
	if len(file.Statuses) == 0 {
		return nil, fmt.Errorf("corpus: the Twitter file has no statuses")
	}
	return bytes.Clone(file.Statuses[0]), nil
}

// Ints is an array of n random 64-bit integers.
func Ints(n int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	v := make([]int64, n)
	for i := range v {
		v[i] = int64(rng.Uint64())
	}
	b, _ := json.Marshal(v) // integers always can be
	return b
}

// LogLines is n records of an HTTP service, as the handler writes them.
func LogLines(n int) []byte {
	var buf bytes.Buffer
	h := handler.New(&buf)
	rng := rand.New(rand.NewPCG(3, 4))
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	paths := strings.Fields("/ /login /api/v1/users /api/v1/orders/118342 /static/app.js /healthz")
	for range n {
		at = at.Add(time.Duration(rng.IntN(5_000_000)))
		r := slog.NewRecord(at, slog.Level(4*rng.IntN(3)), "request served", 0)
		r.AddAttrs(
			slog.String("method", "GET"),
			slog.String("path", paths[rng.IntN(len(paths))]),
			slog.Int("status", 200+rng.IntN(300)),
			slog.Duration("took", time.Duration(rng.IntN(90_000_000))),
			slog.Int("bytes", rng.IntN(100_000)),
			slog.Group("client", slog.String("addr", "10.1.2.3:44321"), slog.String("agent", "Mozilla/5.0 (X11; Linux x86_64)")),
		)
		_ = h.Handle(context.Background(), r) // a bytes.Buffer does not fail
	}
	return buf.Bytes()
}
