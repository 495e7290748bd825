// Package must ends a test at an error that it does not expect, and compares values.
package must

import (
	"fmt"
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
