package forward

import (
	"errors"
	"fmt"
	"net"
	"strings"
)

// server is one receiver.
type server struct {
	network string // tcp or unix
	addr    string
	host    string // for TLS
}

func (s server) String() string {
	if s.network == "unix" {
		return "unix:" + s.addr
	}
	return s.addr
}

var errNoAddr = errors.New("forward: the address is empty; give host:port, or the path of a unix socket")

// parseAddr takes host:port, host, or the path of a unix socket, which begins
// with a slash, a dot or an @ (Linux's abstract names). The schemes tcp:// and
// unix:// (or unix:) are accepted.
func parseAddr(addr string) (server, error) {
	if rest, ok := strings.CutPrefix(addr, "unix:"); ok {
		return unixServer(strings.TrimPrefix(rest, "//"))
	}
	host := strings.TrimPrefix(addr, "tcp://")
	switch {
	case host == "":
		return server{}, errNoAddr
	case len(host) == len(addr) && strings.ContainsRune("/.@", rune(addr[0])):
		return unixServer(addr)
	case strings.Contains(host, "/"):
		return server{}, fmt.Errorf("forward: address %q is neither host:port nor the path of a unix socket (these begin with a slash or a dot)", addr)
	}
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		// Without a port; a bare IPv6 address needs its brackets all the same.
		if name, port, err = net.SplitHostPort(host + ":" + defaultPort); err != nil {
			return server{}, fmt.Errorf("forward: address %q: %w", addr, err)
		}
	}
	if port == "" {
		port = defaultPort
	}
	return server{network: "tcp", addr: net.JoinHostPort(name, port), host: name}, nil
}

func unixServer(path string) (server, error) {
	if path == "" {
		return server{}, errNoAddr
	}
	return server{network: "unix", addr: path, host: "localhost"}, nil
}
