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
}

// Side is a trace: that of a file, or one of those in a merged trace.
type Side struct {
	Timeline *analyzer.Timeline
	Causes   *why.Causes // may be nil
	// Name is that of its machine in a merged trace, Moved by how much later its times are there than its own.
	Name  string
	Moved trace.Duration
	// Offset and Size are where its packets are in the file, in bytes. If Size is zero, it is the whole file.
	Offset, Size int64
}

const (
	// noted is the number of worst frames of a trace that get a note.
	noted = 3
	// expandedLayers is the number of layers that leaves room for the process to look at: the UI
	// shows layers above it.
	expandedLayers = 4
	// around is the time that is visible before and after the time of a view.
	around = 100 * trace.Millisecond
)

// Look returns a view of a frame, an interaction or a time in a trace, by default of the
// late frame that missed its deadline by most, the first of equals. The worst frames have notes
// with their causes. Without complete frames, interactions and layers it only says so.
//
// The process to look at is the first of the workspace, and the only one that is expanded.
// Then the frame and its causes are on the screen wherever the UI scrolls to: it looks for
// the selected slice while it runs the commands, so it may scroll before or after the
// workspace changes. Of a merged trace, the processes of that name, or those of the worst
// frames, are one below the other. The selected frame is one of the base, unless only the other side has late frames.
func Look(sides []Side, o ViewOptions) (View, error) {
	var list []frames
	var tabs ui.Overview
	for _, side := range sides {
		f := survey(side)
		if f.process == nil {
			continue
		}
		list = append(list, f)
		tabs.Frames, tabs.Late, tabs.Judged = tabs.Frames || f.complete, tabs.Late || len(f.late) > 0, tabs.Judged || f.judged
		tabs.Layers, tabs.Interactions = tabs.Layers || f.layers > 0, tabs.Interactions || len(side.Timeline.Interactions) > 0
		if !f.android && side.Name != "" {
			tabs.Sides = append(tabs.Sides, side.Name)
		}
	}
	if len(list) == 0 {
		return View{Commands: []ui.Command{ui.NoFrames()}}, nil
	}
	slices.SortStableFunc(list, func(a, b frames) int {
		return cmp.Or(min(1, len(b.late))-min(1, len(a.late)), strings.Compare(a.side.Name, b.side.Name))
	})
	main := &list[0]
	view := View{side: main.side}
	process := main.process
	switch f := main.selected(o.At); {
	case o.Interaction != nil:
		process = o.Interaction.Process
		view.Selected, view.Process, view.Interaction = o.Interaction.Span(), process.PID, o.Interaction.ID
		view.Span = within(widen(view.Selected, cmp.Or(view.Selected.Duration()/8, around)), main.all)
	case f != nil:
		process = f.Process
		view.Selected, view.Process = f.Actual, process.PID
		whole := union(f.Actual, f.Expected)
		view.Span = within(widen(whole, whole.Duration()*3/4), main.all)
	case o.At.Time.Known():
		process = o.At.Near.Process
	}
	if o.At.Time.Known() {
		view.Span = within(widen(analyzer.Interval{Start: o.At.Time, End: o.At.Time}, around), main.all)
	}
	view.Selected, view.Span = moved(view.Selected, main.side.Moved), moved(view.Span, main.side.Moved)
	pids, layers, lateBuffer := []trace.PID{process.PID}, 0, false
	for i := range list {
		s := &list[i]
		layers, lateBuffer = layers+s.layers, lateBuffer || s.lateBuffer
		if i > 0 {
			pids = append(pids, s.counterpart(process).PID)
		}
	}
	pids = slices.Compact(slices.DeleteFunc(pids, func(pid trace.PID) bool { return pid == trace.UnknownPID })) // the UI has no such process
	view.Commands = ui.ShowWorkspace(pids, lateBuffer || main.process == main.producer)
	if len(pids) > 0 {
		// Of a merged trace, both processes are on the screen.
		view.Commands = append(view.Commands, ui.ExpandProcesses(pids, len(list) == 1))
	}
	if layers > 0 && layers <= expandedLayers && (lateBuffer || !tabs.Late) {
		view.Commands = append(view.Commands, ui.ExpandLayers())
	}
	for i := range list {
		for _, f := range list[i].late[:min(noted, len(list[i].late))] {
			view.Commands = append(view.Commands, list[i].note(f))
		}
	}
	tabs.Android, tabs.Selected, tabs.Interaction = main.android, view.Selected.Known(), o.Interaction != nil
	commands, err := ui.Open(tabs)
	if err != nil {
		return View{}, err
	}
	view.Commands = append(view.Commands, commands...)
	return view, nil
}

// frames is what a view shows of the complete frames, the interactions and the layers of a
// timeline.
type frames struct {
	side     Side
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

func survey(side Side) (s frames) {
	s.side = side
	t := side.Timeline
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

// Shown says which frame or interaction of a trace is shown, and why a frame was late.
func (o *ViewOptions) Shown(side Side) string {
	t := side.Timeline
	if i := o.Interaction; i != nil {
		return fmt.Sprintf("shows interaction %d, %s of %s", i.ID, text.Interaction(i), text.ProcessName(i.Process.Name))
	}
	s := survey(side)
	f := s.selected(o.At)
	if f == nil {
		return "no late frame, shows all of the trace"
	}
	words := fmt.Sprintf("shows frame %s of %s at %s", text.Vsync(f.VsyncID), text.ProcessName(f.Process.Name), text.Since(t.Origin(), f.Actual.Start))
	if !f.Late() {
		return words + ", which is not late"
	}
	words += ", " + text.AtLeast(f.Overrun(), f.Facts.Has(analyzer.Unfinished)) + " ms late"
	if e := side.Causes.Of(f); e != nil {
		words += ": " + text.Line(causetext.Sentence(side.Causes, e))
	}
	return words
}

// counterpart returns the process to look at beside that of another trace: the one with its name, or that of
// the worst frame.
func (s *frames) counterpart(p *analyzer.Process) *analyzer.Process {
	for f := range s.side.Timeline.Complete() {
		if f.Process.Name == p.Name {
			return f.Process
		}
	}
	if len(s.late) > 0 {
		return s.late[0].Process
	}
	return s.process
}

// note marks a late frame with its overrun, cause and process. The UI shows the first 16
// characters, and all in the note's details.
func (s *frames) note(f *analyzer.Frame) ui.Command {
	name := fmt.Sprintf("%-16s", fmt.Sprintf("%d +%s ms", f.VsyncID, text.AtLeast(f.Overrun(), f.Facts.Has(analyzer.Unfinished))))
	for _, of := range []string{s.side.Name, f.Process.Name} {
		if of != "" {
			name += of + ": "
		}
	}
	if e := s.side.Causes.Of(f); e != nil {
		name += causetext.Sentence(s.side.Causes, e)
	}
	return ui.Command{ID: "dev.perfetto.AddNoteAtTimestamp", Args: []string{fmt.Sprint(int64(f.Actual.Start.Add(s.side.Moved))), strings.TrimRight(name, ": ")}}
}

// widen returns an interval with some more time on both sides.
func widen(i analyzer.Interval, by trace.Duration) analyzer.Interval {
	return analyzer.Interval{Start: i.Start.Add(-by), End: i.End.Add(by)}
}

// moved returns an interval at a later time.
func moved(i analyzer.Interval, by trace.Duration) analyzer.Interval {
	if i.Known() {
		i.Start, i.End = i.Start.Add(by), i.End.Add(by)
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
