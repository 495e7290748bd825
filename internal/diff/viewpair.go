package diff

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/significance"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

func (p *Pair) id() string { return fmt.Sprintf("pair-%d", p.index) }

// title returns the name of the pair's process, or both names if they differ.
func (p *Pair) title() string {
	base, new := text.Process(p.Base), text.Process(p.New)
	if base == new {
		return base
	}
	return base + " → " + new
}

// about returns the kind and the ids of the pair's process, and how it was matched
// if not by its full name.
func (p *Pair) about() string {
	about := fmt.Sprintf("%s · pid %s", text.Kind(p.Base.Kind), p.Base.PID)
	if p.New.PID != p.Base.PID {
		about += fmt.Sprintf(" → %s", p.New.PID)
	}
	switch p.MatchedBy {
	case matchedByMap:
		about += " · as mapped"
	case matchedByNameEnd:
		about += " · matched by the end of the name"
	}
	return about
}

// verdict returns the worst verdict on a tested measure.
func (p *Pair) verdict() Verdict { return worst(p.tested) }

// worst returns the worst verdict on measures.
func worst(list []*Measure) Verdict {
	v := NotTested
	for _, m := range list {
		if m.Verdict.rank() < v.rank() {
			v = m.Verdict
		}
	}
	return v
}

// labels returns the measures with a verdict, without their units.
func labels(list []*Measure, v Verdict) (names []string) {
	for _, m := range list {
		if m.Verdict == v {
			label, _, _ := strings.Cut(m.definition.Label, ", ")
			names = append(names, label)
		}
	}
	return names
}

// changedMeasures returns the significant changes in a few words: "worse: Jank rate,
// Duration P95".
func changedMeasures(list []*Measure) string {
	var parts []string
	for _, v := range []Verdict{Worse, Better} {
		if names := labels(list, v); len(names) > 0 {
			parts = append(parts, v.word()+": "+strings.Join(names, ", "))
		}
	}
	if len(parts) == 0 {
		return cmp.Or(worst(list).word(), notTested)
	}
	return strings.Join(parts, "; ")
}

// testable returns the names of the measures that are tested if there are enough frames.
func (p *Pair) testable() []string {
	if p.RefreshDiffers {
		return stats.TestedAcrossRates[:]
	}
	return stats.Tested[:]
}

// maxChanged is the number of measures of a pair in a terminal without Verbose.
const maxChanged = 10

// view returns the section of the pair.
func (p *Pair) view(verbose bool) view.Section {
	s := view.Section{
		ID: p.id(), Title: p.title(), About: p.about(), Article: true, Pick: p.title(), PickGroup: verdicts[p.verdict().rank()].group,
	}
	var changes []view.Block
	if p.RefreshDiffers && p.diff.refreshNote() == "" {
		changes = append(changes, view.Note{Label: "Refresh", Text: p.refreshNote()})
	}
	if base, new := cadenceText(p.base), cadenceText(p.new); base != new && base != text.Unknown && new != text.Unknown {
		changes = append(changes, view.Note{Label: "Cadence", Text: fmt.Sprintf("it draws %s → %s", base, new)})
	}
	list, left := p.sorted()
	table := p.terminalTable(list, left, verbose)
	changes = append(changes, view.Terminal{table}, p.pageTables(list, left))
	if p.RulesDiffer {
		changes = append(changes, p.ownTable(verbose))
	}
	if note := p.untestedNote(); note != "" && p.diff.enoughUnits() {
		changes = append(changes, view.Note{Text: note, Level: view.Soft})
	}
	if found := undecided(p.tested); found != "" {
		changes = append(changes, view.Note{Label: "Undecided", Text: found, Level: view.Soft})
	}
	causes := append(p.causeTables(), p.functionTable()...)
	s.PageOnly = !verbose && !p.RefreshDiffers && len(table.Rows)+len(causes) == 0
	s.Blocks = append([]view.Block{view.Section{Blocks: changes}}, causes...)
	s.Blocks = append(s.Blocks, p.charts()...)
	return s
}

