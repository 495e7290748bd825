package condition

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/text"
)

// onInteractions selects interactions, and a measure of them.
type onInteractions struct {
	name    string
	of      func(*stats.Interaction) bool
	measure *stats.Measure
}

// groups are the groups of interactions besides the names of scenes.
var groups = []struct {
	name string
	of   func(*stats.Interaction) bool
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

// groupHint lists the groups.
var groupHint = "groups of interactions are " + strings.Join(groupNames(), ", ") + ", or the name of a scene, as in APP_LIST_FLING.fps<55; " +
	"layer is all layers with a cadence, as in layer.fps<29"

// measureHint lists the measures of launches or of scenes.
func measureHint(launches bool) string {
	return map[bool]string{false: "scenes", true: "launches"}[launches] + " have " + strings.Join(measureNames(launches), ", ")
}

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
func newGroup(name string) (*onInteractions, error) {
	subject, measure, ok := strings.Cut(name, ".")
	at := slices.Index(groupNames(), subject)
	switch {
	case !ok && at >= 0:
		return nil, hinted{fmt.Errorf("%s needs a measure: write %[1]s.%s", subject, measureNames(at >= firstLaunch)[0]), measureHint(at >= firstLaunch)}
	case !ok || subject == "wait":
		return nil, nil
	}
	g := &onInteractions{name: subject}
	switch {
	case at >= 0:
		g.of = groups[at].of
	case analyzer.IsScene(subject):
		g.of = func(i *stats.Interaction) bool { return isScene(i) && i.Scene == subject }
	case stats.OwnMeasures.Named(measure) != nil:
		return nil, nil
	default:
		similar := text.Similar(subject, append(groupNames(), layerSubject))
		if m := cmp.Or(stats.Measures.At(name), stats.Measures.Named(name[strings.LastIndexByte(name, '.')+1:])); similar == "" && m != nil {
			similar = m.Name // name is its path
		}
		return nil, fmt.Errorf("unknown group of interactions %q%s", subject, didYouMean(similar))
	}
	launches := at >= firstLaunch
	what := ""
	switch g.measure = stats.InteractionMeasures.Named(measure); {
	case g.measure == nil:
		what = fmt.Sprintf("unknown measure %q of interactions", measure)
	case g.measure.Launch != launches:
		what = subject + " has no measure " + measure
	default:
		return g, nil
	}
	return nil, hinted{errors.New(what + didYouMean(cmp.Or(similarOf(subject, measure, launches), elsewhere(measure)))), measureHint(launches)}
}

// elsewhere returns a measure with a name as others have it: "fps, fling.fps or layer.fps"; empty if none has it.
func elsewhere(name string) string {
	var found []string
	if stats.Measures.Named(name) != nil {
		found = append(found, name)
	}
	if m := stats.InteractionMeasures.Named(name); m != nil {
		found = append(found, map[bool]string{false: "fling.", true: "launch."}[m.Launch]+name)
	}
	if stats.LayerMeasures.Named(name) != nil {
		found = append(found, layerSubject+"."+name)
	}
	if last := len(found) - 1; last > 0 {
		found = append(found[:last-1], found[last-1]+" or "+found[last])
	}
	return strings.Join(found, ", ")
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

func (g *onInteractions) items() Items { return Interactions }

func (g *onInteractions) measured() *stats.Measure { return g.measure }

// has does not count interactions that an edge of the trace cuts, as truncated frames do not.
func (g *onInteractions) has(c *Condition, item any) bool {
	i, ok := item.(*stats.Interaction)
	return ok && !i.Truncated && g.of(i) && c.Selects(processOf(i))
}

func (g *onInteractions) part(item any) part {
	i := item.(*stats.Interaction)
	return part{processOf(i), nameOf(i), g.measure.Value(i), func() string { return g.whyUnknown(i) }, g.measure.Unit}
}

func (g *onInteractions) none(c *Condition, r *stats.Report, several bool) string {
	truncated, others, scenes, launches := 0, 0, map[string]bool{}, map[string]bool{}
	for _, i := range r.Interactions {
		switch {
		case !c.Selects(processOf(i)):
			continue
		case g.of(i) && i.Truncated:
			truncated++
		case g.of(i):
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
		return fmt.Sprintf("no %s of the selected processes, but %d of others", g.called(), others)
	case truncated > 0:
		return fmt.Sprintf("%s, cut by the edge of %s", text.Count(truncated, g.called()), where)
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
	return fmt.Sprintf("no %s%s in %s; %s %s", g.called(), of, where, has, strings.Join(names, ", "))
}

// maxScenes is the number of scenes that a reason lists.
const maxScenes = 8

// called names an interaction of the group.
func (g *onInteractions) called() string {
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
func (g *onInteractions) whyUnknown(i *stats.Interaction) string {
	if g.measure.Name == "p95_ms" && i.P50 != nil {
		return fmt.Sprintf("fewer than %d frames", stats.MinFrames("p95_ms"))
	}
	return strings.Join(text.ReasonsOf(i), "; ")
}
