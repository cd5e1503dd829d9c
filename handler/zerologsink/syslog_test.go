//go:build !windows && !binary_log

package zerologsink_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/slogpack/slogpack/handler"
	"github.com/slogpack/slogpack/handler/zerologsink"
)

// syslogd is a zerolog.SyslogWriter.
type syslogd struct{ got []string }

func (s *syslogd) add(severity, m string) error {
	s.got = append(s.got, severity+" "+m)
	return nil
}
func (s *syslogd) Write(p []byte) (int, error) { return len(p), s.add("write", string(p)) }
func (s *syslogd) Debug(m string) error        { return s.add("debug", m) }
func (s *syslogd) Info(m string) error         { return s.add("info", m) }
func (s *syslogd) Warning(m string) error      { return s.add("warning", m) }
func (s *syslogd) Err(m string) error          { return s.add("err", m) }
func (s *syslogd) Emerg(m string) error        { return s.add("emerg", m) }
func (s *syslogd) Crit(m string) error         { return s.add("crit", m) }

// TestSyslogLevelWriter: zerolog drops trace events, and panics at levels it
// does not know, which it never gets.
func TestSyslogLevelWriter(t *testing.T) {
	for prefix, wrap := range map[string]func(zerolog.SyslogWriter) zerolog.LevelWriter{
		"": zerolog.SyslogLevelWriter, "@cee:": zerolog.SyslogCEEWriter,
	} {
		s := &syslogd{}
		h := zerologsink.New(wrap(s))
		want := []string{}
		for l, severity := range map[slog.Level]string{
			-100: "", -5: "", -4: "debug", 0: "info", 3: "info", 4: "warning", 8: "err", 12: "emerg", 16: "crit", 100: "crit",
		} {
			log(t, h, l, "m")
			if severity != "" {
				want = append(want, fmt.Sprintf(`%s %s{"level":"%s","time":"2026-03-04T05:06:07Z","message":"m"}`+"\n",
					severity, prefix, handler.Zerolog().LevelText(l)))
			}
		}
		if fmt.Sprint(s.got) != fmt.Sprint(want) {
			t.Errorf("got %q want %q", s.got, want)
		}
		var m mistakes
		zerologsink.New(wrap(s), handler.WithFormat(handler.MessagePack), m.option())
		if len(m.errs) != 1 || !strings.Contains(m.errs[0], "zerolog.syslogWriter takes JSON text only, no MessagePack") {
			t.Errorf("got %q", m.errs)
		}
	}
}
