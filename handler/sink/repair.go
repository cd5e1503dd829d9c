package sink

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

const (
	repairPiece = 64 << 10
	// syncRecords is how many records in a row must be whole until it is
	// believed that they are records, and not something that looks like them
	// inside of one.
	syncRecords = 64
	// syncWindow is how far a record is looked for in a file that is too long to
	// be read.
	syncWindow = 4 << 20
	// maxTorn is the longest end that is cut off: more is no half record.
	maxTorn = 64 << 20
)

var errAlone = errors.New("not repaired")

// repair sees to it that what is appended to the file at path can be read. It
// returns what its owner should know; nil if there is nothing.
func repair(path string, limit int64) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil // opening it tells what is wrong, if anything is
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("whether it ends with a whole record is not known: %w", err)
		}
		return nil
	}
	defer f.Close()
	var first [1]byte
	if _, err := f.ReadAt(first[:], 0); err != nil {
		return err
	}
	if !isPack(first[0]) {
		return endLine(f, info.Size())
	}
	end, err := packEnd(f, info.Size(), limit)
	if err != nil || end == info.Size() {
		return err
	}
	if err := f.Truncate(end); err != nil {
		return fmt.Errorf("a torn last record of %d bytes could not be cut off: %w", info.Size()-end, err)
	}
	return fmt.Errorf("a torn last record of %d bytes was cut off", info.Size()-end)
}

// endLine ends the last line of f.
func endLine(f *os.File, size int64) error {
	var last [1]byte
	if _, err := f.ReadAt(last[:], size-1); err != nil || last[0] == '\n' {
		return err
	}
	if _, err := f.WriteAt([]byte{'\n'}, size); err != nil {
		return fmt.Errorf("its last line could not be ended: %w", err)
	}
	return errors.New("its last line was torn, and has been ended")
}

// packEnd returns where the last whole record of f ends.
func packEnd(f io.ReaderAt, size, limit int64) (int64, error) {
	start := int64(0)
	if size > limit {
		var err error
		if start, err = findRecord(f, size, size-limit); err != nil {
			return 0, err
		}
	}
	s := skipper{at: start, whole: start}
	buf := make([]byte, repairPiece)
	for s.at < size && !s.bad {
		n, err := f.ReadAt(buf[:min(repairPiece, size-s.at)], s.at)
		if n == 0 {
			return 0, fmt.Errorf("%w: %w", errAlone, err)
		}
		s.skip(buf[:n])
	}
	switch {
	case s.bad:
		return 0, fmt.Errorf("%w: no MessagePack record at offset %d", errAlone, s.at)
	case size-s.whole > maxTorn:
		return 0, fmt.Errorf("%w: from offset %d on there is no whole MessagePack record", errAlone, s.whole)
	}
	return s.whole, nil
}

// findRecord returns the offset of a record in f, at or after from. A record is
// what begins as the file's first one does, but for the number of its fields,
// and is followed by enough others.
func findRecord(f io.ReaderAt, size, from int64) (int64, error) {
	sign := signature(f)
	if sign == nil {
		return 0, fmt.Errorf("%w: longer than the repair limit, and its records have no first key", errAlone)
	}
	buf := make([]byte, min(syncWindow, size-from))
	if _, err := f.ReadAt(buf, from); err != nil && err != io.EOF {
		return 0, fmt.Errorf("%w: %w", errAlone, err)
	}
	for i := 0; ; i++ {
		at := bytes.Index(buf[i:], sign)
		if at < 0 {
			return 0, fmt.Errorf("%w: longer than the repair limit, and no record was found near it", errAlone)
		}
		i += at
		for _, header := range headers {
			start := i - header
			if start < 0 || !begins(buf[start], header) {
				continue
			}
			if _, records := skipRecords(buf[start:]); records >= syncRecords {
				return from + int64(start), nil
			}
		}
	}
}

// headers are the lengths of what a record may begin with, before what records
// have in common: nothing for an entry of the Forward protocol, else the header
// of a map.
var headers = [...]int{0, 1, 3, 5}

// signature returns what records have in common with the first one of f: its
// first key, or the type of an entry's time. It returns nil if that has none.
func signature(f io.ReaderAt) []byte {
	var buf [64]byte
	n, _ := f.ReadAt(buf[:], 0)
	p := buf[:n]
	if len(p) > 3 && p[0] == 0x92 && p[1] == 0xd7 && p[2] == 0 {
		return bytes.Clone(p[:3])
	}
	for _, header := range headers[1:] {
		if len(p) <= header || !begins(p[0], header) {
			continue
		}
		key := p[header:]
		if c := key[0]; c > 0xa0 && c < 0xc0 && len(key) > int(c&31) {
			return bytes.Clone(key[:1+int(c&31)])
		}
	}
	return nil
}

// begins reports whether c begins a record with a header of n bytes.
func begins(c byte, n int) bool {
	switch n {
	case 0:
		return c == 0x92
	case 1:
		return c > 0x80 && c <= 0x8f
	case 3:
		return c == 0xde
	}
	return c == 0xdf
}
