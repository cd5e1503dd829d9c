package handler

import (
	"log/slog"
)

// Format is a wire format.
type Format uint8

const (
	// JSON is one JSON object a record, in one line that ends with a newline.
	JSON Format = iota
	// MessagePack is one MessagePack map a record, without anything between
	// records.
	MessagePack
	// Forward is one entry of the Fluent Forward protocol a record: an array of
	// the record's time and its map, of the types that all receivers take.
	Forward
)

// String returns the format's name.
func (f Format) String() string {
	switch f {
	case MessagePack:
		return "MessagePack"
	case Forward:
		return "Forward"
	}
	return "JSON"
}

// Profile says how the fields that every record has are called and written, and
// how values are. It is a value: take one from a constructor such as [Slog],
// change what should be different, and give it to [WithProfile]. The zero
// Profile writes none of the record's own fields.
//
// A constant that is none of a field's documented ones counts as the first.
type Profile struct {
	// The keys of the record's own fields. An empty key leaves the field out.
	TimeKey, LevelKey, MessageKey, SourceKey string

	// SeverityNumberKey is the key of OpenTelemetry's severity number: the
	// level plus 9, within 1 and 24. It follows the level. Empty for none.
	SeverityNumberKey string

	// Order is the order of the record's own fields and its attrs.
	Order Order

	// Time is how times are written, the record's and those in attrs.
	Time TimeForm

	// UTC has times written in UTC; false leaves each in its own zone. It
	// changes nothing for the forms that count from 1970.
	UTC bool

	// AnyYear has times in text whose year has not four digits written as they
	// are, which RFC 3339 does not allow; otherwise they are a failure.
	AnyYear bool

	// LevelText returns the text of a level; nil is [slog.Level.String]. It is
	// called once for each distinct level, or a few times when that is met in
	// several goroutines at once, and its result is kept. It must be safe for
	// concurrent use.
	LevelText func(slog.Level) string

	// Source is how the place in the source is written.
	Source SourceForm

	// OmitEmptyMessage leaves out the message of records that have none.
	OmitEmptyMessage bool

	// Duration is how values of time.Duration are written.
	Duration DurationForm

	// Bytes is how values of []byte are written in JSON, and in Forward, which
	// has no bin. MessagePack writes bin.
	Bytes BytesForm

	// Errors is how values that are errors are written.
	Errors ErrorForm

	// NonFinite is how NaN and infinities are written in JSON and Forward.
	// MessagePack has floats for them.
	NonFinite NonFiniteForm

	// FailurePrefix begins the text that stands for a value that could not be
	// encoded, "!ERROR:" for example; the reason follows.
	FailurePrefix string

	// Escapes is how strings are escaped in JSON where there is a choice.
	Escapes EscapeForm

	// PackTime is how times in attrs, and the record's own if TimeKey has it,
	// are written in MessagePack.
	PackTime PackTimeForm

	// Static are attrs that every record has, after its own fields. They are
	// formatted once, redacted like any, and not seen by ReplaceAttr.
	Static []slog.Attr

	// ProtectBuiltins keeps an attr outside all groups from passing for one of
	// the record's own fields: its key gets "attr." in front. For readers that
	// act on time and level.
	ProtectBuiltins bool

	// MaxRecordSize is the default of [WithMaxRecordSize], in bytes; 0 for
	// none.
	MaxRecordSize int
}

// Order is an order of fields.
type Order uint8

const (
	// TimeFirst is time, level, source, message, static attrs, attrs.
	TimeFirst Order = iota
	// LevelFirst is level, static attrs, attrs, time, source, message.
	LevelFirst
)

// TimeForm is a form of time.
type TimeForm uint8

const (
	RFC3339Nano   TimeForm = iota // text, nanoseconds without trailing zeros
	RFC3339                       // text, whole seconds
	RFC3339Millis                 // text, always three decimals
	RFC3339Micros                 // text, always six decimals
	UnixSeconds                   // integer seconds since 1970, rounded down
	UnixMillis                    // integer milliseconds since 1970, rounded down
	UnixMicros                    // integer microseconds since 1970, rounded down
	UnixNanos                     // integer nanoseconds since 1970; text (RFC 3339) where int64 cannot hold it
)

// SourceForm is a form of a place in the source.
type SourceForm uint8

const (
	SourceObject SourceForm = iota // {"function":…,"file":…,"line":12}, what is not known left out
	SourceText                     // "file:12"
	SourceGoogle                   // {"file":…,"line":"12","function":…}
	SourceECS                      // {"function":…,"file.name":…,"file.line":12}
	SourceOTel                     // three fields: SourceKey with .function.name, .file.path and .line.number
)

// DurationForm is a form of time.Duration.
type DurationForm uint8

const (
	DurationNanos        DurationForm = iota // integer nanoseconds
	DurationMillisFloat                      // milliseconds, with decimals
	DurationSecondsFloat                     // seconds, with decimals
	DurationText                             // "1.5s"
)

// BytesForm is a form of []byte in JSON.
type BytesForm uint8

const (
	BytesBase64 BytesForm = iota // text, standard base64 with padding; nil is null
	BytesText                    // the bytes as text, U+FFFD for what is not UTF-8
	BytesHex                     // text, lower-case hexadecimal
)

// ErrorForm is a form of errors.
type ErrorForm uint8

const (
	ErrorJSON ErrorForm = iota // what MarshalJSON says, if the error has it, else Error(); []error as encoding/json has it
	ErrorText                  // Error(); the texts of a []error
)

// NonFiniteForm is a form of NaN and infinities.
type NonFiniteForm uint8

const (
	NonFiniteError NonFiniteForm = iota // FailurePrefix and "json: unsupported value: NaN"
	NonFiniteText                       // "NaN", "+Inf", "-Inf"
)

// EscapeForm is a choice among the valid escapes of JSON strings.
type EscapeForm uint8

const (
	EscapeSlog    EscapeForm = iota // as log/slog: \u0008 \u000c; DEL raw; U+2028 and U+2029 escaped
	EscapeZerolog                   // as zerolog: \b \f; DEL escaped; U+2028 and U+2029 raw
)

// PackTimeForm is a form of times in MessagePack.
type PackTimeForm uint8

const (
	PackTimestamp PackTimeForm = iota // the specification's timestamp, ext -1; the zone is lost
	PackTimeText                      // as Time says for JSON
	PackEventTime                     // Fluentd's EventTime, ext 0; within 1970 and 2106
)

// settle replaces constants that are not known by the first of their kind, so
// that nothing else has to ask.
func (p *Profile) settle() {
	if p.Order > LevelFirst {
		p.Order = TimeFirst
	}
	if p.Time > UnixNanos {
		p.Time = RFC3339Nano
	}
	if p.Source > SourceOTel {
		p.Source = SourceObject
	}
	if p.Duration > DurationText {
		p.Duration = DurationNanos
	}
	if p.Bytes > BytesHex {
		p.Bytes = BytesBase64
	}
	if p.Errors > ErrorText {
		p.Errors = ErrorJSON
	}
	if p.NonFinite > NonFiniteText {
		p.NonFinite = NonFiniteError
	}
	if p.Escapes > EscapeZerolog {
		p.Escapes = EscapeSlog
	}
	if p.PackTime > PackEventTime {
		p.PackTime = PackTimestamp
	}
}
