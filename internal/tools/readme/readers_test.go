package readme

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// scripts are the languages in which READMEs read MessagePack: how a file of
// each is run, and what tells that its MessagePack library is there.
var scripts = map[string]struct {
	command, ext string
	probe        []string
}{
	"python": {"python3", ".py", []string{"python3", "-c", "import msgpack"}},
	"ruby":   {"ruby", ".rb", []string{"ruby", "-e", `require "msgpack"`}},
	"js":     {"node", ".mjs", []string{"npm", "ls", "--global", "@msgpack/msgpack"}},
}

// runReader runs a block in dir, where the records are that the README's own
// program has written.
func runReader(t *testing.T, b block, dir string) {
	s := scripts[b.lang]
	if dir == "" {
		t.Fatal("no program wrote " + packed)
	}
	if out, err := exec.Command(s.probe[0], s.probe[1:]...).CombinedOutput(); err != nil {
		t.Skipf("no MessagePack for %s on this machine: %v %s", b.lang, err, out)
	}
	if b.lang == "js" {
		linkModules(t, dir)
	}
	writeFile(t, filepath.Join(dir, "reader"+s.ext), b.text)
	cmd := exec.Command(s.command, "reader"+s.ext)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const want = "INFO order taken\nWARN slow\n"
	if got := strings.ReplaceAll(string(out), "\r\n", "\n"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// linkModules makes what npm has installed for all visible to a module in dir:
// import looks into the directories above a file only.
func linkModules(t *testing.T, dir string) {
	t.Helper()
	out, err := exec.Command("npm", "root", "--global").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(strings.TrimSpace(string(out)), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
}
