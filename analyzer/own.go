package analyzer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
)

// OwnMeasure is a measure that the user defines by the names of markers (docs/frames.md 20).
type OwnMeasure struct {
	Name string // by which conditions know it
	Of   string // what is measured, as the flag was written: "H:LoadBegin..H:LoadEnd"
	// Numbers: the values are numbers, not times. It is not set without values.
	Numbers bool
	// Values are in the order of their ends.
	Values []OwnValue
	// Begins have no end, and Ends no begin. Each of Overlaps ends several begins at once, so that they have no
	// value. Bare are markers that have no length and no number.
	Begins, Ends, Overlaps, Bare []trace.Time
	// Across: no process has both markers, so that one process begins what another one ends.
	Across bool
	// LongerFrom and LongerTo are names of markers that begin with one that is not the name of any; empty without one.
	LongerFrom, LongerTo string
	// Cut: only what is within a window is known.
	Cut bool
	// Unread: the input has no markers, or not those of this measure.
	Unread bool
}

// OwnValue is a value of an OwnMeasure.
type OwnValue struct {
	// Interval is the time, that of a number is empty.
	Interval Interval
	Number   float64
	Unit     string   // what follows the number, such as "us"; empty if nothing does
	Process  *Process // that of the begin; nil if unknown
}

// OwnMarkers are the markers that an OwnMeasure is of.
type OwnMarkers struct {
	// From begins a time that To ends; To is empty for what one marker has: its length, or its number.
	From, To string
	// AtEnd: the time ends with the end of To, not with its begin.
	AtEnd bool
	// Key is what the number follows in the text of From, such as "paint_time="; empty for others.
	Key string
}

var (
	ownName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
	ownKey  = regexp.MustCompile(`^(.*\S)\s+(\S+[=:])$`)
)

// OwnReserved are names that conditions have for other things.
var OwnReserved = []string{"fling", "tap", "launch", ColdLaunch, WarmLaunch, HotLaunch, "layer", "wait"}

// ParseOwnMeasure parses a measure:
//
//	measure = name "=" marker ".." [ "=" ] marker | name "=" marker [ key ]
//
// A marker is the whole name of markers, in which * stands for any text. "H:" may be left out. With "..=" the
// time goes on to the end of the second marker. A key ends in "=" or ":". The error is a *diag.Error.
func ParseOwnMeasure(s string) (m OwnMeasure, of OwnMarkers, err error) {
	const hint = "write page=H:LoadBegin..H:LoadEnd, or work=H:Layout, or paint=H:PaintDone paint_time="
	var ok bool
	m.Name, m.Of, ok = strings.Cut(s, "=")
	m.Name, m.Of = strings.TrimSpace(m.Name), strings.TrimSpace(m.Of)
	switch {
	case !ok || m.Of == "":
		return m, of, diag.New(nil, hint, "%q is not a name, = and markers", s)
	case !ownName.MatchString(m.Name):
		return m, of, diag.New(nil, hint, "%q is no name of letters, digits and _", m.Name)
	case slices.Contains(OwnReserved, m.Name) || IsScene(m.Name):
		return m, of, diag.New(nil, "use another name", "%s is a name of interactions or layers", m.Name)
	}
	if of.From, of.To, ok = strings.Cut(m.Of, ".."); ok {
		of.To, of.AtEnd = strings.CutPrefix(of.To, "=")
		of.From, of.To = strings.TrimSpace(of.From), strings.TrimSpace(of.To)
		if of.From == "" || of.To == "" {
			return m, of, diag.New(nil, hint, "%q has no marker on a side of ..", m.Of)
		}
	} else if key := ownKey.FindStringSubmatch(m.Of); key != nil {
		of.From, of.Key = key[1], key[2]
	}
	for _, name := range []string{of.From, of.To} {
		if name != "" && strings.Trim(name, "H:* ") == "" {
			return m, of, diag.New(nil, hint, "%q means every marker", name)
		}
	}
	return m, of, nil
}

// ParseOwnMeasures parses measures, which must have different names.
func ParseOwnMeasures(list []string) (measures []OwnMeasure, of []OwnMarkers, err error) {
	for _, s := range list {
		m, markers, err := ParseOwnMeasure(s)
		if err != nil {
			return nil, nil, err
		}
		if slices.ContainsFunc(measures, func(o OwnMeasure) bool { return o.Name == m.Name }) {
			return nil, nil, diag.New(nil, "use another name", "two measures have the name %s", m.Name)
		}
		measures, of = append(measures, m), append(of, markers)
	}
	return measures, of, nil
}

// Units returns the units that numbers are given in, in order of the alphabet. Several are not values of one measure.
func (m *OwnMeasure) Units() (list []string) {
	for _, v := range m.Values {
		if v.Unit != "" && !slices.Contains(list, v.Unit) {
			list = append(list, v.Unit)
		}
	}
	slices.Sort(list)
	return list
}

