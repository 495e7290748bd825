package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ohframe/internal/diff"
	"ohframe/internal/inputs"
	"ohframe/internal/record/meta"
)

// recordingOf returns how an input was recorded.
func recordingOf(in input) diff.Recording {
	return diff.Recording{Meta: in.meta, Session: inputs.SessionOf(in.name, in.meta), Dims: in.values}
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

// attributesOf returns the facts of a recording, and those that are given, as attributes of a trace.
func attributesOf(m *meta.Meta, given []attribute) (map[string]string, error) {
	list := map[string]string{}
	for _, a := range given {
		if _, twice := list[a.key]; twice {
			return nil, &failure{what: fmt.Sprintf("--attribute: %q is given twice", a.key), hint: "ohframe convert --help lists the flags"}
		}
		list[a.key] = a.value
	}
	if m != nil {
		for _, a := range m.Attributes() {
			if _, ok := list[a.Key]; !ok {
				list[a.Key] = a.Value
			}
		}
	}
	return list, nil
}

// attribute is a value of --attribute.
type attribute struct{ key, value string }

func parseAttribute(s string) (a attribute, err error) {
	a.key, a.value, _ = strings.Cut(s, "=")
	switch {
	case a.key == "" || a.value == "":
		err = fmt.Errorf("%q is not KEY=VALUE", s)
	case strings.HasPrefix(a.key, "ohframe."):
		err = fmt.Errorf("%q: keys that begin with ohframe. are the program's own", a.key)
	}
	return a, err
}
