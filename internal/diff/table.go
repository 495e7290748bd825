package diff

import (
	"fmt"
	"io"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
)

const (
	tableWidth  = 100
	nameWidth   = 20 // of a process, in the overview
	titleWidth  = 60 // of a pair, above its measures
	findingText = 84 // of the text beside a label
	labelWidth  = 39 // of the longest name of a measure
	valueWidth  = 9
)

// tableWriter writes the comparison for a terminal: an overview of all pairs, then
// a block for each pair.
type tableWriter struct{ text.Writer }

func writeTable(w io.Writer, d *Diff, o WriteOptions) error {
	t := &tableWriter{text.NewWriter(w, o.Color)}
	t.side("base", d.Base)
	t.side("new ", d.New)
	fmt.Fprintln(t)
	t.overview(d)
	for _, p := range d.shown() {
		t.pair(p)
	}
	t.only("Only in base", d.OnlyBase)
	t.only("Only in new", d.OnlyNew)
	return t.Flush()
}

func (t *tableWriter) side(label string, s Side) {
	span := ""
	if s.Stats.Span != nil {
		span = fmt.Sprintf("  %s s of trace", text.Number(s.Stats.Span.Seconds, 3))
	}
	name := text.Shorten(text.Printable(s.Name), tableWidth-len(label)-2-text.Width(span))
	fmt.Fprintf(t, "%s  %s%s\n", t.Dim(label), t.Bold(name), t.Dim(span))
}

func (t *tableWriter) overview(d *Diff) {
	g := text.NewTable(t.Ink, "Process", "FPS →", "new →", "Jank →", "new →", "P95 ms →", "new →", "Durations", "Late")
	shown := d.shown()
	for _, p := range shown {
		row := text.Row{text.Shorten(p.title(), nameWidth)}
		for _, name := range []string{"fps", "jank_rate", "p95_ms"} {
			m := p.measure(name)
			row = append(row, overviewValue(m.Unit, m.Base), t.judged(overviewValue(m.Unit, m.New), m.Judgement))
		}
		findings := p.findings()
		durations := findings[len(findings)-2] // in periods if refresh rates differ
		jank := findings[len(findings)-1]
		late := map[Verdict]string{More: "more often", Less: "less often"}[jank.Verdict]
		if late == "" {
			late = jank.Short
		}
		g.AppendRow(append(row, t.judged(durations.Short, durations.Judgement), t.judged(late, jank.Judgement)))
	}
	t.printEnd(g)
	t.more(len(d.Pairs) - len(shown))
	fmt.Fprintln(t)
}

// overviewValue prints a value with one digit of fraction at most, for want of
// room.
func overviewValue(u stats.Unit, x *float64) string {
	if x == nil || u == stats.Share {
		return valueText(u, x)
	}
	return text.Number(*x, min(1, decimals(u, *x)))
}

func (t *tableWriter) pair(p *Pair) {
	title, about := text.Shorten(p.title(), titleWidth), " · "+p.about()
	rule := max(0, tableWidth-1-text.Width(title+about))
	fmt.Fprintf(t, "%s%s %s\n\n", t.Bold(title), t.Dim(about), t.Dim(strings.Repeat("─", rule)))

	g := text.NewTable(t.Ink, "", "")
	g.Wrap(1, findingText)
	if p.Tests.RefreshDiffers {
		g.AppendRow(text.Row{t.Dim("Refresh"), fmt.Sprintf("%s → %s: compare durations in periods, not in milliseconds",
			refreshText(p.Base.Refresh), refreshText(p.New.Refresh))})
	}
	for _, f := range p.findings() {
		g.AppendRow(text.Row{t.Dim(f.Name), t.judged(f.Text, f.Judgement)})
	}
	t.print(g)

	g = text.NewTable(t.Ink, "Measure", "Base →", "New →", "Change →", "Change, % →", "")
	g.Widths(labelWidth, valueWidth, valueWidth, valueWidth, valueWidth)
	same := 0
	for _, m := range p.shown() {
		if !m.definition.Main && m.Delta != nil && *m.Delta == 0 {
			same++
			continue
		}
		word := ""
		if m.Judgement == Improved || m.Judgement == Worsened {
			word = string(m.Judgement)
		}
		g.AppendRow(text.Row{m.definition.Label, valueText(m.Unit, m.Base), valueText(m.Unit, m.New), changeText(m.Unit, m.Delta),
			relativeChange(m.Relative), t.judged(word, m.Judgement)})
	}
	t.printEnd(g)
	if same > 0 {
		fmt.Fprintln(t, t.Dim(fmt.Sprintf("  %d more measures are equal.", same)))
	}
	fmt.Fprintln(t)
}

// shown returns the measures in tables and pages: those that are known in either
// trace, and those in periods only if refresh rates differ.
func (p *Pair) shown() (list []Measure) {
	for _, m := range p.Measures {
		if (m.Base != nil || m.New != nil) && (m.Unit != stats.Periods || p.Tests.RefreshDiffers) {
			list = append(list, m)
		}
	}
	return list
}

// only lists the processes in one trace only.
func (t *tableWriter) only(label string, list []*stats.Process) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(t, t.Bold(label))
	shown := text.Largest(list, complete)
	for _, p := range shown {
		about := fmt.Sprintf(" · %s · pid %d · %s", text.Kind(p.Kind), p.PID, text.Count(p.Frames.Complete, "frame"))
		name := text.Shorten(text.Process(p), tableWidth-2-text.Width(about))
		fmt.Fprintf(t, "  %s%s\n", name, t.Dim(about))
	}
	t.more(len(list) - len(shown))
	fmt.Fprintln(t)
}

// more writes the number of processes that are not shown.
func (t *tableWriter) more(n int) {
	if n > 0 {
		fmt.Fprintln(t, t.Dim("  "+text.More(n)))
	}
}

func (t *tableWriter) print(g text.Table) {
	t.printEnd(g)
	fmt.Fprintln(t)
}

func (t *tableWriter) printEnd(g text.Table) {
	fmt.Fprintln(t, g.Render())
}

// judged colours a change by its judgement.
func (t *tableWriter) judged(s string, j Judgement) string {
	switch j {
	case Improved:
		return t.Green(s, true)
	case Worsened:
		return t.Red(s, true)
	}
	return s
}
