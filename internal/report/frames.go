package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/text"
)

// mark is a property of a frame. A frame may have several. The last one decides its
// colour in charts.
type mark int

const (
	onTime mark = iota
	noDeadline
	misaligned
	empty
	late
	lateGPU
	lateCPU
	markCount
)

// markInfo has the style class and the displayed name of each mark, and the term of the
// glossary that explains it.
var markInfo = [markCount]struct{ ID, Name, Term string }{
	onTime:     {"on-time", "on time", "deadline"},
	noDeadline: {"no-deadline", "not judged", "judged"},
	misaligned: {"misaligned", "misaligned", "misaligned"},
	empty:      {"empty", "empty", "empty"},
	late:       {"late-app", "late", "late"},
	lateGPU:    {"late-gpu", "late, GPU", "late"},
	lateCPU:    {"late-cpu", "late, CPU", "late"},
}

// marks is a set of marks, one bit for each.
type marks int

func (m marks) has(x mark) bool { return m>>x&1 != 0 }

// marksOf returns the marks of a frame. They agree with stats.Counts. Where a frame of an
// application was late is of no interest: it has no GPU work.
func marksOf(f *analyzer.Frame) (m marks) {
	j := f.Judgement()
	render := f.Kind == analyzer.RenderFrame
	for x, applies := range [markCount]bool{
		onTime:     j.Late == analyzer.No,
		noDeadline: !j.Judged(),
		misaligned: f.Facts.Has(analyzer.Misaligned),
		empty:      j.Empty == analyzer.Yes,
		late:       j.Late == analyzer.Yes,
		lateGPU:    render && f.Facts.Has(analyzer.GPULate),
		lateCPU:    render && f.Facts.Has(analyzer.MainLate),
	} {
		if applies {
			m |= 1 << x
		}
	}
	return m
}

// marksOfKind returns the marks that frames of a kind of process can have, in the order
// of the legend: first those of which each frame has one, then what some of these are, too.
func marksOfKind(kind stats.Kind) []mark {
	if kind == stats.RenderService {
		return []mark{onTime, late, noDeadline, lateCPU, lateGPU, misaligned, empty}
	}
	return []mark{onTime, late, noDeadline, misaligned, empty}
}

// frameColumns are the complete frames of a process as columns, in order of
// start, for the page's script. Durations are nanoseconds. A script's numbers are
// exact up to 2^53 ns, 104 days, so times are relative to Base.
type frameColumns struct {
	Base     string   `json:"base"`     // first start, nanoseconds of trace time
	Whole    [2]int64 `json:"whole"`    // ends of the axis of time
	Start    []int64  `json:"start"`    // since the previous frame's start
	Duration []int64  `json:"duration"` // of the actual interval
	Tail     []int64  `json:"tail"`     // GPU work after the actual interval
	Budget   []*int64 `json:"budget"`   // from start to deadline
	Shown    []*int64 `json:"shown"`    // from start to present
	Marks    []marks  `json:"marks"`
	Text     []int    `json:"text"`   // index into Texts, the other facts
	Cause    []int    `json:"cause"`  // index into Texts, why it was late; null if no cause is known
	Vsync    []int64  `json:"vsync"`  // vsync id, 0 if unknown
	Render   []int64  `json:"render"` // vsync id of the render frame that picked it up, or 0
	Thread   []int    `json:"thread"` // index into Threads
	Timed    []int    `json:"timed"`  // indices of the frames that locate.Timed reports
	Texts    []string `json:"texts"`
	Threads  []string `json:"threads"`

	// Stages, in microseconds after the start, which is enough for a drawing. A column is
	// null if no frame has the stage.
	Due    perFrame[int64]    `json:"due"`  // vsync time
	Sent   perFrame[int64]    `json:"sent"` // last transaction
	Draw   perFrame[[2]int64] `json:"draw"` // start and end of the render thread's work
	GPU    perFrame[[2]int64] `json:"gpu"`
	Commit perFrame[[2]int64] `json:"commit"`
}

