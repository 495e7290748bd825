package condition

import (
	"fmt"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
)

// onOwnMeasure selects a measure of the user by its name, and what is measured of it: "page.p90".
type onOwnMeasure struct{ name, measure string }

// parseOwn parses the name of such a measure. It returns nil for another name.
func parseOwn(text string) *onOwnMeasure {
	name, measure, ok := strings.Cut(text, ".")
	if !ok || name == "wait" || stats.OwnMeasures.Named(measure) == nil {
		return nil
	}
	return &onOwnMeasure{name, measure}
}

func (o *onOwnMeasure) items() Items { return OwnMeasures }

// measured returns the measure of times: that of a value may be one of numbers.
func (o *onOwnMeasure) measured() *stats.Measure { return stats.OwnMeasures.Named(o.measure) }

// has does not ask for a process: the values are those of the processes that --process selects.
func (o *onOwnMeasure) has(_ *Condition, item any) bool {
	x, ok := item.(*stats.Own)
	return ok && o.name == x.Name
}

func (o *onOwnMeasure) part(item any) part {
	x := item.(*stats.Own)
	i := slices.IndexFunc(stats.OwnMeasures, func(m stats.Measure) bool { return m.Name == o.measure && m.IsOf(x) })
	m := &stats.OwnMeasures[i]
	p := part{name: text.Printable(x.Name), value: m.Value(x), why: func() string { return ownUnknown(x, m.Name) }, unit: m.Unit}
	if x.Unread {
		p.value = nil // of the count, too
	}
	if x.Pool != nil {
		p.name = x.Pool.Name
	}
	return p
}

// ownUnknown returns why a value of a measure is unknown.
func ownUnknown(x *stats.Own, measure string) string {
	if x.Count > 0 {
		return fmt.Sprintf("fewer than %d values", stats.MinFrames(measure+"_ms"))
	}
	why := strings.Join(x.Problems, "; ")
	if why == "" {
		why = "no value of the selected processes"
	}
	return text.Printable(why)
}

func (o *onOwnMeasure) none(_ *Condition, r *stats.Report, _ bool) string {
	var names []string
	for _, x := range r.Own {
		names = append(names, x.Name)
	}
	return text.Suggest("", o.name, names, fmt.Sprintf("nothing is measured as %s: --measure '%[1]s=FROM..TO' does", o.name))
}

// UnreadOwn returns the measures of the user that conditions are on, as an input has them that cannot have any.
func (list Conditions) UnreadOwn(why string) (unread []*stats.Own) {
	for _, c := range list {
		if o, ok := c.subject.(*onOwnMeasure); ok && !slices.ContainsFunc(unread, func(x *stats.Own) bool { return x.Name == o.name }) {
			unread = append(unread, &stats.Own{Name: o.name, Problems: []string{why}, Unread: true})
		}
	}
	return unread
}
