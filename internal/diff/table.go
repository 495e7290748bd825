package diff

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/ci"
	"ohframe/internal/quality"
	"ohframe/internal/text"
)

const (
	nameWidth  = 20 // of a process, in the overview
	titleWidth = 60 // of a pair, above its measures
	labelWidth = 39 // of the longest name of a measure
	valueWidth = 9
	causeWidth = 52 // of a cause
	// The widths of what is beside a measure's name, and beside a cause.
	besideLabel, besideCause = 54, 40
	// numbersWidth is that of the numbers in the overview, and verdictWidth that of the
	// longest word in the verdict.
	numbersWidth, verdictWidth = 48, 16
)

// tableWriter writes the comparison for a terminal: an overview of all pairs, then
// a block for each pair.
type tableWriter struct {
	text.Writer
	verbose bool
}

func writeTable(w io.Writer, d *Diff, o WriteOptions) error {
	t := &tableWriter{text.NewWriter(w, o.Style), o.Verbose}
	t.Warn(ci.Lines(o.Skipped))
	t.side("base", d.Base)
	t.side("new ", d.New)
	t.verdict(d)
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
	fmt.Fprintf(t, "%s  ", t.Dim(label))
	if s.Runs != nil {
		runs := "  " + text.Count(len(s.Runs), "run")
		fmt.Fprintln(t, text.Shorten(text.Printable(s.Name), t.Width-len(label)-2-len(runs))+t.Dim(runs))
	} else {
		t.Input(s.Name, s.Stats.Span, t.Width-len(label)-2)
	}
	quality.Print(s.Quality, t.Writer, "      ", t.Width)
}

func (t *tableWriter) overview(d *Diff) {
	g := text.NewTable(t.Ink, "Process", "FPS →", "new →", "Jank →", "new →", "P95 ms →", "new →", "Verdict")
	name := min(nameWidth, t.Width-numbersWidth-verdictWidth)
	g.Wrap(7, t.Width-numbersWidth-name)
	shown := d.shown()
	for _, p := range shown {
		title := text.Shorten(p.title(), name)
		if base, new := text.Process(p.Base), text.Process(p.New); base != new {
			title = text.Shorten(base, name-len(" >")) + " →\n" + text.Shorten(new, name)
		}
		row := text.Row{title}
		for _, name := range []string{"fps", "jank_rate", "p95_ms"} {
			m := p.measure(name)
			row = append(row, overviewValue(m.Unit, m.Base), t.judged(overviewValue(m.Unit, m.New), m.Judgement))
		}
		verdict, judgement := p.verdict()
		g.AppendRow(append(row, t.judged(verdict, judgement)))
	}
	fmt.Fprintln(t, g.Render())
	t.More(len(d.Pairs) - len(shown))
	for _, line := range d.methodText() {
		t.Note(line)
	}
	fmt.Fprintln(t)
}

// overviewValue prints a value with one digit of fraction at most, for want of
// room.
func overviewValue(u stats.Unit, x *float64) string {
	if x == nil || u == stats.Share {
		return text.Value(u, x)
	}
	if *x >= 1000 {
		return text.Number(*x, 0)
	}
	return text.Number(*x, 1)
}

func (t *tableWriter) pair(p *Pair) {
	about := " · " + p.about()
	t.Heading(text.Shorten(p.title(), min(titleWidth, max(nameWidth, t.Width-text.Width(about)-2))), about)
	g := text.NewTable(t.Ink, "", "")
	label := 0
	if p.RefreshDiffers {
		label = len("Refresh")
		g.AppendRow(text.Row{t.Dim("Refresh"), fmt.Sprintf("%s → %s: frame rates and durations are tested relative to the refresh rate",
			refreshText(p.BaseRefresh()), refreshText(p.NewRefresh()))})
	}
	for _, f := range p.findings() {
		label = max(label, text.Width(f.Name))
		g.AppendRow(text.Row{t.Dim(f.Name), t.judged(f.Text, f.Judgement)})
	}
	g.Wrap(1, t.Width-label-4)
	t.Print(g)

	g = text.NewTable(t.Ink, "Measure", "Base →", "New →", "Change →", "Change, % →", "")
	g.Wrap(0, min(labelWidth, t.Width-besideLabel))
	g.Widths(min(labelWidth, t.Width-besideLabel), valueWidth, valueWidth, valueWidth, valueWidth)
	list, equal, hidden := p.changed(t.verbose)
	for _, m := range list {
		g.AppendRow(text.Row{m.definition.Label, text.Value(m.Unit, m.Base), text.Value(m.Unit, m.New), text.Change(m.Unit, m.Delta),
			text.RelativeChange(m.Relative), t.judged(m.Judgement.text(), m.Judgement)})
	}
	if len(list) > 0 {
		fmt.Fprintln(t, g.Render())
	}
	if hidden > 0 {
		fmt.Fprintln(t, t.Dim(fmt.Sprintf("  %s changed; --verbose lists all.", text.Count(hidden, "more measure"))))
	}
	if equal > 0 {
		fmt.Fprintln(t, t.Dim(fmt.Sprintf("  %s equal.", text.Count(equal, "measure"))))
	}
	if left := p.leftOut(); left != "" {
		t.Note(left)
	}
	fmt.Fprintln(t)
	for _, table := range p.causeTables() {
		g := text.NewTable(t.Ink, table.Title, "Base →", "New →", "Change →", "")
		g.Wrap(0, min(causeWidth, t.Width-besideCause))
		for _, r := range table.Rows {
			g.AppendRow(text.Row{r.Title, r.Base, r.New, r.Change, t.judged(r.Verdict, r.Judgement)})
		}
		t.Print(g)
	}
}

