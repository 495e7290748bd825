// Package schematest compares types with the fields that documents promise for JSON.
package schematest

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/trace"
)

// Read returns the fields of each object that a document promises, in order, with their types
// in brackets. An object has a heading of the third level and a list below it, in which an item
// may have several fields.
func Read(t *testing.T, file string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	heading, field := regexp.MustCompile("^### `(.+)`$"), regexp.MustCompile("^- `(.+?)` \\((.+?)\\): ")
	objects, object := map[string][]string{}, ""
	for _, line := range strings.Split(string(text), "\n") {
		switch {
		case heading.MatchString(line):
			object = heading.FindStringSubmatch(line)[1]
		case strings.HasPrefix(line, "## "):
			object = ""
		case object != "" && field.MatchString(line):
			m := field.FindStringSubmatch(line)
			for name := range strings.SplitSeq(m[1], "`, `") {
				objects[object] = append(objects[object], name+" ("+m[2]+")")
			}
		}
	}
	return objects
}

// Compare compares a type, which is "the document", with a document, and returns its fields by
// object. A type that several objects have is documented once. The types in elsewhere are
// documented in another file.
func Compare(t *testing.T, file string, typ reflect.Type, elsewhere ...reflect.Type) map[string][]string {
	t.Helper()
	c := collector{map[string][]string{}, map[reflect.Type][]string{}, elsewhere}
	c.add("the document", typ)
	documented := Read(t, file)
	for _, objects := range c.objects {
		if !slices.ContainsFunc(objects, func(o string) bool { return documented[o] != nil }) {
			t.Errorf("%s does not describe %s", file, objects[0])
		}
	}
	for object, promised := range documented {
		if fields := c.fields[object]; !slices.Equal(fields, promised) {
			t.Errorf("%s has the fields\n%q\n%s says\n%q", object, fields, file, promised)
		}
	}
	return c.fields
}

// collector lists the fields that types have in JSON, by object, and the objects of each type.
type collector struct {
	fields    map[string][]string
	objects   map[reflect.Type][]string
	elsewhere []reflect.Type
}

func (c *collector) add(object string, typ reflect.Type) {
	c.objects[typ] = append(c.objects[typ], object)
	c.addFields(object, typ)
}

func (c *collector) addFields(object string, typ reflect.Type) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner, null := f.Type, ""
		if inner.Kind() == reflect.Pointer {
			inner, null = inner.Elem(), " or null"
		} else if inner == reflect.TypeFor[trace.PID]() || inner.Kind() == reflect.String && inner.Implements(reflect.TypeFor[json.Marshaler]()) {
			null = " or null"
		}
		switch {
		case f.Anonymous:
			c.addFields(object, inner)
			continue
		case !f.IsExported() || name == "-":
			continue
		}
		path := strings.TrimPrefix(object+"."+name, "the document.")
		described := map[reflect.Kind]string{
			reflect.Struct: "object", reflect.String: "string", reflect.Float64: "number", reflect.Bool: "boolean",
			reflect.Int: "integer", reflect.Int32: "integer", reflect.Int64: "integer",
		}[inner.Kind()] + null
		if inner.Kind() == reflect.Func { // iter.Seq, a list
			inner = reflect.SliceOf(inner.In(0).In(0))
		}
		if inner.Kind() == reflect.Slice {
			inner, path, described = inner.Elem(), path+"[]", "list"
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
		} else if inner.Implements(reflect.TypeFor[interface{ MarshalText() ([]byte, error) }]()) {
			described = "string" + null
		}
		c.fields[object] = append(c.fields[object], name+" ("+described+")")
		if inner.Kind() == reflect.Struct && !slices.Contains(c.elsewhere, inner) {
			c.add(path, inner)
		}
	}
}
