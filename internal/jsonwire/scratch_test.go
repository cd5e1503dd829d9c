package jsonwire

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

func TestScratch(t *testing.T) {
	if os.Getenv("SCRATCH") == "" {
		t.Skip()
	}
	runtime.LockOSThread()
	dst := make([]byte, 0, 64<<10)
	var fs []func()
	cs := []struct{ name, s string }{
		{"3", "abc"}, {"6", "status"}, {"10", "request_id"}, {"16", "the quick brown "},
		{"24", "the quick brown fox jump"},
		{"31", "the quick brown fox jumps over "},
		{"43", "the quick brown fox jumps over the lazy dog"},
		{"64", strings.Repeat("01234567", 8)},
		{"100", strings.Repeat("0123456789", 10)},
		{"200", strings.Repeat("0123456789", 20)},
		{"1000", strings.Repeat("0123456789", 100)},
		{"10000", strings.Repeat("0123456789", 1000)},
		{"escapes", "line one\nline \"two\"\tC:\\dir\\file"},
		{"esc1", "line one\nline \"two\"\t\\ end"},
		{"esc2", "a \"quoted\" word\nand a new line"},
		{"esc3", "grüße, 世界"},
		{"esc4", `C:\dir\file`},
		{"stack", strings.Repeat("main.(*server).handle(0xc000123456)\n\t/src/app/server/handler.go:123 +0x1d\n", 20)},
		{"json", strings.Repeat(`{"id":12345,"name":"some name","tags":["a","b"]},`, 20)},
		{"query", strings.Repeat("select id, name from users where id = $1 and deleted is null\n", 3)},
		{"cyrillic", "Запрос обработан успешно за две секунды"},
		{"cjk", "请求已在两秒内成功处理，没有发现任何错误"},
		{"latin", "Die Anfrage wurde für den Nutzer übernommen"},
	}
	var ns []int
	for _, c := range cs {
		n := 100000 / (len(c.s) + 8)
		ns = append(ns, n)
		fs = append(fs, func() {
			for range n {
				dst = AppendString(dst[:0], c.s, Slog)
			}
		})
	}
	for i, d := range quiet(150, fs) {
		fmt.Printf("%-10s %8.2f\n", cs[i].name, d/float64(ns[i]))
	}
}
