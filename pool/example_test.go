package pool_test

import (
	"fmt"
	"os"

	"github.com/slogpack/slogpack/pool"
)

// A line is built in a pooled buffer and written in one call.
func Example() {
	buffers := pool.New(pool.NewBuffer, (*pool.Buffer).Reset)

	b := buffers.Get()
	b.B = append(b.B, "hello, "...)
	b.B = append(b.B, "world\n"...)
	os.Stdout.Write(b.B)
	buffers.Put(b) // b and b.B are the pool's again

	// Output: hello, world
}

// encoder is an object with a Buffer and state of its own.
type encoder struct {
	buf   pool.Buffer
	depth int
}

func ExampleNew() {
	encoders := pool.New(
		func() *encoder {
			e := new(encoder)
			e.buf.Grow(0) // the first slice; without it append starts at a few bytes
			return e
		},
		func(e *encoder) bool {
			if e.depth != 0 {
				return false // left in the middle of something: not fit for reuse
			}
			return e.buf.Reset()
		},
	)

	e := encoders.Get()
	e.buf.B = append(e.buf.B, "{"...)
	e.depth++ // and then its use fails
	encoders.Put(e)

	fmt.Println(encoders.Stats().Refused)
	// Output: 1
}