func (p *Pair) refreshNote() string {
	return fmt.Sprintf("%s → %s: frame rates and durations are compared relative to the refresh rate", refreshText(p.base), refreshText(p.new))
}

// refreshNote returns the note of all pairs whose refresh rates differ; empty if they have several.
func (d *Diff) refreshNote() (note string) {
	for _, p := range d.Pairs {
		if !p.RefreshDiffers {
			continue
		}
		if of := p.refreshNote(); note != "" && note != of {
			return ""
		} else {
			note = of
		}
	}
	return note
}

// rulesNote says what is compared if Android recorded one side.
const rulesNote = "Frame rates, hitches and latencies are compared by the same rules, from when the display showed frames. " +
	"Android has its own for when a frame ends and is late (docs/trouble.md): durations and jank are shown, not compared."

// ownTable has what each system has rules of its own for.
func (p *Pair) ownTable(verbose bool) view.Table {
	systems := [2]string{"OpenHarmony", "Android"}
	if android(p.base) {
		systems = [2]string{"Android", "OpenHarmony"}
	}
	t := view.Table{Label: p.title() + ": each system by its own rules", Cards: true, Columns: []view.Column{
		{Title: "By its own rules"}, {Title: systems[0], Number: true}, {Title: systems[1], Number: true},
	}}
	for _, m := range p.measures() {
		if verdict := strings.HasPrefix(m.Field, "surfaceflinger."); m.definition.OwnRule() && (m.definition.Main || verbose) || verdict {
			if m.Base != nil || m.New != nil {
				t.Rows = append(t.Rows, view.Row{Cells: []view.Cell{
					{Text: m.definition.Label, Meaning: m.definition.Explained()}, {Text: text.Value(m.Unit, m.Base)}, {Text: text.Value(m.Unit, m.New)},
				}})
			}
		}
	}
	return t
}

// untestedNote names the measures that are tested elsewhere; empty without any.
func (p *Pair) untestedNote() string {
	var untested []string
	for _, name := range p.testable() {
		if m := p.measure(name); m.P == nil && m.incomparable == "" {
			untested = append(untested, m.definition.Label)
		}
	}
	if len(untested) == 0 {
		return ""
	}
	return "Not tested, because unknown or of too few frames: " + strings.Join(untested, "; ")
}

// maxUndecided is the number of undecided changes that are described.
const maxUndecided = 3

// undecided says what would decide the changes that are large enough to count, but may be chance.
// It leaves out those that too many units would decide. It is empty without one.
func undecided(list []*Measure) string {
	var parts []string
	for _, m := range list {
		if !m.undecided() || len(parts) == maxUndecided {
			continue
		}
		label, _, _ := strings.Cut(m.definition.Label, ", ")
		parts = append(parts, fmt.Sprintf("%s %s%s may be chance: %s on each side would decide; these %ss find %s%s and more.",
			label, text.Change(m.Unit, m.Delta), text.UnitAfter(m.Unit), m.advice.Text(*m.UnitsNeeded),
			m.advice.UnitName, strings.TrimPrefix(text.Change(m.Unit, m.Detectable), "+"), text.UnitAfter(m.Unit)))
	}
	return strings.Join(parts, " ")
}

// undecided reports whether a change counts but may be chance, and how many units would decide is
// known.
func (m *Measure) undecided() bool {
	return m.Verdict == Unclear && math.Abs(*m.Delta) >= *m.MinEffect && m.UnitsNeeded != nil && m.Detectable != nil
}

