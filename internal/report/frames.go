package report

import (
	"fmt"
	"strconv"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/words"
)

// mark is how a frame is drawn: one look for each, though several facts may hold.
type mark int

// The marks, the later drawn over the earlier where there is no room for both.
const (
	onTime mark = iota
	noDeadline
	empty
	misaligned
	lateApplication
	lateGPU
	lateCPU
	marksCount
)

// markInfo has each mark's name in the page's style sheet and for people.
var markInfo = [marksCount]struct{ ID, Name string }{
	onTime:          {"on-time", "on time"},
	noDeadline:      {"no-deadline", "no deadline known"},
	empty:           {"empty", "empty"},
	misaligned:      {"misaligned", "misaligned"},
	lateApplication: {"late-app", "late"},
	lateGPU:         {"late-gpu", "late, GPU"},
	lateCPU:         {"late-cpu", "late, CPU"},
}

// markOf returns the mark of the first that holds: empty, since nobody could
// see that such a frame was late; late; misaligned.
func markOf(f *analyzer.Frame) mark {
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

// marksOf are the marks that a process's frames can have, the good one first.
func marksOf(kind stats.Kind) []mark {
	if kind == stats.RenderService {
		return []mark{onTime, lateCPU, lateGPU, misaligned, empty, noDeadline}
	}
	return []mark{onTime, lateApplication, misaligned, empty, noDeadline}
}

// frameColumns are a process's complete frames in columns, in order of start:
// the form in which the page's script has them. Lengths of time are
// nanoseconds; a script's numbers hold whole ones up to 104 days, so points in
// time are relative to Base.
type frameColumns struct {
	Base     string   `json:"base"`     // first start, nanoseconds of trace time
	Start    []int64  `json:"start"`    // after the start of the frame before
	Duration []int64  `json:"duration"` // of the actual interval
	Tail     []int64  `json:"tail"`     // GPU work after the actual interval
	Budget   []*int64 `json:"budget"`   // from start to deadline
	Shown    []*int64 `json:"shown"`    // from start to present
	Mark     []mark   `json:"mark"`
	Text     []int    `json:"text"` // index into Texts: what else there is to say
	Vsync    []int64  `json:"vsync"`
	Render   []int64  `json:"render"` // vsync of the render frame that took it
	Thread   []int    `json:"thread"` // index into Threads
	Texts    []string `json:"texts"`
	Threads  []string `json:"threads"`
}

// newFrameColumns returns the frames of a process, nil if there are none.
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
		c.Mark = append(c.Mark, markOf(f))
		c.Text = append(c.Text, texts.of(describe(f)))
		c.Vsync = append(c.Vsync, f.VsyncID)
		c.Render = append(c.Render, renderVsync(f))
		c.Thread = append(c.Thread, threads.of(names.of(f.TID)))
	}
	return c
}

// after returns how long after start a time is, nil if it is not known.
func after(start, at trace.Time) *int64 {
	if !at.Known() {
		return nil
	}
	d := int64(at.Sub(start))
	return &d
}

// presentOf returns when the display showed the frame's work.
func presentOf(f *analyzer.Frame) trace.Time {
	if f.Render != nil {
		return f.Render.Present
	}
	return f.Present
}

// renderVsync returns the vsync id of the render frame that took the frame, zero
// if none did.
func renderVsync(f *analyzer.Frame) int64 {
	if f.Render == nil {
		return 0
	}
	return f.Render.VsyncID
}

// names are those of a process's threads.
type names map[trace.TID]string

func threadNames(p *analyzer.Process) names {
	n := names{}
	for _, t := range p.Threads {
		n[t.TID] = t.Name
	}
	return n
}

// of says which thread has an id.
func (n names) of(tid trace.TID) string {
	if n[tid] == "" {
		return fmt.Sprint(tid)
	}
	return fmt.Sprintf("%s %d", words.Printable(n[tid]), tid)
}

// describe says what a mark and times do not: all facts that hold, and what
// became of the frame, in a line each.
func describe(f *analyzer.Frame) string {
	var lines []string
	add := func(holds bool, line string) {
		if holds {
			lines = append(lines, line)
		}
	}
	app, facts := f.Kind == analyzer.ApplicationFrame, f.Facts
	add(facts.Has(analyzer.MainLate), "late on its thread")
	add(facts.Has(analyzer.GPULate), "late on the GPU")
	add(facts.Has(analyzer.Empty) && app, "empty: it sent no transaction")
	add(facts.Has(analyzer.Empty) && !app, "empty: it applied no commands")
	add(facts.Has(analyzer.Misaligned) && app, "misaligned: picked up on another vsync")
	add(facts.Has(analyzer.Misaligned) && !app, "misaligned: took a frame of another vsync")
	add(f.Coalesced > 0, count(f.Coalesced, "vsync")+" queued up behind it")
	add(len(f.Transactions) > 0 && f.Render == nil, "no render frame took it")
	add(len(f.Applications) > 0, "took "+count(len(f.Applications), "application frame"))
	if w, ok := analyzer.Whole(f); ok {
		add(w.Late(), "whole frame late: "+blameText(w.Blame))
	}
	if a := f.Android; a != nil && a.Timeline != nil {
		add(true, a.Timeline.Jank.String()+", "+a.Timeline.Present.String())
		for _, name := range f.LayerNames() {
			add(name != "", words.Printable(name))
		}
	}
	if a := f.Android; a != nil && a.Stats != nil {
		add(a.Stats.Jank != 0, a.Stats.Jank.String())
	}
	return strings.Join(lines, "\n")
}

// index numbers strings, equal ones alike.
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
