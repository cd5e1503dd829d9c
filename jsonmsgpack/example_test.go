package jsonmsgpack_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

func ExampleAppend() {
	out, err := jsonmsgpack.Append(nil, []byte(`{"id": 320, "tags": ["a", null], "ratio": 1.0}`))
	fmt.Printf("%x %v\n", out, err)
	// Output: 83a26964cd0140a47461677392a161c0a5726174696fcb3ff0000000000000 <nil>
}

func ExampleAppend_error() {
	_, err := jsonmsgpack.Append(nil, []byte("{\n  \"a\": 1,\n  b: 2\n}"))
	fmt.Println(err)
	var e *jsonmsgpack.SyntaxError
	fmt.Println(errors.As(err, &e), e.Line, e.Column, e.Offset)
	// Output:
	// jsonmsgpack: line 3, column 3 (offset 14): invalid JSON, expected a key in quotes
	// true 3 3 14
}

func ExampleAppendJSON() {
	src := []byte("\x82\xa1a\x01\xa4time\xd6\xff\x00\x00\x00\x01\xc3") // two objects
	for len(src) > 0 {
		var text []byte
		var err error
		text, src, err = jsonmsgpack.AppendJSON(text, src)
		fmt.Printf("%s %v\n", text, err)
	}
	// Output:
	// {"a":1,"time":"1970-01-01T00:00:01Z"} <nil>
	// true <nil>
}

func ExampleConverter_Convert() {
	logs := "{\"level\":\"info\"}\nnot a record\n{\"level\":\"warn\"}\n"
	c := jsonmsgpack.NewConverter(jsonmsgpack.Lax(), jsonmsgpack.OnError(func(line int64, err error) bool {
		fmt.Println("skipped:", err)
		return true
	}))
	var packed bytes.Buffer
	stats, err := c.Convert(&packed, strings.NewReader(logs))
	fmt.Println(stats.Documents, stats.Failed, packed.Len(), err)
	// Output:
	// skipped: jsonmsgpack: line 2, column 1 (offset 17): invalid JSON, expected a value
	// 2 1 24 <nil>
}

func ExampleConverter_ConvertAt() {
	f, err := os.CreateTemp("", "convert")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(f.Name())
	defer f.Close()
	// The reader may be a pipe or a network connection, and the document
	// larger than memory.
	stats, err := jsonmsgpack.NewConverter().ConvertAt(f, strings.NewReader(`{"records":[{"id":1},{"id":2}]}`))
	fmt.Println(stats.Documents, stats.Out, err)
	// Output: 1 20 <nil>
}

func ExampleConverter_ConvertJSON() {
	stats, err := jsonmsgpack.NewConverter().ConvertJSON(os.Stdout, strings.NewReader("\x93\x01\x02\x03\x81\xa1a\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00"))
	fmt.Println(stats.Documents, err)
	// Output:
	// [1,2,3]
	// {"a":1.0}
	// 2 <nil>
}

func ExampleNewWriter() {
	var packed bytes.Buffer
	w := jsonmsgpack.NewWriter(&packed, jsonmsgpack.TimeFields("time"))
	// Any logger that writes JSON will do: zerolog.New(w), zap, log/slog.
	log := slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			a.Value = slog.TimeValue(time.Unix(1, 0).UTC())
		}
		return a
	}}))
	log.Info("hello", "n", 5)
	fmt.Printf("%q\n", packed.Bytes())
	fmt.Println(w.Close())
	// Output:
	// "\x84\xa4time\xd6\xff\x00\x00\x00\x01\xa5level\xa4INFO\xa3msg\xa5hello\xa1n\x05"
	// <nil>
}

func ExamplePacker() {
	var p jsonmsgpack.Packer
	p.BeginMap()
	p.String("msg")
	p.String("hello")
	p.String("attrs")
	p.BeginArray()
	for i := range 3 {
		p.Int(int64(i))
	}
	p.EndArray()
	p.EndMap()
	out, err := p.Bytes()
	fmt.Printf("%x %v\n", out, err)
	// Output: 82a36d7367a568656c6c6fa5617474727393000102 <nil>
}

// A prefix that many records share is packed once, its map left open.
func ExamplePacker_Resume() {
	var p jsonmsgpack.Packer
	p.BeginMap()
	start := p.Mark()
	p.String("service")
	p.BeginMap()
	p.String("name")
	p.String("api")
	prefix := p.Snapshot(start)

	for i := range 2 {
		p.Reset(nil)
		p.BeginMap()
		p.String("n")
		p.Int(int64(i))
		p.Resume(&prefix)
		p.String("call")
		p.Int(int64(i))
		p.EndMap()
		p.EndMap()
		out, err := p.Bytes()
		text, _, _ := jsonmsgpack.AppendJSON(nil, out)
		fmt.Println(string(text), err)
	}
	// Output:
	// {"n":0,"service":{"name":"api","call":0}} <nil>
	// {"n":1,"service":{"name":"api","call":1}} <nil>
}
