package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ohframe/internal/diff"
	"ohframe/internal/record/meta"
	"ohframe/internal/source/inputs"
)

// recorded returns how the named trace was recorded: nil if no file says so. A file that
// cannot be used is a warning.
func recorded(name string) (m *meta.Meta, warning string) {
	m, err := inputs.Recorded(name)
	if err != nil {
		return nil, ignored(inputs.DescriptionOf(name), err)
	}
	return m, ""
}

// recordingOf returns how the named trace, which was read, was recorded.
func recordingOf(name string) diff.Recording {
	m, _ := recorded(name) // reading the trace has printed the warning
	return diff.Recording{Meta: m, Session: inputs.SessionOf(name, m)}
}

// completeSessions gives runs of unknown sessions the session of the others in their folder, if these
// are of one. names are those of the files.
func completeSessions(runs []diff.Side, names []string) {
	of := map[string][]string{} // the sessions of a folder
	for i, run := range runs {
		folder := filepath.Dir(names[i])
		if s := run.Recording.Session; s != "" && !slices.Contains(of[folder], s) {
			of[folder] = append(of[folder], s)
		}
	}
	for i := range runs {
		if r, known := &runs[i].Recording, of[filepath.Dir(names[i])]; r.Session == "" && len(known) == 1 {
			r.Session = known[0]
		}
	}
}

// attributesOf returns the facts of a recording as attributes of a trace.
func attributesOf(m *meta.Meta) map[string]string {
	list := map[string]string{}
	if m == nil {
		return list
	}
	for _, a := range m.Attributes() {
		list[a.Key] = a.Value
	}
	return list
}

// attributes are the values of --attribute. The library splits lists of strings at
// commas, which values may contain.
type attributes map[string]string

func (a *attributes) Set(s string) error {
	key, value, _ := strings.Cut(s, "=")
	switch {
	case key == "" || value == "":
		return fmt.Errorf("%q is not KEY=VALUE", s)
	case strings.HasPrefix(key, "ohframe."):
		return fmt.Errorf("%q: keys that begin with ohframe. are the program's own", key)
	}
	if _, twice := (*a)[key]; twice {
		return fmt.Errorf("%q is given twice", key)
	}
	(*a)[key] = value
	return nil
}

func (a *attributes) String() string { return "" }
