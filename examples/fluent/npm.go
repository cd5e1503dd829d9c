package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

//go:embed receiver/server.js
var serverJS []byte

//go:embed receiver/package.json
var packageJSON []byte

const (
	// installTime is what a slow network may take; after that it is none.
	installTime = 80 * time.Second
	// stopTime is how long node may take to print the last entries and end.
	stopTime = 5 * time.Second
)

// receiver is npm's FluentServer, in a process of its own. What it receives is
// printed.
type receiver struct {
	addr    string
	cmd     *exec.Cmd
	stdin   io.Closer
	stderr  bytes.Buffer
	ended   chan struct{} // closed when all it printed is printed
	records int64         // valid once ended is closed
	remove  func() error
}

const otherwise = `
The example starts a receiver of its own when it is given none. With one:
	go run ./examples/fluent -demo -addr 127.0.0.1:24224`

// startReceiver installs the package in dir, or in a temporary directory for dir
// "", and starts the server. Nothing of it outlives r.stop.
func startReceiver(ctx context.Context, dir string, stdout io.Writer) (r *receiver, err error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, fmt.Errorf("node is missing; on Debian: apt-get install nodejs npm (%w)%s", err, otherwise)
	}
	r = &receiver{ended: make(chan struct{}), remove: func() error { return nil }}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "slogpack-fluent"); err != nil {
			return nil, err
		}
		r.remove = func() error { return os.RemoveAll(dir) }
	}
	if err = install(ctx, dir, stdout); err == nil {
		err = r.start(node, dir, stdout)
	}
	if err != nil {
		return nil, errors.Join(err, r.remove())
	}
	return r, nil
}

// install puts the script and the package it needs into dir.
func install(ctx context.Context, dir string, stdout io.Writer) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range map[string][]byte{"server.js": serverJS, "package.json": packageJSON} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "@fluent-org", "logger", "package.json")); err == nil {
		return nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Errorf("npm is missing; on Debian: apt-get install npm (%w)%s", err, otherwise)
	}
	fmt.Fprintln(stdout, "installing npm's @fluent-org/logger")
	ctx, cancel := context.WithTimeout(ctx, installTime)
	defer cancel()
	// Scripts of packages are programs of strangers; this one needs none. What is
	// in npm's cache needs no network.
	cmd := exec.CommandContext(ctx, npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline",
		"--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--loglevel=error")
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		switch ctx.Err() {
		case context.Canceled:
			return fmt.Errorf("npm install: %w", ctx.Err())
		case context.DeadlineExceeded:
			err = fmt.Errorf("did not end within %v", installTime)
		}
		return fmt.Errorf("npm install: %w: is there a network, or a registry that npm config names?\n%s%s", err, bytes.TrimSpace(out), otherwise)
	}
	return nil
}

// start returns when the server listens.
func (r *receiver) start(node, dir string, stdout io.Writer) error {
	r.cmd = exec.Command(node, "server.js")
	r.cmd.Dir = dir
	r.cmd.Stderr = &r.stderr
	stdin, err := r.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := r.cmd.Start(); err != nil {
		return err
	}
	r.stdin = stdin
	lines := bufio.NewReader(out)
	var first struct{ Port int }
	line, err := lines.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &first)
	}
	if err != nil {
		_ = r.cmd.Process.Kill()
		_ = r.cmd.Wait()
		return fmt.Errorf("node server.js: %w: %s", err, bytes.TrimSpace(r.stderr.Bytes()))
	}
	r.addr = fmt.Sprintf("127.0.0.1:%d", first.Port)
	go r.print(lines, stdout)
	return nil
}

func (r *receiver) print(lines *bufio.Reader, stdout io.Writer) {
	defer close(r.ended)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		r.records++
		fmt.Fprintf(stdout, "received  %s", line)
	}
}

// stop ends the server, once everything it received is printed.
func (r *receiver) stop() error {
	select {
	case <-r.ended:
		err := r.cmd.Wait()
		return errors.Join(fmt.Errorf("the receiver ended by itself: %v %s", err, bytes.TrimSpace(r.stderr.Bytes())), r.remove())
	default:
	}
	_ = r.stdin.Close()
	late := time.AfterFunc(stopTime, func() { _ = r.cmd.Process.Kill() })
	defer late.Stop()
	<-r.ended // before Wait, which closes the pipe
	if err := r.cmd.Wait(); err != nil {
		return errors.Join(fmt.Errorf("node server.js: %w: %s", err, bytes.TrimSpace(r.stderr.Bytes())), r.remove())
	}
	return r.remove()
}
