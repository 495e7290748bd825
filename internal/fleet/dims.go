package fleet

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"ohframe/internal/diag"
	"ohframe/internal/pattern"
	"ohframe/internal/record/meta"
)

// Rule gives traces a value of a dimension by their names.
type Rule struct {
	Dim     string
	Pattern *regexp.Regexp
}

var dimName = pattern.New(`^[a-z_][a-z0-9_]*$`)

// ParseRule parses "name=pattern". The value is what the pattern's first group matches, or
// all that it matches if it has no group.
func ParseRule(s string) (Rule, error) {
	name, pattern, ok := strings.Cut(s, "=")
	if !ok || pattern == "" {
		return Rule{}, fmt.Errorf("%q is not NAME=REGEXP", s)
	}
	if err := checkDim(name); err != nil {
		return Rule{}, err
	}
	compiled, err := regexp.Compile(pattern)
	return Rule{name, compiled}, err
}

// checkDim returns an error if a dimension cannot have the name.
func checkDim(name string) error {
	switch {
	case !dimName().MatchString(name):
		return fmt.Errorf("dimension %q: a name has lower-case letters, digits and _", name)
	case slices.Contains(builtIn, name) || name == recordedDay:
		return fmt.Errorf("dimension %q: is a column of every dataset", name)
	}
	return nil
}

// Metadata gives traces values of dimensions by a table.
type Metadata struct {
	Dims []string            // the columns but the first
	rows map[string][]string `fingerprint:"-"` // hash is that of the table
	hash uint64
}

// ReadMetadata reads a CSV table. The first line has the names of the columns, one of
// which is trace: the name of a trace, as it is given. The others are dimensions. Their
// names are changed to lower case, with _ for other characters. Empty cells are unknown
// values.
func ReadMetadata(r io.Reader) (*Metadata, error) {
	hash := xxh3.New()
	cr := csv.NewReader(io.TeeReader(r, hash))
	head, err := cr.Read()
	if err == io.EOF {
		return nil, &diag.Error{What: "empty: a first line with the names of the columns is needed"}
	} else if err != nil {
		return nil, err
	}
	head[0] = strings.TrimPrefix(head[0], "\uFEFF") // as spreadsheets write it
	m := &Metadata{rows: map[string][]string{}}
	at := -1
	for i, title := range head {
		name := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}
			return '_'
		}, strings.ToLower(strings.TrimSpace(title)))
		if name == "trace" && at < 0 {
			at = i
			continue
		}
		if err := checkDim(name); err != nil {
			return nil, err
		}
		if slices.Contains(m.Dims, name) {
			return nil, &diag.Error{What: fmt.Sprintf("two columns are named %s", name)}
		}
		m.Dims = append(m.Dims, name)
	}
	if at < 0 {
		return nil, &diag.Error{What: "no column is named trace", Hint: "it has the names of the traces, as they are given"}
	}
	for {
		row, err := cr.Read()
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		name := cleanName(row[at])
		values := slices.Delete(row, at, at+1)
		if known, ok := m.rows[name]; ok && !slices.Equal(known, values) {
			line, _ := cr.FieldPos(0)
			return nil, &diag.Error{What: fmt.Sprintf("line %d: other values for %s than in an earlier line", line, name)}
		}
		m.rows[name] = values
	}
	m.hash = hash.Sum64()
	return m, nil
}

// Unused returns the number of rows whose trace is not among the inputs.
func (m *Metadata) Unused(inputs []Input) int {
	unused := len(m.rows)
	for _, in := range inputs {
		if m.rows[in.Name] != nil {
			unused--
		}
	}
	return unused
}

// folderKeys calls yield for each folder of a name that is a key and a value, as in
// product=x/date=2026-11-01/a.ftrace. Those that cannot be dimensions are left out.
func folderKeys(name string, yield func(key, value string)) {
	for i := strings.IndexByte(name, '/'); i >= 0; i = strings.IndexByte(name, '/') {
		key, value, ok := strings.Cut(name[:i], "=")
		name = name[i+1:]
		if !ok || checkDim(key) != nil {
			continue
		}
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		yield(key, value)
	}
}

// dimensions are the dimensions of a run.
type dimensions struct {
	names    []string
	rules    []Rule
	metadata *Metadata // may be nil
}

// recordingDims are the dimensions that the description of a recording gives: the version of the
// application, and the model of the device.
var recordingDims = []string{"version", "device"}

func recordingValues(m *meta.Meta) []string {
	values := []string{"", m.Device.Model}
	if m.App != nil {
		values[0] = m.App.Version
	}
	return values
}

// newDimensions returns the dimensions of rules, of metadata, of folders, of events and of recordings, in this
// order. If several give a trace a value, the first does.
func newDimensions(rules []Rule, metadata *Metadata, inputs []Input) (*dimensions, error) {
	d := &dimensions{rules: rules, metadata: metadata}
	add := func(name string) {
		if !slices.Contains(d.names, name) {
			d.names = append(d.names, name)
		}
	}
	for _, r := range rules {
		if slices.Contains(d.names, r.Dim) {
			return nil, errors.New("two rules for the dimension " + r.Dim)
		}
		add(r.Dim)
	}
	if metadata != nil {
		for _, name := range metadata.Dims {
			add(name)
		}
	}
	keys := map[string]bool{}
	for _, in := range inputs {
		folderKeys(in.Name, func(key, _ string) { keys[key] = true })
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		add(key)
	}
	if slices.ContainsFunc(inputs, func(in Input) bool { return in.Event != nil }) {
		for _, name := range eventDims {
			add(name)
		}
	}
	if slices.ContainsFunc(inputs, func(in Input) bool { return in.Recording != nil }) {
		for _, name := range recordingDims {
			add(name)
		}
	}
	return d, nil
}

// of returns the values of an input in the order of the names; nil if unknown.
func (d *dimensions) of(in Input) []*string {
	values := make([]*string, len(d.names))
	d.each(in, func(dim, value string) {
		// Descriptions in an object store are not read when the dimensions are decided.
		if i := slices.Index(d.names, dim); i >= 0 && values[i] == nil && value != "" {
			values[i] = &value
		}
	})
	return values
}

// Values are values of dimensions by name, those that are known.
type Values map[string]string

// ValuesOf returns the values of an input that is not one of a run, which may have rules and metadata.
func ValuesOf(in Input) Values {
	values := Values{}
	new(dimensions).each(in, func(dim, value string) {
		if values[dim] == "" && value != "" {
			values[dim] = value
		}
	})
	return values
}

// each calls set with the values of an input. Of several of one dimension the first counts that is not empty.
func (d *dimensions) each(in Input, set func(dim, value string)) {
	name := cleanName(in.Name)
	for _, r := range d.rules {
		if groups := r.Pattern.FindStringSubmatch(name); len(groups) > 1 {
			set(r.Dim, groups[1])
		} else if groups != nil {
			set(r.Dim, groups[0])
		}
	}
	if d.metadata != nil {
		for i, value := range d.metadata.rows[name] {
			set(d.metadata.Dims[i], value)
		}
	}
	folderKeys(name, set)
	if in.Event != nil {
		for i, value := range in.Event.dims() {
			set(eventDims[i], value)
		}
	}
	if in.Recording != nil {
		for i, value := range recordingValues(in.Recording) {
			set(recordingDims[i], value)
		}
	}
}

// recordedDay is the dimension that the column recorded gives: the day in UTC.
const recordedDay = "recorded_day"
