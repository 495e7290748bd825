package report

import (
	"fmt"
	"strconv"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/text"
)

// status is the main property of a frame, which decides its colour in charts.
type status int

// The statuses. Where frames overlap in a chart, later ones cover earlier ones.
const (
	onTime status = iota
	noDeadline
	empty
	misaligned
	lateApplication
	lateGPU
	lateCPU
	statusCount
)

// statusInfo has the style class and the displayed name of each status.
var statusInfo = [statusCount]struct{ ID, Name string }{
	onTime:          {"on-time", "on time"},
	noDeadline:      {"no-deadline", "no deadline"},
	empty:           {"empty", "empty"},
	misaligned:      {"misaligned", "misaligned"},
	lateApplication: {"late-app", "late"},
	lateGPU:         {"late-gpu", "late, GPU"},
	lateCPU:         {"late-cpu", "late, CPU"},
}

// statusOf returns a frame's status. Empty precedes late: nobody sees that an
// empty frame was late.
func statusOf(f *analyzer.Frame) status {
	switch {
	case f.Facts.Has(analyzer.Empty):
		return empty
	case f.Late() && f.Kind == analyzer.ApplicationFrame:
		return lateApplication
	case f.Facts.Has(analyzer.MainLate):
		return lateCPU
	case f.Facts.Has(analyzer.GPULate):
		return lateGPU
	case f.Facts.Has(analyzer.Misaligned):
		return misaligned
	case !f.Deadline.Known():
		return noDeadline
	}
	return onTime
}

// statusesOf returns the statuses that frames of a kind of process can have, in
// the order of the legend.
func statusesOf(kind stats.Kind) []status {
	if kind == stats.RenderService {
		return []status{onTime, lateCPU, lateGPU, misaligned, empty, noDeadline}
	}
	return []status{onTime, lateApplication, misaligned, empty, noDeadline}
}

// frameColumns are the complete frames of a process as columns, in order of
// start, for the page's script. Durations are nanoseconds. A script's numbers are
// exact up to 2^53 ns, 104 days, so times are relative to Base.
type frameColumns struct {
	Base     string   `json:"base"`     // first start, nanoseconds of trace time
	Start    []int64  `json:"start"`    // since the previous frame's start
	Duration []int64  `json:"duration"` // of the actual interval
	Tail     []int64  `json:"tail"`     // GPU work after the actual interval
	Budget   []*int64 `json:"budget"`   // from start to deadline
	Shown    []*int64 `json:"shown"`    // from start to present
	Status   []status `json:"status"`
	Text     []int    `json:"text"`   // index into Texts, the other facts
	Vsync    []int64  `json:"vsync"`  // vsync id, 0 if unknown
	Render   []int64  `json:"render"` // vsync id of the render frame that picked it up, or 0
	Thread   []int    `json:"thread"` // index into Threads
	Texts    []string `json:"texts"`
	Threads  []string `json:"threads"`
}

// newFrameColumns returns the columns of a process's frames, or nil if it has no
// frames.
func newFrameColumns(frames []*analyzer.Frame) *frameColumns {
	if len(frames) == 0 {
		return nil
	}
	c := &frameColumns{}
	names := threadNames(frames[0].Process)
	texts, threads := index{list: &c.Texts}, index{list: &c.Threads}
	var last trace.Time
	for _, f := range frames {
		start := f.Actual.Start
		if c.Base == "" {
			c.Base, last = strconv.FormatInt(int64(start), 10), start
		}
		c.Start = append(c.Start, int64(start.Sub(last)))
		last = start
		c.Duration = append(c.Duration, int64(f.Actual.Duration()))
		c.Tail = append(c.Tail, int64(f.End().Sub(f.Actual.End)))
		c.Budget = append(c.Budget, after(start, f.Deadline))
		c.Shown = append(c.Shown, after(start, presentOf(f)))
		c.Status = append(c.Status, statusOf(f))
		c.Text = append(c.Text, texts.of(describe(f)))
		c.Vsync = append(c.Vsync, f.VsyncID)
		c.Render = append(c.Render, renderVsync(f))
		c.Thread = append(c.Thread, threads.of(names.of(f.TID)))
	}
	return c
}

// after returns the time from start to at, or nil if at is unknown.
func after(start, at trace.Time) *int64 {
	if !at.Known() {
		return nil
	}
	d := int64(at.Sub(start))
	return &d
}

// presentOf returns the present time of the frame or of its render frame.
func presentOf(f *analyzer.Frame) trace.Time {
	if f.Render != nil {
		return f.Render.Present
	}
	return f.Present
}

// renderVsync returns the vsync id of the render frame that picked up f, or 0.
func renderVsync(f *analyzer.Frame) int64 {
	if f.Render == nil {
		return 0
	}
	return f.Render.VsyncID
}

// names has the names of a process's threads.
type names map[trace.TID]string

func threadNames(p *analyzer.Process) names {
	n := names{}
	for _, t := range p.Threads {
		n[t.TID] = t.Name
	}
	return n
}

// of returns the name and the id of a thread.
func (n names) of(tid trace.TID) string {
	if n[tid] == "" {
		return fmt.Sprint(tid)
	}
	return fmt.Sprintf("%s %d", text.Printable(n[tid]), tid)
}

// describe returns what a frame's status and times do not show, one fact on a
// line.
func describe(f *analyzer.Frame) string {
	var lines []string
	add := func(isSo bool, line string) {
		if isSo {
			lines = append(lines, line)
		}
	}
	app, facts := f.Kind == analyzer.ApplicationFrame, f.Facts
	add(facts.Has(analyzer.MainLate), "late on its thread")
	add(facts.Has(analyzer.GPULate), "late on the GPU")
	add(facts.Has(analyzer.Empty) && app, "empty: it sent no transaction")
	add(facts.Has(analyzer.Empty) && !app, "empty: it applied no commands")
	add(facts.Has(analyzer.Misaligned) && app, "misaligned: picked up on another vsync")
	add(facts.Has(analyzer.Misaligned) && !app, "misaligned: picked up a frame of another vsync")
	add(f.Coalesced > 0, text.Count(f.Coalesced, "vsync")+" waited behind it")
	add(len(f.Transactions) > 0 && f.Render == nil, "not picked up by a render frame")
	add(len(f.Applications) > 0, "picked up "+text.Count(len(f.Applications), "application frame"))
	if w, ok := analyzer.Whole(f); ok {
		add(w.Late(), "whole frame late: "+blameText(w.Blame))
	}
	if a := f.Android; a != nil && a.Timeline != nil {
		add(true, a.Timeline.Jank.String()+", "+a.Timeline.Present.String())
		for _, name := range f.LayerNames() {
			add(name != "", text.Printable(name))
		}
	}
	if a := f.Android; a != nil && a.Stats != nil {
		add(a.Stats.Jank != 0, a.Stats.Jank.String())
	}
	return strings.Join(lines, "\n")
}

// index gives each distinct string a number, its place in list.
type index struct {
	list    *[]string
	numbers map[string]int
}

func (x *index) of(s string) int {
	n, ok := x.numbers[s]
	if !ok {
		if x.numbers == nil {
			x.numbers = map[string]int{}
		}
		n = len(*x.list)
		x.numbers[s] = n
		*x.list = append(*x.list, s)
	}
	return n
}
