package handler

import "log/slog"

// keySet is a small set of keys that is asked about every attr.
type keySet struct {
	lengths uint64 // bit n: there is a key of n bytes (modulo 64)
	ends    uint64 // bit n: there is one whose first and last byte make n
	keys    []string
	to      []string // what each is to become; never empty
	fold    bool     // ASCII letters match in either case; keys are lower case
}

// mayHave is the cheap question.
func (s *keySet) mayHave(key string) bool {
	n := len(key)
	return s.lengths>>(uint(n)&63)&1 != 0 && (n == 0 || s.ends>>firstLast(key[0], key[n-1])&1 != 0)
}

// firstLast mixes two bytes into six bits. The case of an ASCII letter is not in those
// of its bits that count.
func firstLast(first, last byte) byte { return ((first&31)*3 + last&31) & 63 }

// find returns what key is to become, "" if it is not in the set.
func (s *keySet) find(key string) string {
	for i, k := range s.keys {
		if k == key || s.fold && equalFold(k, key) {
			return s.to[i]
		}
	}
	return ""
}

func (s *keySet) add(key, to string) {
	s.lengths |= 1 << (uint(len(key)) & 63)
	if key != "" {
		s.ends |= 1 << firstLast(key[0], key[len(key)-1])
	}
	s.keys = append(s.keys, key)
	s.to = append(s.to, to)
}

// equalFold reports whether key is lower, whose ASCII letters are lower case.
func equalFold(lower, key string) bool {
	if len(lower) != len(key) {
		return false
	}
	for i := range len(lower) {
		if lower[i] != lowerByte(key[i]) {
			return false
		}
	}
	return true
}

func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = lowerByte(c)
	}
	return string(b)
}

// ownKeys are the keys of everything that a record of profile p may have
// besides attrs.
func (p *Profile) ownKeys() []string {
	var keys []string
	add := func(k string) {
		if k != "" {
			keys = append(keys, k)
		}
	}
	add(p.TimeKey)
	add(p.LevelKey)
	add(p.SeverityNumberKey)
	add(p.MessageKey)
	for _, a := range p.sourceFields(&slog.Source{Function: "f", File: "f", Line: 1}) {
		add(a.Key)
	}
	for _, a := range p.Static {
		add(a.Key)
	}
	return keys
}

// ownKeys are those of the profile and what the format adds.
func (c *config) ownKeys() []string {
	keys := c.profile.ownKeys()
	if c.format == Forward {
		keys = append(keys, clampedKey)
	}
	return keys
}

// secretKey reports whether the value of key is to be redacted.
func (c *config) secretKey(key string) bool {
	return c.redacted.mayHave(key) && c.redacted.find(key) != ""
}

// outermost is the name under which a group that is in no other appears.
func (c *config) outermost(name string) string {
	if to := c.protected.find(name); to != "" {
		return to
	}
	return name
}

// renamed is the key of an attr whose own is one of the record's own fields.
func renamed(key string) string { return "attr." + key }
