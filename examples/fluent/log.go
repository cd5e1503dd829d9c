package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/forward"
)

// logger is a slog.Logger and the Writer that ships what it logs.
type logger struct {
	*slog.Logger
	writer *forward.Writer
	grace  time.Duration
}

// openLog does not wait for the receiver: a service that does not start because
// its log cannot be shipped is worse than one whose first records wait.
func openLog(ctx context.Context, c config, env func(string) string) (*logger, error) {
	opts := []forward.Option{forward.WithTag(c.tag)}
	if c.tls {
		cfg := &tls.Config{MinVersion: tls.VersionTLS12}
		if c.ca != "" {
			pem, err := os.ReadFile(c.ca)
			if err != nil {
				return nil, fmt.Errorf("-ca: %w", err)
			}
			cfg.RootCAs = x509.NewCertPool()
			if !cfg.RootCAs.AppendCertsFromPEM(pem) {
				return nil, fmt.Errorf("-ca: %s has no certificate in PEM form", c.ca)
			}
		}
		opts = append(opts, forward.WithTLS(cfg))
	}
	if c.key != "" {
		opts = append(opts, forward.WithSharedKey(c.key))
	}
	w, err := forward.Dial(ctx, c.addr, opts...)
	if err != nil {
		return nil, err
	}
	return &logger{newLogger(w, c.level, env), w, c.grace}, nil
}

// newLogger returns a logger that writes to w, with the ids of the request's
// trace in each record that is logged with the request's context.
func newLogger(w io.Writer, level slog.Level, env func(string) string) *slog.Logger {
	h := handler.New(w, handler.WithLevel(level), handler.WithContextAttrs(traceAttrs))
	return slog.New(h.WithAttrs(place(env)))
}

// place is where this process runs. Kubernetes says so by its downward API, in
// environment variables that the manifests here set; elsewhere there is the
// host's name. The names are OpenTelemetry's for these things.
func place(env func(string) string) []slog.Attr {
	attrs := []slog.Attr{slog.String("service.name", "shop-orders")}
	for _, f := range [...]struct{ name, variable string }{
		{"k8s.namespace.name", "POD_NAMESPACE"},
		{"k8s.pod.name", "POD_NAME"},
		{"k8s.node.name", "NODE_NAME"},
	} {
		if v := env(f.variable); v != "" {
			attrs = append(attrs, slog.String(f.name, v))
		}
	}
	if len(attrs) > 1 {
		return attrs
	}
	host, err := os.Hostname()
	if err != nil {
		return attrs
	}
	return append(attrs, slog.String("host.name", host))
}

// close ships what is left, for at most l.grace, and tells what was lost where
// somebody sees it: the log is the one place where it cannot be told any more.
func (l *logger) close(stderr io.Writer) error {
	ctx, cancel := context.WithTimeout(context.Background(), l.grace)
	defer cancel()
	err := l.writer.Shutdown(ctx)
	s := l.writer.Stats()
	fmt.Fprintf(stderr, "fluent: %d records logged = %d acknowledged + %d dropped + %d refused + %d pending; %d frames, %d records sent again\n",
		s.Accepted, s.Acknowledged, s.Dropped, s.Refused, s.Pending, s.Frames, s.Resent)
	if lost := s.Dropped + s.Refused; err == nil && lost > 0 {
		err = fmt.Errorf("%d log records were lost", lost)
	}
	return err
}
