package readme

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLinks: what the READMEs link to within the repository is there, headings
// included.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	n := 0
	for _, file := range files(t) {
		for _, m := range link.FindAllStringSubmatch(prose(t, file), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			n++
			target, anchor, _ := strings.Cut(m[1], "#")
			name := file
			if target != "" {
				name = path.Join(path.Dir(file), target)
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err != nil {
				t.Errorf("%s links to %s: %v", file, m[1], err)
			} else if anchor != "" && !headings(t, name)[anchor] {
				t.Errorf("%s links to %s: there is no such heading", file, m[1])
			}
		}
	}
	if n == 0 {
		t.Error("no links found")
	}
}

// prose is a file without its code blocks.
func prose(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(strings.ReplaceAll(string(data), "\r\n", "\n"), "")
}

// headings are a file's headings as GitHub names them in links.
func headings(t *testing.T, file string) map[string]bool {
	t.Helper()
	anchors := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(prose(t, file), -1) {
		text := regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(strings.ToLower(m[1]), "")
		anchors[strings.ReplaceAll(text, " ", "-")] = true
	}
	return anchors
}
