package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// natsServer is a NATS server with JetStream in this process, which can be
// stopped and started again, at the same address and with the same files.
type natsServer struct {
	dir        string
	port       int
	maxPayload int32
	running    *server.Server
}

// startServer starts a server on the loopback interface. maxPayload is the
// longest message it takes, 0 its default of a megabyte.
func startServer(maxPayload int32) (*natsServer, error) {
	dir, err := os.MkdirTemp("", "nats")
	if err != nil {
		return nil, err
	}
	s := &natsServer{dir: dir, port: server.RANDOM_PORT, maxPayload: maxPayload}
	if err := s.start(); err != nil {
		return nil, errors.Join(err, s.remove())
	}
	return s, nil
}

func (s *natsServer) start() error {
	srv, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: s.port, MaxPayload: s.maxPayload,
		JetStream: true, StoreDir: s.dir,
		// An acknowledgement then means that the batch outlives a power cut.
		// Without it, and without replicas, it means that the kernel has it.
		SyncAlways: true,
		NoLog:      true, NoSigs: true,
	})
	if err != nil {
		return err
	}
	srv.Start()
	if !srv.ReadyForConnections(10 * time.Second) {
		srv.Shutdown()
		return fmt.Errorf("the server is not ready, port %d", s.port)
	}
	s.running = srv
	s.port = srv.Addr().(*net.TCPAddr).Port
	return nil
}

func (s *natsServer) url() string { return fmt.Sprintf("nats://127.0.0.1:%d", s.port) }

// stop ends the server; its files stay.
func (s *natsServer) stop() {
	s.running.Shutdown()
	s.running.WaitForShutdown()
}

// remove ends the server and removes its files.
func (s *natsServer) remove() error {
	if s.running != nil {
		s.stop()
	}
	return os.RemoveAll(s.dir)
}
