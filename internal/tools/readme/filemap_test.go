package readme

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFileMaps: a file map in a package's doc.go has every file of the package,
// and none that is not there.
func TestFileMaps(t *testing.T) {
	file := regexp.MustCompile(`\b\w+\.go\b`)
	n := 0
	for _, dir := range []string{"handler", "jsonmsgpack", "pool"} {
		err := fs.WalkDir(os.DirFS(root), dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.Name() != "doc.go" {
				return err
			}
			text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
			if err != nil {
				return err
			}
			_, list, ok := strings.Cut(string(text), "# File map\n")
			if !ok {
				return nil
			}
			n++
			said := map[string]bool{"doc.go": true}
			for _, f := range file.FindAllString(list, -1) {
				said[f] = true
				if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(path.Join(path.Dir(name), f)))); err != nil {
					t.Errorf("the file map in %s has %s, which is not there", name, f)
				}
			}
			here, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(path.Dir(name)), "*.go"))
			for _, f := range here {
				if f = filepath.Base(f); !strings.HasSuffix(f, "_test.go") && !said[f] {
					t.Errorf("the file map in %s lacks %s", name, f)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n == 0 {
		t.Error("no file map found")
	}
}