// sorted returns the measures to show: those that are known in either trace, and those in
// periods only if refresh rates differ. Significant changes are first, the worse before the
// better, then tested measures, main measures and others. left says how many it leaves out.
func (p *Pair) sorted() (list []*Measure, left []string) {
	unknown, periods, own := 0, 0, 0
	for _, m := range p.measures() {
		switch {
		case m.Base == nil && m.New == nil:
			unknown++
		case p.RulesDiffer && (m.definition.OwnRule() || strings.HasPrefix(m.Field, "surfaceflinger.")):
			own++
		case m.Unit == stats.Periods && !p.RefreshDiffers:
			periods++
		default:
			list = append(list, m)
		}
	}
	last := func(m *Measure) int {
		if p.leads(m) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(a, b *Measure) int {
		return cmp.Or(cmp.Compare(a.Verdict.rank(), b.Verdict.rank()), cmp.Compare(last(a), last(b)))
	})
	if unknown > 0 {
		left = append(left, fmt.Sprintf("%d unknown on both sides", unknown))
	}
	if own > 0 {
		left = append(left, fmt.Sprintf("%d by rules of their own", own))
	}
	if periods > 0 {
		left = append(left, fmt.Sprintf("%d relative to an equal refresh rate", periods))
	}
	return list, left
}

// leads reports whether a measure comes before others.
func (p *Pair) leads(m *Measure) bool {
	return slices.Contains(p.testable(), m.Name) || m.definition.Main && m.incomparable == "" || p.RulesDiffer && m.Better != stats.Neither
}

// terminalTable returns the measures that changed, without verbose the first of them.
func (p *Pair) terminalTable(list []*Measure, left []string, verbose bool) view.Table {
	changed := slices.DeleteFunc(slices.Clone(list), func(m *Measure) bool { return m.equal() && !(verbose && m.definition.Main) })
	equal, shown := len(list)-len(changed), changed
	if !verbose {
		shown = changed[:min(maxChanged, len(changed))]
	}
	if equal > 0 {
		left = append([]string{fmt.Sprintf("%d equal", equal)}, left...)
	}
	if more := len(changed) - len(shown); more > 0 {
		left = append([]string{fmt.Sprintf("%d changed (--all lists all)", more)}, left...)
	}
	t := measureTable(p.title(), shown)
	t.More = leftOut(left)
	return t
}

// pageTables returns the tested measures that changed, or of those that lead if none is tested, and the others below
// them. Those that are zero on both sides are left out.
func (p *Pair) pageTables(list []*Measure, left []string) view.Page {
	tested := slices.ContainsFunc(list, func(m *Measure) bool { return m.P != nil })
	var first, others []*Measure
	zero := 0
	for _, m := range list {
		switch {
		case !m.equal() && (tested && m.P != nil || !tested && p.leads(m)):
			first = append(first, m)
		case !m.definition.Main && m.Delta != nil && *m.Base == 0 && *m.New == 0:
			zero++
		default:
			others = append(others, m)
		}
	}
	if zero > 0 {
		left = append([]string{fmt.Sprintf("%d zero on both sides", zero)}, left...)
	}
	folded := measureTable(p.title(), others)
	folded.More = leftOut(left)
	return view.Page{
		p.draw(measureTable(p.title(), first), first),
		view.Fold{Title: text.Count(len(others), "other measure"), Blocks: []view.Block{folded}},
	}
}

func leftOut(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return "Other measures: " + strings.Join(list, ", ") + "."
}

// equal reports whether both values are known and printed alike. A significant change is
// never equal.
func (m *Measure) equal() bool {
	return m.Delta != nil && !m.Verdict.significant() && text.Value(m.Unit, m.Base) == text.Value(m.Unit, m.New)
}

// changeColumns are the columns of a table of measures: the label, and those of cells.
var changeColumns = []view.Column{
	{Title: "Measure"}, {Title: "Base → new", Number: true}, {Title: "Change", Number: true}, {Title: "Change, %", Number: true, Drop: 2},
	{Title: fmt.Sprintf("%.0f %% interval", 100*(1-significance.Level)), Number: true, Drop: 1}, {Title: "p", Number: true, Drop: 3}, {Title: "Verdict"},
}

// cells returns the cells of a measure after its label.
func (m *Measure) cells() []view.Cell {
	cells := []view.Cell{
		{Text: m.values()}, {Text: text.Change(m.Unit, m.Delta)}, {Text: text.RelativeChange(m.Relative)}, {}, {}, {Text: m.Verdict.word(), Level: m.Verdict.level()},
	}
	if m.P != nil {
		cells[3].Text = text.Change(m.Unit, m.Low) + " to " + text.Change(m.Unit, m.High)
		cells[4].Text = text.Probability(*m.P)
	}
	return cells
}

