package serve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/locate"
	"ohframe/internal/sql"
	"ohframe/internal/text"
	"ohframe/internal/ui"
)

// ViewOptions decide what a view shows.
type ViewOptions struct {
	// At is where to look, by default at the worst frame.
	At locate.Found
	// All shows all tracks, not only those of frames.
	All bool
}

const (
	// noted is the number of worst frames that get a note.
	noted = 3
	// around is the time that is visible before and after the time of a view.
	around = 100 * trace.Millisecond
)

// Look returns a view of a frame or a time in a timeline, by default of the late frame that missed its
// deadline by most, the first of equals. The worst frames have notes with their causes;
// c may be nil. A timeline without complete frames has the zero View.
func Look(t *analyzer.Timeline, c *why.Causes, o ViewOptions) (View, error) {
	var view View
	late, all := lateFrames(t)
	switch {
	case o.At.Frame != nil:
		view.Selected = o.At.Frame.Actual
	case o.At.Time.Known():
		view.Span = within(analyzer.Interval{Start: o.At.Time.Add(-around), End: o.At.Time.Add(around)}, all)
	case len(late) > 0:
		view.Selected = late[0].Actual
	}
	if !all.Known() {
		return view, nil
	}
	script, err := sql.Inline(sql.Modules()...)
	if err != nil {
		return View{}, err
	}
	if !o.All {
		view.Commands = ui.ShowWorkspace()
	}
	view.Commands = append(view.Commands, ui.Expand(processesOf(late)))
	for _, f := range late[:min(noted, len(late))] {
		view.Commands = append(view.Commands, note(f, c))
	}
	view.Commands = append(view.Commands, ui.RunQuery(script), ui.CountFPS(), ui.CompareProcesses("Jank by process"))
	return view, nil
}

// lateFrames returns the late frames, those with the largest overruns first, and the
// interval in which the frame tracks have slices. The UI does not show times outside of it.
func lateFrames(t *analyzer.Timeline) (late []*analyzer.Frame, all analyzer.Interval) {
	for f := range t.Complete() {
		all = union(union(all, f.Actual), f.Expected)
		if f.Late() {
			late = append(late, f)
		}
	}
	slices.SortStableFunc(late, func(a, b *analyzer.Frame) int { return cmp.Compare(b.Overrun(), a.Overrun()) })
	return late, all
}

// processesOf returns a pattern for the paths of the processes with late frames, and of the
// tracks Frames in them; of all tracks without late frames. The UI labels a process with
// its name and process id.
func processesOf(late []*analyzer.Frame) string {
	if len(late) == 0 {
		return "."
	}
	var ids []trace.PID
	for _, f := range late {
		ids = append(ids, f.Process.PID)
	}
	slices.Sort(ids)
	texts := make([]string, 0, len(ids))
	for _, id := range slices.Compact(ids) {
		texts = append(texts, fmt.Sprint(id))
	}
	return "(^|> )[^>]* (" + strings.Join(texts, "|") + ")( > Frames)?$"
}

// note marks a late frame with its overrun and cause.
func note(f *analyzer.Frame, c *why.Causes) ui.Command {
	name := fmt.Sprintf("%d late %s ms", f.VsyncID, text.Milliseconds(f.Overrun()))
	if e := c.Of(f); e != nil {
		if sentence := causetext.Sentence(c, e); sentence != "" {
			name += ": " + sentence
		}
	}
	if f.Process.Name != "" {
		name = f.Process.Name + " " + name
	}
	return ui.Command{ID: "dev.perfetto.AddNoteAtTimestamp", Args: []string{fmt.Sprint(int64(f.Actual.Start)), name}}
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
