package condition

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/text"
)

// group selects interactions, and a measure of them.
type group struct {
	name    string
	has     func(*stats.Interaction) bool
	measure *stats.Measure
}

// groups are the groups of interactions besides the names of scenes.
var groups = []struct {
	name string
	has  func(*stats.Interaction) bool
}{
	{"fling", (*stats.Interaction).IsFling},
	// A swipe home counts from when the finger leaves, as a tap does.
	{"tap", func(i *stats.Interaction) bool {
		return isScene(i) && hasInput(i, analyzer.LastUp) && !strings.Contains(i.Scene, "SWIPE")
	}},
	{"launch", func(i *stats.Interaction) bool { return !isScene(i) }},
	{analyzer.ColdLaunch, isLaunch(analyzer.ColdLaunch)},
	{analyzer.WarmLaunch, isLaunch(analyzer.WarmLaunch)},
	{analyzer.HotLaunch, isLaunch(analyzer.HotLaunch)},
}

func isScene(i *stats.Interaction) bool { return i.Kind == analyzer.SceneInteraction.String() }

func hasInput(i *stats.Interaction, input analyzer.Input) bool {
	return i.Input != nil && *i.Input == input.String()
}

func isLaunch(scene string) func(*stats.Interaction) bool {
	return func(i *stats.Interaction) bool { return !isScene(i) && i.Scene == scene }
}

// firstLaunch is the index in groups of the first group of launches.
const firstLaunch = 2

func groupNames() (names []string) {
	for _, g := range groups {
		names = append(names, g.name)
	}
	return names
}

// interactionHint lists the groups and their measures.
var interactionHint = fmt.Sprintf("groups of interactions are %s, or the name of a scene, as in APP_LIST_FLING.fps<55; scenes have %s; launches have %s; "+
	"layer is all layers with a cadence, as in layer.fps<29",
	strings.Join(groupNames(), ", "), strings.Join(measureNames(false), ", "), strings.Join(measureNames(true), ", "))

// measureNames returns the names of the measures of launches or of scenes.
func measureNames(launches bool) (names []string) {
	for _, m := range stats.InteractionMeasures {
		if m.Launch == launches {
			names = append(names, m.Name)
		}
	}
	return names
}

// newGroup returns the group of a name such as "fling.hitch"; nil if the name has no group.
func newGroup(name string) (*group, error) {
	subject, measure, ok := strings.Cut(name, ".")
	at := slices.Index(groupNames(), subject)
	switch {
	case !ok && at >= 0:
		return nil, fmt.Errorf("%s needs a measure: write %[1]s.%s", subject, measureNames(at >= firstLaunch)[0])
	case !ok || subject == "wait":
		return nil, nil
	}
	g := &group{name: subject}
	switch {
	case at >= 0:
		g.has = groups[at].has
	case analyzer.IsScene(subject):
		g.has = func(i *stats.Interaction) bool { return isScene(i) && i.Scene == subject }
	case stats.OwnMeasures.Named(measure) != nil:
		return nil, nil
	default:
		return nil, fmt.Errorf("unknown group of interactions %q%s", subject, didYouMean(text.Similar(subject, append(groupNames(), layerSubject))))
	}
	launches := at >= firstLaunch
	if g.measure = stats.InteractionMeasures.Named(measure); g.measure == nil {
		return nil, fmt.Errorf("unknown measure %q of interactions%s", measure, didYouMean(similarOf(subject, measure, launches)))
	}
	if g.measure.Launch != launches {
		return nil, fmt.Errorf("%s has no measure %s%s", subject, measure, didYouMean(similarOf(subject, measure, launches)))
	}
	return g, nil
}

// similarOf returns the measure of a group that is meant by a name that the group does not
// have: the one that processes, the other interactions or the JSON call so, or one with a
// similar name. It is empty if no name is similar.
func similarOf(group, name string, launches bool) string {
	field := name
	if m := stats.InteractionMeasures.Named(name); m != nil {
		field = m.Path
	} else if m := stats.Measures.Named(name); m != nil {
		field = m.Path[strings.LastIndexByte(m.Path, '.')+1:]
	}
	similar := text.Similar(name, measureNames(launches))
	for _, m := range stats.InteractionMeasures {
		if m.Launch == launches && m.Path == field {
			similar = m.Name
		}
	}
	if similar != "" {
		return group + "." + similar
	}
	return ""
}

