package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/causes"
	"ohframe/internal/causetext"
	"ohframe/internal/ci"
	"ohframe/internal/quality"
	"ohframe/internal/rating"
	"ohframe/internal/text"
)

const (
	factIndent = 14 // of the text beside a label
	stageWidth = 23 // of the longest name of a stage
	nameWidth  = 19 // of a process in the overview
)

// What the table shows without Options.Verbose.
const (
	defaultRows   = 20 // processes in the overview
	defaultBlocks = 3  // processes with a block
	briefWorst    = 3  // worst frames in a block
)

// tableWriter writes the report for a terminal: an overview of all processes, those with
// the most jank first, then a block for each of the first.
type tableWriter struct {
	text.Writer
	Options
	origin trace.Time // of the input whose processes are written
}

func writeTable(w io.Writer, inputs []Input, o Options) error {
	if o.Thresholds == nil {
		o.Thresholds = &rating.Default
	}
	t := &tableWriter{Writer: text.NewWriter(w, o.Style), Options: o}
	t.Warn(ci.Lines(o.Skipped))
	known := make([]func(*stats.Process) *causes.Process, len(inputs))
	sorted := make([][]*stats.Process, len(inputs))
	for i, in := range inputs {
		known[i], sorted[i] = in.causes(), byJank(in.Stats.Processes)
		t.overview(in, sorted[i], known[i])
	}
	more, hint := 0, false
	for i, in := range inputs {
		full := o.Verbose || len(sorted[i]) == 1
		shown := t.blocks(sorted[i], full)
		t.origin = in.origin()
		for _, p := range shown {
			t.process(in, p, known[i](p), len(inputs) > 1, full)
		}
		if !full && len(sorted[i]) > 0 {
			more, hint = more+len(sorted[i])-len(shown), true
		}
	}
	if hint {
		t.hidden(more)
	}
	return t.Flush()
}

// byJank returns the processes by jank rate, the highest first, and of equal ones the one
// with more late frames. Those with an unknown rate are last.
func byJank(list []*stats.Process) []*stats.Process {
	rate := func(p *stats.Process) float64 {
		if p.JankRate == nil {
			return -1
		}
		return *p.JankRate
	}
	return slices.SortedStableFunc(slices.Values(list), func(a, b *stats.Process) int {
		return cmp.Or(cmp.Compare(rate(b), rate(a)), cmp.Compare(b.Frames.Late, a.Frames.Late))
	})
}

// blocks returns the processes that have a block.
func (t *tableWriter) blocks(list []*stats.Process, full bool) (shown []*stats.Process) {
	if full {
		return text.Largest(list, complete)
	}
	for _, p := range list {
		if p.Frames.Late > 0 || p.Hitches != nil && p.Hitches.Hitches > 0 {
			shown = append(shown, p)
		}
	}
	return shown[:min(len(shown), cmp.Or(t.Top, defaultBlocks))]
}

// hidden says how to see all of n processes without a block.
func (t *tableWriter) hidden(n int) {
	line := "--verbose shows everything about each process"
	if n > 0 {
		line = fmt.Sprintf("--verbose shows %d more, and everything about each process", n)
	}
	fmt.Fprintln(t, t.Dim(line))
}

// columns of the overview. Narrow terminals have no room for all.
var overviewColumns = []struct {
	title  string
	width  int
	narrow bool // also in narrow tables
	of     func(*tableWriter, *stats.Process) any
}{
	{"Process", nameWidth, true, func(t *tableWriter, p *stats.Process) any { return text.Shorten(text.Process(p), nameWidth) }},
	{"PID →", 6, false, func(t *tableWriter, p *stats.Process) any { return pidText(p.PID) }},
	{"FPS →", 5, true, func(t *tableWriter, p *stats.Process) any {
		if p.FPS == nil {
			return unknown
		}
		return text.Number(p.FPS.Rate, 1)
	}},
	{"Frames →", 6, true, func(t *tableWriter, p *stats.Process) any { return p.Frames.Complete }},
	{"Late →", 5, false, func(t *tableWriter, p *stats.Process) any {
		if p.JankRate == nil {
			return unknown
		}
		return t.rated(fmt.Sprint(p.Frames.Late), rating.Overrun, largestOverrun(p))
	}},
	{"Jank →", 7, true, func(t *tableWriter, p *stats.Process) any {
		return t.rated(text.Share(p.JankRate), rating.Overrun, largestOverrun(p))
	}},
	{"Hitch ms/s →", 10, true, func(t *tableWriter, p *stats.Process) any {
		if p.Hitches == nil {
			return unknown
		}
		return t.rated(text.Number(p.Hitches.Ratio, 1), rating.HitchRatio, &p.Hitches.Ratio)
	}},
	{"P50 ms →", 6, false, durationCell(func(d *stats.Durations) *trace.Duration { return &d.P50 })},
	{"P95 ms →", 6, true, durationCell(func(d *stats.Durations) *trace.Duration { return d.P95 })},
	{"Max ms →", 6, true, durationCell(func(d *stats.Durations) *trace.Duration { return &d.Max })},
}