func (m *Measure) values() string {
	return text.Value(m.Unit, m.Base) + " → " + text.Value(m.Unit, m.New)
}

// measureTable returns a table of measures. Without tested ones, it has no columns for tests.
func measureTable(label string, list []*Measure) view.Table {
	t := view.Table{Label: label, Cards: true, Columns: slices.Clone(changeColumns)}
	if !slices.ContainsFunc(list, func(m *Measure) bool { return m.P != nil }) {
		t.Columns = t.Columns[:4]
	}
	for _, m := range list {
		cells := append([]view.Cell{{Text: m.definition.Label, Meaning: m.definition.Explained()}}, m.cells()...)
		t.Rows = append(t.Rows, view.Row{Cells: cells[:len(t.Columns)]})
	}
	return t
}

// draw adds drawings of the intervals of tested measures, and of several runs.
func (p *Pair) draw(t view.Table, list []*Measure) view.Table {
	runs := len(p.base)+len(p.new) > 2
	if runs {
		t.Columns = append(t.Columns, view.Column{Title: "Runs"})
	}
	for i, m := range list {
		row := &t.Rows[i]
		if m.P != nil {
			row.Cells[4].Bars = m.interval()
		}
		if runs {
			row.Cells = append(row.Cells, view.Cell{Bars: p.runBars(m)})
		}
	}
	return t
}

// interval draws the interval of a tested measure around the changes that do not count. No
// change is in the middle.
func (m *Measure) interval() []view.Bar {
	limit := 1.05 * max(math.Abs(*m.Low), math.Abs(*m.High), *m.MinEffect)
	if limit == 0 {
		return nil
	}
	bar := func(low, high float64, group string) view.Bar {
		return view.Bar{Left: 0.5 + low/limit/2, Width: (high - low) / limit / 2, Group: group}
	}
	return []view.Bar{
		bar(-*m.MinEffect, *m.MinEffect, "budget"), bar(*m.Low, *m.High, cmp.Or(string(m.Verdict), "unclear")),
		bar(0, 0, "mark"), bar(*m.Delta, *m.Delta, "mark"),
	}
}

// runBars draws a line for the value of each run between the smallest and the largest.
func (p *Pair) runBars(m *Measure) (bars []view.Bar) {
	base, new := values(m.definition, p.base), values(m.definition, p.new)
	all := slices.Concat(base, new)
	if len(base) == 0 || len(new) == 0 || slices.Min(all) == slices.Max(all) {
		return nil
	}
	const width = 0.02
	least, most := slices.Min(all), slices.Max(all)
	for i, x := range all {
		group := "base"
		if i >= len(base) {
			group = "new"
		}
		bars = append(bars, view.Bar{Left: (1 - width) * (x - least) / (most - least), Width: width, Group: group, Title: group + " " + text.Value(m.Unit, &x)})
	}
	return bars
}

// The causes in tables and pages: those that changed by at least leastShown, in the unit of
// the list, and at most maxShown of a list.
const (
	maxShown        = 6
	leastShownLost  = 0.5 // ms/s
	leastShownFrame = 0.05
)

