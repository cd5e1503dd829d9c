package msgpackv5_test

import (
	"bytes"
	"fmt"
	"log/slog"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/msgpackv5"
)

// amount writes itself as an array of currency and cents.
type amount struct {
	Currency string
	Cents    int64
}

func (a amount) EncodeMsgpack(e *msgpack.Encoder) error {
	if err := e.EncodeArrayLen(2); err != nil {
		return err
	}
	if err := e.EncodeString(a.Currency); err != nil {
		return err
	}
	return e.EncodeInt(a.Cents)
}

func ExampleValues() {
	var buf bytes.Buffer
	logger := slog.New(handler.New(&buf,
		handler.WithFormat(handler.MessagePack),
		handler.WithValues(msgpackv5.Values())))
	logger.Info("paid", "amount", amount{"EUR", 1250})

	record, err := msgpack.NewDecoder(&buf).DecodeMap()
	fmt.Println(record["msg"], record["amount"], err)
	// Output: paid [EUR 1250] <nil>
}
