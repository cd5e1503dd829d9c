package sink

import (
	"errors"
	"fmt"
	"os"
	"sync"
)

// File is a log file that is only appended to and that can be opened anew under
// its name, for rotation: the tool, or the program, renames it and has the
// program call [File.Reopen], usually for a signal. It can be used as the
// writer of a [handler.Handler] and of a [Buffer], and is safe for concurrent
// use. [OpenFile] makes it.
//
// Every Write goes whole into one file. Where the system took only part of a
// record, say on a full disk, whoever wrote it (a Handler, a Buffer) goes on
// with the rest; if a Reopen comes in between, the part is moved to the new
// file, and the record is whole there.
type File struct {
	path    string
	c       *config
	reports reports

	reopening sync.Mutex // held by Reopen, outside of mu

	mu   sync.Mutex
	f    *os.File // nil after Close
	sync bool     // f can and is to be synced
	torn []byte   // the record at the end of f that is not whole
	end  int64    // of f, when torn was written there
	move []byte   // to be written to f before anything else: torn, of the last file
	pack bool     // the stream is MessagePack
}

// OpenFile opens the file for appending, or creates it with mode 0o644
// ([WithMode]); the directory must exist. path may also name a device or a
// pipe. The options are those that say so, and [WithErrorHandler].
//
// A program that died while it wrote may have left half a record at the end. A
// file of text that does not end with a newline gets one, so that half a line
// stays the only bad one. From a MessagePack file, one that begins with a map or
// an array, the half record is cut off, since nothing behind it could be read.
// To find it the file is read once, in pieces of 64 KiB, about a second for
// each GiB. A file longer than 256 MiB ([WithRepairLimit]) is read from a record
// near that distance from its end; it is found by the first key, which records
// of one program have in common. A MessagePack file in which anything else
// is wrong, or where no record is found, is left alone. Whatever is cut or left
// alone is told to the error handler. Such a file must not be appended to by
// another program at the same time.
func OpenFile(path string, opts ...Option) (*File, error) {
	c := newConfig(opts)
	f := &File{path: path, c: c}
	f.reports.init(f, c.onError)
	of, err := f.open()
	if err != nil {
		return nil, err
	}
	f.use(of)
	return f, nil
}

// open repairs the end of what is there, and opens it.
func (f *File) open() (*os.File, error) {
	report := repair(f.path, f.c.repairLimit)
	of, err := os.OpenFile(f.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, f.c.mode)
	if err != nil {
		return nil, fmt.Errorf("slogpack: sink: %w", err)
	}
	if report != nil {
		f.reports.report(fmt.Errorf("slogpack: sink: %s: %w", f.path, report))
	}
	return of, nil
}

// use makes of the file that is written to.
func (f *File) use(of *os.File) {
	f.f = of
	info, err := of.Stat()
	f.sync = f.c.sync && err == nil && info.Mode().IsRegular()
}

// Write appends p. With [WithSync] it then waits until p is on the disk; if only
// that fails, n is len(p). After Close the error is [ErrClosed].
func (f *File) Write(p []byte) (n int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.f == nil {
		return 0, ErrClosed
	}
	if len(f.move) > 0 {
		n, err := f.f.Write(f.move)
		f.tear(f.move[:n])
		f.move = f.move[n:]
		if err != nil {
			return 0, err
		}
	}
	n, err = f.f.Write(p)
	switch {
	case n < len(p):
		f.tear(p[:n])
	case len(f.torn) > 0:
		f.torn = nil
	}
	if err == nil && f.sync {
		err = f.f.Sync()
	}
	return n, err
}

// tear notes that p was written and is not the end of a record.
func (f *File) tear(p []byte) {
	if len(p) == 0 {
		return
	}
	if len(f.torn) == 0 {
		f.pack = isPack(p[0])
	}
	f.torn = append(f.torn, p...)
	if f.pack {
		whole, _ := skipRecords(f.torn)
		f.torn = f.torn[whole:]
	} else {
		f.torn = f.torn[lastLine(f.torn):]
	}
	f.end = -1
	if info, err := f.f.Stat(); err == nil && info.Mode().IsRegular() {
		f.end = info.Size()
	}
}

// Reopen opens the path anew, repairs what it finds as [OpenFile] does, and
// closes the file that was open before. Writes go on in the new file from then
// on; none is lost. If the path still names the file that is open, nothing
// happens. If the path cannot be opened, the File goes on with
// the file it has and the error says why. The error is also that of closing the
// old file, if only that failed, and [ErrClosed] after Close.
//
// A half record of this File's own (see [File]) is cut off the old file, unless
// somebody else has appended to that in the meantime.
func (f *File) Reopen() error {
	f.reopening.Lock()
	defer f.reopening.Unlock()
	f.mu.Lock()
	old := f.f
	f.mu.Unlock()
	if old == nil {
		return f.errReopen()
	}
	if f.same(old) {
		return nil
	}
	// Repairing may take a while, so it is not done under the lock.
	of, err := f.open()
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.f == nil {
		_ = of.Close()
		return f.errReopen()
	}
	synced := f.sync
	f.use(of)
	if len(f.torn) > 0 {
		if info, err := old.Stat(); err == nil && info.Size() == f.end {
			// Where that is not possible the old file ends with half a record.
			_ = old.Truncate(f.end - int64(len(f.torn)))
		}
		f.move = append(f.torn, f.move...)
		f.torn = nil
	}
	if synced {
		err = old.Sync()
	}
	if err = errors.Join(err, old.Close()); err != nil {
		return fmt.Errorf("slogpack: sink: the old %s: %w", f.path, err)
	}
	return nil
}

func (f *File) errReopen() error {
	return fmt.Errorf("slogpack: sink: Reopen of %s: %w", f.path, ErrClosed)
}

// same reports whether the path still names the file that is open.
func (f *File) same(old *os.File) bool {
	now, err := os.Stat(f.path)
	if err != nil {
		return false
	}
	was, err := old.Stat()
	return err == nil && os.SameFile(now, was)
}

// Sync has the system put on the disk what was written so far.
func (f *File) Sync() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.f == nil {
		return ErrClosed
	}
	return f.f.Sync()
}

// Close closes the file, after an fsync with [WithSync]. A Buffer before it has
// to be closed first. A second Close returns [ErrClosed].
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.f == nil {
		return ErrClosed
	}
	var err error
	if f.sync {
		err = f.f.Sync()
	}
	err = errors.Join(err, f.f.Close())
	f.f = nil
	return err
}

// Name returns the path that the File was opened with.
func (f *File) Name() string { return f.path }
