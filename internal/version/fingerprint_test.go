package version

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

type inner struct {
	Name   string
	hidden int
}

type options struct {
	On      bool
	Count   int8
	Bytes   uint64
	Share   float64
	Name    string
	Inner   inner
	Pointer *int64
	List    []inner
	Pattern *regexp.Regexp
	Other   func() `fingerprint:"-"`
	Workers int    `fingerprint:"-"`
}

// Every field changes the text, also those that are not exported, and those in lists and
// behind pointers. A field with the tag does not.
func TestText(t *testing.T) {
	one, two := int64(1), int64(2)
	base := options{}
	seen := map[string]string{Fingerprint(base): "nothing"}
	for name, o := range map[string]options{
		"bool": {On: true}, "int": {Count: -1}, "uint": {Bytes: 1}, "float": {Share: 0.5}, "string": {Name: "a\n"},
		"struct": {Inner: inner{Name: "a"}}, "hidden": {Inner: inner{hidden: 1}},
		"pointer": {Pointer: &one}, "pointer to another": {Pointer: &two}, "pointer to zero": {Pointer: new(int64)},
		"list": {List: []inner{{}}}, "list of two": {List: []inner{{}, {}}}, "element": {List: []inner{{hidden: 2}}},
		"pattern": {Pattern: regexp.MustCompile("a")}, "another pattern": {Pattern: regexp.MustCompile("b")},
	} {
		text := Fingerprint(o)
		if other, ok := seen[text]; ok {
			t.Errorf("%s has the text of %s: %s", name, other, text)
		}
		seen[text] = name
	}
	if Fingerprint(options{Other: func() {}, Workers: 3}) != Fingerprint(base) {
		t.Error("a field with the tag changes the text")
	}
	if again := Fingerprint(options{Pointer: new(int64)}); seen[again] != "pointer to zero" {
		t.Error("equal options have other texts")
	}
}

// A kind without text is an error of the program that is found at once.
func TestPanic(t *testing.T) {
	defer func() {
		if message, _ := recover().(string); !strings.Contains(message, ".F is a func") {
			t.Errorf("got %q", message)
		}
	}()
	Fingerprint(struct{ F func() }{})
	t.Error(reflect.TypeOf(t))
}
