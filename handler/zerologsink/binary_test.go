//go:build binary_log

package zerologsink_test

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/rs/zerolog"

	"github.com/slogpack/slogpack/handler/zerologsink"
)

// TestBinaryLog: with this tag zerolog writes CBOR, which is of no use inside
// a record.
func TestBinaryLog(t *testing.T) {
	var buf bytes.Buffer
	h := zerologsink.New(zerolog.SyncWriter(&buf))
	log(t, h, slog.LevelInfo, "m", slog.Any("k", object{"x", 3}), slog.Any("a", both{}))
	want := `{"level":"info","k":{"N":3},"a":{},"time":"2026-03-04T05:06:07Z","message":"m"}` + "\n"
	if buf.String() != want {
		t.Errorf("got %s want %s", buf.String(), want)
	}
}
