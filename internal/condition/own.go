package condition

import (
	"fmt"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
)

// own selects a measure of the user by its name, and what is measured of it: "page.p90".
type own struct{ name, measure string }

// newOwn parses the name of such a measure; nil if it is none.
func newOwn(text string) *own {
	name, measure, ok := strings.Cut(text, ".")
	if !ok || name == "wait" || stats.OwnMeasures.Named(measure) == nil {
		return nil
	}
	return &own{name, measure}
}

// OfOwn reports whether the condition is on a measure of the user.
func (c *Condition) OfOwn() bool { return c.own != nil }

// SelectsOwn reports whether a condition on a measure of the user is on this one. Its values are those of the
// processes that --process selects.
func (c *Condition) SelectsOwn(x *stats.Own) bool { return c.own.name == x.Name }

// ownParts returns the measures that the condition is on.
func (c *Condition) ownParts(list []*stats.Own) (parts []part) {
	for _, x := range list {
		if !c.SelectsOwn(x) {
			continue
		}
		for i := range stats.OwnMeasures {
			if m := &stats.OwnMeasures[i]; m.Name == c.own.measure && m.IsOf(x) {
				p := part{name: text.Printable(x.Name), value: m.Value(x), why: func() string { return ownUnknown(x, m.Name) }, unit: m.Unit}
				if x.Unread {
					p.value = nil // of the count, too
				}
				if x.Pool != nil {
					p.name = x.Pool.Name
				}
				parts = append(parts, p)
			}
		}
	}
	return parts
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

// NoOwn returns why a condition cannot be checked that is on none of the measures.
func (c *Condition) NoOwn(list []*stats.Own) string {
	var names []string
	for _, x := range list {
		names = append(names, x.Name)
	}
	return text.Suggest("", c.own.name, names, fmt.Sprintf("nothing is measured as %s: --measure '%[1]s=FROM..TO' does", c.own.name))
}

// UnreadOwn returns the measures of the user that conditions are on, as an input has them that cannot have any.
func (list Conditions) UnreadOwn(why string) (own []*stats.Own) {
	for _, c := range list {
		if c.OfOwn() && !slices.ContainsFunc(own, c.SelectsOwn) {
			own = append(own, &stats.Own{Name: c.own.name, Problems: []string{why}, Unread: true})
		}
	}
	return own
}
