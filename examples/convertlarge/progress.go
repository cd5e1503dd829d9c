package main

import (
	"fmt"
	"io"
	"time"
)

// progress writes how far the conversion is, each half second at most, from
// within the reads themselves.
type progress struct {
	w     io.Writer
	total int64
	n     int64
	begun time.Time
	last  time.Time
	shown bool
}

func (p *progress) reader(r io.Reader) io.Reader { return &progressReader{r, p} }

type progressReader struct {
	r io.Reader
	p *progress
}

func (r *progressReader) Read(b []byte) (int, error) {
	n, err := r.r.Read(b)
	p := r.p
	p.n += int64(n)
	if now := time.Now(); now.Sub(p.last) >= 500*time.Millisecond {
		p.last = now
		rate := float64(p.n) / max(now.Sub(p.begun).Seconds(), 1e-3)
		left := float64(max(0, p.total-p.n)) / max(rate, 1)
		fmt.Fprintf(p.w, "\r%3d %%  %d of %d MB, %.0f MB/s, %.0f s left   ",
			min(100, 100*p.n/p.total), p.n/1e6, p.total/1e6, rate/1e6, left)
		p.shown = true
	}
	return n, err
}

func (p *progress) end() {
	if p.shown {
		fmt.Fprintln(p.w)
	}
}
