package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/why"
	"ohframe/internal/causes"
	"ohframe/internal/text"
)

const (
	factWidth  = 86 // of the text beside a label
	stageWidth = 23 // of the longest name of a stage
	causeWidth = 25 // beside a worst frame of an application
)

// overviewWidths are minimum widths that align the overviews of several inputs.
var overviewWidths = []int{19, 6, 5, 6, 5, 7, 10, 6, 6, 6}

// tableWriter writes the report for a terminal: an overview of all processes,
// then a block for each process.
type tableWriter struct{ text.Writer }

func writeTable(w io.Writer, inputs []Input, o Options) error {
	t := &tableWriter{text.NewWriter(w, o.Color)}
	known := make([]map[*stats.Process]*causes.Process, len(inputs))
	for i, in := range inputs {
		known[i] = in.causes()
		t.overview(in, known[i])
	}
	for i, in := range inputs {
		for _, p := range text.Largest(in.Stats.Processes, complete) {
			t.process(in, p, known[i][p], len(inputs) > 1)
		}
	}
	return t.Flush()
}

func (t *tableWriter) overview(in Input, known map[*stats.Process]*causes.Process) {
	r := in.Stats
	t.Input(in.Name, r.Span, text.LineWidth)
	if in.Recording != nil {
		fmt.Fprintln(t, t.Dim("  "+in.Recording.String()))
	}
	in.Quality.Print(t.Writer, "  ", text.LineWidth)
	if len(r.Processes) == 0 {
		fmt.Fprint(t, "  no frames\n\n")
		return
	}
	g := text.NewTable(t.Ink, "Process", "PID →", "FPS →", "Frames →", "Late →", "Jank →", "Hitch ms/s →", "P50 ms →", "P95 ms →", "Max ms →")
	g.Widths(overviewWidths...)
	shown := text.Largest(r.Processes, complete)
	for _, p := range shown {
		fps, hitch, p50, p95, longest := unknown, unknown, unknown, unknown, unknown
		if p.FPS != nil {
			fps = text.Number(p.FPS.Rate, 1)
		}
		if p.Hitches != nil {
			hitch = text.Number(p.Hitches.Ratio, 1)
		}
		if d := p.Durations; d != nil {
			p50, p95, longest = ms(d.P50), ms(d.P95), ms(d.Max)
		}
		late := unknown
		if p.JankRate != nil {
			late = fmt.Sprint(p.Frames.Late)
		}
		g.AppendRow(text.Row{
			text.Shorten(text.Process(p), overviewWidths[0]), p.PID, fps, p.Frames.Complete,
			t.Yellow(late, p.Frames.Late > 0), t.Yellow(text.Share(p.JankRate), p.Frames.Late > 0), hitch, p50, p95, longest,
		})
	}
	fmt.Fprintln(t, g.Render())
	t.More(len(r.Processes) - len(shown))
	t.topCauses(shown, known)
	fmt.Fprintln(t)
}

// maxTopCauses bounds the processes below an overview.
const maxTopCauses = 5

// topCauses writes the cause that cost the most of each process: those processes that
// lost the most time.
func (t *tableWriter) topCauses(shown []*stats.Process, known map[*stats.Process]*causes.Process) {
	var late []*stats.Process
	for _, p := range shown {
		if c := known[p]; c != nil && len(c.Ranking.Costs) > 0 {
			late = append(late, p)
		}
	}
	slices.SortStableFunc(late, func(a, b *stats.Process) int { return cmp.Compare(known[b].Ranking.Lost, known[a].Ranking.Lost) })
	late = late[:min(len(late), maxTopCauses)]
	if len(late) == 0 {
		return
	}
	g := text.NewTable(t.Ink, "Lost time", "ms →", "Of it →", "Top cause")
	g.Widths(overviewWidths[0])
	g.Wrap(3, text.LineWidth-overviewWidths[0]-24)
	for _, p := range late {
		r := known[p].Ranking
		top := r.Costs[0]
		g.AppendRow(text.Row{
			text.Shorten(text.Process(p), overviewWidths[0]), why.Milliseconds(r.Lost), causes.Percent(top.Lost, r.Lost), text.Printable(top.Title()),
		})
	}
	fmt.Fprintf(t, "\n%s\n", g.Render())
}

func complete(p *stats.Process) int { return p.Frames.Complete }

// process writes the block of a process. Its heading includes the input's name if
// there are several inputs.
func (t *tableWriter) process(in Input, p *stats.Process, c *causes.Process, several bool) {
	title, about := text.Shorten(text.Process(p), text.LineWidth/2), fmt.Sprintf(" · %s · pid %d", text.Kind(p.Kind), p.PID)
	if several {
		about += " · " + text.Shorten(text.Printable(in.Name), text.LineWidth-12-text.Width(title+about))
	}
	t.Heading(title, about)
	t.facts(p)
	if p.Frames.Complete > 0 {
		t.causes(c)
		t.stages(p)
		t.worst(p, c)
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
	fmt.Fprintf(t, "  %s\n", t.Bold(fmt.Sprintf("Causes: lost %s ms in %s", why.Milliseconds(r.Lost), text.Count(r.Late, "late frame"))))
	for _, line := range causes.RankingLines(r, maxCauses, text.LineWidth-2, t.Ink) {
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

func (t *tableWriter) worst(p *stats.Process, c *causes.Process) {
	if len(p.Worst) == 0 {
		return
	}
	columns := []string{"Worst at s →", "Vsync →", "Render vsync →", "Duration ms →", "Overrun ms →", "Periods →", ""}
	explained := worstCauses(p, c)
	columns[len(columns)-1] = explained.Title
	width := causeWidth
	if p.Kind == stats.RenderService {
		width += len(columns[2])
		columns = append(columns[:2], columns[3:]...)
	}
	g := text.NewTable(t.Ink, columns...)
	g.Wrap(len(columns)-1, width)
	for i, f := range p.Worst {
		periods, medium, severe := unknown, false, false
		if f.OverrunPeriods != nil {
			periods = text.Number(*f.OverrunPeriods, 2)
			medium, severe = *f.OverrunPeriods >= 2, *f.OverrunPeriods > 6
		}
		color := func(s string) string { return t.Red(t.Yellow(s, medium && !severe), severe) }
		row := text.Row{f.At.String(), vsync(f.VsyncID), vsync(f.RenderVsyncID), ms(f.Duration), color(ms(f.Overrun)), color(periods), explained.Texts[i]}
		if p.Kind == stats.RenderService {
			row = append(row[:2], row[3:]...)
		}
		g.AppendRow(row)
	}
	t.Print(g)
}
