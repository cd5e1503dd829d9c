/*
Package msgpackv5 has values that know github.com/vmihailenco/msgpack/v5's
encoder written by it:

	handler.New(w, handler.WithFormat(handler.MessagePack), handler.WithValues(msgpackv5.Values()))

A value's EncodeMsgpack (msgpack.CustomEncoder) or MarshalMsgpack
(msgpack.Marshaler) is called as msgpack.Marshal would call it, and what it
writes becomes the attr's value, if that is exactly one object. An error or a
panic costs the attr its value, as with any other.

This is for the MessagePack format only. In JSON such values are written as any
others; in Forward too, since its receivers do not take everything that
MessagePack has. The handler calls MarshalMsgpack by itself, without this
package; EncodeMsgpack takes msgpack/v5's own encoder and cannot be called
without it. Values inside of other values, the elements of a []T for example,
are up to what contains them.

Encoders are pooled and belong to one call at a time. Nothing here is shared
with the rest of a program that uses msgpack/v5, and no extension type is
registered; those that the program registers are in effect.

# File map

	values.go  Values
*/
package msgpackv5
