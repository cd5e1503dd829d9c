// Command apilist prints the exported API of the public packages of a module,
// one symbol a line, or compares it with a checked-in listing:
//
//	apilist -root ../..                        # print
//	apilist -root ../.. -file api/api.txt      # compare; exit 1 on a difference
//	apilist -root ../.. -file api/api.txt -update
//
// The listing is made from the syntax tree alone, with every run of white space
// made one blank, so that it does not depend on the toolchain that made it.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	root := flag.String("root", ".", "the module's root `directory`")
	file := flag.String("file", "", "the checked-in listing to compare with; none prints")
	update := flag.Bool("update", false, "write the listing to -file")
	flag.Parse()
	if err := run(*root, *file, *update); err != nil {
		fmt.Fprintln(os.Stderr, "apilist:", err)
		os.Exit(1)
	}
}

func run(root, file string, update bool) error {
	lines, err := listModule(root)
	if err != nil {
		return err
	}
	text := strings.Join(lines, "\n") + "\n"
	switch {
	case file == "":
		fmt.Print(text)
		return nil
	case update:
		return os.WriteFile(file, []byte(text), 0o644)
	}
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	gone, added := diff(strings.Split(strings.TrimSpace(string(old)), "\n"), lines)
	if len(gone)+len(added) == 0 {
		fmt.Printf("%d exported symbols, as in %s\n", len(lines), file)
		return nil
	}
	for _, l := range gone {
		fmt.Println("-", l)
	}
	for _, l := range added {
		fmt.Println("+", l)
	}
	return fmt.Errorf("the exported API differs from %s: %d gone, %d added; if that is meant, "+
		"say so in CHANGELOG.md and run: go -C internal/tools run ./apilist -root ../.. -file api/api.txt -update",
		file, len(gone), len(added))
}

// diff returns the lines of old that now lacks and the lines of now that old
// lacks. Both are in listing order; a listing holds no line twice.
func diff(old, now []string) (gone, added []string) {
	in := func(lines []string) map[string]bool {
		m := make(map[string]bool, len(lines))
		for _, l := range lines {
			m[strings.TrimRight(l, "\r")] = true
		}
		return m
	}
	inOld, inNow := in(old), in(now)
	for _, l := range old {
		if l = strings.TrimRight(l, "\r"); l != "" && !inNow[l] {
			gone = append(gone, l)
		}
	}
	for _, l := range now {
		if !inOld[l] {
			added = append(added, l)
		}
	}
	return gone, added
}
