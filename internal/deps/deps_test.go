// Package deps holds the rules of who may import whom.
package deps

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/slogpack/slogpack"

// The modules of the outside worlds, and what these need themselves.
var (
	zerolog = []string{"github.com/rs/zerolog", "github.com/mattn/go-colorable", "github.com/mattn/go-isatty", "golang.org/x/sys"}
	msgpack = []string{"github.com/vmihailenco/msgpack/v5", "github.com/vmihailenco/tagparser/v2"}
	exp     = []string{"golang.org/x/exp"}
)

// rules says for each package what its program links, besides the standard
// library: packages of this module, by their paths in it, and other modules.
var rules = []struct {
	pkg    string
	own    []string
	others []string
}{
	{"pool", nil, nil},
	{"internal/jsonwire", nil, nil},
	{"jsonmsgpack", []string{"internal/jsonwire", "pool"}, nil},
	{"handler", underHandler, nil},
	{"handler/zerologsink", overHandler, zerolog},
	{"handler/msgpackv5", overHandler, msgpack},
	{"handler/expslog", overHandler, exp},
	{"handler/sink", overHandler, nil},
	{"handler/forward", overHandler, nil},
}

var (
	underHandler = []string{"internal/jsonwire", "jsonmsgpack", "pool"}
	overHandler  = append([]string{"handler"}, underHandler...)
)

// TestDeps: the core links the standard library and this module only, each
// outside world has one package, and no import goes up or sideways.
func TestDeps(t *testing.T) {
	for _, r := range rules {
		for _, dep := range list(t, "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./"+r.pkg) {
			own, isOwn := strings.CutPrefix(dep, module+"/")
			switch {
			case isOwn && (own == r.pkg || slices.Contains(r.own, own)):
			case !isOwn && slices.ContainsFunc(r.others, func(m string) bool { return dep == m || strings.HasPrefix(dep, m+"/") }):
			default:
				t.Errorf("%s links %s, which it must not", r.pkg, dep)
			}
		}
	}
}

// TestPlain: the core has no cgo, no assembly and no unsafe.
func TestPlain(t *testing.T) {
	for _, r := range rules {
		for _, l := range list(t, "-f", "{{range .CgoFiles}}cgo: {{.}}\n{{end}}{{range .SFiles}}assembly: {{.}}\n{{end}}{{range .Imports}}{{.}}\n{{end}}", "./"+r.pkg) {
			if l == "unsafe" || l == "C" || strings.Contains(l, ":") {
				t.Errorf("%s has %s", r.pkg, l)
			}
		}
	}
}

// list returns the lines of what go list says, run in the module's root.
func list(t *testing.T, args ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		var stderr []byte
		if e, ok := err.(*exec.ExitError); ok {
			stderr = e.Stderr
		}
		t.Fatalf("go list %q: %v\n%s", args, err, stderr)
	}
	return strings.Fields(strings.ReplaceAll(string(out), " ", ""))
}