// UnitsDiffer says that values have several units; the text is empty if they do not.
func UnitsDiffer(units []string) string {
	if len(units) < 2 {
		return ""
	}
	return "units differ, so there are no values: " + strings.Join(units, ", ")
}

// Problems says what the measure lacks, in a few words each.
func (m *OwnMeasure) Problems() (list []string) {
	if m.Unread {
		return []string{"not measured: the input has no text of markers, or was stored without " + m.Name + "=" + m.Of}
	}
	_, of, _ := ParseOwnMeasure(m.Name + "=" + m.Of)
	from := len(m.Values)+len(m.Begins)+len(m.Overlaps)+len(m.Bare) > 0
	to := of.To == "" || len(m.Values)+len(m.Ends)+len(m.Overlaps) > 0
	for _, x := range []struct {
		occurs       bool
		name, longer string
	}{{from || of.To == "" && len(m.Ends) > 0, of.From, m.LongerFrom}, {to, of.To, m.LongerTo}} {
		switch {
		case x.occurs:
		case of.To != "" && strings.HasPrefix(strings.TrimPrefix(x.longer, "H:"), strings.TrimPrefix(m.Of, "H:")):
			list = append(list, fmt.Sprintf("no marker is %s, but one is %s: write * for the .. in it", x.name, x.longer))
		case x.longer != "":
			list = append(list, fmt.Sprintf("no marker is %s, but one is %s: write %[1]s*", x.name, x.longer))
		case m.Cut:
			list = append(list, "no marker within the window is "+x.name)
		default:
			list = append(list, "no marker is "+x.name)
		}
	}
	add := func(n int, one, many string) {
		if n > 0 {
			list = append(list, diag.Choose(n, one, many))
		}
	}
	if of.From != of.To || of.AtEnd || len(m.Values) == 0 { // the first and the last marker of intervals lack one
		add(len(m.Begins), "begin without an end", "begins without an end")
		add(len(m.Ends), "end without a begin", "ends without a begin")
	}
	add(len(m.Overlaps), "end of several begins at once, which have no value", "ends of several begins at once, which have no value")
	bare, differ := len(m.Bare), UnitsDiffer(m.Units())
	if differ != "" {
		bare += len(m.Values)
	}
	add(bare, "marker without a value", "markers without a value")
	if differ != "" {
		list = append(list, differ)
	}
	if m.Across {
		list = append(list, "no process has both markers: one begins what another one ends")
	}
	return list
}

// Warning says what the measure lacks. The text is empty if that is nothing.
func (m *OwnMeasure) Warning() trace.Warning {
	problems := strings.Join(m.Problems(), "; ")
	if problems != "" {
		problems = "measure " + m.Name + ": " + problems
	}
	return trace.Warning{Code: trace.WarnMissing, Text: problems}
}

// OwnWarnings says what own measures lack.
func (t *Timeline) OwnWarnings() (list []trace.Warning) {
	for i := range t.OwnMeasures {
		if w := t.OwnMeasures[i].Warning(); w.Text != "" {
			list = append(list, w)
		}
	}
	return list
}

// KeepOwnMeasures leaves the measures that are asked for, if any are, and adds as unread those that are not there.
func (t *Timeline) KeepOwnMeasures(asked []string) error {
	list, _, err := ParseOwnMeasures(asked)
	if len(list) == 0 || err != nil {
		return err
	}
	for i := range list {
		m := &list[i]
		m.Unread = true
		for _, x := range t.OwnMeasures {
			if x.Name == m.Name && x.Of == m.Of {
				*m = x
			}
		}
	}
	t.OwnMeasures = list
	return nil
}

// cutOwn removes what lies outside the window. If an edge of the window cuts a measured time, the begin or the end inside remains.
func (t *Timeline) cutOwn(from, to trace.Time) {
	within := func(at trace.Time) bool { return from <= at && at < to }
	for i := range t.OwnMeasures {
		m := &t.OwnMeasures[i]
		m.Values = slices.DeleteFunc(m.Values, func(v OwnValue) bool {
			begun, ended := within(v.Interval.Start), within(v.Interval.End)
			switch {
			case begun && !ended:
				m.Begins = append(m.Begins, v.Interval.Start)
			case ended && !begun:
				m.Ends = append(m.Ends, v.Interval.End)
			}
			return !begun || !ended
		})
		for _, list := range []*[]trace.Time{&m.Begins, &m.Ends, &m.Overlaps, &m.Bare} {
			*list = slices.DeleteFunc(*list, func(at trace.Time) bool { return !within(at) })
		}
		m.Numbers = m.Numbers && len(m.Values) > 0
		m.Cut, m.LongerFrom, m.LongerTo = true, "", "" // which may be outside
	}
}

// Measured reports whether the timeline has values of own measures.
func (t *Timeline) Measured() bool {
	return slices.ContainsFunc(t.OwnMeasures, func(m OwnMeasure) bool { return len(m.Values) > 0 })
}
