package text

import (
	"bufio"
	"bytes"
	"encoding"
	"encoding/json"
	"io"
	"reflect"
	"strings"
)

// WriteJSON writes a document for people and scripts: indented, with <, > and & as they
// are in names.
//
// A function of type iter.Seq in a struct is written as a list, one value at a time, so
// that a long list needs the memory of one value. So does a list of Lazy values.
func WriteJSON(w io.Writer, document any) error {
	j := &jsonWriter{out: bufio.NewWriter(w), lists: map[reflect.Type]bool{}}
	if err := j.value(reflect.ValueOf(document), "\n"); err != nil {
		return err
	}
	j.out.WriteByte('\n')
	return j.out.Flush()
}

// Lazy is a value of a document that is made when it is written.
type Lazy[T any] func() T

// jsonWriter writes values. Newlines are passed with the indentation that follows them.
type jsonWriter struct {
	out               *bufio.Writer
	compact, indented bytes.Buffer
	lists             map[reflect.Type]bool // whether there is a function in a value of the type
}

const jsonIndent = " "

func (j *jsonWriter) value(v reflect.Value, newline string) error {
	if !v.IsValid() || !j.hasList(v.Type()) {
		return j.whole(v, newline)
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return j.value(v.Elem(), newline)
	case reflect.Struct:
		n, err := j.fields(v, newline+jsonIndent, 0)
		return j.end("{}", n, err, newline)
	case reflect.Func:
		if v.Type().NumIn() == 0 {
			return j.value(v.Call(nil)[0], newline)
		}
	}
	n, err := 0, error(nil)
	for x := range v.Seq() {
		if v.Kind() == reflect.Slice {
			x = v.Index(int(x.Int()))
		}
		j.begin("[", n, newline+jsonIndent)
		n++
		if err = j.value(x, newline+jsonIndent); err != nil {
			break
		}
	}
	return j.end("[]", n, err, newline)
}

// fields writes the fields of a struct after n others, and returns the number of both.
func (j *jsonWriter) fields(v reflect.Value, newline string, n int) (int, error) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		var err error
		switch {
		case f.Tag.Get("json") == "-" || Omitted(f.Tag, v.Field(i)):
		case f.Anonymous && name == "":
			if inner := reflect.Indirect(v.Field(i)); inner.IsValid() {
				n, err = j.fields(inner, newline, n)
			}
		case f.IsExported():
			j.begin("{", n, newline)
			n++
			j.out.WriteString(`"` + name + `": `)
			err = j.value(v.Field(i), newline)
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// Omitted reports whether the options omitempty and omitzero of a field leave out its value, as encoding/json does.
func Omitted(tag reflect.StructTag, v reflect.Value) bool {
	_, options, _ := strings.Cut(tag.Get("json"), ",")
	switch options {
	case "omitempty":
		if v.Kind() == reflect.Slice || v.Kind() == reflect.Map {
			return v.Len() == 0
		}
		return v.IsZero()
	case "omitzero":
		if z, ok := v.Interface().(interface{ IsZero() bool }); ok && v.Kind() != reflect.Pointer {
			return z.IsZero()
		}
		return v.IsZero()
	}
	return false
}

// begin writes what is before the element n of an object or a list.
func (j *jsonWriter) begin(bracket string, n int, newline string) {
	if n > 0 {
		bracket = ","
	}
	j.out.WriteString(bracket + newline)
}

// end ends an object or a list of n elements.
func (j *jsonWriter) end(brackets string, n int, err error, newline string) error {
	if err != nil {
		return err
	}
	if n > 0 {
		brackets = newline + brackets[1:]
	}
	_, err = j.out.WriteString(brackets)
	return err
}

// whole writes a value without functions.
func (j *jsonWriter) whole(v reflect.Value, newline string) error {
	var value any
	if v.IsValid() {
		value = v.Interface()
	}
	j.compact.Reset()
	e := json.NewEncoder(&j.compact)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return err
	}
	j.indented.Reset()
	if err := json.Indent(&j.indented, bytes.TrimSpace(j.compact.Bytes()), newline[1:], jsonIndent); err != nil {
		return err
	}
	_, err := j.out.Write(j.indented.Bytes())
	return err
}

// hasList reports whether values of a type contain a function.
func (j *jsonWriter) hasList(t reflect.Type) bool {
	has, ok := j.lists[t]
	if ok {
		return has
	}
	j.lists[t] = false // ends recursion
	switch t.Kind() {
	case reflect.Func:
		has = true
	case reflect.Pointer, reflect.Slice:
		has = j.hasList(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			has = has || (f.IsExported() || f.Anonymous) && f.Tag.Get("json") != "-" && j.hasList(f.Type)
		}
	}
	if t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		has = false
	}
	j.lists[t] = has
	return has
}
