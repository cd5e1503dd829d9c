package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// unsafeIn returns the first thing in s that a terminal would act on, or "".
// It knows nothing of appendSafe: this is what the property is.
func unsafeIn(s string) string {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		bad := r == utf8.RuneError && n == 1 || // invalid UTF-8, among them C1 as bytes
			r < 0x20 && r != '\n' && r != '\t' || // C0, among them escape
			r >= 0x7f && r <= 0x9f || // DEL, C1
			unicode.Is(unicode.Bidi_Control, r) ||
			r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xad || r >= 0xe0000 && r <= 0xe007f
		if bad {
			return fmt.Sprintf("%q at %d", s[i:i+n], i)
		}
		i += n
	}
	return ""
}

// hostile are texts that do something on a terminal, or look like it.
var hostile = []string{
	"\x1b[2J\x1b[H", "\x1b]0;title\x07", "\x1b]8;;http://example.com\x1b\\link", "\x1bP+q\x1b\\", "\x1b[6n", "\x1bc",
	"\x9b31m", "\u009b31m", "\u0090", "\x07\x08\x0c\x0e\x0f", "\x7f\x7f", "a\rb", "\v", "\x00",
	"\u202etxt.exe", "\u2066\u2067\u2068\u2069", "\u200e\u200f\u061c", "\u202a\u202b\u202c\u202d",
	"\xff\xfe", "\xc3", "\xe2\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x9b", "\ufeff", "\u2028\u2029", "\u00ad",
	"\U000e0001\U000e0041", "\ue000", "\U0010ffff",
}

func TestAppendSafe(t *testing.T) {
	tests := []struct {
		how      safe
		in, want string
	}{
		{safeText, "plain text, 日本語 é ñ ✓ 🤗\u3000\u00a0", "plain text, 日本語 é ñ ✓ 🤗\u3000\u00a0"},
		{safeText, "👩\u200d💻 می\u200cخواهم", "👩\u200d💻 می\u200cخواهم"},
		{safeText, "a\tb\\n\"", "a\tb\\n\""},
		{safeText, "\x1b[31m\r\n\x7f\x00", `\u001b[31m\r\n\u007f\u0000`},
		{safeText, "\x9b\u009b", "\ufffd\\u009b"},
		{safeText, "\u202e\U000e0041", `\u202e\U000e0041`},
		{safeQuote, "a\tb\\\"", `a\tb\\\"`},
		{safeJSON, "\u009b\U000e0041é", `\u009b\udb40\udc41é`},
		{safeJSON, "\xff", "\ufffd"},
	}
	for _, test := range tests {
		if got := string(appendSafe(nil, []byte(test.in), test.how)); got != test.want {
			t.Errorf("%d %q: %q, want %q", test.how, test.in, got, test.want)
		}
	}
}

func FuzzAppendSafe(f *testing.F) {
	for _, s := range hostile {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, s []byte) {
		for _, how := range []safe{safeText, safeQuote, safeJSON} {
			got := appendSafe([]byte("x"), s, how)
			if bad := unsafeIn(string(got)); bad != "" {
				t.Errorf("%d: %s in %q", how, bad, got)
			}
			if bytes.IndexByte(got, '\n') >= 0 {
				t.Errorf("%d: more than one line: %q", how, got)
			}
		}
		// JSON means the same afterwards.
		text, err := json.Marshal(string(s))
		if err != nil {
			t.Fatal(err)
		}
		var before, after string
		if json.Unmarshal(text, &before) != nil || json.Unmarshal(appendSafe(nil, text, safeJSON), &after) != nil || before != after {
			t.Errorf("%q became %q", before, after)
		}
		// In pieces, too.
		var whole, pieces bytes.Buffer
		(&safeJSONWriter{w: &whole}).Write(append(text, '\n'))
		w := &safeJSONWriter{w: &pieces}
		for _, b := range append(text, '\n') {
			w.Write([]byte{b})
		}
		if !bytes.Equal(whole.Bytes(), pieces.Bytes()) {
			t.Errorf("whole %q, in pieces %q", whole.Bytes(), pieces.Bytes())
		}
	})
}

// Nothing that a log holds reaches the terminal raw, wherever it stands: in
// keys, values, levels, times, messages, in MessagePack and in JSON, in lines
// that are neither, in every layout; and in the names of files.
func TestCatIsSafe(t *testing.T) {
	var in bytes.Buffer
	rng := rand.New(rand.NewPCG(1, 2))
	str := func(s string) string { return fmt.Sprintf("\xda%c%c%s", len(s)>>8, len(s)&255, s) }
	for i, h := range append(hostile, strings.Join(hostile, "")) {
		q, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&in, "text %s\n", strings.ReplaceAll(h, "\n", ""))
		fmt.Fprintf(&in, `{"time":%s,"level":%s,"msg":%s,%s:{%s:[%s,{%s:%s}]},"error":%s}`+"\n", q, q, q, q, q, q, q, q, q)
		// Raw in JSON's strings: the lax converter takes that.
		raw := strings.NewReplacer(`"`, "", `\`, "").Replace(h)
		fmt.Fprintf(&in, `{"msg":"%s","%s":"%s"}`+"\n", raw, raw, raw)
		in.WriteString("\x85" + str("msg") + str(h) + str("level") + str(h) + str("time") + str(h) +
			str(h) + "\x81" + str(h) + "\x92" + str(h) + "\x81" + str(h) + str("line\n"+h) + str("error") + str("first\n"+h))
		if i%5 == 0 {
			in.WriteString("text\nrandom ")
			b := make([]byte, 60)
			for k := range b {
				b[k] = byte(rng.IntN(256))
			}
			in.Write(bytes.ReplaceAll(b, []byte("\n"), nil))
			in.WriteByte('\n')
		}
	}
	for _, args := range [][]string{{}, {"--pretty"}, {"--json"}, {"--resync"}, {"--grep", "."}, {"--resync", "--pretty"}, {"--pretty", "--color", "always"}} {
		r := jm(t, in.String(), append([]string{"cat"}, args...)...)
		out := r.out
		if len(args) == 3 {
			out = withoutColors(out)
		}
		if bad := unsafeIn(out); bad != "" {
			t.Errorf("%q: %s on standard output", args, bad)
		}
		if bad := unsafeIn(r.err); bad != "" {
			t.Errorf("%q: %s on standard error", args, bad)
		}
		if len(r.out) < 1000 {
			t.Errorf("%q shows next to nothing: %q %s", args, r.out, r.err)
		}
	}
	for _, command := range []string{"encode", "decode", "cat"} {
		for _, h := range []string{"\x1b[2J", "\u202e", "\xff\x9b", "a\nb"} {
			if r := jm(t, "", command, "/nowhere/"+h).check(t, exitUsage); unsafeIn(r.err) != "" {
				t.Errorf("a file name reaches the terminal: %q", r.err)
			}
			if r := jm(t, "", command, "--"+h).check(t, exitUsage); unsafeIn(r.err) != "" {
				t.Errorf("an option reaches the terminal: %q", r.err)
			}
		}
	}
}

// withoutColors removes the sequences that cat itself writes, and only these.
func withoutColors(s string) string {
	for _, c := range []string{colorOff, colorDim, colorBold, colorKey, colorError, levelColor(12), levelColor(4), levelColor(0), levelColor(-4), levelColor(-8)} {
		s = strings.ReplaceAll(s, c, "")
	}
	return s
}
