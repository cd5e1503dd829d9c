package main

import (
	"fmt"
	"strings"
	"testing"
)

// The same record in each shape that loggers give it.
func TestCatKeys(t *testing.T) {
	const ms = "2026-07-28T10:11:12.5Z"
	tests := []struct{ name, in, want string }{
		{"slog", `{"time":"2026-07-28T10:11:12.5Z","level":"INFO+2","msg":"a b","k":1,"g":{"x":"y z"}}`,
			ms + " INFO+2 a b k=1 g.x=\"y z\""},
		{"slog source", `{"time":"2026-07-28T10:11:12.5Z","level":"WARN","source":{"function":"main.f","file":"/x/a.go","line":7},"msg":"m"}`,
			ms + " WARN  m source=/x/a.go:7"},
		{"zerolog", `{"level":"error","error":"no such host","time":"2026-07-28T10:11:12+02:00","caller":"a.go:7","message":"m"}`,
			`2026-07-28T10:11:12+02:00 ERROR m error="no such host" caller=a.go:7`},
		{"zerolog unix", `{"level":"debug","time":1785233472,"message":"m"}`, "2026-07-28T10:11:12Z DEBUG m"},
		{"milliseconds", `{"ts":1785233472500,"lvl":"inf","msg":"m"}`, ms + " INF   m"},
		{"microseconds", `{"ts":1785233472500000,"msg":"m"}`, ms + " m"},
		{"nanoseconds", `{"ts":1785233472500000000,"msg":"m"}`, ms + " m"},
		{"float seconds", `{"ts":1785233472.5,"msg":"m"}`, ms + " m"},
		{"no time", `{"time":12,"msg":"m"}`, "m time=12"},
		{"ECS", `{"@timestamp":"2026-07-28T10:11:12.5Z","log.level":"warn","message":"m","log.origin":{"function":"f","file.name":"a.go","file.line":7},"ecs.version":"1.6.0"}`,
			ms + " WARN  m log.origin=a.go:7 ecs.version=1.6.0"},
		{"ECS nested", `{"@timestamp":"2026-07-28T10:11:12.5Z","log":{"level":"error"},"message":"m"}`, ms + " ERROR m log.level=error"},
		{"Google", `{"time":"2026-07-28T10:11:12.5Z","severity":"CRITICAL","message":"m","logging.googleapis.com/sourceLocation":{"file":"a.go","line":"7","function":"f"}}`,
			ms + " CRITICAL m logging.googleapis.com/sourceLocation=a.go:7"},
		{"OTel", `{"time":"2026-07-28T10:11:12.5Z","level":"INFO","severity_number":9,"code.file.path":"a.go","message":"m"}`,
			ms + " INFO  m code.file.path=a.go"},
		{"OTel number", `{"severity_number":15,"body":"m"}`, "WARN+2 m"},
		{"pino", `{"level":50,"time":1785233472500,"msg":"m","pid":1}`, ms + " ERROR m pid=1"},
		{"numbers of log/slog", `{"level":-4,"msg":"m"}`, "DEBUG m"},
		{"numbers of anybody", `{"level":-100,"msg":"m"}`, "TRACE-92 m"},
		{"two messages", `{"msg":"a","message":"b"}`, "a message=b"},
		{"attrs only", `{"a":{},"b":[1,{"c":"d e"}],"d":null,"e":true,"f":1.0,"g":"","h":"x=y","i":{"j":{"k":1}}}`,
			`a={} b=[1,{"c":"d e"}] d=null e=true f=1.0 g="" h="x=y" i.j.k=1`},
		{"deep", strings.Repeat(`{"a":`, 12) + "1" + strings.Repeat("}", 12),
			strings.Repeat("a.", 8) + `a={"a":{"a":{"a":1}}}`},
		{"empty", "{}", ""},
		{"hostile key", `{"a b":1,"":2,"c=":3}`, `"a b"=1 ""=2 "c="=3`},
		{"big", `{"n":123456789012345678901234567890,"f":1e400}`, "n=123456789012345678901234567890 f=1e400"},
		{"not an object", `[1,2]`, "[1,2]"},
		{"not JSON", `2026/07/28 listening on :80`, "2026/07/28 listening on :80"},
		{"broken JSON", `{"a":1,}`, `{"a":1,}`},
		{"UTF-8", "é ✓ 日本 \U0001f917", "é ✓ 日本 \U0001f917"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			jm(t, test.in+"\r\n", "cat").check(t, 0).wantOut(t, test.want+"\n")
			if test.in[0] != '{' || test.name == "broken JSON" {
				return
			}
			jm(t, jm(t, test.in, "encode", "--lax").out, "cat").check(t, 0).wantOut(t, test.want+"\n")
		})
	}
}

