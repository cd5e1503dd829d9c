//go:build !plan9

package sink

import (
	"errors"
	"syscall"
)

// isPipe reports whether err says that nobody reads any more.
func isPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
