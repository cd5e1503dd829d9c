package main

import (
	"flag"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// Mistakes in the arguments end with status 2, say what is wrong and where
// help is, and print nothing on standard output.
func TestUsage(t *testing.T) {
	tests := []struct {
		args  string
		words []string
	}{
		{"", []string{"Usage:", "Examples:"}},
		{"encod", []string{"no command encod", "did you mean encode?", "jsonmsgpack -h"}},
		{"help kat", []string{"no command kat", "did you mean cat?"}},
		{"--wide encode", []string{"no option --wide", "come after"}},
		{"encode --wid", []string{"no option --wid", "did you mean --wide?", "jsonmsgpack encode -h"}},
		{"encode --frobnicate", []string{"no option --frobnicate\n"}},
		{"encode x --wid", []string{"no option --wid"}},
		{"encode -o", []string{"-o needs a value"}},
		{"encode -o=", []string{"-o needs the name"}},
		{"encode --depth x", []string{`invalid value "x" for --depth: must be a number`}},
		{"encode --depth 0", []string{"--depth must be at least 1"}},
		{"encode --workers -1", []string{"--workers must be 0"}},
		{"encode --big keep", []string{`invalid value "keep" for --big: must be float, text or fail`}},
		{"encode --dup x", []string{"keep, last or fail"}},
		{"encode --utf8 x", []string{"replace or fail"}},
		{"encode --lines=x", []string{`invalid boolean value "x" for --lines`}},
		{"encode --max-document 5T", []string{"64M"}},
		{"encode --max-document 9999999999G", []string{"64M"}},
		{"encode --time-field a,,b", []string{"empty name"}},
		{"encode --strict --lax", []string{"exclude each other"}},
		{"decode --lines", []string{"no option --lines", "decode -h"}},
		{"decode --non-finite x", []string{"null, text or fail"}},
		{"decode --bad-keys x", []string{"fail or text"}},
		{"cat --level loud", []string{"--level must be", "loud"}},
		{"cat --grep (", []string{"--grep", "missing closing"}},
		{"cat --color blue", []string{"auto, always or never"}},
		{"cat --json --pretty", []string{"excludes"}},
		{"cat -f", []string{"-f follows one file"}},
		{"cat -f -", []string{"-f follows one file"}},
		{"cat -f a b", []string{"-f follows one file"}},
		{"encode /nowhere/a", []string{"/nowhere/a", "no such file"}},
		{"encode .", []string{". is a directory"}},
		{"decode /nowhere/a", []string{"no such file"}},
		{"cat /nowhere/a", []string{"no such file"}},
		{"cat -f /nowhere/a", []string{"no such file"}},
		{"cat -f .", []string{"no file that grows"}},
		{"encode -o /nowhere/a", []string{"no such file"}},
		{"encode -o .", []string{". is a directory"}},
		{"encode doc.go nowhere.msgpack", nil}, // doc.go is no JSON, which comes first
	}
	for _, test := range tests {
		t.Run(test.args, func(t *testing.T) {
			r := jm(t, "", strings.Fields(test.args)...)
			if test.words == nil {
				r.check(t, exitFailed)
				return
			}
			r.check(t, exitUsage, test.words...).wantOut(t, "")
		})
	}
	empty := write(t, "empty.json", "")
	jm(t, "", "encode", empty, empty+".msgpack").check(t, exitUsage, "to write to it: -o "+empty+".msgpack")
}

func TestHelp(t *testing.T) {
	for name, text := range map[string]string{"encode": helpEncode, "decode": helpDecode, "cat": helpCat} {
		for _, args := range [][]string{{"help", name}, {name, "-h"}, {name, "--help"}, {name, "x", "-h"}} {
			jm(t, "", args...).check(t, 0).wantOut(t, text)
		}
	}
	for _, arg := range []string{"help", "-h", "--help"} {
		jm(t, "", arg).check(t, 0).wantOut(t, helpMain)
	}
	if r := jm(t, "", "version").check(t, 0); !strings.HasPrefix(r.out, "jsonmsgpack ") {
		t.Errorf("version: %q", r.out)
	}
}

// The help of each command is in its doc comment, word for word, and names
// every option that there is and no other.
func TestHelpAndDocAgree(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	doc := f.Doc.Text()
	indented := func(text string) string {
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		for i, l := range lines {
			if l != "" {
				lines[i] = "\t" + l
			}
		}
		return strings.Join(lines, "\n") + "\n"
	}
	for name, text := range map[string]string{"": helpMain, "encode": helpEncode, "decode": helpDecode, "cat": helpCat} {
		if !strings.Contains(doc, indented(text)) {
			t.Errorf("doc.go does not hold the help text of %q as it is", name)
		}
		for i, line := range strings.Split(text, "\n") {
			if len(line) > 80 {
				t.Errorf("help of %q, line %d: longer than 80 columns", name, i+1)
			}
		}
	}
	sets := map[string]*flag.FlagSet{
		helpEncode: encodeFlags(new(convertOptions)),
		helpDecode: decodeFlags(new(convertOptions)),
		helpCat:    catFlags(new(catOptions)),
	}
	for text, set := range sets {
		defined := map[string]bool{}
		set.VisitAll(func(f *flag.Flag) {
			defined[dashed(f.Name)] = true
			if !strings.Contains(text, "\n  "+dashed(f.Name)+" ") && !strings.Contains(text, "\n  "+dashed(f.Name)+", ") && !strings.Contains(text, ", "+dashed(f.Name)+" ") {
				t.Errorf("%s: %s is not in the help", set.Name(), dashed(f.Name))
			}
		})
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n,()|", r) }) {
			if strings.HasPrefix(word, "--") && len(word) > 2 && !defined[word] {
				t.Errorf("%s: the help names %s, which there is not", set.Name(), word)
			}
		}
	}
}

// Options stand before and after files, and -- ends them.
func TestOptionPlaces(t *testing.T) {
	in := write(t, "in.json", "320")
	for _, args := range [][]string{
		{"encode", "--wide", in}, {"encode", in, "--wide"}, {"encode", "-wide", "--", in},
	} {
		jm(t, "", args...).check(t, 0).wantOut(t, "\xcd\x01\x40")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("--wide", []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	jm(t, "2", "encode", "-", "--", "--wide").check(t, 0).wantOut(t, "\x02\x01")
}
