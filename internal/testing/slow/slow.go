// Package slow marks the tests that take long: those that measure processor time or
// memory, repeat a check over many inputs, or open huge pages in a browser. They run in
// full with "make slow", which sets a variable and is a part of "make nightly", and in
// part or not at all otherwise.
package slow

import (
	"os"
	"testing"
)

// variable is the environment variable that, if set to 1, makes slow tests run in
// full.
const variable = "OHFRAME_SLOW"

// Enabled reports whether slow tests run in full.
func Enabled() bool { return os.Getenv(variable) == "1" }

// Skip skips the test unless slow tests run in full.
func Skip(t testing.TB) {
	t.Helper()
	if !Enabled() {
		t.Skip(`slow: run by "make slow"`)
	}
}

// Of returns all if slow tests run in full, and part otherwise.
func Of[T any](part, all T) T {
	if Enabled() {
		return all
	}
	return part
}

// SkipRace skips the test with the race detector, which slows it down by a factor of
// ten and finds nothing new in it: a test of one goroutine, of other programs, or of
// many more inputs for concurrent code that other tests run with the race detector.
func SkipRace(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("slow with the race detector, which finds nothing new here")
	}
}