// maxChanged is the number of measures of a pair in the table without --verbose.
const maxChanged = 10

// changed returns the measures in the table, and the numbers of equal measures and of
// changed ones that it leaves out. Without verbose these are the changed ones: first those
// with a significant change, then tested ones, main measures and others.
func (p *Pair) changed(verbose bool) (list []Measure, equal, hidden int) {
	for _, m := range p.shown() {
		if m.equal() && !(verbose && m.definition.Main) {
			equal++
			continue
		}
		list = append(list, m)
	}
	if verbose {
		return list, equal, 0
	}
	rank := func(m Measure) int {
		switch {
		case m.Judgement == Worsened || m.Judgement == Improved:
			return 0
		case m.P != nil:
			return 1
		case m.definition.Main:
			return 2
		}
		return 3
	}
	slices.SortStableFunc(list, func(a, b Measure) int { return cmp.Compare(rank(a), rank(b)) })
	hidden = max(0, len(list)-maxChanged)
	return list[:len(list)-hidden], equal, hidden
}

// verdict writes what changed significantly, the worse first.
func (t *tableWriter) verdict(d *Diff) {
	var worse, better, unclear []string
	for _, p := range d.shown() {
		verdict, judgement := p.verdict()
		line := text.Shorten(p.title(), titleWidth) + " " + verdict
		switch judgement {
		case Worsened:
			worse = append(worse, line)
		case Improved:
			better = append(better, line)
		case Unclear:
			unclear = append(unclear, p.title())
		}
	}
	fmt.Fprintln(t)
	for _, line := range worse {
		fmt.Fprintln(t, t.judged(line, Worsened))
	}
	for _, line := range better {
		fmt.Fprintln(t, t.judged(line, Improved))
	}
	if n := len(unclear); n > 0 {
		fmt.Fprintf(t, "no significant change in %s\n", text.Count(n, "process"))
	}
	if lost := d.knownOnOneSide(); len(lost) > 0 {
		line := "not compared, because only one side has them: " + strings.Join(lost, "; ")
		fmt.Fprintln(t, t.Yellow(text.Wrap(line, t.Width), true))
	}
	if n := d.untested(); n > 0 {
		fmt.Fprintf(t, "%s not tested: too few frames\n", text.Count(n, "process"))
	}
}

// knownOnOneSide returns the labels of the tested measures that are unknown on one side of
// a process only.
func (d *Diff) knownOnOneSide() (labels []string) {
	for _, p := range d.Pairs {
		for _, k := range testedMeasures {
			m := p.compute(k)
			if m.Unit != stats.Periods && (m.Base == nil) != (m.New == nil) && !slices.Contains(labels, m.definition.Label) {
				labels = append(labels, m.definition.Label)
			}
		}
	}
	return labels
}

// shown returns the measures in tables and pages: those that are known in either
// trace, and those in periods only if refresh rates differ.
func (p *Pair) shown() (list []Measure) {
	for _, m := range p.Measures() {
		if (m.Base != nil || m.New != nil) && (m.Unit != stats.Periods || p.RefreshDiffers) {
			list = append(list, m)
		}
	}
	return list
}

// leftOut says how many measures shown leaves out; empty without any.
func (p *Pair) leftOut() string {
	unknown, periods := 0, 0
	for _, m := range p.Measures() {
		switch {
		case m.Base == nil && m.New == nil:
			unknown++
		case m.Unit == stats.Periods && !p.RefreshDiffers:
			periods++
		}
	}
	var list []string
	if unknown > 0 {
		list = append(list, fmt.Sprintf("%s unknown on both sides", text.Count(unknown, "measure")))
	}
	if periods > 0 {
		list = append(list, fmt.Sprintf("%s relative to an equal refresh rate", text.Count(periods, "measure")))
	}
	if len(list) == 0 {
		return ""
	}
	return "Left out: " + strings.Join(list, ", ") + "."
}

// only lists the processes in one trace only.
func (t *tableWriter) only(label string, list []*stats.Process) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(t, t.Bold(label))
	shown := text.Largest(list, complete)
	for _, p := range shown {
		about := fmt.Sprintf(" · %s · pid %s · %s", text.Kind(p.Kind), p.PID, text.Count(p.Frames.Complete, "frame"))
		name := text.Shorten(text.Process(p), t.Width-2-text.Width(about))
		fmt.Fprintf(t, "  %s%s\n", name, t.Dim(about))
	}
	t.More(len(list) - len(shown))
	fmt.Fprintln(t)
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