// causeTables returns the lists of what changed in the causes; none if nothing did.
func (p *Pair) causeTables() (sections []view.Block) {
	if p.Causes == nil {
		return nil
	}
	add := func(title string, list []CauseChange, total *Measure, least float64) {
		t := view.Table{Label: p.title() + ": " + title, Cards: true, Columns: []view.Column{
			{Title: title}, {Title: "Base → new", Number: true}, {Title: "Change", Number: true}, {Title: "Verdict"},
		}}
		row := func(title string, m *Measure) {
			t.Rows = append(t.Rows, view.Row{Cells: []view.Cell{
				{Text: title}, {Text: m.values()}, {Text: text.Change(m.Unit, m.Delta)}, {Text: cmp.Or(m.Verdict.word(), notTested), Level: m.Verdict.level()},
			}})
		}
		var base, new float64 // of the rows
		for _, c := range list {
			if math.Abs(*c.Delta) >= least && len(t.Rows) < maxShown {
				row(text.Printable(string(c.Title)), c.Measure)
				base, new = base+*c.Base, new+*c.New
			}
		}
		if total != nil && total.Delta != nil && (len(t.Rows) > 0 || !total.equal()) {
			if base, new = *total.Base-base, *total.New-new; len(t.Rows) > 0 && max(math.Abs(base), math.Abs(new)) >= leastCost {
				change := new - base
				row("other causes", &Measure{Unit: total.Unit, Values: Values{Base: &base, New: &new, Delta: &change}})
			}
			row("all causes", total)
		}
		if len(t.Rows) > 0 {
			sections = append(sections, view.Section{Blocks: []view.Block{knownColumns(t)}})
		}
	}
	lost := "Lost time by cause, ms/s"
	if p.RulesDiffer {
		lost = "Lost time by wait, each by its own deadlines, ms/s"
	}
	add(lost, p.Causes.Causes, p.Causes.Lost.Measure, leastShownLost)
	add("Mean time of a frame, ms", p.Causes.Times, nil, leastShownFrame)
	return sections
}

// maxFunctions is the number of functions in a table.
const maxFunctions = 20

// functionTable returns the functions whose time in a frame changed; none if none did.
func (p *Pair) functionTable() []view.Block {
	t := view.Table{Label: p.title() + ": functions", Cards: true, Columns: []view.Column{
		{Title: "Mean time of a frame in functions, ms"}, {Title: "Base → new", Number: true}, {Title: "Change", Number: true}, {Title: "Samples", Number: true, Drop: 1}, {Title: "Verdict"},
	}}
	more := 0
	for i := range p.Functions.List {
		c := &p.Functions.List[i]
		switch {
		case !c.shown():
			continue
		case len(t.Rows) == maxFunctions:
			more++
			continue
		}
		t.Rows = append(t.Rows, view.Row{Cells: []view.Cell{
			{Text: c.title}, {Text: c.measure.values()}, {Text: text.Change(c.measure.Unit, c.Delta)},
			{Text: fmt.Sprintf("%d → %d", c.BaseSamples, c.NewSamples)}, {Text: cmp.Or(c.Verdict.word(), notTested), Level: c.Verdict.level()},
		}})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	if more > 0 {
		t.More = fmt.Sprintf("… and %s that changed by less", text.Count(more, "function"))
	}
	return []view.Block{view.Section{Blocks: []view.Block{knownColumns(t)}}}
}

// knownColumns returns a table without its columns of verdicts if nothing in it was tested, and without those of measures that
// are unknown on both sides of all.
func knownColumns(t view.Table) view.Table {
	for i := range slices.Backward(t.Columns) {
		if !slices.ContainsFunc(t.Rows, func(r view.Row) bool { return r.Cells[i].Text != notTested && r.Cells[i].Text != unknownChange }) {
			t.RemoveColumns(i, i+1)
		}
	}
	return t
}

// unknownChange is the values of a measure that is unknown on both sides.
const unknownChange = text.Unknown + " → " + text.Unknown

// notTested is the verdict on what was not tested, beside others that were.
const notTested = "not tested"

// cadenceText lists the cadences of a process in its runs.
func cadenceText(runs []*stats.Process) string {
	var list []string
	for _, p := range runs {
		if p == nil || p.FPS == nil || p.FPS.Cadence == nil {
			continue
		}
		c := *p.FPS.Cadence
		c.Share = 1 // it differs from run to run
		if s := text.Cadence(&c); !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		return text.Unknown
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// refreshText lists the refresh rates of a process.
func refreshText(runs []*stats.Process) string {
	list := refreshOf(runs)
	if len(list) == 0 {
		return text.Unknown
	}
	return strings.Join(text.Rates(list, func(r stats.Refresh) string { return text.Number(r.Rate, 1) }), ", ") + " Hz"
}
