package view

import (
	"cmp"
	"strings"

	"ohframe/internal/text"
)

// KeyColumns returns the columns of the values of dimensions.
func KeyColumns(by []string) (list []Column) {
	for _, name := range by {
		list = append(list, Column{Title: KeyTitle(name)})
	}
	return list
}

// KeyCells returns the values of dimensions; nil is unknown.
func KeyCells(key []*string) (list []Cell) {
	for _, value := range key {
		list = append(list, Cell{Text: KeyText(value)})
	}
	return list
}

// KeyTitle returns the name of a dimension as a title: "App version".
func KeyTitle(dim string) string {
	words := strings.ReplaceAll(dim, "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}

// KeyText returns a value of a dimension; nil is unknown.
func KeyText(value *string) string {
	switch {
	case value == nil:
		return text.Unknown
	case *value == "":
		return "(unnamed)"
	}
	return text.Printable(*value)
}

// GroupText names a group by its values.
func GroupText(key []*string) string {
	var list []string
	for _, value := range key {
		list = append(list, KeyText(value))
	}
	return cmp.Or(strings.Join(list, " · "), "all")
}
