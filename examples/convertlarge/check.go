package main

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/slogpack/slogpack/jsonmsgpack"
)

// check converts the file back, again without holding it, and counts the
// records of what comes.
func check(f *os.File, size, records int64) error {
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if st.Size() != size {
		return fmt.Errorf("the file has %d bytes, %d were written", st.Size(), size)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	var c recordCounter
	if _, err := jsonmsgpack.NewConverter().ConvertJSON(&c, f); err != nil {
		return err
	}
	if c.n != records {
		return fmt.Errorf("%d records of %d", c.n, records)
	}
	return nil
}

// recordCounter counts the keys that each record has once, in JSON that comes
// in any pieces.
type recordCounter struct {
	n    int64
	tail []byte
}

func (c *recordCounter) Write(p []byte) (int, error) {
	key := []byte(`"sensor":`)
	both := append(c.tail, p...)
	c.n += int64(bytes.Count(both, key))
	// The beginning of a key that the next piece ends; never a whole one.
	c.tail = append(c.tail[:0], both[max(0, len(both)-len(key)+1):]...)
	return len(p), nil
}
