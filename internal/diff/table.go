package diff

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
	tableWidth  = 100
	nameWidth   = 20 // of a process, in the overview
	titleWidth  = 60 // of a pair, above its measures
	findingText = 84 // beside its label
	labelWidth  = 39 // of the longest name of a measure
	valueWidth  = 9
)

// tableWriter writes the comparison for a terminal: one overview of all pairs,
// then a block for each.
type tableWriter struct {
	*bufio.Writer
	grid.Ink
}

func writeTable(w io.Writer, d *Diff, o WriteOptions) error {
	// How wide "–" and "→" are must not depend on where the program runs.
	text.OverrideRuneWidthEastAsianWidth(false)
	t := &tableWriter{bufio.NewWriter(w), grid.Ink(o.Color)}
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
		span = fmt.Sprintf("  %s s of trace", words.Number(s.Stats.Span.Seconds, 3))
	}
	name := words.Shorten(words.Printable(s.Name), tableWidth-len(label)-2-text.StringWidthWithoutEscSequences(span))
	fmt.Fprintf(t, "%s  %s%s\n", t.Dim(label), t.Bold(name), t.Dim(span))
}

func (t *tableWriter) overview(d *Diff) {
	g := grid.New(t.Ink, "Process", "FPS →", "new →", "Jank →", "new →", "P95 ms →", "new →", "Durations", "Late")
	shown := d.shown()
	for _, p := range shown {
		row := table.Row{words.Shorten(p.title(), nameWidth)}
		for _, name := range []string{"fps", "jank_rate", "p95_ms"} {
			m := p.measure(name)
			row = append(row, overviewValue(m.Unit, m.Base), t.judged(overviewValue(m.Unit, m.New), m.Judgement))
		}
		findings := p.findings()
		durations := findings[len(findings)-2] // in periods, where that is the fairer test
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
	return words.Number(*x, min(1, digits(u, *x)))
}

func (t *tableWriter) pair(p *Pair) {
	title, about := words.Shorten(p.title(), titleWidth), " · "+p.about()
	rule := max(0, tableWidth-1-text.StringWidthWithoutEscSequences(title+about))
	fmt.Fprintf(t, "%s%s %s\n\n", t.Bold(title), t.Dim(about), t.Dim(strings.Repeat("─", rule)))

	g := grid.New(t.Ink, "", "")
	g.Wrap(1, findingText)
	if p.Tests.RefreshDiffers {
		g.AppendRow(table.Row{t.Dim("Refresh"), fmt.Sprintf("%s → %s: durations in milliseconds do not compare, those in periods do",
			refreshText(p.Base.Refresh), refreshText(p.New.Refresh))})
	}
	for _, f := range p.findings() {
		g.AppendRow(table.Row{t.Dim(f.Name), t.judged(f.Text, f.Judgement)})
	}
	t.print(g)

	g = grid.New(t.Ink, "Measure", "Base →", "New →", "Change →", "Change, % →", "")
	g.Widths(labelWidth, valueWidth, valueWidth, valueWidth, valueWidth)
	same := 0
	for _, m := range p.shown() {
		if !m.kind.Main && m.Delta != nil && *m.Delta == 0 {
			same++
			continue
		}
		word := ""
		if m.Judgement == Improved || m.Judgement == Worsened {
			word = string(m.Judgement)
		}
		g.AppendRow(table.Row{m.kind.Label, valueText(m.Unit, m.Base), valueText(m.Unit, m.New), changeText(m.Unit, m.Delta),
			relativeChange(m.Relative), t.judged(word, m.Judgement)})
	}
	t.printEnd(g)
	if same > 0 {
		fmt.Fprintln(t, t.Dim(fmt.Sprintf("  %d more are the same in both.", same)))
	}
	fmt.Fprintln(t)
}

// shown returns the measures that people are shown: those that are known of
// either trace, in periods only where refresh rates differ.
func (p *Pair) shown() (list []Measure) {
	for _, m := range p.Measures {
		if (m.Base != nil || m.New != nil) && (m.Unit != stats.Periods || p.Tests.RefreshDiffers) {
			list = append(list, m)
		}
	}
	return list
}

// only lists the processes that are in one trace alone.
func (t *tableWriter) only(label string, list []*stats.Process) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(t, t.Bold(label))
	shown := words.Largest(list, complete)
	for _, p := range shown {
		about := fmt.Sprintf(" · %s · pid %d · %s", words.Kinds[p.Kind], p.PID, frames(p.Frames.Complete))
		name := words.Shorten(words.Process(p), tableWidth-2-text.StringWidthWithoutEscSequences(about))
		fmt.Fprintf(t, "  %s%s\n", name, t.Dim(about))
	}
	t.more(len(list) - len(shown))
	fmt.Fprintln(t)
}

// more says that there are more processes than are shown.
func (t *tableWriter) more(n int) {
	if n > 0 {
		fmt.Fprintln(t, t.Dim("  "+words.More(n)))
	}
}

func (t *tableWriter) print(g grid.Grid) {
	t.printEnd(g)
	fmt.Fprintln(t)
}

func (t *tableWriter) printEnd(g grid.Grid) {
	fmt.Fprintln(t, g.Render())
}

// judged colours what is better or worse.
func (t *tableWriter) judged(s string, j Judgement) string {
	switch j {
	case Improved:
		return t.Green(s, true)
	case Worsened:
		return t.Red(s, true)
	}
	return s
}
