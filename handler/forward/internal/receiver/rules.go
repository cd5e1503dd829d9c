package receiver

import "fmt"

// A Violation is a breach of a rule that some receiver has.
type Violation struct {
	Rule string
	Seen string // the receiver and version that it was seen on, and what it does
	Why  string // what was sent, without its content
}

func (v *Violation) Error() string {
	return fmt.Sprintf("%s (%s): %s", v.Rule, v.Seen, v.Why)
}

// rule is what at least one receiver insists on. All were run against
// OpenTelemetry Collector v0.161.0, fluentd 1.16.5, Fluent Bit 5.1.1 and npm
// @fluent-org/logger 1.0.10.
type rule struct{ text, seen string }

func (r rule) broken(format string, args ...any) error {
	return &Violation{r.text, r.seen, fmt.Sprintf(format, args...)}
}

// The rules, in the order in which a frame is read.
var (
	ruleHeartbeat = rule{"no nil between frames", "OpenTelemetry Collector v0.161.0, Fluent Bit 5.1.1, npm 1.0.10: hang up"}
	ruleSyntax    = rule{"valid MessagePack", "all: hang up"}
	ruleOuter     = rule{"the frame is an array with a header of one byte", "OpenTelemetry Collector v0.161.0: hangs up"}
	rulePacked    = rule{"the frame is tag, entries, options", "all: hang up"}
	ruleTag       = rule{"the tag is str and not empty", "Fluent Bit 5.1.1: loses what has an empty one"}
	ruleEntries   = rule{"the entries are one bin", "npm 1.0.10: hangs up"}
	ruleOptions   = rule{"the options are a map with str keys", "OpenTelemetry Collector v0.161.0: hangs up at nil"}
	ruleChunk     = rule{"chunk is str", "OpenTelemetry Collector v0.161.0: never acknowledges; Fluent Bit 5.1.1, npm 1.0.10: hang up"}
	ruleSize      = rule{"size is the number of entries", "the specification"}
	ruleGzip      = rule{"compressed is gzip", "OpenTelemetry Collector v0.161.0, npm 1.0.10: know no other"}
	ruleLength    = rule{"a frame, decompressed too, has at most 6144000 bytes", "Fluent Bit 5.1.1: hangs up"}
	ruleEmpty     = rule{"a frame has at least one entry", "Fluent Bit 5.1.1: hangs up"}
	ruleEntry     = rule{"an entry is an array of time and record", "all: hang up"}
	ruleTime      = rule{"the time is an EventTime, ext 0 of 8 bytes", "Fluent Bit 5.1.1: acknowledges and loses the chunk"}
	ruleRecord    = rule{"the record is a map", "all: hang up"}
	ruleKey       = rule{"keys are str", "OpenTelemetry Collector v0.161.0: hangs up at int; npm 1.0.10: at bin"}
	ruleExt       = rule{"no ext in a record", "fluentd 1.16.5: resets; Fluent Bit 5.1.1: writes garbage"}
	ruleFinite    = rule{"floats are finite", "fluentd 1.16.5: refuses the frame for ever; Fluent Bit 5.1.1: writes invalid JSON"}
	ruleInteger   = rule{"integers are at most 2^63-1", "npm 1.0.10: loses digits; OpenTelemetry Collector v0.161.0: makes it text"}
	ruleUTF8      = rule{"texts are UTF-8", "OpenTelemetry Collector v0.161.0, fluentd 1.16.5: write them raw into JSON"}
	ruleDepth     = rule{"at most 32 containers deep", "Fluent Bit 5.1.1: drops from 63; fluentd 1.16.5: resets at 130"}
	ruleSalt      = rule{"the salt in PING is str", "Fluent Bit 5.1.1: hangs up at bin"}
)

const (
	maxFrame = 6_144_000
	maxDepth = 32
)