func durationCell(of func(*stats.Durations) *trace.Duration) func(*tableWriter, *stats.Process) any {
	return func(t *tableWriter, p *stats.Process) any {
		if p.Durations == nil {
			return unknown
		}
		d := of(p.Durations)
		var ms *float64
		if d != nil {
			x := d.Milliseconds()
			ms = &x
		}
		return t.rated(milliseconds(d), rating.FrameTime, ms)
	}
}

// largestOverrun returns the largest overrun of a process in refresh periods, nil if it
// is unknown or no frame was late.
func largestOverrun(p *stats.Process) (largest *float64) {
	for i := range p.Worst {
		if x := p.Worst[i].OverrunPeriods; x != nil && (largest == nil || *x > *largest) {
			largest = x
		}
	}
	return largest
}

// rated colours the text of a value by its level; a nil value has none.
func (t *tableWriter) rated(s, name string, value *float64) string {
	if value == nil {
		return s
	}
	level := t.Thresholds.Of(name, *value)
	return t.Red(t.Yellow(s, level == rating.Warning), level == rating.Critical)
}

func (t *tableWriter) overview(in Input, list []*stats.Process, causesOf func(*stats.Process) *causes.Process) {
	r := in.Stats
	t.Input(in.Name, r.Span, t.Width)
	if in.Recording != nil {
		fmt.Fprintln(t, t.Dim("  "+in.Recording.String()))
	}
	quality.Print(in.Quality, t.Writer, "  ", t.Width)
	if len(list) == 0 {
		fmt.Fprint(t, "  no frames\n\n")
		return
	}
	var titles []string
	var widths []int
	var hidden []string
	for _, c := range overviewColumns {
		if c.narrow || t.Width >= text.DefaultWidth {
			titles, widths = append(titles, c.title), append(widths, c.width)
		} else {
			hidden = append(hidden, untitled(c.title))
		}
	}
	g := text.NewTable(t.Ink, titles...)
	g.Widths(widths...)
	shown := list
	if !t.Verbose {
		shown = list[:min(len(list), cmp.Or(t.Top, defaultRows))]
	}
	shown = text.Largest(shown, complete)
	for _, p := range shown {
		var row text.Row
		for _, c := range overviewColumns {
			if c.narrow || t.Width >= text.DefaultWidth {
				row = append(row, c.of(t, p))
			}
		}
		g.AppendRow(row)
	}
	fmt.Fprintln(t, g.Render())
	t.Hidden(hidden)
	if n := len(list) - len(shown); t.Verbose {
		t.More(n)
	} else if n > 0 {
		fmt.Fprintln(t, t.Dim(fmt.Sprintf("  … and %d more with less jank; --verbose lists all", n)))
	}
	t.topCauses(in, shown, causesOf)
	fmt.Fprintln(t)
}

// maxTopCauses bounds the processes below an overview.
const maxTopCauses = 5

// topCauses writes the cause that cost the most of each process: those processes that
// lost the most time.
func (t *tableWriter) topCauses(in Input, shown []*stats.Process, causesOf func(*stats.Process) *causes.Process) {
	var late []*stats.Process
	known := map[*stats.Process]*causes.Process{}
	for _, p := range shown {
		if c := causesOf(p); c != nil && len(c.Ranking.Costs) > 0 {
			known[p] = c
			late = append(late, p)
		}
	}
	slices.SortStableFunc(late, func(a, b *stats.Process) int { return cmp.Compare(known[b].Ranking.Lost, known[a].Ranking.Lost) })
	late = late[:min(len(late), maxTopCauses)]
	if len(late) == 0 {
		return
	}
	g := text.NewTable(t.Ink, "Lost time", "ms →", "Of it →", "Top cause")
	g.Widths(nameWidth)
	g.Wrap(3, t.Width-nameWidth-24)
	for _, p := range late {
		r := known[p].Ranking
		top := r.Costs[0]
		g.AppendRow(text.Row{
			text.Shorten(text.Process(p), nameWidth), text.Milliseconds(r.Lost), text.Percent(top.Lost, r.Lost), text.Printable(causetext.CostTitle(top)),
		})
	}
	fmt.Fprintf(t, "\n%s\n", g.Render())
	list := make([]*causes.Process, len(late))
	for i, p := range late {
		list[i] = known[p]
	}
	if missing := causes.Missing(in.Causes, list, in.Quality); missing != "" {
		t.Note(missing)
	}
}

