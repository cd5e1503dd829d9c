//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/forward"
)

const (
	tag      = "e2e.test"
	records  = 20_000
	cuts     = 10
	restarts = 2
)

func TestMain(m *testing.M) {
	zerolog.TimeFieldFormat = time.RFC3339Nano
	zerolog.ErrorHandler = func(err error) { panic(err) } // a Write failed
	os.Exit(m.Run())
}

// TestCollector and TestNPM send 20 000 records, half by a slog handler and
// half by zerolog through the same Writer, while the connection is cut ten
// times in the middle of frames and the receiver is restarted twice. All arrive
// as they were sent, and again only as often as they were sent again.
func TestCollector(t *testing.T) {
	bin := buildCollector(t)
	for _, zip := range []bool{false, true} {
		t.Run(fmt.Sprintf("gzip=%v", zip), func(t *testing.T) {
			scenario(t, collector(t, bin, freeAddr(t)), zip, true)
		})
	}
	t.Run("unix socket", func(t *testing.T) {
		few(t, collector(t, bin, "unix://"+filepath.Join(t.TempDir(), "otel.sock")), true)
	})
	t.Run("examples/fluent/otelcol.yaml", func(t *testing.T) { exampleConfig(t, bin) })
}

func TestNPM(t *testing.T) {
	dir := installNPM(t)
	for _, zip := range []bool{false, true} {
		t.Run(fmt.Sprintf("gzip=%v", zip), func(t *testing.T) {
			scenario(t, npmServer(t, dir), zip, false)
		})
	}
	t.Run("handshake", func(t *testing.T) {
		s := npmServer(t, dir, "k3y", "ann", "p4ss")
		few(t, s, false, forward.WithSharedKey("k3y"), forward.WithUser("ann", "p4ss"))
	})
	t.Run("wrong key", func(t *testing.T) {
		turnedAway(t, dir, forward.WithSharedKey("other"), forward.WithUser("ann", "p4ss"))
	})
	t.Run("wrong password", func(t *testing.T) { turnedAway(t, dir, forward.WithSharedKey("k3y"), forward.WithUser("ann", "other")) })
}

// few sends a few records without faults.
func few(t *testing.T, s *realServer, severities bool, opts ...forward.Option) {
	s.up(t)
	t.Cleanup(func() { s.down(t) })
	w, err := forward.Dial(context.Background(), s.addr, append(opts, forward.WithTag(tag), forward.WithCloseTimeout(time.Minute))...)
	if err != nil {
		t.Fatal(err)
	}
	l := logger{handler.New(w, handler.WithLevel(slog.LevelDebug)), zerolog.New(w)}
	var want []got
	for i := range 100 {
		want = append(want, l.log(t, i))
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	s.down(t)
	compare(t, s.read(t), want, 0, severities)
}

// turnedAway expects that there is no connection, and a reason.
func turnedAway(t *testing.T, dir string, opts ...forward.Option) {
	s := npmServer(t, dir, "k3y", "ann", "p4ss")
	s.up(t)
	t.Cleanup(func() { s.down(t) })
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	w, err := forward.Dial(ctx, s.addr, append(opts, forward.WithWaitForConnection(), forward.WithErrorHandler(func(error) {}))...)
	if err == nil {
		_ = w.Close()
		t.Fatal("connected")
	}
	if !strings.Contains(err.Error(), "is wrong") {
		t.Error(err)
	}
	t.Log(err)
}

// logger writes record i by one of two loggers, and returns what must arrive.
type logger struct {
	slog *handler.Handler
	zero zerolog.Logger
}

func (l logger) log(t *testing.T, i int) got {
	t.Helper()
	at := time.Unix(1_770_000_000+int64(i), int64(i)*1001%1e9)
	want := got{
		id:    fmt.Sprintf("r%d", i),
		time:  at,
		body:  fmt.Sprintf("request %d served — \"quoted\" ☂", i),
		trace: fmt.Sprintf("%032x", i+1),
		span:  fmt.Sprintf("%016x", i+1),
		fields: map[string]any{
			"status": 200.0,
			"ratio":  float64(i) + 0.25,
			"http":   map[string]any{"path": "/orders", "ok": true, "peer": map[string]any{"port": float64(i % 65536)}},
			"list":   []any{"a", "b"},
		},
	}
	// An error now and then: each is a batch of its own.
	levels := []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn}
	level := levels[i/2%3]
	if i%500 < 2 {
		level = slog.LevelError
	}
	want.severity = int64(level) + 9
	if i%2 == 0 {
		want.level = level.String()
		rec := slog.NewRecord(at, level, want.body, 0)
		rec.AddAttrs(slog.String("id", want.id), slog.String("trace_id", want.trace), slog.String("span_id", want.span),
			slog.Int("status", 200), slog.Float64("ratio", float64(i)+0.25),
			slog.Group("http", "path", "/orders", "ok", true, slog.Group("peer", "port", i%65536)))
		rec.AddAttrs(slog.Any("list", []string{"a", "b"}))
		if err := l.slog.Handle(context.Background(), rec); err != nil {
			t.Fatal(err)
		}
		return want
	}
	zl := map[slog.Level]zerolog.Level{slog.LevelDebug: zerolog.DebugLevel, slog.LevelInfo: zerolog.InfoLevel,
		slog.LevelWarn: zerolog.WarnLevel, slog.LevelError: zerolog.ErrorLevel}[level]
	want.level = zl.String()
	l.zero.WithLevel(zl).Time("time", at).Str("id", want.id).Str("trace_id", want.trace).Str("span_id", want.span).
		Int("status", 200).Float64("ratio", float64(i)+0.25).
		Dict("http", zerolog.Dict().Str("path", "/orders").Bool("ok", true).Dict("peer", zerolog.Dict().Int("port", i%65536))).
		Strs("list", []string{"a", "b"}).Msg(want.body)
	return want
}

