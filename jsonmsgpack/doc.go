// Package jsonmsgpack converts JSON to MessagePack by offset patching, and
// back, streaming.
package jsonmsgpack
