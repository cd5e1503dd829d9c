package zerologsink

import (
	"io"
	"reflect"
	"strings"
)

const zerologPath = "github.com/rs/zerolog"

// nature is what a writer is, as far as its types tell.
type nature struct {
	zerolog bool   // it belongs to zerolog
	text    string // the type of a writer in it that takes text only, or ""
}

// maxInspect bounds how many wrappers are looked into, for those that contain
// themselves.
const maxInspect = 100

// inspect finds what w is made of. It reads types and pointers only, also in
// fields that are not exported, which reflect allows; values it leaves alone.
func inspect(w any) nature {
	var in inspector
	return in.writer(reflect.ValueOf(w))
}

type inspector struct{ seen int }

// writer looks at a value that is a writer.
func (in *inspector) writer(v reflect.Value) nature {
	if in.seen++; in.seen > maxInspect {
		return nature{}
	}
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() {
		return nature{}
	}
	t := v.Type()
	if v.Kind() == reflect.Pointer {
		t, v = t.Elem(), v.Elem() // v is invalid behind a nil pointer
	}
	if !belongs(t) {
		return in.embedded(t, v)
	}
	switch t.String() {
	case "zerolog.LevelWriterAdapter", "zerolog.FilteredLevelWriter", "zerolog.syncWriter",
		"zerolog.multiLevelWriter", "diode.Writer":
		return nature{zerolog: true, text: in.inside(v)}
	}
	// ConsoleWriter and the journald writer parse JSON, TestWriter and those of
	// syslog write lines, TriggerLevelWriter cuts what it holds at newlines.
	// What later versions of zerolog add is taken for one of these.
	return nature{zerolog: true, text: t.String()}
}

// embedded looks at a type that is not zerolog's: one that embeds a writer of
// zerolog's has its methods.
func (in *inspector) embedded(t reflect.Type, v reflect.Value) (n nature) {
	if t.Kind() != reflect.Struct || !v.IsValid() {
		return n
	}
	for i := range t.NumField() {
		if !t.Field(i).Anonymous {
			continue
		}
		e := in.writer(v.Field(i))
		n.zerolog = n.zerolog || e.zerolog
		if n.text == "" {
			n.text = e.text
		}
	}
	return n
}

// inside returns the type of a writer that takes text only in one of zerolog's
// wrappers.
func (in *inspector) inside(v reflect.Value) string {
	if !v.IsValid() || v.Kind() != reflect.Struct {
		return ""
	}
	for i := range v.NumField() {
		f := v.Field(i)
		switch {
		case isWriter(f.Type()):
			if n := in.writer(f); n.text != "" {
				return n.text
			}
		case f.Kind() == reflect.Slice && isWriter(f.Type().Elem()):
			for j := range f.Len() {
				if n := in.writer(f.Index(j)); n.text != "" {
					return n.text
				}
			}
		}
	}
	return ""
}

func isWriter(t reflect.Type) bool {
	return t.Kind() == reflect.Interface && t.Implements(reflect.TypeFor[io.Writer]())
}

// belongs reports whether a type is from zerolog's module.
func belongs(t reflect.Type) bool {
	rest, ok := strings.CutPrefix(t.PkgPath(), zerologPath)
	return ok && (rest == "" || rest[0] == '/')
}
