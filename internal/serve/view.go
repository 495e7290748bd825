package serve

import (
	"fmt"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// LookAtWorst returns a view of the frame that missed its deadline by most, the
// first of equals. It pins the timelines of all processes that have late frames, and
// expands these processes and their pipelines. Without a late frame it is the zero
// View.
func LookAtWorst(t *analyzer.Timeline) View {
	var worst *analyzer.Frame
	var late []trace.PID
	for f := range t.Complete() {
		if !f.Late() {
			continue
		}
		late = append(late, f.Process.PID)
		if worst == nil || f.Overrun() > worst.Overrun() {
			worst = f
		}
	}
	if worst == nil {
		return View{}
	}
	slices.Sort(late)
	late = slices.Compact(late)
	// The UI labels a process with its name and process id.
	process := "^[^>]* (" + join(late, "|") + ")"
	return View{
		Span: within(around(worst), extent(t)),
		Commands: []Command{
			{"dev.perfetto.PinTracksByRegex", []string{process + " > (Expected|Actual) Timeline$", "path"}},
			{"dev.perfetto.ExpandTracksByRegex", []string{process + "( > Frames)?$", "path"}},
		},
	}
}

func join(list []trace.PID, separator string) string {
	texts := make([]string, len(list))
	for i, pid := range list {
		texts[i] = fmt.Sprint(pid)
	}
	return strings.Join(texts, separator)
}

// around returns an interval with the frame, from its expected start until it was
// displayed, in the middle third.
func around(f *analyzer.Frame) analyzer.Interval {
	i := union(f.Expected, analyzer.Interval{Start: f.Actual.Start, End: f.End()})
	render := f
	if f.Render != nil {
		render = f.Render
		i = union(union(i, render.Expected), analyzer.Interval{Start: render.Actual.Start, End: render.End()})
	}
	if render.Present > i.End {
		i.End = render.Present
	}
	length := i.Duration()
	return analyzer.Interval{Start: i.Start.Add(-length), End: i.End.Add(length)}
}

// extent returns the interval in which the frame tracks have slices. The UI does not
// show times outside of it.
func extent(t *analyzer.Timeline) (i analyzer.Interval) {
	for f := range t.Complete() {
		i = union(union(i, f.Actual), f.Expected)
	}
	return i
}

// union returns the smallest interval with both, or the one that is known.
func union(a, b analyzer.Interval) analyzer.Interval {
	switch {
	case !a.Known():
		return b
	case !b.Known():
		return a
	}
	return analyzer.Interval{Start: min(a.Start, b.Start), End: max(a.End, b.End)}
}

// within returns the part of an interval that is within the bounds.
func within(i, bounds analyzer.Interval) analyzer.Interval {
	return analyzer.Interval{Start: max(i.Start, bounds.Start), End: min(i.End, bounds.End)}
}
