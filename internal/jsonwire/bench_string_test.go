package jsonwire

import (
	"strings"
	"testing"
)

func BenchmarkAppendString(b *testing.B) {
	for _, c := range []struct{ name, s string }{
		{"3", "abc"},
		{"6", "status"},
		{"10", "request_id"},
		{"24", "the quick brown fox jump"},
		{"36", "3f2a9c1e-77aa-4d7b-9d41-0e7b3a8f5c11"},
		{"100", strings.Repeat("0123456789", 10)},
		{"1000", strings.Repeat("0123456789", 100)},
		{"10000", strings.Repeat("0123456789", 1000)},
		{"escapes", "line one\nline \"two\"\tC:\\dir\\file"},
		{"stack", strings.Repeat("main.(*server).handle(0xc000123456)\n\t/src/app/server/handler.go:123 +0x1d\n", 20)},
		{"json", strings.Repeat(`{"id":12345,"name":"some name","tags":["a","b"]},`, 20)},
		{"query", strings.Repeat("select id, name from users where id = $1 and deleted is null\n", 3)},
		{"cyrillic", "Запрос обработан успешно за две секунды"},
		{"cjk", "请求已在两秒内成功处理，没有发现任何错误"},
		{"latin", "Die Anfrage wurde für den Nutzer übernommen"},
	} {
		b.Run(c.name, func(b *testing.B) {
			dst := make([]byte, 0, 64<<10)
			b.SetBytes(int64(len(c.s)))
			for b.Loop() {
				dst = AppendString(dst[:0], c.s, Slog)
			}
		})
		b.Run(c.name+"/byteloop", func(b *testing.B) {
			dst := make([]byte, 0, 64<<10)
			b.SetBytes(int64(len(c.s)))
			for b.Loop() {
				dst = byteLoop(dst[:0], c.s, Slog)
			}
		})
	}
}