// What only MessagePack has.
func TestCatMessagePack(t *testing.T) {
	event := "\xd7\x00\x6a\x68\x81\x80\x1d\xcd\x65\x00" // 2026-07-28T10:16:32.5Z
	tests := []struct{ name, in, want string }{
		{"timestamp", "\x82\xa4time\xd6\xff\x6a\x68\x81\x80\xa3msg\xa1m", "2026-07-28T10:16:32Z m"},
		{"timestamp attr", "\x82\xa3msg\xa1m\xa2at\xd6\xff\x6a\x68\x81\x80", "m at=2026-07-28T10:16:32Z"},
		{"entry", "\x92" + event + "\x82\xa5level\xa4INFO\xa7message\xa1m", "2026-07-28T10:16:32.5Z INFO  m"},
		{"entry with its own time", "\x92" + event + "\x82\xa4time\xa1x\xa7message\xa1m", "2026-07-28T10:16:32.5Z m time=x"},
		{"entry of Fluent Bit", "\x92\x92" + event + "\x80\x81\xa3log\xa1m", "2026-07-28T10:16:32.5Z m"},
		{"entry in seconds", "\x92\xce\x6a\x68\x81\x80\x81\xa3log\xa1m", "2026-07-28T10:16:32Z m"},
		{"other array", "\x93\x01\x02\x03", "[1,2,3]"},
		{"bin, ext, nil, NaN", "\x84\xa1b\xc4\x02\x00\xff\xa1e\xd4\x05\x01\xa1n\xc0\xa1f\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00", `b="AP8=" e={"type":5,"data":"AQ=="} n=null f="NaN"`},
		{"other keys", "\x82\x01\x02\xc4\x01k\x03", "1=2 k=3"},
		{"negative", "\x84\xa1a\xff\xa1b\xd0\x80\xa1c\xd1\xff\x00\xa1d\xd3\xff\xff\xff\xff\xff\xff\xff\xfe", "a=-1 b=-128 c=-256 d=-2"},
		{"empty map", "\x80", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			jm(t, test.in, "cat").check(t, 0).wantOut(t, test.want+"\n")
			jm(t, test.in+test.in, "cat").check(t, 0).wantOut(t, test.want+"\n"+test.want+"\n")
		})
	}
	jm(t, "\x92"+event+"\x82\xa5level\xa4INFO\xa7message\xa1m", "cat", "--json").check(t, 0).
		wantOut(t, `{"time":"2026-07-28T10:16:32.5Z","level":"INFO","message":"m"}`+"\n")
}

// Text, JSON and MessagePack in one stream, whatever comes after what.
func TestCatMixture(t *testing.T) {
	record := pack(t, `{"level":"INFO","msg":"packed"}`)
	parts := []struct{ in, want string }{
		{record, "INFO  packed\n"},
		{"plain é text\n", "plain é text\n"},
		{`{"level":"INFO","msg":"JSON"}` + "\n", "INFO  JSON\n"},
		{"\x1b[31mred\x1b[0m\n", "\\u001b[31mred\\u001b[0m\n"},
		{"\n", "\n"},
		{"panic: boom\n\ngoroutine 1 [running]:\n\tmain.go:7 +0x1d\n", "panic: boom\n\ngoroutine 1 [running]:\n\tmain.go:7 +0x1d\n"},
	}
	var in, want strings.Builder
	for i := range parts {
		for j := range parts {
			in.WriteString(parts[i].in + parts[j].in)
			want.WriteString(parts[i].want + parts[j].want)
		}
	}
	for _, args := range [][]string{{"cat"}, {"cat", "--resync"}} {
		cmd := newCommand(t, args...)
		cmd.Stdin = strings.NewReader(in.String())
		got, err := cmd.CombinedOutput()
		if err != nil || string(got) != want.String() {
			t.Errorf("%q: %v\ngot  %q\nwant %q", args, err, got, want.String())
		}
	}
}

