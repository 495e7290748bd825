package report

import (
	"fmt"
	"io"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
)

const (
	tableWidth = 100
	factWidth  = 86 // of the text beside a label
	stageWidth = 23 // of the longest name of a stage
)

// overviewWidths are minimum widths that align the overviews of several inputs.
var overviewWidths = []int{19, 6, 5, 6, 5, 7, 10, 6, 6, 6}

// tableWriter writes the report for a terminal: an overview of all processes,
// then a block for each process.
type tableWriter struct{ text.Writer }

func (t *tableWriter) print(g text.Table) { fmt.Fprintf(t, "%s\n\n", g.Render()) }

func writeTable(w io.Writer, inputs []Input, o Options) error {
	t := &tableWriter{text.NewWriter(w, o.Color)}
	for _, in := range inputs {
		t.overview(in)
	}
	for _, in := range inputs {
		for _, p := range text.Largest(in.Stats.Processes, complete) {
			t.process(in, p, len(inputs) > 1)
		}

	}
	return t.Flush()
}

func (t *tableWriter) overview(in Input) {
	r := in.Stats
	span := ""
	if r.Span != nil {
		span = fmt.Sprintf("  %s s of trace", text.Number(r.Span.Seconds, 3))
	}
	name := text.Shorten(text.Printable(in.Name), tableWidth-text.Width(span))
	fmt.Fprintf(t, "%s%s\n", t.Bold(name), t.Dim(span))
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
	if more := len(r.Processes) - len(shown); more > 0 {
		fmt.Fprintln(t, t.Dim("  "+text.More(more)))
	}
	fmt.Fprintln(t)
}

func complete(p *stats.Process) int { return p.Frames.Complete }

// process writes the block of a process. Its heading includes the input's name if
// there are several inputs.
func (t *tableWriter) process(in Input, p *stats.Process, several bool) {
	title, about := text.Shorten(text.Process(p), tableWidth/2), fmt.Sprintf(" · %s · pid %d", text.Kind(p.Kind), p.PID)
	if several {
		about += " · " + text.Shorten(text.Printable(in.Name), tableWidth-12-text.Width(title+about))
	}
	t.heading(title, about)
	t.facts(p)
	if p.Frames.Complete > 0 {
		t.stages(p)
		t.worst(p)
	}
}

// heading writes the heading of a block and a rule up to the end of the line.
func (t *tableWriter) heading(title, about string) {
	rule := tableWidth - 1 - text.Width(title+about)
	fmt.Fprintf(t, "%s%s %s\n\n", t.Bold(title), t.Dim(about), t.Dim(strings.Repeat("─", rule)))
}

func (t *tableWriter) stages(p *stats.Process) {
	g := text.NewTable(t.Ink, "Stage", "Frames →", "P50 ms →", "P90 ms →", "Max ms →", "Longest of late →", "")
	g.Widths(stageWidth)
	most := 0
	for _, s := range p.Stages {
		most = max(most, s.LongestOfLate)
	}
	for _, s := range p.Stages {
		longest, bar := "", ""
		if p.Frames.Late > 0 {
			longest = fmt.Sprint(s.LongestOfLate)
			bar = t.Yellow(shareBar(s.LongestOfLate, most, 20), true)
		}
		g.AppendRow(text.Row{s.Stage.Label(), s.Frames, milliseconds(s.P50), milliseconds(s.P90), milliseconds(s.Max), longest, bar})
	}
	t.print(g)
}

func (t *tableWriter) worst(p *stats.Process) {
	if len(p.Worst) == 0 {
		return
	}
	columns := []string{"Worst at s →", "Vsync →", "Render vsync →", "Duration ms →", "Overrun ms →", "Periods →", "Longest stage"}
	if p.Kind == stats.RenderService {
		columns = append(columns[:2], columns[3:]...)
	}
	g := text.NewTable(t.Ink, columns...)
	for _, f := range p.Worst {
		periods, medium, severe := unknown, false, false
		if f.OverrunPeriods != nil {
			periods = text.Number(*f.OverrunPeriods, 2)
			medium, severe = *f.OverrunPeriods >= 2, *f.OverrunPeriods > 6
		}
		color := func(s string) string { return t.Red(t.Yellow(s, medium && !severe), severe) }
		row := text.Row{f.At.String(), vsync(f.VsyncID), vsync(f.RenderVsyncID), ms(f.Duration), color(ms(f.Overrun)), color(periods), stageName(f.Stage)}
		if p.Kind == stats.RenderService {
			row = append(row[:2], row[3:]...)
		}
		g.AppendRow(row)
	}
	t.print(g)
}
