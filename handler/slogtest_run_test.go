package handler_test

import (
	"encoding/json"
	"log/slog"
	"testing"
	"testing/slogtest"

	"github.com/slogpack/slogpack/handler"
)

// The standard library's own test of handlers, for every way of writing.
func TestSlogtest(t *testing.T) {
	for optName, opts := range map[string][]handler.Option{
		"":             nil,
		" ReplaceAttr": {handler.WithReplaceAttr(func(_ []string, a slog.Attr) slog.Attr { return a })},
		" concurrent":  {handler.WithConcurrentWriter()},
	} {
		for _, k := range writerKinds() {
			t.Run(k.name+optName, func(t *testing.T) {
				var out func() []byte
				slogtest.Run(t, func(*testing.T) slog.Handler {
					w, o := k.open()
					out = o
					return newHandler(w, opts...)
				}, func(t *testing.T) map[string]any {
					var m map[string]any
					if err := json.Unmarshal([]byte(checkLines(t, out(), 1)[0]), &m); err != nil {
						t.Fatal(err)
					}
					return m
				})
			})
		}
	}
}
