package expslog_test

import (
	"bytes"
	"encoding/json"
	"testing"

	xslog "golang.org/x/exp/slog"
	"golang.org/x/exp/slog/slogtest"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/expslog"
)

// TestSlogtest is x/exp's own test of handlers.
func TestSlogtest(t *testing.T) {
	identity := func(_ []string, a xslog.Attr) xslog.Attr { return a }
	for name, opts := range map[string][]handler.Option{
		"plain":   nil,
		"replace": {expslog.WithReplaceAttr(identity)},
		"dedup":   {handler.WithDedup()},
	} {
		var buf bytes.Buffer
		err := slogtest.TestHandler(expslog.New(&buf, opts...), func() (ms []map[string]any) {
			dec := json.NewDecoder(bytes.NewReader(buf.Bytes()))
			for dec.More() {
				var m map[string]any
				if err := dec.Decode(&m); err != nil {
					t.Fatal(err)
				}
				ms = append(ms, m)
			}
			return ms
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}

		buf.Reset()
		h := expslog.New(&buf, append(opts, handler.WithFormat(handler.MessagePack))...)
		err = slogtest.TestHandler(h, func() (ms []map[string]any) {
			dec := msgpack.NewDecoder(bytes.NewReader(buf.Bytes()))
			for {
				m, err := dec.DecodeMap()
				if err != nil {
					return ms
				}
				ms = append(ms, m)
			}
		})
		if err != nil {
			t.Errorf("MessagePack, %s: %v", name, err)
		}
	}
}