func didYouMean(name string) string {
	if name == "" {
		return ""
	}
	return "; did you mean " + name + "?"
}

// interactionParts returns the interactions that the condition is on.
func (c *Condition) interactionParts(list []*stats.Interaction) (parts []part) {
	for _, i := range list {
		if c.SelectsInteraction(i) {
			parts = append(parts, part{processOf(i), nameOf(i), c.group.measure.Value(i), func() string { return c.whyUnknown(i) }, c.Unit})
		}
	}
	return parts
}

// OfInteractions reports whether the condition is on interactions.
func (c *Condition) OfInteractions() bool { return c.group != nil }

// SelectsInteraction reports whether a condition on interactions is on this one. Those that
// an edge of the trace cuts do not count, as truncated frames do not.
func (c *Condition) SelectsInteraction(i *stats.Interaction) bool {
	return !i.Truncated && c.group.has(i) && c.Selects(processOf(i))
}

// NoInteraction returns why a condition cannot be checked that selects none of the
// interactions of one trace or of several.
func (c *Condition) NoInteraction(list []*stats.Interaction, several bool) string {
	truncated, others, scenes, launches := 0, 0, map[string]bool{}, map[string]bool{}
	for _, i := range list {
		switch {
		case !c.Selects(processOf(i)):
			continue
		case c.group.has(i) && i.Truncated:
			truncated++
		case c.group.has(i):
			others++ // of a process that is left out, otherwise the condition would be on it
		}
		if isScene(i) {
			scenes[text.Printable(i.Scene)] = true
		} else {
			launches[i.Scene] = true
		}
	}
	where, has := "the trace", "it has"
	if several {
		where, has = "the traces", "they have"
	}
	switch {
	case others > 0:
		return fmt.Sprintf("no %s of the selected processes, but %d of others", c.group.noun(), others)
	case truncated > 0:
		return fmt.Sprintf("%s, cut by the edge of %s", text.Count(truncated, c.group.noun()), where)
	case len(scenes)+len(launches) == 0:
		return "no interactions"
	}
	names := slices.Sorted(maps.Keys(scenes))
	if more := len(names) - maxScenes; more > 0 {
		names = append(names[:maxScenes:maxScenes], fmt.Sprintf("%d more scenes", more))
	}
	names = append(names, slices.Sorted(maps.Keys(launches))...)
	if len(launches) > 0 {
		names[len(names)-1] += " launches"
	}
	if last := len(names) - 1; last > 0 {
		names = append(names[:last-1], names[last-1]+" and "+names[last])
	}
	of := ""
	if c.Process != "" {
		of = " of " + text.Printable(c.Process)
	}
	return fmt.Sprintf("no %s%s in %s; %s %s", c.group.noun(), of, where, has, strings.Join(names, ", "))
}

// maxScenes is the number of scenes that a reason lists.
const maxScenes = 8

// noun names an interaction of the group.
func (g *group) noun() string {
	if slices.Contains([]string{analyzer.ColdLaunch, analyzer.WarmLaunch, analyzer.HotLaunch}, g.name) {
		return g.name + " launch"
	}
	return g.name
}

func processOf(i *stats.Interaction) *stats.Process {
	return &stats.Process{PID: i.PID, Name: i.Process}
}

// nameOf names an interaction.
func nameOf(i *stats.Interaction) string {
	if i.Pool != nil {
		return i.Pool.Name
	}
	about := i.Scene
	if !isScene(i) {
		about += " launch"
	}
	if i.Page != nil {
		about += ", " + *i.Page
	}
	return fmt.Sprintf("interaction %d (%s)", i.ID, text.Printable(about))
}

// whyUnknown returns the reasons why the measure of an interaction is unknown.
func (c *Condition) whyUnknown(i *stats.Interaction) string {
	if c.group.measure.Name == "p95_ms" && i.P50 != nil {
		return fmt.Sprintf("fewer than %d frames", stats.MinFrames("p95_ms"))
	}
	return strings.Join(text.ReasonsOf(i), "; ")
}
