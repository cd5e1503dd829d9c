package main

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	const good = `{"time":"2026-01-02T03:04:05.6Z","level":"INFO","msg":"m","g":{"a":[1,{}],"b":null}}` + "\n"
	every := []string{"time", "level", "msg"}
	tests := []struct{ in, want string }{
		{good, ""},
		{good + good, ""},
		{"", "0 lines, want at least 1"},
		{good + strings.TrimSpace(good), "line 2 does not end in a newline"},
		{good + "plain text\n", "line 2: invalid character"},
		{good + "\n", "line 2: EOF"},
		{"[1]\n", "not a JSON object"},
		{`{"time":1}{}` + "\n", "more than one JSON value"},
		{`{"level":"INFO","msg":"m"}` + "\n", "no key time"},
		{`{"time":"yesterday","level":"INFO","msg":"m"}` + "\n", "cannot parse"},
		{`{"msg":"a","msg":"b"}` + "\n", "key msg twice"},
		{`{"g":{"a":1,"a":2}}` + "\n", "key a twice"},
		{`{"g":[1,2}` + "\n", "invalid character"},
		{`{"msg":"` + "\xff" + `"}` + "\n", "invalid UTF-8"},
		{`{"msg":"open` + "\n", "in string literal"},
	}
	for _, tt := range tests {
		_, err := check(strings.NewReader(tt.in), 1, every, nil)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%q: %v", tt.in, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%q: got %v, want %s", tt.in, err, tt.want)
		}
	}
	for _, tt := range []struct {
		some string
		ok   bool
	}{{"g", true}, {"g.a", true}, {"g.b", true}, {"g.c", false}, {"msg.x", false}} {
		if _, err := check(strings.NewReader(good), 1, every, []string{tt.some}); (err == nil) != tt.ok {
			t.Errorf("-some %s: %v", tt.some, err)
		}
	}
}
