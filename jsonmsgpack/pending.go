package jsonmsgpack

// A pending is how far a token that did not end in the input has been looked
// at. A token of n bytes that arrives a byte at a time would cost n*n/2 steps
// if each byte had it tried again from its beginning.
type pending struct {
	at     int // bytes of the token looked at
	depth  int // brackets open, of a container taken as a token by DeepText
	quoted bool
	active bool
}

// ready reports whether it makes sense to try tok again, which is what there
// is of the token by now, at least a byte. It may say so too early, never too late.
func (p *pending) ready(tok []byte) bool {
	if !p.active {
		*p = pending{active: true}
		if tok[0] == '"' {
			p.at, p.quoted = 1, true
		}
	}
	switch ch := tok[0]; {
	case ch == '"':
		return p.quote(tok)
	case ch == '{' || ch == '[':
		return p.brackets(tok)
	case ch == '-' || ch-'0' < 10:
		for p.at < len(tok) && isWord(tok[p.at]) {
			p.at++
		}
		return p.at < len(tok)
	}
	return true
}

// quote looks for the end of the string that p is in. It reports true there
// and at a control character, which is an error there: only Lax takes them,
// and that has whole lines.
func (p *pending) quote(tok []byte) bool {
	for p.at < len(tok) {
		for p.at+8 <= len(tok) {
			m := ending(load8(tok, p.at))
			if m != 0 {
				p.at += first(m)
				break
			}
			p.at += 8
		}
		if p.at == len(tok) {
			break
		}
		switch ch := tok[p.at]; {
		case ch == '"':
			p.quoted = false
			return true
		case ch == '\\':
			if p.at+1 == len(tok) {
				return false // what it escapes is not here yet
			}
			p.at += 2
		case ch < ' ':
			return true
		default:
			p.at++
		}
	}
	return false
}

// brackets looks for the end of the container that tok begins with.
func (p *pending) brackets(tok []byte) bool {
	for p.at < len(tok) {
		if p.quoted {
			if !p.quote(tok) {
				return false
			}
			// At the quote, or at something that run will refuse.
			if tok[p.at] != '"' {
				return true
			}
			p.at++
			continue
		}
		switch tok[p.at] {
		case '"':
			p.quoted = true
		case '{', '[':
			p.depth++
		case '}', ']':
			if p.depth--; p.depth <= 0 {
				return true
			}
		}
		p.at++
	}
	return false
}