// perFrame has a value or nil for each frame.
type perFrame[T any] []*T

// trimmed returns nil if all values are nil.
func (c perFrame[T]) trimmed() perFrame[T] {
	if slices.ContainsFunc(c, func(v *T) bool { return v != nil }) {
		return c
	}
	return nil
}

// newFrameColumns returns the columns of a process's frames, or nil if it has no
// frames. reasons has why frames were late. timed is that of locate.Timed.
func newFrameColumns(frames []*analyzer.Frame, reasons map[*analyzer.Frame]string, timed func(*analyzer.Frame) bool) *frameColumns {
	if len(frames) == 0 {
		return nil
	}
	c := &frameColumns{Timed: []int{}}
	names := threadNames(frames[0].Process)
	texts, threads := index{list: &c.Texts}, index{list: &c.Threads}
	var last, end trace.Time
	for i, f := range frames {
		end = max(end, f.End())
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
		c.Marks = append(c.Marks, marksOf(f))
		c.Text = append(c.Text, texts.of(describe(f)))
		if len(reasons) > 0 {
			c.Cause = append(c.Cause, texts.of(reasons[f]))
		}
		c.Vsync = append(c.Vsync, f.VsyncID)
		c.Render = append(c.Render, renderVsync(f))
		c.Thread = append(c.Thread, threads.of(names.of(f.TID)))
		if timed(f) {
			c.Timed = append(c.Timed, i)
		}
		c.addStages(f)
	}
	margin := max(2*trace.Millisecond, last.Sub(frames[0].Actual.Start)/200)
	c.Whole = [2]int64{-int64(margin), int64(min(end, math.MaxInt64-trace.Time(margin)).Add(margin).Sub(frames[0].Actual.Start))}
	c.Due, c.Sent, c.Draw, c.GPU, c.Commit = c.Due.trimmed(), c.Sent.trimmed(), c.Draw.trimmed(), c.GPU.trimmed(), c.Commit.trimmed()
	return c
}

func (c *frameColumns) addStages(f *analyzer.Frame) {
	micros := func(at trace.Time) int64 { return int64(at.Sub(f.Actual.Start) / trace.Microsecond) }
	point := func(list *perFrame[int64], at trace.Time) {
		var value *int64
		if at.Known() {
			d := micros(at)
			value = &d
		}
		*list = append(*list, value)
	}
	interval := func(list *perFrame[[2]int64], i analyzer.Interval) {
		var value *[2]int64
		if i.Known() && i.End >= i.Start {
			value = &[2]int64{micros(i.Start), micros(i.End)}
		}
		*list = append(*list, value)
	}
	var sent trace.Time
	if n := len(f.Transactions); n > 0 {
		sent = f.Transactions[n-1].At
	}
	point(&c.Due, f.Vsync)
	point(&c.Sent, sent)
	interval(&c.Draw, f.Draw)
	interval(&c.GPU, f.GPUSpan())
	interval(&c.Commit, f.Commit)
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
	add(facts.Has(analyzer.NoTransaction), "not empty, although it sent no transaction: it queued a buffer, or another frame of the vsync sent one")
	skipped := facts.Has(analyzer.CommitSkipped)
	add(facts.Has(analyzer.Empty) && !app && !skipped, "empty: it applied no commands")
	add(skipped, "empty: nothing had changed, so it committed nothing")
	add(facts.Has(analyzer.Misaligned) && app, "misaligned: picked up on another vsync")
	add(facts.Has(analyzer.Misaligned) && !app, "misaligned: picked up a frame of another vsync")
	add(f.Coalesced > 0, text.Count(f.Coalesced, "vsync")+" waited behind it")
	add(len(f.Transactions) > 0 && f.Render == nil, "not picked up by a render frame")
	add(len(f.Applications) > 0, "picked up "+text.Count(len(f.Applications), "application frame"))
	if w, ok := f.Whole(); ok {
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