func scenario(t *testing.T, s *realServer, zip, severities bool) {
	s.up(t)
	t.Cleanup(func() { s.down(t) })
	p := newProxy(t, s.addr)

	opts := []forward.Option{
		forward.WithTag(tag), forward.WithPolicy(forward.Block), forward.WithBatch(32<<10, 20*time.Millisecond),
		forward.WithBackoff(10*time.Millisecond, 200*time.Millisecond), forward.WithCloseTimeout(2 * time.Minute),
		forward.WithErrorHandler(func(err error) { t.Log(err) }),
	}
	if zip {
		opts = append(opts, forward.WithGzip())
	}
	w, err := forward.Dial(context.Background(), p.addr(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	l := logger{handler.New(w, handler.WithLevel(slog.LevelDebug)), zerolog.New(w)}
	want := make([]got, 0, records)
	began := time.Now()
	const part = records / (cuts + restarts)
	for k := range cuts + restarts {
		restart := k == 3 || k == 8
		if restart {
			s.down(t)
		} else {
			p.cutAfter(int64(1000 + 700*k)) // within a frame
		}
		for i := k * part; i < (k+1)*part; i++ {
			want = append(want, l.log(t, i))
		}
		if restart {
			s.up(t)
			continue
		}
		for ; !p.cutDone(); time.Sleep(time.Millisecond) {
			if time.Since(began) > 5*time.Minute {
				t.Fatalf("no cut: %+v", w.Stats())
			}
		}
	}
	for len(want) < records {
		want = append(want, l.log(t, len(want)))
	}
	if err := w.Flush(); err != nil {
		t.Error(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	st := w.Stats()
	t.Logf("%d records in %v: %+v", records, time.Since(began).Round(time.Millisecond), st)
	if st.Accepted != records || st.Acknowledged != records || st.Pending+st.Dropped+st.Refused+st.Invalid+st.Notes != 0 {
		t.Errorf("%+v", st)
	}
	// Each cut breaks a connection in use. A restart may fall into the pause after
	// a cut, and break none.
	if p.cutsDone() != cuts || st.Reconnects < cuts {
		t.Errorf("%d cuts, %d reconnects", p.cutsDone(), st.Reconnects)
	}
	s.down(t)
	compare(t, s.read(t), want, st.Resent, severities)
}

func compare(t *testing.T, all, want []got, resent int64, severities bool) {
	t.Helper()
	byID := map[string]got{}
	again := int64(0)
	for _, g := range all {
		if old, ok := byID[g.id]; ok {
			again++
			if !reflect.DeepEqual(old, g) {
				t.Errorf("%s came again, and different", g.id)
			}
		}
		byID[g.id] = g
	}
	if len(byID) != len(want) {
		t.Errorf("%d different records arrived, %d were sent", len(byID), len(want))
	}
	if again > resent {
		t.Errorf("%d came again, only %d were sent again", again, resent)
	}
	t.Logf("%d arrived, %d of them again", len(all), again)
	bad := 0
	for _, wnt := range want {
		g, ok := byID[wnt.id]
		if !severities && g.severity == 0 {
			wnt.severity = 0 // zerolog has none, and nobody mapped its names
		}
		wnt.observed = g.observed // only some configurations set it
		if ok && g.time.Equal(wnt.time) {
			g.time = wnt.time
		}
		if !reflect.DeepEqual(g, wnt) {
			if bad++; bad < 5 {
				t.Errorf("is   %+v\nwant %+v", g, wnt)
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d records differ", bad)
	}
}
