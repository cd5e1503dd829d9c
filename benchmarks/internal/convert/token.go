package convert

import (
	"errors"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// tokenizer reads JSON for the three algorithms that are compared for their way
// with containers. It is plain, and the same for all.
type tokenizer struct {
	src []byte
	i   int
	buf []byte // of strings with escapes
}

type token struct {
	kind byte // { } [ ] s(tring) i(nteger) f(loat) t f n, : and , are skipped
	text []byte
	i    int64
	u    uint64
	f    float64
}

var errSyntax = errors.New("convert: not valid JSON")

func (t *tokenizer) next() (tok token, err error) {
	for t.i < len(t.src) {
		switch c := t.src[t.i]; c {
		case ' ', '\n', '\t', '\r', ',', ':':
			t.i++
		case '{', '}', '[', ']':
			t.i++
			return token{kind: c}, nil
		case '"':
			return t.str()
		case 't':
			return token{kind: c}, t.skip("true")
		case 'f':
			return token{kind: 'F'}, t.skip("false")
		case 'n':
			return token{kind: c}, t.skip("null")
		default:
			return t.number()
		}
	}
	return token{}, nil
}

func (t *tokenizer) skip(word string) error {
	if len(t.src)-t.i < len(word) || string(t.src[t.i:t.i+len(word)]) != word {
		return errSyntax
	}
	t.i += len(word)
	return nil
}

func (t *tokenizer) number() (token, error) {
	start, integer := t.i, true
loop:
	for t.i < len(t.src) {
		switch c := t.src[t.i]; {
		case c >= '0' && c <= '9', c == '-', c == '+':
		case c == '.' || c == 'e' || c == 'E':
			integer = false
		default:
			break loop
		}
		t.i++
	}
	s := string(t.src[start:t.i])
	if integer {
		if i, err := strconv.ParseInt(s, 10, 64); err == nil {
			return token{kind: 'i', i: i}, nil
		}
		if u, err := strconv.ParseUint(s, 10, 64); err == nil {
			return token{kind: 'u', u: u}, nil
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	return token{kind: 'f', f: f}, err
}

func (t *tokenizer) str() (token, error) {
	t.i++
	start := t.i
	for t.i < len(t.src) {
		switch t.src[t.i] {
		case '"':
			t.i++
			return token{kind: 's', text: t.src[start : t.i-1]}, nil
		case '\\':
			return t.escaped(start)
		}
		t.i++
	}
	return token{}, errSyntax
}

func (t *tokenizer) escaped(start int) (token, error) {
	t.buf = append(t.buf[:0], t.src[start:t.i]...)
	for t.i < len(t.src) {
		c := t.src[t.i]
		t.i++
		switch {
		case c == '"':
			return token{kind: 's', text: t.buf}, nil
		case c != '\\':
			t.buf = append(t.buf, c)
			continue
		}
		if t.i >= len(t.src) {
			break
		}
		c = t.src[t.i]
		t.i++
		switch c {
		case 'n':
			c = '\n'
		case 't':
			c = '\t'
		case 'r':
			c = '\r'
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'u':
			r := t.hex()
			if utf16.IsSurrogate(r) && t.skip(`\u`) == nil {
				r = utf16.DecodeRune(r, t.hex())
			}
			t.buf = utf8.AppendRune(t.buf, r)
			continue
		}
		t.buf = append(t.buf, c)
	}
	return token{}, errSyntax
}

func (t *tokenizer) hex() rune {
	if len(t.src)-t.i < 4 {
		return utf8.RuneError
	}
	u, err := strconv.ParseUint(string(t.src[t.i:t.i+4]), 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	t.i += 4
	return rune(u)
}
