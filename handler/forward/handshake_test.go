package forward

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler/forward/internal/receiver"
)

// A handshake that fails is no record's fault, is tried again, says why, and
// shows nothing of the secrets.
func TestHandshakeFails(t *testing.T) {
	cert, pool := certificate(t)
	const secret, password = "s3cr3t-key", "p4ssw0rd"
	var unknown x509.UnknownAuthorityError
	is := func(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }
	tests := []struct {
		name string
		o    receiver.Options
		opts []Option
		want func(error) bool
	}{
		{"another key", receiver.Options{SharedKey: "other"}, []Option{WithSharedKey(secret)}, is(errKey)},
		{"another password", receiver.Options{SharedKey: secret, User: "ann", Password: "other"},
			[]Option{WithSharedKey(secret), WithUser("ann", password)}, is(errRefusedUs)},
		{"no user", receiver.Options{SharedKey: secret, User: "ann", Password: password}, []Option{WithSharedKey(secret)}, is(errRefusedUs)},
		{"a receiver that does not know the key", receiver.Options{SharedKey: secret, BadDigest: true}, []Option{WithSharedKey(secret)}, is(errDigest)},
		{"a receiver that says nothing", receiver.Options{}, []Option{WithSharedKey(secret), WithTimeouts(30*time.Millisecond, 0, 0)}, is(errNoHelo)},
		{"a receiver that wants a key", receiver.Options{SharedKey: secret}, nil, is(errHelo)},
		{"an unknown authority", receiver.Options{TLS: serverTLS(cert)}, []Option{WithTLS(nil)}, func(err error) bool { return errors.As(err, &unknown) }},
		{"another host", receiver.Options{TLS: serverTLS(cert)}, []Option{WithTLS(&tls.Config{RootCAs: pool, ServerName: "elsewhere"})},
			func(err error) bool { return strings.Contains(err.Error(), "elsewhere") }},
		{"no TLS", receiver.Options{}, []Option{WithTLS(clientTLS(pool))}, func(err error) bool { return strings.Contains(err.Error(), "TLS") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := receiver.Start(tt.o)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Stop() // and no look at the rules: it sees no frames
			var log errorLog
			w := dial(t, r.Addr(), quickly(append(tt.opts, WithErrorHandler(log.add))...)...)
			logN(w, 0, 1)
			for w.Stats().Failures < loneRefusals+2 {
				time.Sleep(time.Millisecond)
			}
			s := w.Stats()
			sums(t, s)
			if s.Pending != 1 || s.Refused != 0 {
				t.Errorf("%+v", s)
			}
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			errs := append(log.all(), w.Shutdown(ctx))
			found := false
			for _, err := range errs {
				found = found || tt.want(err)
				for _, s := range []string{secret, password, "HELO", "PING"} {
					if err != nil && strings.Contains(err.Error(), s) {
						t.Errorf("%q is told: %v", s, err)
					}
				}
			}
			if !found {
				t.Errorf("told %v", errs)
			}
		})
	}
}

// What a receiver may say in a handshake that is none.
func TestHandshakeNonsense(t *testing.T) {
	for _, say := range []string{"\x90", "\x91\xa4HELO", "\x92\xa4HELO\x01", "\x92\xa4HELO\x81\x01\x01", "\xc1", "HTTP/1.1 400\r\n",
		"\x92\xa4HELO\x80\x92\xa4PONG\x01", "\x92\xa4HELO\x80\x92\xa4PONG\xc3", "\x92\xa4HELO\x80\x95\xa4PONG\xc3\xa0\x01\x02", "\x92\xa4HELO\x80\x91\xa4NOPE"} {
		var log errorLog
		w := dial(t, talker(t, say), quickly(WithSharedKey("k"), WithErrorHandler(log.add))...)
		for len(log.all()) == 0 {
			time.Sleep(time.Millisecond)
		}
		if err := log.all()[0]; !errors.Is(err, errHandshake) {
			t.Errorf("%q: %v", say, err)
		}
		if err := w.Close(); err != nil { // nothing was lost
			t.Error(err)
		}
	}
}
