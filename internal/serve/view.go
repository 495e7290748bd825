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
	"ohframe/internal/text"
	"ohframe/internal/ui"
)

// ViewOptions decide what a view shows.
type ViewOptions struct {
	// At is where to look, by default at the worst frame.
	At locate.Found
	// Interaction is the one to look at instead; nil for none.
	Interaction *analyzer.Interaction
	// All shows all tracks, not only those of frames.
	All bool
}

const (
	// noted is the number of worst frames that get a note.
	noted = 3
	// expandedLayers is the number of layers that leaves room for the process to look at: the UI
	// shows layers above it.
	expandedLayers = 4
	// around is the time that is visible before and after the time of a view.
	around = 100 * trace.Millisecond
)

// Look returns a view of a frame, an interaction or a time in a timeline, by default of the
// late frame that missed its deadline by most, the first of equals. The worst frames have notes
// with their causes; c may be nil. Of a timeline without complete frames, interactions and layers
// it only says so.
//
// The process to look at is the first of the workspace, and the only one that is expanded.
// Then the frame and its causes are on the screen wherever the UI scrolls to: it looks for
// the selected slice while it runs the commands, so it may scroll before or after the
// workspace changes.
func Look(t *analyzer.Timeline, c *why.Causes, o ViewOptions) (View, error) {
	frames := survey(t)
	if frames.process == nil {
		return View{Commands: []ui.Command{ui.NoFrames()}}, nil
	}
	var view View
	process := frames.process
	switch f := frames.selected(o.At); {
	case o.Interaction != nil:
		process = o.Interaction.Process
		view.Selected, view.Process, view.Interaction = o.Interaction.Span(), process.PID, o.Interaction.ID
		view.Span = within(widen(view.Selected, cmp.Or(view.Selected.Duration()/8, around)), frames.all)
	case f != nil:
		process = f.Process
		view.Selected, view.Process = f.Actual, process.PID
		whole := union(f.Actual, f.Expected)
		view.Span = within(widen(whole, whole.Duration()*3/4), frames.all)
	case o.At.Time.Known():
		process = o.At.Near.Process
	}
	if o.At.Time.Known() {
		view.Span = within(widen(analyzer.Interval{Start: o.At.Time, End: o.At.Time}, around), frames.all)
	}
	first := process.PID
	if first == trace.UnknownPID {
		first = 0 // the UI has no such process
	}
	if !o.All {
		view.Commands = ui.ShowWorkspace(first, frames.lateBuffer || frames.process == frames.producer)
	}
	if first != 0 {
		view.Commands = append(view.Commands, ui.ExpandProcess(first))
	}
	if frames.layers > 0 && frames.layers <= expandedLayers && (frames.lateBuffer || len(frames.late) == 0) && !o.All {
		view.Commands = append(view.Commands, ui.ExpandLayers())
	}
	for _, f := range frames.late[:min(noted, len(frames.late))] {
		view.Commands = append(view.Commands, note(f, c))
	}
	tabs, err := ui.Open(ui.Overview{
		Frames: frames.complete, Late: len(frames.late) > 0, Judged: frames.judged, Android: frames.android, Selected: view.Selected.Known(),
		Layers: frames.layers > 0, Interactions: len(t.Interactions) > 0, Interaction: o.Interaction != nil,
	})
	if err != nil {
		return View{}, err
	}
	view.Commands = append(view.Commands, tabs...)
	return view, nil
}

// frames is what a view shows of the complete frames, the interactions and the layers of a
// timeline.
type frames struct {
	complete bool              // there are some
	late     []*analyzer.Frame // those with the largest overruns first
	// all is the interval in which the tracks have slices. The UI does not show times outside
	// of it.
	all analyzer.Interval
	// process is the one with the most frames, an application if there is one, or that of the
	// first interaction, or that of a layer; nil if there is nothing.
	process  *analyzer.Process
	producer *analyzer.Process // of the first layer for which it is known
	judged   bool              // for some frame it is known whether it is late
	android  bool              // there are frames of Android
	layers   int               // with tracks
	// lateBuffer: a buffer of a layer was late.
	lateBuffer bool
}

func survey(t *analyzer.Timeline) (s frames) {
	counts := map[*analyzer.Process]int{}
	var most *analyzer.Frame
	for f := range t.Complete() {
		s.all = union(union(s.all, f.Actual), f.Expected)
		s.judged = s.judged || f.Late() || f.Deadline.Known()
		s.android = s.android || f.Android != nil
		if f.Late() {
			s.late = append(s.late, f)
		}
		counts[f.Process]++
		if most == nil || cmp.Or(cmp.Compare(most.Kind, f.Kind), cmp.Compare(counts[f.Process], counts[most.Process])) > 0 {
			most = f
		}
	}
	for _, i := range t.Interactions {
		s.all = union(s.all, i.Span())
	}
	if !s.android { // whose traces are opened unchanged, without tracks of layers
		s.addLayers(t.Layers)
	}
	switch {
	case most != nil:
		s.complete, s.process = true, most.Process
	case len(t.Interactions) > 0:
		s.process = t.Interactions[0].Process
	case s.layers > 0:
		s.process = cmp.Or(s.producer, &analyzer.Process{PID: trace.UnknownPID})
	}
	slices.SortStableFunc(s.late, func(a, b *analyzer.Frame) int { return cmp.Compare(b.Overrun(), a.Overrun()) })
	return s
}

// addLayers adds the times of buffers.
func (s *frames) addLayers(layers []*analyzer.Layer) {
	for _, l := range layers {
		known := false
		for _, b := range l.Buffers {
			if at := b.At(); at.Known() {
				known = true
				s.lateBuffer = s.lateBuffer || b.Pace == analyzer.Late
				s.all = union(s.all, analyzer.Interval{Start: at, End: max(at, b.Present)})
			}
		}
		if known {
			s.layers++
			s.producer = cmp.Or(s.producer, l.Process)
		}
	}
}

// selected returns the frame that the view selects: the one at the place, by default the worst
// late frame. It returns nil if the place is a time without a frame, or no frame was late.
func (s *frames) selected(at locate.Found) *analyzer.Frame {
	switch {
	case at.Frame != nil:
		return at.Frame
	case at.Time.Known() || len(s.late) == 0:
		return nil
	}
	return s.late[0]
}

// note marks a late frame with its overrun, cause and process. The UI shows the first 16
// characters, and all in the note's details.
func note(f *analyzer.Frame, c *why.Causes) ui.Command {
	name := fmt.Sprintf("%-16s", fmt.Sprintf("%d +%s ms", f.VsyncID, text.AtLeast(f.Overrun(), f.Facts.Has(analyzer.Unfinished))))
	if f.Process.Name != "" {
		name += f.Process.Name + ": "
	}
	if e := c.Of(f); e != nil {
		name += causetext.Sentence(c, e)
	}
	return ui.Command{ID: "dev.perfetto.AddNoteAtTimestamp", Args: []string{fmt.Sprint(int64(f.Actual.Start)), strings.TrimRight(name, ": ")}}
}

// widen returns an interval with some more time on both sides.
func widen(i analyzer.Interval, by trace.Duration) analyzer.Interval {
	return analyzer.Interval{Start: i.Start.Add(-by), End: i.End.Add(by)}
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