func TestCatFilters(t *testing.T) {
	lines := []string{
		`{"level":"debug","message":"m1","user":1}`,
		`{"level":"INFO","msg":"m2","user":4711}`,
		`{"level":"INFO+2","msg":"m3"}`,
		`{"severity":"WARNING","message":"m4"}`,
		`{"level":"error","message":"m5","user":4711}`,
		`{"log.level":"fatal","message":"m6"}`,
		`{"msg":"m7"}`,
		`{"level":"loud","msg":"m8"}`,
	}
	tests := []struct{ args, want string }{
		{"", "m1 m2 m3 m4 m5 m6 m7 m8 text"},
		{"--level trace", "m1 m2 m3 m4 m5 m6 m7 m8 text"},
		{"--level info", "m2 m3 m4 m5 m6 m7 m8 text"},
		{"--level INFO+1", "m3 m4 m5 m6 m7 m8 text"},
		{"--level warn", "m4 m5 m6 m7 m8 text"},
		{"--level ERROR", "m5 m6 m7 m8 text"},
		{"--level error+1", "m6 m7 m8 text"},
		{"--level panic", "m7 m8 text"},
		{"--grep user=4711", "m2 m5"},
		{"--grep (?i)LOUD|text", "m8 text"},
		{"--grep user=4711 --level error", "m5"},
		{"--grep user=4711$ --pretty", "m2 m5"},
		{"--grep user=4711$ --color always", "m2 m5"},
		{"--grep ^INFO", "m2 m3"},
		{"--json --grep user=4711", "m2 m5"},
		{"--json --level fatal", "m6 m7 m8"},
	}
	packed := pack(t, lines...) + "text\n"
	plain := strings.Join(lines, "\n") + "\ntext\n"
	for _, test := range tests {
		for kind, in := range map[string]string{"MessagePack": packed, "JSON": plain} {
			r := jm(t, in, append([]string{"cat"}, strings.Fields(test.args)...)...).check(t, 0)
			var got []string
			out := withoutColors(r.out)
			for _, name := range strings.Fields("m1 m2 m3 m4 m5 m6 m7 m8 text") {
				if strings.Contains(out, name) {
					got = append(got, name)
				}
			}
			if s := strings.Join(got, " "); s != test.want || strings.Count(r.out, "\n") != len(got) {
				t.Errorf("%s of %s: %s, want %s\n%s", test.args, kind, s, test.want, r.out)
			}
		}
	}
}

func TestCatPretty(t *testing.T) {
	in := `{"time":"2026-07-28T10:11:12.123456+02:00","level":"ERROR","msg":"first\nsecond","a":1,"stack":"x()\n\ty.go:1\r\n","error":"e"}` + "\nplain\n"
	jm(t, in, "cat", "--pretty").check(t, 0).wantOut(t, "2026-07-28 10:11:12.123 ERROR first a=1 error=e\n"+
		"    second\n    stack=\n        x()\n        \ty.go:1\nplain\n")
	r := jm(t, in, "cat", "--color", "always").check(t, 0)
	if !strings.Contains(r.out, "\x1b[31mERROR\x1b[0m") || withoutColors(r.out) != jm(t, in, "cat").out {
		t.Errorf("colours: %q", r.out)
	}
	// Not on a terminal, not in colour.
	for _, args := range [][]string{{"cat"}, {"cat", "--pretty"}, {"cat", "--pretty", "--color", "never"}} {
		if r := jm(t, in, args...); strings.Contains(r.out, "\x1b") {
			t.Errorf("%q: %q", args, r.out)
		}
	}
}

// As JSON, records mean what they meant, digit by digit.
func TestCatJSON(t *testing.T) {
	line := `{"n":123456789012345678901234567890,"f":1.10,"e":"\u00e9\u009b"}`
	jm(t, "  "+line+"\ntext\n", "cat", "--json").check(t, 0).wantOut(t, line+"\n")
	jm(t, "{\"a\" : \"\x01\"}\n", "cat", "--json").check(t, 0).wantOut(t, `{"a":"\u0001"}`+"\n")
	jm(t, pack(t, `{"a":1.0,"b":"é"}`), "cat", "--json").check(t, 0).wantOut(t, `{"a":1.0,"b":"é"}`+"\n")
}

// Lines longer than the window, and many of them, in MessagePack and JSON.
func TestCatLong(t *testing.T) {
	var lines, want []string
	for i := range 100 {
		text := strings.Repeat("x", 1+i*i*20)
		lines = append(lines, fmt.Sprintf(`{"msg":"%s","i":%d}`, text, i))
		want = append(want, fmt.Sprintf("%s i=%d", text, i))
	}
	all := strings.Join(want, "\n") + "\n"
	for kind, in := range map[string]string{"JSON": strings.Join(lines, "\n"), "MessagePack": pack(t, lines...)} {
		if r := jm(t, in, "cat").check(t, 0); r.out != all {
			t.Errorf("%s: %d bytes, want %d", kind, len(r.out), len(all))
		}
	}
}
