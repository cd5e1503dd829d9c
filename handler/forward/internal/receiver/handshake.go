package receiver

import (
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"net"
)

const hostname = "receiver.test"

var errHandshake = errors.New("handshake failed")

func digest(parts ...string) string {
	h := sha512.New()
	for _, p := range parts {
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil))
}

func appendStr(dst []byte, s string) []byte {
	return append(append(dst, 0xd9, byte(len(s))), s...)
}

// welcome does the receiver's part of the handshake. Like Fluent Bit it hangs
// up at a wrong key without a word; a wrong user gets a PONG that says no, as
// from fluentd.
func (r *Receiver) welcome(c net.Conn, d *decoder) error {
	// Fluent Bit's nonce is str and not UTF-8.
	nonce, auth := "nonce \xff\xfe of 16 by", ""
	if r.o.User != "" {
		auth = "salt \x80 for users"
	}
	str := func(dst []byte, s string) []byte {
		if r.o.HeloBin {
			return append(append(dst, 0xc4, byte(len(s))), s...)
		}
		return appendStr(dst, s)
	}
	b := appendStr([]byte{0x92}, "HELO")
	b = appendStr(append(b, 0x83), "nonce")
	b = appendStr(str(b, nonce), "auth")
	b = appendStr(str(b, auth), "keepalive")
	keepalive := byte(0xc3)
	if r.o.Once {
		keepalive = 0xc2
	}
	if _, err := c.Write(append(b, keepalive)); err != nil {
		return err
	}
	v, err := d.value(1)
	if err != nil {
		return err
	}
	a, ok := v.([]any)
	if !ok || len(a) != 6 {
		return errHandshake
	}
	var ping [6]string
	for i := range ping {
		if ping[i], ok = a[i].(string); !ok {
			return ruleSalt.broken("element %d of PING is %T", i, a[i])
		}
	}
	host, salt := ping[1], ping[2]
	if ping[0] != "PING" || ping[3] != digest(salt, host, nonce, r.o.SharedKey) {
		return errHandshake
	}
	if auth != "" && (ping[4] != r.o.User || ping[5] != digest(auth, r.o.User, r.o.Password)) {
		b = append(appendStr([]byte{0x95}, "PONG"), 0xc2)
		b = appendStr(appendStr(appendStr(b, "username/password mismatch"), ""), "")
		_, err = c.Write(b)
		return errors.Join(err, errHandshake)
	}
	proof := digest(salt, hostname, nonce, r.o.SharedKey)
	if r.o.BadDigest {
		proof = digest(salt, hostname, nonce, "another key")
	}
	b = append(appendStr([]byte{0x95}, "PONG"), 0xc3)
	b = appendStr(appendStr(appendStr(b, ""), hostname), proof)
	_, err = c.Write(b)
	return err
}
