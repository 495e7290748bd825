// Package causes shows why frames were late.
//
//	analyzer.Timeline ┐
//	why.Causes        ┴─▶ ExplainedProcess: ranking and late frames ─▶ view.Document, JSON
//
// docs/why.md describes both.
package causes

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/brief"
	"ohframe/internal/causetext"
	"ohframe/internal/locate"
	"ohframe/internal/quality"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// ExplainedProcess is the causes of the late frames of a process, of one kind.
type ExplainedProcess struct {
	PID  trace.PID
	Name string
	Kind stats.Kind
	// Source is the process.
	Source *analyzer.Process
	// Frames counts the complete frames.
	Frames  stats.Counts
	Ranking *why.Ranking
	// Shown is the ranking of the frames that were shown late.
	Shown *why.Ranking
	// Pictures is set for render_service if the frames are only those that show frames of the wanted
	// applications.
	Pictures bool
	// Late are the explanations of the late frames, in order of time.
	Late []*why.Explanation
	// ShownLate are those of render frames that were shown late, and PickedUpLate those of
	// application frames that were on time and picked up late.
	ShownLate, PickedUpLate []*why.Explanation
	// NotBegun are those of frames before which others never began.
	NotBegun []*why.Explanation
	// Functions are those in which the late frames were longer than frames on time.
	Functions []why.FunctionCost
	all       *why.Causes
	frames    []*analyzer.Frame // all complete ones
	chosen    bool              // Late are the frames with Options.Vsync
}

// Options select frames.
type Options struct {
	// Process, if not nil, reports whether a process is wanted.
	Process func(*analyzer.Process) bool
	// Pattern is that of Process, for errors.
	Pattern string
	// Vsync, if not zero, is the vsync id of the only frames wanted.
	Vsync int64
	// Interaction, if not nil, is the interaction whose frames are wanted.
	Interaction *analyzer.Interaction
	// Layer, if not nil, reports whether a layer is wanted: only layers are. LayerPattern is
	// its pattern, for errors.
	Layer        func(*analyzer.Layer) bool
	LayerPattern string
	// All lists all late frames instead of the worst ones.
	All bool
	// Page adds what only a page shows.
	Page bool
	// Chart is the time from which the times of late frames count, which lead to the chart of frames that the page
	// has; nil without one.
	Chart *trace.Time
	// Window is set if only a part of the traces is read.
	Window bool

	start trace.Time      // of the input that is written
	lead  *ExplainedLayer // the page shows it first; nil for the first process
}

// Input is a trace whose causes are written.
type Input struct {
	Name   string
	Causes *why.Causes
	// Start is the start of the trace.
	Start trace.Time
	// Processes are those that the function Processes returned.
	Processes []*ExplainedProcess
	// Interactions are those that the function Interactions returned, and Layers those that the
	// function Layers did.
	Interactions []*ExplainedInteraction
	// Hangs are those that the function Hangs returned.
	Hangs  []Hang
	Layers []*ExplainedLayer
	// Stacks are those of the main thread without times; nil without any.
	Stacks *why.Stacks
	// Commands make the commands about the input; nil if the input is no file.
	Commands *locate.Commands
	// Quality is that of the trace; nil if unknown.
	Quality *quality.Quality
	// Stats are the measures of the trace, which only the format evidence has; nil if unknown.
	Stats *stats.Report
}

// Formats are the formats of Write.
var Formats = []string{"text", "html", "json", brief.Format}

// Processes returns the causes by process: those that lost the most time first.
func Processes(t *analyzer.Timeline, c *why.Causes, o Options) []*ExplainedProcess {
	type id struct {
		process *analyzer.Process
		kind    analyzer.Kind
	}
	frames := map[id][]*analyzer.Frame{}
	var ids []id
	all := t.Complete()
	if o.Interaction != nil {
		all = slices.Values(o.Interaction.Frames)
	}
	for f := range all {
		if o.Process != nil && !o.Process(f.Process) || o.Vsync != 0 && f.VsyncID != o.Vsync {
			continue
		}
		k := id{f.Process, f.Kind}
		if frames[k] == nil {
			ids = append(ids, k)
		}
		frames[k] = append(frames[k], f)
	}
	var list []*ExplainedProcess
	for _, k := range ids {
		kind := stats.Application
		if k.kind == analyzer.RenderFrame {
			kind = stats.RenderService
		}
		p := NewProcess(k.process, kind, frames[k], c)
		if o.Vsync != 0 {
			p.Late, p.chosen = nil, true
			for _, f := range frames[k] {
				if e := c.Of(f); e != nil {
					p.Late = append(p.Late, e)
				}
			}
		}
		list = append(list, p)
	}
	if o.Process != nil && o.Vsync == 0 && o.Interaction == nil {
		list = append(list, Pictures(t, c, o.Process)...)
	}
	slices.SortStableFunc(list, func(a, b *ExplainedProcess) int { return a.subject().Compare(b.subject()) })
	return list
}

func (p *ExplainedProcess) subject() *Subject {
	return &Subject{Kind: p.Kind, Name: p.Name, PID: p.PID, Frames: p.Frames, Lost: p.Ranking.Lost, pictures: p.Pictures}
}

