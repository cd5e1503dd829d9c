package handler_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/jsonmsgpack"
)

// fixed is a record whose time is the same in every run.
func fixed(l slog.Level, msg string, attrs ...slog.Attr) slog.Record {
	r := slog.NewRecord(time.Date(2026, 1, 2, 15, 4, 5, 123456789, time.UTC), l, msg, 0)
	r.AddAttrs(attrs...)
	return r
}

// write has one record written to w.
func write(w io.Writer, r slog.Record, opts ...handler.Option) {
	if err := handler.New(w, opts...).Handle(context.Background(), r); err != nil {
		fmt.Println(err)
	}
}

// MessagePack records follow each other without anything between them; any
// MessagePack library reads them one by one.
func ExampleWithFormat_messagePack() {
	var buf bytes.Buffer
	logger := slog.New(handler.New(&buf, handler.WithFormat(handler.MessagePack)))
	logger.Info("paid", "cents", 1250, slog.Group("client", "id", 7))
	logger.Warn("late", "days", 3)

	for records := msgpack.NewDecoder(&buf); ; {
		r, err := records.DecodeMap()
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		delete(r, slog.TimeKey)
		fmt.Println(r)
	}
	// Output:
	// map[cents:1250 client:map[id:7] level:INFO msg:paid]
	// map[days:3 level:WARN msg:late]
}

// The same record as JSON: this module reads MessagePack too.
func ExampleWithFormat_messagePackToJSON() {
	var buf bytes.Buffer
	write(&buf, fixed(slog.LevelInfo, "paid", slog.Duration("took", time.Millisecond)),
		handler.WithFormat(handler.MessagePack))

	json, rest, err := jsonmsgpack.AppendJSON(nil, buf.Bytes())
	fmt.Printf("%s\n%d bytes left, error: %v\n", json, len(rest), err)
	// Output:
	// {"time":"2026-01-02T15:04:05.123456789Z","level":"INFO","msg":"paid","took":1000000}
	// 0 bytes left, error: <nil>
}

// A Forward entry is an array of the time and the record; its time is not in
// the record again.
func ExampleWithFormat_forward() {
	var buf bytes.Buffer
	write(&buf, fixed(slog.LevelInfo, "paid"), handler.WithFormat(handler.Forward))

	head, record := buf.Bytes()[:11], buf.Bytes()[11:]
	json, _, err := jsonmsgpack.AppendJSON(nil, record)
	fmt.Println("array of two, EventTime:", hex.EncodeToString(head))
	fmt.Printf("%s %v\n", json, err)
	// Output:
	// array of two, EventTime: 92d7006957de65075bcd15
	// {"level":"INFO","severity_number":9,"message":"paid"} <nil>
}

func ExampleSlog() {
	write(os.Stdout, fixed(slog.LevelWarn+2, "slow", slog.Duration("took", 1500*time.Millisecond)),
		handler.WithProfile(handler.Slog()))
	// Output:
	// {"time":"2026-01-02T15:04:05.123456789Z","level":"WARN+2","msg":"slow","took":1500000000}
}

func ExampleZerolog() {
	write(os.Stdout, fixed(slog.LevelWarn+2, "slow", slog.Duration("took", 1500*time.Millisecond)),
		handler.WithProfile(handler.Zerolog()))
	// Output:
	// {"level":"warn","took":1500,"time":"2026-01-02T15:04:05Z","message":"slow"}
}

func ExampleGoogleCloud() {
	write(os.Stdout, fixed(slog.LevelWarn+2, "slow", slog.String("severity", "DEBUG")),
		handler.WithProfile(handler.GoogleCloud()))
	// Output:
	// {"time":"2026-01-02T15:04:05.123456789Z","severity":"WARNING","message":"slow","attr.severity":"DEBUG"}
}

func ExampleECS() {
	write(os.Stdout, fixed(slog.LevelWarn, "slow"), handler.WithProfile(handler.ECS()))
	// Output:
	// {"@timestamp":"2026-01-02T15:04:05.123456789Z","log.level":"warn","message":"slow","ecs.version":"1.6.0"}
}

func ExampleOTel() {
	write(os.Stdout, fixed(slog.LevelWarn, "slow"), handler.WithProfile(handler.OTel()))
	// Output:
	// {"time":"2026-01-02T15:04:05.123456789Z","level":"WARN","severity_number":13,"message":"slow"}
}

