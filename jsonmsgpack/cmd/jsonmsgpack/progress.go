package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// Smaller conversions are over before anybody has read a line.
	progressFrom     = 8 << 20
	progressInterval = 100 * time.Millisecond
	// Nobody waits longer, and the columns are few.
	maxLeft = 1000*time.Hour - time.Second
)

// A progress keeps one line on a terminal up to date while input is read. All
// its methods do nothing on nil.
type progress struct {
	w     io.Writer
	total int64 // bytes of input, -1 if unknown
	begun time.Time
	read  atomic.Int64
	stop  chan struct{}
	ended sync.WaitGroup

	mu    sync.Mutex // held while writing
	shown int        // columns of the line that stands on the terminal
	ever  bool
}

// watch begins to show the progress of reading total bytes if standard error
// is a terminal and the output is not on one: they would mix.
func (a *app) watch(total int64, out *os.File) *progress {
	if !isTerminal(a.stderr) || isTerminal(out) || total >= 0 && total < progressFrom {
		return nil
	}
	p := &progress{w: a.stderr, total: total, begun: time.Now(), stop: make(chan struct{})}
	a.progress.Store(p)
	p.ended.Add(1)
	go func() {
		defer p.ended.Done()
		t := time.NewTicker(progressInterval)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				p.show()
			case <-p.stop:
				return
			}
		}
	}()
	return p
}

func (p *progress) show() {
	n := p.read.Load()
	if n < progressFrom {
		// A pipe of unknown length, so far no large one.
		if p.total < 0 {
			return
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.put(progressLine(n, p.total, time.Since(p.begun)))
	p.ever = true
}

// put replaces the line. Blanks instead of an escape sequence erase what is
// left of a longer one on any terminal.
func (p *progress) put(line string) {
	fmt.Fprintf(p.w, "\r%-*s", p.shown, line)
	p.shown = len(line)
}

// clear takes the line away, for a message in its place.
func (p *progress) clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown > 0 {
		p.put("")
		io.WriteString(p.w, "\r")
	}
	p.shown = 0
}

// end stops it. A line that has been seen is left with the result.
func (p *progress) end(whole bool) {
	if p == nil {
		return
	}
	close(p.stop)
	p.ended.Wait()
	p.clear()
	if p.ever && whole {
		n, took := p.read.Load(), time.Since(p.begun)
		fmt.Fprintf(p.w, "%s in %s, %s\n", bytesText(n), tookText(took), rateText(n, took))
	}
}

// reader counts what is read from r.
func (p *progress) reader(r io.Reader) io.Reader {
	if p == nil {
		return r
	}
	return &countingReader{r, p}
}

type countingReader struct {
	r io.Reader
	p *progress
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	if n > 0 {
		c.p.read.Add(int64(n))
	}
	return n, err
}

// progressLine words how far n of total bytes are, in fewer than 80 columns.
func progressLine(n, total int64, took time.Duration) string {
	if total < 0 {
		return fmt.Sprintf("%s, %s", bytesText(n), rateText(n, took))
	}
	// A file may grow while it is read.
	total = max(total, n)
	line := fmt.Sprintf("%5.1f %%  %s of %s, %s", 100*float64(n)/float64(total), bytesText(n), bytesText(total), rateText(n, took))
	if n > 0 && took > 0 {
		left := time.Duration(min(float64(took)/float64(n)*float64(total-n), float64(maxLeft)))
		line += ", " + leftText(left) + " left"
	}
	return line
}

// bytesText words a number of bytes with three digits or more.
func bytesText(n int64) string {
	units := [...]string{"kB", "MB", "GB", "TB", "PB", "EB"}
	if n < 1000 {
		return fmt.Sprintf("%d bytes", n)
	}
	f, u := float64(n)/1000, 0
	for f >= 999.95 {
		f, u = f/1000, u+1
	}
	return fmt.Sprintf("%.1f %s", f, units[u])
}

func rateText(n int64, took time.Duration) string {
	if took <= 0 {
		took = 1
	}
	return bytesText(int64(float64(n)/took.Seconds())) + "/s"
}

// leftText words a time to wait, in seconds rounded up.
func leftText(d time.Duration) string {
	s := int64((d + time.Second - 1) / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// tookText words a time that has passed.
func tookText(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return strings.TrimSuffix(d.Round(time.Second).String(), "0s")
}
