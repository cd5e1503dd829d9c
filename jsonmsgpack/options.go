package jsonmsgpack

// A Policy says what to do with a value that has no one right form on the
// other side. Each option says which of them it takes; one that it does not
// take changes nothing.
type Policy uint8

const (
	Float    Policy = iota + 1 // convert to float64, the nearest there is
	Text                       // keep the digits, or the value's text, as a string
	Fail                       // an error
	Keep                       // as it is
	LastWins                   // only the last of several
	Replace                    // put U+FFFD in its place
	Null                       // put null in its place
)

// An Option changes how a Converter, a Writer or one of the Append functions
// converts. Options are applied in their order, so that one after a preset
// (Lax, Strict) refines it. Nil options are skipped.
type Option interface {
	// apply takes and returns the config by value: through a pointer it would
	// be moved to the heap at each call of Append.
	apply(c config) config
}

// A config is what options come down to. It does not change after that.
type config struct {
	bigNumbers Policy
	duplicates Policy
	utf8       Policy // 0: Fail for JSON, Replace on the way back
	nonFinite  Policy
	badKeys    Policy

	wide      bool
	lines     bool
	deepText  bool
	int64Only bool
	negZero   bool // -0 is a float
	exact     bool // numbers that do not survive as float64 are errors
	controls  bool // raw control characters in strings are taken
	nanTokens bool // NaN, Infinity and -Infinity are taken
	appendBOM bool // a byte order mark is skipped by Append too
	streamBOM bool // and at the start of a stream

	maxDepth    int
	maxDocument int64
	timeFields  []string
	onError     func(line int64, err error) bool
}

const (
	defaultDepth    = 10000
	laxDepth        = 512
	strictDepth     = 1000
	defaultDocument = 64 << 20
)

func defaults() config {
	return config{
		bigNumbers:  Float,
		duplicates:  Keep,
		nonFinite:   Null,
		badKeys:     Fail,
		streamBOM:   true,
		maxDepth:    defaultDepth,
		maxDocument: defaultDocument,
	}
}

func newConfig(opts []Option) config {
	c := defaults()
	for _, o := range opts {
		if o != nil {
			c = o.apply(c)
		}
	}
	return c
}

// flag is an option without an argument: a constant, so that making one
// allocates nothing.
type flag uint8

const (
	flagWide flag = iota
	flagLax
	flagStrict
	flagLines
	flagDeepText
	flagInt64Only
)

func (f flag) apply(c config) config {
	switch f {
	case flagWide:
		c.wide = true
	case flagLines:
		c.lines = true
	case flagDeepText:
		c.deepText = true
	case flagInt64Only:
		c.int64Only = true
	case flagLax:
		c.bigNumbers, c.duplicates, c.utf8 = Text, Keep, Replace
		c.lines, c.controls, c.nanTokens = true, true, true
		c.negZero, c.exact = false, false
		c.appendBOM, c.streamBOM = true, true
		c.maxDepth = laxDepth
	case flagStrict:
		c.bigNumbers, c.duplicates, c.utf8 = Fail, Fail, Fail
		c.controls, c.nanTokens = false, false
		c.negZero, c.exact = true, true
		c.appendBOM, c.streamBOM = false, false
		c.maxDepth = strictDepth
	}
	return c
}

// Wide gives every container a header of five bytes, whatever its count, so
// that none is ever moved. It is 2 to 5 % faster and 2 to 25 % larger.
func Wide() Option { return flagWide }

// Lax is the preset for logs, where a record with a flaw is better than none:
// numbers that do not fit become text, invalid UTF-8 and lone surrogates
// U+FFFD, raw control characters and the tokens NaN, Infinity and -Infinity
// are taken, a byte order mark is skipped. The depth is 512. It implies Lines:
// a bad line costs that line.
func Lax() Option { return flagLax }

// Strict is the preset for data that must come back as it was, but for numbers
// too small for float64, which are 0: numbers that
// do not survive, duplicate keys and a byte order mark are errors, and -0 is
// the float that it names. The depth is 1000.
func Strict() Option { return flagStrict }

// Lines makes each line a document of its own in streams (Convert, ConvertAt,
// Writer): one that fails leaves nothing behind. Whether the next ones go on
// is OnError's to say; without it they do, and the first error is returned at
// the end. Empty lines are skipped.
func Lines() Option { return flagLines }

// DeepText makes containers that lie deeper than MaxDepth the text of their
// JSON instead of an error. They are still checked to be valid.
func DeepText() Option { return flagDeepText }

