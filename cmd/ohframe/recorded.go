package main

import (
	"fmt"
	"strings"

	"ohframe"
	"ohframe/internal/record/meta"
	"ohframe/internal/source/inputs"
)

// recorded returns how the named trace was recorded: nil if no file says so. A file that
// cannot be used is a warning.
func recorded(name string) (m *meta.Meta, warning string) {
	m, err := inputs.Recorded(name)
	if err != nil {
		return nil, fmt.Sprintf("%s ignored: %v", inputs.DescriptionOf(name), err)
	}
	return m, ""
}

// attributesOf returns the facts of a recording as attributes of a trace.
func attributesOf(m *meta.Meta) (list []ohframe.Attribute) {
	if m == nil {
		return nil
	}
	for _, a := range m.Attributes() {
		list = append(list, ohframe.Attribute{Key: a.Key, Value: a.Value})
	}
	return list
}

// attributes are the values of --attribute. The library splits lists of strings at
// commas, which values may contain.
type attributes []ohframe.Attribute

func (a *attributes) Set(s string) error {
	key, value, _ := strings.Cut(s, "=")
	switch {
	case key == "" || value == "":
		return fmt.Errorf("%q is not KEY=VALUE", s)
	case strings.HasPrefix(key, "ohframe."):
		return fmt.Errorf("%q: keys that begin with ohframe. are the program's own", key)
	}
	for _, other := range *a {
		if other.Key == key {
			return fmt.Errorf("%q is given twice", key)
		}
	}
	*a = append(*a, ohframe.Attribute{Key: key, Value: value})
	return nil
}

func (a *attributes) String() string { return "" }