func complete(p *stats.Process) int { return p.Frames.Complete }

// process writes the block of a process. Its heading includes the input's name if
// there are several inputs.
func (t *tableWriter) process(in Input, p *stats.Process, c *causes.Process, several, full bool) {
	title, about := text.Shorten(text.Process(p), t.Width/2), fmt.Sprintf(" · %s · pid %s", text.Kind(p.Kind), p.PID)
	if several {
		about += " · " + text.Shorten(text.Printable(in.Name), t.Width-12-text.Width(title+about))
	}
	t.Heading(title, about)
	t.facts(p, full)
	if p.Frames.Complete > 0 {
		t.causes(c)
		if full && len(p.Stages) > 0 {
			t.stages(p)
		}
		t.worst(p, c, full)
	}
}

// maxCauses is the number of causes in the block of a process; ohframe why lists more.
const maxCauses = 3

// causes writes what cost the most time. Nothing if no frame was late or the causes are
// unknown.
func (t *tableWriter) causes(c *causes.Process) {
	if c == nil || len(c.Late) == 0 {
		return
	}
	r := c.Ranking
	rows := causes.Rows{Ranking: r, Shown: causes.Leading(r, maxCauses), More: "ohframe why --all lists them"}
	fmt.Fprintf(t, "  %s\n", t.Bold(fmt.Sprintf("Causes: lost %s ms in %s", text.Milliseconds(r.Lost), text.Count(r.Late, "late frame"))))
	for _, line := range rows.Lines(t.Width-2, t.Ink) {
		fmt.Fprintf(t, "  %s\n", line)
	}
	fmt.Fprintln(t)
}

func (t *tableWriter) stages(p *stats.Process) {
	g := text.NewTable(t.Ink, "Stage", "Frames →", "P50 ms →", "P90 ms →", "Max ms →")
	g.Widths(stageWidth)
	for _, s := range p.Stages {
		g.AppendRow(text.Row{s.Stage.Label(), s.Frames, milliseconds(s.P50), milliseconds(s.P90), milliseconds(s.Max)})
	}
	t.Print(g)
}

// worst writes the worst frames, with the time from the start of the trace and the trace
// time.
func (t *tableWriter) worst(p *stats.Process, c *causes.Process, full bool) {
	if len(p.Worst) == 0 {
		return
	}
	explained := worstCauses(p, c)
	normal, wide := t.Width >= text.DefaultWidth, t.Width >= text.DefaultWidth+len("Render vsync")
	columns := []struct {
		title  string
		width  int // of usual values
		shown  bool
		wanted bool // in a wider table
		of     func(*stats.WorstFrame) string
	}{
		{"Worst at →", 10, true, true, func(f *stats.WorstFrame) string { return since(t.origin, f.At) }},
		{"Trace time, s →", 13, normal, true, func(f *stats.WorstFrame) string { return timeText(f.At) }},
		{"Vsync →", 6, true, true, func(f *stats.WorstFrame) string { return vsync(f.VsyncID) }},
		{"Render vsync →", 12, full && wide && p.Kind == stats.Application, false, func(f *stats.WorstFrame) string { return vsync(f.RenderVsyncID) }},
		{"Duration ms →", 11, true, true, func(f *stats.WorstFrame) string { return ms(f.Duration) }},
		{"Overrun ms →", 10, true, true, func(f *stats.WorstFrame) string { return t.rated(ms(f.Overrun), rating.Overrun, f.OverrunPeriods) }},
		{"Periods →", 7, full && normal, full, func(f *stats.WorstFrame) string {
			return t.rated(periods(f.OverrunPeriods), rating.Overrun, f.OverrunPeriods)
		}},
	}
	var titles, hidden []string
	left := t.Width - 2
	for _, c := range columns {
		if c.shown {
			titles = append(titles, c.title)
			left -= c.width + 2
		} else if c.wanted {
			hidden = append(hidden, untitled(c.title))
		}
	}
	g := text.NewTable(t.Ink, append(titles, explained.Title)...)
	g.Wrap(len(titles), left)
	shown := p.Worst
	if !full {
		shown = shown[:min(len(shown), briefWorst)]
	}
	for i := range shown {
		var row text.Row
		for _, c := range columns {
			if c.shown {
				row = append(row, c.of(&shown[i]))
			}
		}
		g.AppendRow(append(row, explained.Texts[i]))
	}
	fmt.Fprintln(t, g.Render())
	t.Hidden(hidden)
	fmt.Fprintln(t)
}

// untitled returns the title of a column without its alignment.
func untitled(title string) string { return strings.TrimSuffix(title, " →") }