// NewProcess returns the causes of complete frames of a process.
func NewProcess(source *analyzer.Process, kind stats.Kind, frames []*analyzer.Frame, c *why.Causes) *ExplainedProcess {
	p := &ExplainedProcess{
		Source: source, PID: source.PID, Name: source.Name, Kind: kind,
		Frames: stats.CountFrames(frames), Ranking: c.Rank(frames), Shown: c.RankShown(frames), Functions: c.FunctionCosts(frames), all: c, frames: frames,
	}
	for _, f := range frames {
		e := c.Of(f)
		if e == nil {
			continue
		}
		if e.Late() {
			p.Late = append(p.Late, e)
		}
		if e.ShownLate() {
			p.ShownLate = append(p.ShownLate, e)
		}
		if e.PickUp != nil {
			p.PickedUpLate = append(p.PickedUpLate, e)
		}
		if e.NotBegun != nil {
			p.NotBegun = append(p.NotBegun, e)
		}
	}
	return p
}

// onTime reports whether no frame of the process was late in any way.
func (p *ExplainedProcess) onTime() bool {
	return len(p.Late)+len(p.NotBegun)+len(p.ShownLate)+len(p.PickedUpLate) == 0
}

// Unexplained returns a process of a report whose causes are unknown.
func Unexplained(m *stats.Process) *ExplainedProcess {
	p := &ExplainedProcess{Source: m.Source, PID: m.PID, Name: m.Name, Kind: m.Kind, Frames: m.Frames, Ranking: &why.Ranking{}, Shown: &why.Ranking{}}
	if m.Lost != nil {
		p.Ranking.Lost = *m.Lost
	}
	return p
}

// CheckChosen returns an error if the options choose nothing of an input, and its timeline has
// complete frames.
func CheckChosen(in *Input, o Options, t *analyzer.Timeline) error {
	switch {
	case o.Interaction != nil, len(in.Processes)+len(in.Layers)+len(in.Hangs) > 0:
		return nil
	case o.Layer != nil:
		layers := t.Layers
		if len(layers) == 0 {
			return errors.New("--layer: no layers")
		}
		if named := slices.DeleteFunc(slices.Clone(layers), func(l *analyzer.Layer) bool { return !o.Layer(l) }); len(named) > 0 {
			return fmt.Errorf("--process: %w", text.NoProducerSelected(o.Pattern, named))
		}
		return fmt.Errorf("--layer: %w", text.NoLayerSelected(o.LayerPattern, layers))
	case o.Vsync != 0:
		return fmt.Errorf("--frame: %w", locate.NoFrame(o.Vsync, t))
	case o.Process == nil:
		return nil
	}
	if err := text.NoneSelected(o.Pattern, t); err != nil {
		return fmt.Errorf("--process: %w", err)
	}
	return nil
}

// Write writes the causes of an input, in one of the Formats.
func Write(w io.Writer, in *Input, format string, o Options, style text.Style) error {
	switch format {
	case "json", brief.Format:
		x := builder{Options: o, in: in, brief: format == brief.Format}
		return x.write(w, x.document())
	case "html":
		o.Page = true
		return view.WriteHTML(w, newDocument(in, o))
	}
	return view.WriteTerminal(w, newDocument(in, o), style)
}

// placesOnly reports whether the list has late frames and, for all of them, only slices are
// known: no scheduling events.
func placesOnly(list []*ExplainedProcess) bool {
	late := 0
	for _, p := range list {
		for _, e := range p.Late {
			if !e.PlacesOnly() || e.Missing() != why.NothingMissing {
				return false
			}
			late++
		}
	}
	return late > 0
}

// unexplained says how many late frames have no cause because the trace lacks what would show it, and
// what to record; empty if all have one.
func unexplained(list []*ExplainedProcess) string {
	var late []*why.Explanation
	for _, p := range list {
		late = append(late, p.Late...)
	}
	s, missing := causetext.WithoutCause(slices.Values(late))
	if record := causetext.MissingRecord(missing); record != "" {
		s += "; " + record
	}
	return s
}

// Missing returns what to record in order to know more causes; empty if nothing is
// missing. q is the quality of the trace; nil if it is unknown.
func Missing(c *why.Causes, list []*ExplainedProcess, q *quality.Quality) string {
	unexplained := unexplained(list)
	switch {
	case c.Limited:
		return "the limit states was reached: from then on, whether threads ran or waited is unknown; --limit states=NUMBER raises it"
	case unexplained != "":
		return unexplained
	case q != nil && q.Cut && (!c.Scheduled || placesOnly(list) || !c.Woken):
		return "lines were cut: whether threads ran or waited is unknown"
	case c.Own:
		return "an application's own trace has no scheduling events: whether threads ran or waited is unknown"
	case !c.Scheduled:
		return "the trace has no scheduling events: record the tags sched and freq to see whether threads ran or waited"
	case placesOnly(list):
		return "the trace has scheduling events, but none of the late threads: whether they ran or waited is unknown"
	case !c.Woken:
		return "the trace has no wakeups: it is unknown whom threads waited for"
	}
	return ""
}
