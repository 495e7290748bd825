package fleet

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"ohframe/internal/diag"
	"ohframe/internal/text"
)

// Where selects traces by the values of their dimensions, all that are named. Of several values of one
// dimension, any does. It is the value of a flag.
type Where []dimCondition

// dimCondition is a value that a trace has in a dimension, or a pattern as of path.Match.
type dimCondition struct{ Dim, Value string }

// traceDim is the dimension whose value is the name of a trace, or the end of its path.
const traceDim = "trace"

// parseWhere parses "DIMENSION=VALUE,DIMENSION=VALUE". A comma without a dimension after it is one of the value.
func parseWhere(s string) (w Where, err error) {
	for part := range strings.SplitSeq(s, ",") {
		dim, value, ok := strings.Cut(part, "=")
		dim, last := strings.TrimSpace(dim), len(w)-1
		switch {
		case last >= 0 && (!ok || !dimName().MatchString(dim)):
			w[last].Value += "," + part
		case !ok || dim == "" || strings.TrimSpace(value) == "":
			return nil, &diag.Error{What: fmt.Sprintf("%q is not DIMENSION=VALUE", part), Hint: "write the name of a dimension before the value, as in version=5.1.*; inputs have no flag"}
		default:
			w = append(w, dimCondition{dim, value})
		}
	}
	for i := range w {
		w[i].Value = strings.TrimSpace(w[i].Value)
		if _, err := path.Match(w[i].Value, ""); err != nil {
			return nil, fmt.Errorf("%q is no pattern such as 5.1.*", w[i].Value)
		}
	}
	return w, nil
}

// Set adds conditions.
func (w *Where) Set(s string) error {
	more, err := parseWhere(s)
	*w = append(*w, more...)
	return err
}

// Check returns the error of a value.
func (*Where) Check(s string) error {
	_, err := parseWhere(s)
	return err
}

// String returns "", so that the help prints no default.
func (*Where) String() string { return "" }

// Text returns the conditions as they are written.
func (w Where) Text() string {
	var all []string
	for _, c := range w {
		all = append(all, c.String())
	}
	return strings.Join(all, ", ")
}

func (c dimCondition) String() string { return c.Dim + "=" + c.Value }

// holds reports whether a trace has the value.
func (c dimCondition) holds(name string, v Values) bool {
	value, known := v[c.Dim]
	if c.Dim == traceDim {
		value, known = cleanName(name), true
		if pattern := cleanName(c.Value); strings.HasSuffix(value, "/"+pattern) {
			return true
		} else if c.Value = pattern; !strings.Contains(pattern, "/") && pattern != value {
			value = path.Base(value)
		}
	}
	if value == c.Value {
		return known
	}
	if c.Dim != traceDim { // in which * is no part of a folder's name
		value, c.Value = strings.ReplaceAll(value, "/", "\n"), strings.ReplaceAll(c.Value, "/", "\n")
	}
	matched, _ := path.Match(c.Value, value)
	return known && matched
}

// Select returns the elements of a list that have the values of a flag; of returns what they are called, and theirs.
// The error lists what there is if a dimension or a value does not exist.
func Select[T any](flag string, w Where, list []T, of func(T) (name string, v Values)) ([]T, error) {
	if len(w) == 0 {
		return list, nil
	}
	var selected []T
	found := make([]bool, len(w))
	known := map[string]map[string]bool{traceDim: {}}
	for _, element := range list {
		name, v := of(element)
		known[traceDim][name] = true
		for dim, value := range v {
			if known[dim] == nil {
				known[dim] = map[string]bool{}
			}
			known[dim][value] = true
		}
		has := map[string]bool{} // by dimension
		for i, c := range w {
			holds := c.holds(name, v)
			found[i] = found[i] || holds
			has[c.Dim] = has[c.Dim] || holds
		}
		if !slices.Contains(slices.Collect(maps.Values(has)), false) {
			selected = append(selected, element)
		}
	}
	for i, c := range w {
		switch values := known[c.Dim]; {
		case found[i]:
		case values == nil:
			return nil, unknown(fmt.Sprintf("--%s: no input has the dimension %q", flag, c.Dim), c.Dim, slices.Sorted(maps.Keys(known)), "the dimensions are ")
		default:
			return nil, unknown(fmt.Sprintf("--%s: no input has %s", flag, c), c.Value, slices.Sorted(maps.Keys(values)), "the values of "+c.Dim+" are ")
		}
	}
	if len(selected) == 0 {
		return nil, &diag.Error{What: fmt.Sprintf("--%s: no input has all of %s", flag, w.Text())}
	}
	return selected, nil
}

// maxKnown is the number of names in a hint.
const maxKnown = 10

// unknown returns the error of a name that does not exist, with those that do.
func unknown(what, name string, known []string, are string) error {
	listed := known
	if n := len(known) - maxKnown; n > 0 {
		listed = append(known[:maxKnown:maxKnown], fmt.Sprintf("%d more", n))
	}
	return &diag.Error{What: what, Hint: text.Suggest("", name, known, are+strings.Join(listed, ", "))}
}
