package sink_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slogpack/slogpack/handler/sink"
)

// childEnv names what a test has its own program, started once more, do.
const childEnv = "SLOGPACK_SINK_CHILD"

// TestMain sees to it that no test leaves a goroutine behind: a Buffer has one
// only while it writes.
func TestMain(m *testing.M) {
	if run := os.Getenv(childEnv); run != "" {
		child(run)
	}
	code := m.Run()
	if code == 0 {
		if left := leaked(); left != "" {
			fmt.Fprintln(os.Stderr, "goroutines of the package are left:\n"+left)
			code = 1
		}
	}
	os.Exit(code)
}

// leaked returns the goroutines that are inside this package's code.
func leaked() (stacks string) {
	for range 100 {
		buf := make([]byte, 1<<20)
		stacks = ""
		for g := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			if strings.Contains(g, "sink.(*Buffer)") {
				stacks += g + "\n\n"
			}
		}
		if stacks == "" {
			return ""
		}
		time.Sleep(10 * time.Millisecond)
	}
	return stacks
}

// checkSum reports counts that do not add up.
func checkSum(t testing.TB, s sink.Stats) {
	t.Helper()
	if s.Accepted != s.Delivered+s.Dropped+s.Refused+s.Pending {
		t.Errorf("records do not add up: %+v", s)
	}
	if s.AcceptedBytes != s.DeliveredBytes+s.DroppedBytes+s.RefusedBytes+s.PendingBytes {
		t.Errorf("bytes do not add up: %+v", s)
	}
}

// within fails the test if f does not return soon.
func within(t testing.TB, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		buf := make([]byte, 1<<20)
		t.Fatalf("it hangs:\n%s", buf[:runtime.Stack(buf, true)])
	}
}

// eventually waits for what another goroutine is about to do.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for range 3000 {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("never: %s", what)
}

// collector is a writer that keeps what it is given, and fails as told.
type collector struct {
	mu    sync.Mutex
	out   bytes.Buffer
	calls int
	fail  func(p []byte) (n int, err error) // nil takes everything
}

func (c *collector) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	if c.fail == nil {
		return c.out.Write(p)
	}
	n, err := c.fail(p)
	if n >= 0 && n <= len(p) {
		c.out.Write(p[:n])
	}
	return n, err
}

func (c *collector) set(fail func(p []byte) (int, error)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fail = fail
}

func (c *collector) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.String()
}

// gate is a writer that holds every call until it is opened.
type gate struct {
	collector
	open    chan struct{}
	entered chan struct{} // told of the first call
	once    sync.Once
}

func newGate() *gate {
	return &gate{open: make(chan struct{}), entered: make(chan struct{})}
}

func (g *gate) Write(p []byte) (int, error) {
	g.once.Do(func() { close(g.entered) })
	<-g.open
	return g.collector.Write(p)
}

// fill writes records until the first is dropped, and returns how many there
// were, that one included.
func fill(t testing.TB, b *sink.Buffer, record func(i int) string) int {
	t.Helper()
	for i := 0; ; i++ {
		if _, err := io.WriteString(b, record(i)); err != nil {
			t.Fatal(err)
		}
		if b.Stats().Dropped > 0 {
			return i + 1
		}
	}
}

func line(i int) string { return fmt.Sprintf("{\"n\":%d,\"pad\":\"................\"}\n", i) }

// entry is a line of the tests, or the Buffer's own.
type entry struct {
	N       *int
	G       int
	Msg     string
	Level   string
	Dropped int64     `json:"dropped_records"`
	Bytes   int64     `json:"dropped_bytes"`
	Since   time.Time `json:"dropped_since"`
}

// parse takes lines apart, each of which must be whole.
func parse(t testing.TB, text string) (entries []entry) {
	t.Helper()
	if text != "" && !strings.HasSuffix(text, "\n") {
		t.Errorf("the stream ends within a record: %q", text[max(0, len(text)-100):])
	}
	for l := range strings.Lines(text) {
		var e entry
		if err := json.Unmarshal([]byte(l), &e); err != nil {
			t.Fatalf("%v: %q", err, l)
		}
		entries = append(entries, e)
	}
	return entries
}
