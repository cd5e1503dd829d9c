package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// command runs jsonmsgpack with these arguments: from this repository if the
// source is there, else the one that is installed.
func command(ctx context.Context, out io.Writer, args ...string) error {
	const path = "github.com/slogpack/slogpack/jsonmsgpack/cmd/jsonmsgpack"
	cmd := exec.CommandContext(ctx, "jsonmsgpack", args...)
	_, file, _, _ := runtime.Caller(0)
	if _, err := os.Stat(file); err == nil {
		cmd = exec.CommandContext(ctx, "go", append([]string{"run", path}, args...)...)
		cmd.Dir = filepath.Dir(file)
		// The command is for this machine, also where this program was built
		// for another one that is emulated.
		cmd.Env = append(os.Environ(), "GOOS=", "GOARCH=")
	} else if cmd.Err != nil {
		return fmt.Errorf("%w; install it: go install %s@latest", cmd.Err, path)
	}
	var told strings.Builder
	cmd.Stdout, cmd.Stderr = out, &told
	if _, err := fmt.Fprintf(out, "$ jsonmsgpack %s\n", strings.Join(args, " ")); err != nil {
		return err
	}
	if err := cmd.Run(); err != nil {
		return errors.Join(err, errors.New(told.String()))
	}
	return nil
}
