package forward

import (
	"crypto/rand"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// The handshake: the receiver says HELO with a nonce, and a salt if it has
// users; we answer PING with digests of the secrets; it says PONG with a digest
// of its own, which proves that it knows the key too. Nothing of it appears in
// an error.

var (
	errHandshake = errors.New("the receiver sent something else than the Forward protocol's handshake")
	errNoHelo    = errors.New("the receiver hung up, or sent nothing: has it a shared key?")
	errKey       = errors.New("the receiver hung up: the shared key, user or password is wrong")
	errRefusedUs = errors.New("the receiver refused: the shared key, user or password is wrong, or it does not accept this host")
	errDigest    = errors.New("the receiver does not know the shared key: it is not the one that was meant")
)

func (w *Writer) handshake(l *link) error {
	var buf []byte
	nonce, auth, err := w.helo(l, &buf)
	if err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "localhost"
	}
	var bits [16]byte
	_, _ = rand.Read(bits[:])
	salt := hex.EncodeToString(bits[:]) // Fluent Bit takes no bin here
	user, pass := "", ""
	if len(auth) > 0 {
		user, pass = w.c.user, digest(string(auth), w.c.user, w.c.password)
	}
	ping := append([]byte(nil), 0x96)
	for _, s := range []string{"PING", host, salt, digest(salt, host, string(nonce), w.c.sharedKey), user, pass} {
		ping = jsonmsgpack.AppendString(ping, s)
	}
	if _, err := l.conn.Write(ping); err != nil {
		return fmt.Errorf("PING: %w", err)
	}
	if err := w.pong(l, &buf, salt, string(nonce)); err != nil {
		return err
	}
	l.early = buf
	return nil
}

// digest is the hexadecimal SHA-512 of the parts.
func digest(parts ...string) string {
	h := sha512.New()
	for _, p := range parts {
		_, _ = io.WriteString(h, p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// helo reads HELO and its options.
func (w *Writer) helo(l *link, buf *[]byte) (nonce, auth []byte, err error) {
	b, err := readObject(l, buf, errNoHelo)
	if err != nil {
		return nil, nil, err
	}
	o, _ := head(b, 0)
	word, i, ok := text(b, o.header)
	if o.kind != kindArray || o.count < 2 || !ok || string(word) != "HELO" {
		return nil, nil, errHandshake
	}
	m, _ := head(b, i)
	if m.kind != kindMap {
		return nil, nil, errHandshake
	}
	i += m.header
	for range m.count {
		key, value, ok := text(b, i)
		if !ok {
			return nil, nil, errHandshake
		}
		v, _ := head(b, value)
		i, _ = skip(b, value)
		switch string(key) {
		case "nonce":
			nonce, _, _ = text(b, value) // str, which need not be UTF-8, or bin
		case "auth":
			auth, _, _ = text(b, value)
		case "keepalive":
			l.once = v.kind == kindBool && v.num == 0
		}
	}
	return nonce, auth, nil
}

// pong reads PONG and verifies that the receiver knows the key.
func (w *Writer) pong(l *link, buf *[]byte, salt, nonce string) error {
	b, err := readObject(l, buf, errKey)
	if err != nil {
		return err
	}
	o, _ := head(b, 0)
	word, i, ok := text(b, o.header)
	if o.kind != kindArray || o.count < 2 || !ok || string(word) != "PONG" {
		return errHandshake
	}
	v, _ := head(b, i)
	if v.kind != kindBool {
		return errHandshake
	}
	if v.num == 0 {
		return errRefusedUs // its reason may quote what we sent
	}
	if o.count < 5 {
		return errHandshake
	}
	i, _ = skip(b, i)
	i, _ = skip(b, i) // the reason
	host, i, okHost := text(b, i)
	theirs, _, okDigest := text(b, i)
	if !okHost || !okDigest {
		return errHandshake
	}
	ours := digest(salt, string(host), nonce, w.c.sharedKey)
	if subtle.ConstantTimeCompare([]byte(ours), theirs) != 1 {
		return errDigest
	}
	return nil
}

// readObject reads one object. What was read beyond it stays in buf. eof is
// the error where the receiver ends or says nothing.
func readObject(l *link, buf *[]byte, eof error) ([]byte, error) {
	var chunk [512]byte
	for {
		if len(*buf) > 0 {
			end, st := skip(*buf, 0)
			switch {
			case st == good:
				b := (*buf)[:end:end]
				*buf = (*buf)[end:]
				return b, nil
			case st == wrong || len(*buf) > maxAnswer:
				return nil, errHandshake
			}
		}
		n, err := l.conn.Read(chunk[:])
		*buf = append(*buf, chunk[:n]...)
		if n == 0 && err != nil {
			return nil, fmt.Errorf("%w (%w)", eof, err)
		}
	}
}
