// Package must ends a test at an error that it does not expect, compares values, and reads what a test wrote.
package must

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Do ends the test if err is not nil.
func Do(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Get returns the value of a call in a test, or ends the test: must.Get(os.ReadFile(name))(t).
func Get[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		Do(t, err)
		return value
	}
}

// Get2 is Get for two values.
func Get2[A, B any](a A, b B, err error) func(testing.TB) (A, B) {
	return func(t testing.TB) (A, B) {
		t.Helper()
		Do(t, err)
		return a, b
	}
}

// Files returns the contents of the files below a folder, by their paths there with slashes. One that goes away
// meanwhile is left out.
func Files(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	Do(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(content)
		return err
	}))
	return files
}

// NoError fails the test, which goes on, if err is not nil. The message begins with what, as that of Equal.
func NoError(t testing.TB, err error, what ...any) {
	t.Helper()
	if err != nil {
		t.Errorf("%s%v", label(what), err)
	}
}

// Equal fails the test, which goes on, if got is not want. The message begins with what, a format and its
// arguments.
func Equal[T comparable](t testing.TB, got, want T, what ...any) {
	t.Helper()
	if got != want {
		differ(t, got, want, what)
	}
}

// EqualSlices is Equal for slices.
func EqualSlices[T comparable](t testing.TB, got, want []T, what ...any) {
	t.Helper()
	if !slices.Equal(got, want) {
		differ(t, got, want, what)
	}
}

// Contain fails the test, which goes on, if a part is not in a text. The message begins with what, as that of Equal.
func Contain(t testing.TB, text, part string, what ...any) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%sno %q in\n%s", label(what), part, text)
	}
}

// Lack fails the test, which goes on, if a part is in a text. The message begins with what, as that of Equal.
func Lack(t testing.TB, text, part string, what ...any) {
	t.Helper()
	if strings.Contains(text, part) {
		t.Errorf("%s%q is in\n%s", label(what), part, text)
	}
}

func differ(t testing.TB, got, want any, what []any) {
	t.Helper()
	verb := "%v"
	switch got := got.(type) {
	case string:
		if verb = "%q"; strings.Contains(got, "\n") {
			verb = "\n%s\n"
		}
	case []string:
		verb = "%q"
	}
	t.Errorf("%sgot "+verb+", want "+verb, label(what), got, want)
}

func label(what []any) string {
	if len(what) == 0 {
		return ""
	}
	return fmt.Sprintf(what[0].(string), what[1:]...) + ": "
}
