package version

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"
)

// FingerprintTag is the tag of a field that changes no result: `fingerprint:"-"`. The field is left
// out.
const FingerprintTag = "fingerprint"

// Fingerprint returns text that differs if options differ: a line for each value in v, for the fields of structs, those of structs
// in them, the elements of slices, and those of maps in order. A value that is a encoding.TextMarshaler has the
// line of its text. Fingerprint panics if a field has a kind that has no text, such as a
// function: such a field needs the tag.
func Fingerprint(v any) string {
	var b strings.Builder
	write(&b, "", reflect.ValueOf(v))
	return b.String()
}

func write(b *strings.Builder, path string, v reflect.Value) {
	line := func(value any) { fmt.Fprintf(b, "%s %#v\n", path, value) }
	if v.CanInterface() && (v.Kind() != reflect.Pointer || !v.IsNil()) {
		if m, ok := v.Interface().(encoding.TextMarshaler); ok {
			text, err := m.MarshalText()
			if err != nil {
				panic(fmt.Sprintf("fingerprint: %s: %v", path, err))
			}
			line(string(text))
			return
		}
	}
	switch v.Kind() {
	case reflect.Bool:
		line(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		line(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		line(v.Uint())
	case reflect.Float32, reflect.Float64:
		line(v.Float())
	case reflect.String:
		line(v.String())
	case reflect.Pointer:
		if v.IsNil() {
			line(nil)
			return
		}
		write(b, path, v.Elem())
	case reflect.Slice, reflect.Array:
		line(v.Len())
		for i := range v.Len() {
			write(b, fmt.Sprintf("%s[%d]", path, i), v.Index(i))
		}
	case reflect.Map: // fmt prints it in the order of its keys
		line(v.Interface())
	case reflect.Struct:
		for field, value := range v.Fields() {
			if field.Tag.Get(FingerprintTag) != "-" {
				write(b, path+"."+field.Name, value)
			}
		}
	default:
		panic(fmt.Sprintf("fingerprint: %s is a %s, which has no text", path, v.Kind()))
	}
}
