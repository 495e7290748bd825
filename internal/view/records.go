package view

import (
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer/trace"
	"ohframe/internal/text"
)

// Records are rows of one struct type. The json tags of its fields are the names of columns.
// A field is a string, a bool, a number, a pointer to one of these, which is nil if the value
// is unknown, or a list of strings, numbers or fmt.Stringers. Other lists have no column. A field
// that is a struct has the columns NAME_FIELD, or those of its fields if the tag says inline.
type Records[T any] iter.Seq[T]

// RecordColumns returns the names of the columns of a type.
func RecordColumns[T any]() (names []string) {
	for _, f := range recordFields(reflect.TypeFor[T]()) {
		names = append(names, f.name)
	}
	return names
}

type recordField struct {
	name  string
	index []int // of fields, each in the one before
}

func recordFields(t reflect.Type) []recordField { return appendFields(nil, t, "", nil) }

func appendFields(list []recordField, t reflect.Type, prefix string, index []int) []recordField {
	for _, f := range reflect.VisibleFields(t) {
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		typ, at := f.Type, slices.Concat(index, f.Index)
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		isStruct := func(t reflect.Type) bool { return t.Kind() == reflect.Struct && !t.Implements(stringer) }
		switch {
		case !f.IsExported() || f.Anonymous || name == "-":
		case option == "inline":
			list = appendFields(list, typ, prefix, at)
		case name == "" || typ.Kind() == reflect.Slice && isStruct(typ.Elem()):
		case isStruct(typ):
			list = appendFields(list, typ, prefix+name+"_", at)
		default:
			list = append(list, recordField{prefix + name, at})
		}
	}
	return list
}

var stringer = reflect.TypeFor[fmt.Stringer]()

// of returns the field of a struct, which is not valid in an unknown one.
func (f *recordField) of(v reflect.Value) reflect.Value {
	for _, i := range f.index {
		if v = reflect.Indirect(v); !v.IsValid() {
			return v
		}
		v = v.Field(i)
	}
	return v
}

// WriteCSV writes the rows below a line of names. Unknown values are empty, lists are
// separated by spaces, or by "; " if they are text. Text that a spreadsheet would compute
// has an apostrophe in front.
func (rows Records[T]) WriteCSV(w io.Writer) error {
	fields := recordFields(reflect.TypeFor[T]())
	return writeCSV(w, RecordColumns[T](), func(yield func([]reflect.Value) bool) {
		cells := make([]reflect.Value, len(fields))
		for row := range rows {
			value := reflect.ValueOf(&row).Elem()
			for i, f := range fields {
				cells[i] = f.of(value)
			}
			if !yield(cells) {
				return
			}
		}
	})
}

// WriteCSV writes rows as Records.WriteCSV does, for columns that are not known before: a cell
// has one of the types of a field, or is nil.
func WriteCSV(w io.Writer, names []string, rows iter.Seq[[]any]) error {
	return writeCSV(w, names, func(yield func([]reflect.Value) bool) {
		for row := range rows {
			cells := make([]reflect.Value, len(row))
			for i, x := range row {
				cells[i] = reflect.ValueOf(x)
			}
			if !yield(cells) {
				return
			}
		}
	})
}

func writeCSV(w io.Writer, names []string, rows iter.Seq[[]reflect.Value]) error {
	out := csv.NewWriter(w)
	if err := out.Write(names); err != nil {
		return err
	}
	cells := make([]string, len(names))
	for row := range rows {
		for i, v := range row {
			cells[i] = csvCell(v)
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// RecordCell returns the cell of a column of a row, as in CSV; empty for an unknown column.
func RecordCell[T any](row T, column string) string {
	for _, f := range recordFields(reflect.TypeFor[T]()) {
		if f.name == column {
			return csvCell(f.of(reflect.ValueOf(row)))
		}
	}
	return ""
}

func csvCell(v reflect.Value) string {
	if v.IsValid() && v.Type() == reflect.TypeFor[trace.PID]() && v.Int() == int64(trace.UnknownPID) {
		return ""
	}
	switch v.Kind() {
	case reflect.Invalid: // nil
		return ""
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return csvCell(v.Elem())
	case reflect.Struct:
		return text.Cell(text.Printable(v.Interface().(fmt.Stringer).String()))
	case reflect.String:
		return text.Cell(v.String())
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	case reflect.Slice:
		separator := " "
		if k := v.Type().Elem().Kind(); k == reflect.String || k == reflect.Struct {
			separator = "; "
		}
		var list []string
		for i := range v.Len() {
			list = append(list, csvCell(v.Index(i)))
		}
		return strings.Join(list, separator)
	}
	panic(fmt.Sprintf("a column of type %s", v.Type())) // a mistake in a struct
}