// Int64Only treats integers from 2^63 to 2^64-1 as BigNumbers says, for
// readers that have no unsigned integers.
func Int64Only() Option { return flagInt64Only }

type optMaxDepth int

func (n optMaxDepth) apply(c config) config {
	if n > 0 {
		c.maxDepth = int(n)
	}
	return c
}

// MaxDepth sets how many containers may be open at once, both ways: 10000 by
// default, 512 in Lax, 1000 in Strict. Less than 1 changes nothing.
func MaxDepth(n int) Option { return optMaxDepth(n) }

type optMaxDocument int64

func (n optMaxDocument) apply(c config) config {
	if n > 0 {
		c.maxDocument = int64(n)
	}
	return c
}

// MaxDocument sets how many bytes of input one document of a stream may have,
// which is what bounds the memory of Convert and Writer; for ConvertAt, how
// many one string or number may have. 64 MiB by default; less than 1 changes
// nothing.
func MaxDocument(n int64) Option { return optMaxDocument(n) }

// optPolicy is the option of one policy: the field in the high half, the
// policy in the low one. Of one byte, it becomes an Option without allocation.
type optPolicy uint8

const (
	fieldBig = iota << 4
	fieldDup
	fieldUTF8
	fieldNonFinite
	fieldBadKeys
)

func policy(field uint8, p Policy) Option {
	return optPolicy(field | uint8(min(p, 15)))
}

func (o optPolicy) apply(c config) config {
	p := Policy(o & 15)
	switch o &^ 15 {
	case fieldBig:
		if p == Float || p == Text || p == Fail {
			c.bigNumbers = p
		}
	case fieldDup:
		if p == Keep || p == LastWins || p == Fail {
			c.duplicates = p
		}
	case fieldUTF8:
		if p == Replace || p == Fail {
			c.utf8 = p
		}
	case fieldNonFinite:
		if p == Null || p == Text || p == Fail {
			c.nonFinite = p
		}
	case fieldBadKeys:
		if p == Text || p == Fail {
			c.badKeys = p
		}
	}
	return c
}

// BigNumbers says what becomes of integers outside of -2^63..2^64-1 and of
// numbers beyond float64, such as 1e400: Float (the default) makes the former
// float64 and the latter an error, Text (in Lax) keeps the digits of both as
// a string, Fail (in Strict) refuses both.
func BigNumbers(p Policy) Option { return policy(fieldBig, p) }

// Duplicates says what becomes of keys that an object has twice: Keep (the
// default) keeps both in their order, as MessagePack can, LastWins only the
// last, Fail (in Strict) refuses them. The last two remember the keys of all
// open objects. ConvertAt refuses LastWins: what it would take back may be
// written already.
func Duplicates(p Policy) Option { return policy(fieldDup, p) }

// InvalidUTF8 says what becomes of invalid UTF-8 and of lone surrogates in
// strings: Fail (the default) or Replace (in Lax). On the way back, in
// AppendJSON, Replace is the default.
func InvalidUTF8(p Policy) Option { return policy(fieldUTF8, p) }

// NonFinite says what AppendJSON makes of NaN and infinities: Null (the
// default), Text ("NaN", "Infinity", "-Infinity") or Fail.
func NonFinite(p Policy) Option { return policy(fieldNonFinite, p) }

// BadKeys says what AppendJSON makes of keys that have no plain text, which
// are binaries, exts and containers: Fail (the default) or Text, which is
// their JSON as a string. All other keys become their text in any case.
func BadKeys(p Policy) Option { return policy(fieldBadKeys, p) }

type optTimeFields []string

func (o optTimeFields) apply(c config) config {
	// Copied once, when the option was made; never written to.
	c.timeFields = append(c.timeFields[:len(c.timeFields):len(c.timeFields)], o...)
	return c
}

// TimeFields names keys, at any depth, whose values become timestamps (ext -1)
// where they are text in the form of RFC 3339. The zone is not kept. Other
// values stay as they are. Several TimeFields add up.
func TimeFields(names ...string) Option {
	return optTimeFields(append([]string(nil), names...))
}

type optOnError func(line int64, err error) bool

func (o optOnError) apply(c config) config {
	if o != nil {
		c.onError, c.lines = o, true
	}
	return c
}

// OnError has f called with the number of each line that fails and what is
// wrong with it, a *SyntaxError; true goes on with the next, false stops
// there and returns the error. It implies Lines. A nil f changes nothing. f is
// called while the conversion waits and must not call the Writer it is for.
func OnError(f func(line int64, err error) bool) Option { return optOnError(f) }
