package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/analyzer/trace"
	"ohframe/internal/inputs"
	"ohframe/internal/meta"
)

// metaName returns the name of the file that says how a trace was recorded.
func metaName(name string) string {
	return inputs.Stem(name) + meta.Extension
}

// recorded returns how the named trace was recorded: nil if there is no file that says
// so. A file that cannot be used is a warning, since the trace is readable without it.
func recorded(name string) (m *meta.Meta, warning string) {
	if name == standard {
		return nil, ""
	}
	path := metaName(name)
	m, err := meta.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ""
	case err != nil:
		return nil, fmt.Sprintf("%s ignored: %v", path, err)
	}
	return m, ""
}

// recordedOptions returns the options that follow from how a trace was recorded.
func recordedOptions(m *meta.Meta) (o ohframe.Options) {
	if m == nil {
		return o
	}
	if m.Clock == "mono" {
		o.ClockOffset = new(trace.Duration)
	}
	if m.App != nil {
		o.FullNames = []string{m.App.Bundle}
	}
	return o
}

// useRecorded sets the options that follow from how a trace was recorded, and that no
// flag sets.
func useRecorded(c *cli.Context, m *meta.Meta, o *ohframe.Options) {
	r := recordedOptions(m)
	o.FullNames = r.FullNames
	if !c.IsSet("clock-offset") {
		o.ClockOffset = r.ClockOffset
	}
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