// A Profile is a value: take one and change what should be different.
func ExampleProfile() {
	p := handler.ECS()
	p.Time = handler.RFC3339Millis
	p.Duration = handler.DurationText
	p.Static = append(p.Static, slog.String("service.name", "shop"))
	write(os.Stdout, fixed(slog.LevelInfo, "paid", slog.Duration("took", 1500*time.Millisecond)),
		handler.WithProfile(p))
	// Output:
	// {"@timestamp":"2026-01-02T15:04:05.123Z","log.level":"info","message":"paid","ecs.version":"1.6.0","service.name":"shop","took":"1.5s"}
}

// celsius is a type that somebody else declared.
type celsius float64

// readings writes celsius as an object, in JSON and in MessagePack.
type readings struct{}

func (readings) AppendValue(dst []byte, f handler.Format, v any) ([]byte, bool, error) {
	c, ok := v.(celsius)
	switch {
	case !ok:
		return dst, false, nil // for others to encode
	case c < -273.15:
		return dst, true, fmt.Errorf("%g °C is colder than cold", float64(c))
	case f == handler.JSON:
		return fmt.Appendf(dst, `{"celsius":%g}`, float64(c)), true, nil
	}
	dst = append(dst, 0x81) // a map of one
	dst = jsonmsgpack.AppendString(dst, "celsius")
	return jsonmsgpack.AppendFloat64(dst, float64(c)), true, nil
}

func ExampleWithValues() {
	logger := slog.New(handler.New(os.Stdout, handler.WithValues(readings{}), handler.WithReplaceAttr(noTime)))
	logger.Info("measured", "boiler", celsius(71.5), "valve", celsius(-300), "n", 2)
	// Output:
	// {"level":"INFO","msg":"measured","boiler":{"celsius":71.5},"valve":"!ERROR:-300 °C is colder than cold","n":2}
}

// Of equal keys the last one stays, in every group by itself, and no attr
// passes for one of the record's own fields.
func ExampleWithDedup() {
	logger := slog.New(handler.New(os.Stdout, handler.WithDedup(), handler.WithReplaceAttr(noTime)))
	logger.With("user", "ada", "try", 1).Info("login", "try", 2, "msg", "forged",
		slog.Group("g", "a", 1, "a", 2))
	// Output:
	// {"level":"INFO","msg":"login","user":"ada","try":2,"attr.msg":"forged","g":{"a":2}}
}

// The longest texts are shortened, and the record says so.
func ExampleWithMaxRecordSize() {
	var buf bytes.Buffer
	logger := slog.New(handler.New(&buf, handler.WithMaxRecordSize(256), handler.WithReplaceAttr(noTime)))
	logger.Info("query failed", "sql", string(bytes.Repeat([]byte("select 1; "), 1000)), "rows", 0)
	fmt.Println(buf.Len() <= 256)
	fmt.Print(buf.String())
	// Output:
	// true
	// {"level":"INFO","msg":"query failed","sql":"select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1; select 1; sel","rows":0,"truncated":true}
}

// Keys are found at any depth, in either case, also in values of kind Any.
func ExampleWithRedactKeys() {
	type account struct {
		Name     string `json:"name"`
		Password string `json:"password"`
	}
	logger := slog.New(handler.New(os.Stdout,
		handler.WithRedactKeys("password", "authorization"), handler.WithReplaceAttr(noTime)))
	logger.Info("login", "account", account{"ada", "hunter2"},
		slog.Group("header", "Authorization", "Bearer 123", "Accept", "*/*"))
	// Output:
	// {"level":"INFO","msg":"login","account":{"name":"ada","password":"[REDACTED]"},"header":{"Authorization":"[REDACTED]","Accept":"*/*"}}
}

// packed is a writer that wants MessagePack, and says so itself.
type packed struct{ bytes.Buffer }

func (*packed) LogFormat() (handler.Format, handler.Profile) {
	return handler.MessagePack, handler.OTel()
}

func ExampleFormatWriter() {
	var w packed
	write(&w, fixed(slog.LevelInfo, "paid")) // no option is needed
	json, _, err := jsonmsgpack.AppendJSON(nil, w.Bytes())
	fmt.Printf("%s %v\n", json, err)
	// Output:
	// {"time":"2026-01-02T15:04:05.123456789Z","level":"INFO","severity_number":9,"message":"paid"} <nil>
}
