package receiver

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// The parts of frames that the rows below are made of.
const (
	tag   = "\xa7app.log"
	event = "\x92\xd7\x00\x65\x00\x00\x00\x00\x00\x00\x07"
	one   = event + "\x81\xa1a\x01"
	opts  = "\x82\xa4size\x01\xa5chunk\xa4abcd"
)

func bin(s string) string {
	n := len(s)
	return string([]byte{0xc6, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}) + s
}

func frame(entries, options string) string { return "\x93" + tag + bin(entries) + options }

func rec(value string) string { return frame(event+"\x81\xa1a"+value, opts) }

func zipped(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, s)
	_ = z.Close()
	return b.String()
}

// Each rule, a frame that keeps it as narrowly as can be and one that breaks
// it. The text that the violation must name is the receiver that it was seen on.
func TestRules(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("\x81\xa1k", n-2) + "\x81\xa1k\x01" }
	const gz = "\x83\xa4size\x01\xa5chunk\xa4abcd\xaacompressed\xa4gzip"
	tests := []struct {
		name, frame string
		want        rule // the zero rule: none is broken
		seen        string
	}{
		{"plain", frame(one, opts), rule{}, ""},
		{"gzip", frame(zipped(one), gz), rule{}, ""},
		{"two", frame(one+one, "\x81\xa4size\x02"), rule{}, ""},
		{"wider headers inside", "\x93\xd9\x07app.log" + bin(one) + "\xde\x00\x01\xd9\x04size\xd3\x00\x00\x00\x00\x00\x00\x00\x01", rule{}, ""},
		{"depth 32", rec(deep(32)), rule{}, ""},
		{"2^63-1", rec("\xcf\x7f\xff\xff\xff\xff\xff\xff\xff"), rule{}, ""},
		{"a finite float", rec("\xcb\x7f\xef\xff\xff\xff\xff\xff\xff"), rule{}, ""},

		{"array16", "\xdc\x00\x03" + tag + bin(one) + opts, ruleOuter, "OpenTelemetry Collector v0.161.0"},
		{"array32", "\xdd\x00\x00\x00\x03" + tag + bin(one) + opts, ruleOuter, "OpenTelemetry Collector v0.161.0"},
		{"heartbeat", "\xc0", ruleHeartbeat, "Fluent Bit 5.1.1"},
		{"no options", "\x92" + tag + bin(one), rulePacked, ""},
		{"c1", "\xc1", rulePacked, ""},
		{"bin tag", "\x93\xc4\x07app.log" + bin(one) + opts, ruleTag, "Fluent Bit 5.1.1"},
		{"empty tag", "\x93\xa0" + bin(one) + opts, ruleTag, "Fluent Bit 5.1.1"},
		{"str entries", "\x93" + tag + "\xaf" + one + opts, ruleEntries, "npm 1.0.10"},
		{"forward mode", "\x93" + tag + "\x91" + one + opts, ruleEntries, "npm 1.0.10"},
		{"nil options", frame(one, "\xc0"), ruleOptions, "OpenTelemetry Collector v0.161.0"},
		{"nil in options", frame(one, "\x81\xa4size\xc0"), ruleOptions, "OpenTelemetry Collector v0.161.0"},
		{"bin key in options", frame(one, "\x81\xc4\x04size\x01"), ruleOptions, "OpenTelemetry Collector v0.161.0"},
		{"bin chunk", frame(one, "\x82\xa4size\x01\xa5chunk\xc4\x04abcd"), ruleChunk, "never acknowledges"},
		{"size", frame(one, "\x81\xa4size\x02"), ruleSize, ""},
		{"no size", frame(one, "\x80"), ruleSize, ""},
		{"zstd", frame(one, "\x82\xa4size\x01\xaacompressed\xa4zstd"), ruleGzip, "npm 1.0.10"},
		{"not gzip", frame(one, gz), ruleGzip, ""},
		{"empty", frame("", "\x81\xa4size\x00"), ruleEmpty, "Fluent Bit 5.1.1"},
		{"too long", frame(event+"\x81\xa1a\xdb\x00\x5e\x00\x00"+strings.Repeat("x", 0x5e0000), opts), ruleLength, "Fluent Bit 5.1.1"},
		{"too long decompressed", frame(zipped(event+"\x81\xa1a\xdb\x00\x5e\x00\x00"+strings.Repeat("x", 0x5e0000)), gz), ruleLength, "Fluent Bit 5.1.1"},
		{"no entry", frame("\x01", opts), ruleEntry, ""},
		{"three in an entry", frame("\x93"+one[1:]+"\x80", opts), ruleEntry, ""},
		{"integer time", frame("\x92\x05\x80", opts), ruleTime, "Fluent Bit 5.1.1"},
		{"timestamp", frame("\x92\xd7\xff\x00\x00\x00\x00\x65\x00\x00\x00\x80", opts), ruleTime, "loses the chunk"},
		{"a second of nanoseconds", frame("\x92\xd7\x00\x65\x00\x00\x00\x3b\x9a\xca\x00\x80", opts), ruleTime, ""},
		{"no map", frame(event+"\x90", opts), ruleRecord, ""},
		{"int key", frame(event+"\x81\x01\x01", opts), ruleKey, "OpenTelemetry Collector v0.161.0"},
		{"bin key", frame(event+"\x81\xc4\x01a\x01", opts), ruleKey, "npm 1.0.10"},
		{"int key inside", rec("\x81\x01\x01"), ruleKey, "OpenTelemetry Collector v0.161.0"},
		{"ext", rec("\xd4\x05\x00"), ruleExt, "fluentd 1.16.5"},
		{"timestamp in a list", rec("\x91\xd6\xff\x65\x00\x00\x00"), ruleExt, "Fluent Bit 5.1.1"},
		{"NaN", rec("\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00"), ruleFinite, "fluentd 1.16.5"},
		{"infinity", rec("\xca\xff\x80\x00\x00"), ruleFinite, "fluentd 1.16.5"},
		{"2^63", rec("\xcf\x80\x00\x00\x00\x00\x00\x00\x00"), ruleInteger, "npm 1.0.10"},
		{"not UTF-8", rec("\xa1\xff"), ruleUTF8, "fluentd 1.16.5"},
		{"key not UTF-8", frame(event+"\x81\xa1\xff\x01", opts), ruleUTF8, "fluentd 1.16.5"},
		{"depth 33", rec(deep(33)), ruleDepth, "Fluent Bit 5.1.1"},
		{"depth 60", rec(deep(60)), ruleDepth, "fluentd 1.16.5"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Start(Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Stop()
			c, err := net.Dial("tcp", r.Addr())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if _, err := io.WriteString(c, tt.frame); err != nil {
				t.Logf("write: %v", err) // hung up before all was written
			}
			if tt.want == (rule{}) {
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				if err := r.Wait(ctx, func(kept, _ int) bool { return kept > 0 }); err != nil {
					t.Fatalf("%v; %v", err, r.Violations())
				}
				return
			}
			if n, err := c.Read(make([]byte, 1)); err == nil {
				t.Fatalf("%d bytes of an answer", n)
			}
			r.Stop()
			var v *Violation
			if vs := r.Violations(); len(vs) != 1 || !errors.As(vs[0], &v) || v.Rule != tt.want.text {
				t.Fatalf("%v, want %q", vs, tt.want.text)
			}
			if !strings.Contains(v.Seen, tt.seen) || v.Seen == "" {
				t.Errorf("seen on %q, want %q", v.Seen, tt.seen)
			}
			if len(r.Records()) != 0 {
				t.Error("it was taken all the same")
			}
		})
	}
}

// What is cut off is no violation, and is not taken.
func TestCutFrames(t *testing.T) {
	whole := frame(one, opts)
	for n := range len(whole) {
		r, err := Start(Options{})
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Dial("tcp", r.Addr())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, whole[:n])
		_ = c.Close()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		if err := r.Wait(ctx, func(_, conns int) bool { return conns == 1 && len(r.conns) == 0 }); err != nil {
			t.Fatal(err)
		}
		cancel()
		if r.Stop(); len(r.Violations()) != 0 || r.Kept() != 0 {
			t.Errorf("%d bytes: %v", n, r.Violations())
		}
	}
}
