package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"ohframe/analyzer/stats"
	"ohframe/internal/grid"
	"ohframe/internal/words"
)

const (
	tableWidth = 100
	factWidth  = 86 // beside its label
	stageWidth = 23 // of the longest name of a stage
)

// overviewWidths keep the overviews of several inputs in line. Longer numbers
// find room up to the width of the table.
var overviewWidths = []int{19, 6, 5, 6, 5, 7, 10, 6, 6, 6}

// tableWriter writes the report for a terminal: one overview of all processes,
// then a block for each.
type tableWriter struct {
	*bufio.Writer
	grid.Ink
}

func (t *tableWriter) print(g grid.Grid) { fmt.Fprintf(t, "%s\n\n", g.Render()) }

func writeTable(w io.Writer, inputs []Input, o Options) error {
	// How wide "–" and "→" are must not depend on where the program runs.
	text.OverrideRuneWidthEastAsianWidth(false)
	t := &tableWriter{bufio.NewWriter(w), grid.Ink(o.Color)}
	for _, in := range inputs {
		t.overview(in)
	}
	for _, in := range inputs {
		for _, p := range words.Largest(in.Stats.Processes, complete) {
			t.process(in, p, len(inputs) > 1)
		}
		for _, s := range gfxinfoSummaries(in.Gfxinfo, false) {
			t.gfxinfo(&s)
		}
	}
	return t.Flush()
}

func (t *tableWriter) overview(in Input) {
	r := in.Stats
	span := ""
	if r.Span != nil {
		span = fmt.Sprintf("  %s s of trace", words.Number(r.Span.Seconds, 3))
	}
	name := words.Shorten(words.Printable(in.Name), tableWidth-text.StringWidthWithoutEscSequences(span))
	fmt.Fprintf(t, "%s%s\n", t.Bold(name), t.Dim(span))
	if len(r.Processes) == 0 {
		fmt.Fprint(t, "  no frames\n\n")
		return
	}
	g := grid.New(t.Ink, "Process", "PID →", "FPS →", "Frames →", "Late →", "Jank →", "Hitch ms/s →", "P50 ms →", "P95 ms →", "Max ms →")
	g.Widths(overviewWidths...)
	shown := words.Largest(r.Processes, complete)
	for _, p := range shown {
		fps, hitch, p50, p95, longest := unknown, unknown, unknown, unknown, unknown
		if p.FPS != nil {
			fps = words.Number(p.FPS.Rate, 1)
		}
		if p.Hitches != nil {
			hitch = words.Number(p.Hitches.Ratio, 1)
		}
		if d := p.Durations; d != nil {
			p50, p95, longest = ms(d.P50), ms(d.P95), ms(d.Max)
		}
		late := unknown
		if p.JankRate != nil {
			late = fmt.Sprint(p.Frames.Late)
		}
		g.AppendRow(table.Row{
			words.Shorten(words.Process(p), overviewWidths[0]), p.PID, fps, p.Frames.Complete,
			t.Yellow(late, p.Frames.Late > 0), t.Yellow(words.Share(p.JankRate), p.Frames.Late > 0), hitch, p50, p95, longest,
		})
	}
	fmt.Fprintln(t, g.Render())
	if more := len(r.Processes) - len(shown); more > 0 {
		fmt.Fprintln(t, t.Dim("  "+words.More(more)))
	}
	fmt.Fprintln(t)
}

func complete(p *stats.Process) int { return p.Frames.Complete }

// process writes the block of a process, under the name of the input if there
// are several.
func (t *tableWriter) process(in Input, p *stats.Process, several bool) {
	title, about := words.Shorten(words.Process(p), tableWidth/2), fmt.Sprintf(" · %s · pid %d", words.Kinds[p.Kind], p.PID)
	if several {
		about += " · " + words.Shorten(words.Printable(in.Name), tableWidth-12-text.StringWidthWithoutEscSequences(title+about))
	}
	t.heading(title, about)
	t.facts(p)
	if p.Frames.Complete > 0 {
		t.stages(p)
		t.worst(p)
	}
}

func (t *tableWriter) gfxinfo(s *gfxinfoSummary) {
	t.heading(words.Shorten(s.Title(), tableWidth-8), "")
	g := grid.New(t.Ink, "", "Printed →", "From rows →")
	for _, l := range s.Lines {
		g.AppendRow(table.Row{l.Name, whole(l.Printed), whole(l.Computed)})
	}
	t.print(g)
}

// heading writes the heading of a block, with a rule to the end of the line.
func (t *tableWriter) heading(title, about string) {
	rule := tableWidth - 1 - text.StringWidthWithoutEscSequences(title+about)
	fmt.Fprintf(t, "%s%s %s\n\n", t.Bold(title), t.Dim(about), t.Dim(strings.Repeat("─", rule)))
}

func (t *tableWriter) stages(p *stats.Process) {
	g := grid.New(t.Ink, "Stage", "Frames →", "P50 ms →", "P90 ms →", "Max ms →", "Longest of late →", "")
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
		g.AppendRow(table.Row{s.Stage.Label(), s.Frames, milliseconds(s.P50), milliseconds(s.P90), milliseconds(s.Max), longest, bar})
	}
	t.print(g)
}

func (t *tableWriter) worst(p *stats.Process) {
	if len(p.Worst) == 0 {
		return
	}
	columns := []string{"Worst at s →", "Vsync →", "Render vsync →", "Took ms →", "Late by ms →", "Periods →", "Longest stage"}
	if p.Kind == stats.RenderService {
		columns = append(columns[:2], columns[3:]...)
	}
	g := grid.New(t.Ink, columns...)
	for _, f := range p.Worst {
		periods, medium, severe := unknown, false, false
		if f.OverrunPeriods != nil {
			periods = words.Number(*f.OverrunPeriods, 2)
			medium, severe = *f.OverrunPeriods >= 2, *f.OverrunPeriods > 6
		}
		mark := func(s string) string { return t.Red(t.Yellow(s, medium && !severe), severe) }
		row := table.Row{f.At.String(), vsync(f.VsyncID), vsync(f.RenderVsyncID), ms(f.Duration), mark(ms(f.Overrun)), mark(periods), stageName(f.Stage)}
		if p.Kind == stats.RenderService {
			row = append(row[:2], row[3:]...)
		}
		g.AppendRow(row)
	}
	t.print(g)
}
