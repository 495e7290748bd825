package diff

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/brief"
	"ohframe/internal/condition"
	"ohframe/internal/diag"
	"ohframe/internal/significance"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// WriteOptions are the options of Write.
type WriteOptions struct {
	// Style is that of the table.
	Style text.Style
	// Verbose makes the table list all measures.
	Verbose bool
	// Gate says what is wrong with the inputs; its checks are those of the comparison.
	Gate condition.Gate
	// Skipped are the inputs that were skipped.
	Skipped []view.Input
}

// Formats are the formats of Write.
var Formats = slices.Insert(slices.Clone(view.Formats), 1, "json", brief.Format)

// Write writes the comparison in one of the Formats. It returns an error if the
// format is unknown or writing to w fails.
func Write(w io.Writer, d *Diff, format string, o WriteOptions) error {
	switch format {
	case "json":
		return writeJSON(w, d, o)
	case brief.Format:
		return writeEvidence(w, d, o)
	}
	return view.Write(w, d.view(o), format, o.Style)
}

// verdicts are the verdicts for people, the worst first.
var verdicts = [...]struct {
	verdict     Verdict
	word, group string // of a change, and of the processes whose worst it is
	level       view.Level
}{
	{Worse, "worse", "Worse", view.Worse},
	{Better, "better", "Better", view.Better},
	{Unclear, "not significant", "No significant change", view.Plain},
	{NotTested, "", "Not tested", view.Plain},
}

// rank returns the index in verdicts.
func (v Verdict) rank() int {
	i := 0
	for verdicts[i].verdict != v {
		i++
	}
	return i
}

func (v Verdict) word() string { return verdicts[v.rank()].word }

// level returns the colour of the verdict.
func (v Verdict) level() view.Level { return verdicts[v.rank()].level }

// view returns what tables, pages and formats for continuous integration show.
func (d *Diff) view(o WriteOptions) *view.Document {
	names := text.Printable(d.Base.Name) + " → " + text.Printable(d.New.Name)
	doc := &view.Document{
		Kind: "Frame comparison", Title: names + " – frame comparison", Answer: d.answer(),
		Gate: d.gate(o, names, d.verdict()),
	}
	doc.Gate.Warnings = d.warnings()
	doc.Warnings = slices.Concat(view.Skipped(o.Skipped), doc.Gate.Warnings)
	shown := d.ranked()
	measured := d.overviewColumns()
	overview := view.Table{Label: "Processes", Sortable: true, Cards: true, Columns: []view.Column{{Title: "Process", Min: processWidth}}}
	for _, c := range measured {
		overview.Columns = append(overview.Columns, c.Column)
	}
	overview.Columns = append(overview.Columns, view.Column{Title: "Verdict"})
	for _, p := range shown {
		row := view.Row{Link: p.id(), Cells: []view.Cell{{Text: p.title()}}}
		for _, c := range measured {
			row.Cells = append(row.Cells, p.overviewCell(c.of[0]))
		}
		row.Cells = append(row.Cells, view.Cell{Text: changedMeasures(p.tested), Level: p.verdict().level()})
		overview.Rows = append(overview.Rows, row)
	}
	overview = knownColumns(overview)
	if more := len(d.Pairs) - len(shown); more > 0 {
		overview.More = text.More(more)
	}
	head := []view.Block{view.Facts{List: []view.Fact{d.Base.fact("Base", d.unit, len(d.units[0].names)), d.New.fact("New", d.unit, len(d.units[1].names))}}}
	if d.haveFrames() {
		doc.Gate.Tables = slices.Insert(doc.Gate.Tables, 0, overview)
		head = append(append(head, overview), d.method()...)
	}
	doc.Blocks = []view.Block{view.Section{Blocks: append(head, d.qualityNotes()...)}}
	for _, groups := range d.groups() {
		doc.Blocks = append(doc.Blocks, groups.view(o.Verbose, d.unit)...)
	}
	for _, p := range shown {
		doc.Blocks = append(doc.Blocks, p.view(o.Verbose))
	}
	for _, only := range []struct {
		title string
		list  []*stats.Process
	}{{"Only in base", d.OnlyBase}, {"Only in new", d.OnlyNew}} {
		if len(only.list) > 0 {
			doc.Blocks = append(doc.Blocks, view.Section{Title: only.title, Blocks: []view.Block{onlyTable(only.list)}})
		}
	}
	return doc
}

// warnings returns what limits the comparison.
func (d *Diff) warnings() []string {
	list := slices.Concat(d.recordingWarnings(), d.unitWarnings(), d.mixWarnings())
	warn := func(warning string) { list = append(list, warning) }
	if labels := d.knownOnOneSide(); len(labels) > 0 {
		warn("Not compared, because only one side has them: " + strings.Join(labels, ", "))
	}
	for _, side := range []struct {
		name string
		of   func(*Measure) *float64
	}{{"base", func(m *Measure) *float64 { return m.New }}, {"new", func(m *Measure) *float64 { return m.Base }}} {
		if names := d.withoutGPU(side.of); len(names) > 0 {
			warn(fmt.Sprintf("Jank is not comparable, because only %s says when the GPU was done, and which frames were late on it: %s", side.name, strings.Join(names, ", ")))
		}
	}
	if !d.haveFrames() {
		warn("Only " + d.comparedKinds() + " are compared: no process has complete frames in both traces")
	}
	return list
}

func frames(p *stats.Process) int { return p.Frames.Complete }

// fact returns the name of a side and how much was measured, in so many units.
func (s Side) fact(label, unit string, units int) view.Fact {
	f := view.Fact{Label: label, Value: text.Printable(s.Name)}
	var about []string
	switch sessions := len(s.sessions()); {
	case unit != runUnit && unit != sessionUnit:
		about = append(about, fmt.Sprintf("%s of %s", text.Count(units, unit), text.Count(len(s.all()), "run")))
	case sessions > 1:
		about = append(about, fmt.Sprintf("%s of %s", text.Count(sessions, "session"), text.Count(len(s.runs), "run")))
	case s.runs != nil:
		about = append(about, text.Count(len(s.runs), "run"))
	case s.Stats.Span != nil:
		about = append(about, text.Number(s.Stats.Span.Seconds, 3)+" s of trace")
	}
	before := ""
	for _, version := range firstOf(s.versions()) {
		if bundle, number, _ := strings.Cut(version, " "); bundle == before {
			version = number
		} else {
			before = bundle
		}
		about = append(about, text.Printable(version))
	}
	f.About = strings.Join(about, ", ")
	return f
}

// qualityNotes returns the data quality, once if it is the same on both sides.
func (d *Diff) qualityNotes() (notes []view.Block) {
	base, new := view.QualityNote(d.Base.Quality), view.QualityNote(d.New.Quality)
	if base == new && base.Text != "" {
		return []view.Block{base}
	}
	for _, side := range []struct {
		of string
		view.Note
	}{{" of base", base}, {" of new", new}} {
		if side.Text != "" {
			side.Label += side.of
			notes = append(notes, side.Note)
		}
	}
	return notes
}

// gateOf returns the gate of the options, with the checks of the comparison.
func (d *Diff) gateOf(o WriteOptions) condition.Gate {
	o.Gate.Checks = d.Checks()
	return o.Gate
}

// gate returns the conditions, with the measures that changed significantly.
func (d *Diff) gate(o WriteOptions, names, verdict string) view.GateReport {
	g := view.GateReport{
		Subject: names,
		Inputs:  append([]view.Input{{Name: text.Printable(d.Base.Name), Quality: d.Base.Quality}, {Name: text.Printable(d.New.Name), Quality: d.New.Quality}}, o.Skipped...),
		Gate:    d.gateOf(o), Verdict: verdict,
		Tables: []view.Table{{Columns: append([]view.Column{{Title: "Process"}}, changeColumns...)}},
	}
	add := func(title, label string, m *Measure) {
		if m.Verdict.significant() {
			g.Tables[0].Rows = append(g.Tables[0].Rows, view.Row{Cells: append([]view.Cell{{Text: title}, {Text: label}}, m.cells()...)})
		}
	}
	for _, p := range d.Pairs {
		for _, m := range p.tested {
			add(p.title(), m.definition.Label, m)
		}
		if p.Causes != nil {
			for _, c := range p.Causes.Causes {
				add(p.title(), text.Printable(string(c.Title)), c.Measure)
			}
		}
		for _, c := range p.Functions.List {
			add(p.title(), c.title, c.measure)
		}
	}
	for _, groups := range d.groups() {
		for _, x := range groups.Both {
			for _, m := range x.Measures {
				add(x.fullTitle(), m.definition.Label, m)
			}
		}
	}
	return g
}

// hangsOnlyIn names the processes that hung in runs of one side only, with their longest hang. It is known
// that those of the other side did not, or the processes are on one side only.
func (d *Diff) hangsOnlyIn(side int) (list []string) {
	longest := func(runs []*stats.Process) (longest trace.Duration, known bool) {
		known = true
		for _, p := range runs {
			if p == nil || p.Hangs == nil {
				known = false
			} else {
				longest = max(longest, p.Hangs.Longest)
			}
		}
		return longest, known
	}
	add := func(title string, runs []*stats.Process) {
		if l, _ := longest(runs); l > 0 {
			list = append(list, title+" (the longest "+text.Milliseconds(l)+" ms)")
		}
	}
	for _, p := range d.Pairs {
		runs := [2][]*stats.Process{p.base, p.new}
		if other, known := longest(runs[1-side]); known && other == 0 {
			add(p.title(), runs[side])
		}
	}
	for _, p := range [2][]*stats.Process{d.OnlyBase, d.OnlyNew}[side] {
		add(text.ProcessName(p.Name), []*stats.Process{p})
	}
	return list
}

// counts counts processes, and the interactions and layers of a kind: "2 processes and 1 layer".
func (d *Diff) counts(processes int, is func(*Group) bool) string {
	var counts []string
	if processes > 0 {
		counts = append(counts, text.Count(processes, "process"))
	}
	for _, groups := range d.groups() {
		n := 0
		for _, g := range groups.Both {
			if is(g) {
				n++
			}
		}
		if n > 0 {
			counts = append(counts, diag.Choose(n, groups.kind.noun, groups.kind.nouns))
		}
	}
	if last := len(counts) - 1; last > 1 {
		counts = []string{strings.Join(counts[:last], ", "), counts[last]}
	}
	return strings.Join(counts, " and ")
}

// comparedKinds names what is compared besides processes: "interactions and layers".
func (d *Diff) comparedKinds() string {
	var names []string
	for _, groups := range d.groups() {
		if len(groups.Both) > 0 {
			names = append(names, groups.kind.nouns)
		}
	}
	return strings.Join(names, " and ")
}

// firstOf returns the first of a list, and the number of the others.
func firstOf(list []string) []string {
	if more := len(list) - maxNamed; more > 0 {
		return append(list[:maxNamed:maxNamed], fmt.Sprintf("%d more", more))
	}
	return list
}

// knownOnOneSide returns the labels of the tested measures that are unknown on one side of
// a process only.
func (d *Diff) knownOnOneSide() (labels []string) {
	for _, p := range d.Pairs {
		for _, name := range p.testable() {
			m := p.measure(name)
			if (m.Base == nil) != (m.New == nil) && m.incomparable == "" && !slices.Contains(labels, m.definition.Label) {
				labels = append(labels, m.definition.Label)
			}
		}
	}
	return labels
}

// withoutGPU returns the processes with frames of other frameworks that are known to be late on
// the GPU on one side, while the other lacks the fences of their buffers.
func (d *Diff) withoutGPU(lacks func(*Measure) *float64) (names []string) {
	for _, p := range d.Pairs {
		if p.Base.Frames.Framework+p.New.Frames.Framework == 0 || !slices.ContainsFunc(slices.Concat(p.base, p.new), func(p *stats.Process) bool { return p != nil && p.Frames.LateGPU > 0 }) {
			continue
		}
		if slices.ContainsFunc(d.Layers.Both, func(l *Group) bool {
			m := l.measure("gpu_p50_ms")
			return (string(l.Process) == p.Base.Name || string(l.Process) == p.New.Name) && (m.Base == nil) != (m.New == nil) && lacks(m) == nil
		}) {
			names = append(names, p.title())
		}
	}
	return names
}

// processWidth is the least width of the name of a process in tables.
const processWidth = 15

// overviewCell returns a measure of a process. Late frames of one run each are of the judged ones, because runs have
// different lengths.
func (p *Pair) overviewCell(name string) view.Cell {
	m := p.measure(name)
	cell := view.Cell{Text: m.values(), Level: m.Verdict.level()}
	if judged := p.measure("judged_frames"); name == "late_frames" {
		of := func(late, judged *float64) string {
			switch {
			case late == nil || judged == nil || *judged == 0:
				return text.Unknown
			case !p.diff.oneRunEach():
				return text.Value(m.Unit, late)
			}
			return text.Value(m.Unit, late) + " of " + text.Value(m.Unit, judged)
		}
		cell.Text = of(m.Base, judged.Base) + " → " + of(m.New, judged.New)
	}
	return cell
}

// overviewColumns returns the measures of the table of processes: those that compare.
func (d *Diff) overviewColumns() []column {
	refreshDiffers := slices.ContainsFunc(d.Pairs, func(p *Pair) bool { return p.RefreshDiffers })
	if d.rulesDiffer() {
		return columnsOf(stats.Measures, comparableNames(stats.LeadingAcrossSystems, refreshDiffers))
	}
	late := column{view.Column{Title: "Late", Number: true, Drop: 3}, []string{"late_frames"}}
	return append([]column{late}, columnsOf(stats.Measures, comparableNames(stats.Leading, refreshDiffers))...)
}

// acrossRates are the measures that compare although refresh rates differ, by those that then do not.
var acrossRates = map[string]string{"fps": "fps_of_refresh", "p95_ms": "p95_periods"}

// comparableNames returns the names of measures, with those instead that compare if refresh rates differ.
func comparableNames(names []string, refreshDiffers bool) []string {
	if !refreshDiffers {
		return names
	}
	list := slices.Clone(names)
	for i, name := range names {
		list[i] = cmp.Or(acrossRates[name], name)
	}
	return list
}

func (d *Diff) rulesDiffer() bool {
	return slices.ContainsFunc(d.Pairs, func(p *Pair) bool { return p.RulesDiffer })
}

// method describes the test and the values.
func (d *Diff) method() (notes []view.Block) {
	note := func(format string, args ...any) {
		notes = append(notes, view.Note{Text: fmt.Sprintf(format, args...), Level: view.Soft})
	}
	switch {
	case d.unit == sessionUnit:
		note("Values are means of sessions, each the mean of its runs. What differs from session to session, such as the day, is chance.")
	case d.unit != runUnit:
		note("Values are means of %ss, each the mean of its runs.", d.unit)
	case !d.oneRunEach():
		note("Values are means of runs, those of percentiles too.")
	}
	if refresh := d.refreshNote(); refresh != "" {
		notes = append(notes, view.Note{Label: "Refresh", Text: refresh})
	}
	if d.rulesDiffer() {
		note("%s", rulesNote)
	}
	if slices.ContainsFunc(d.Pairs, func(p *Pair) bool { return p.causesDiffer }) {
		note(causesDifferNote)
	}
	if i := slices.IndexFunc(d.Pairs, func(p *Pair) bool { return p.Functions.Unsampled != "" }); i >= 0 {
		note("%s", d.Pairs[i].unsampledNote())
	}
	switch f := d.Test; {
	case !d.enoughUnits():
		note("%s", d.notTested())
	case f.Tested == 0:
		note("Nothing was tested: too few frames.")
	case f.Method == significance.Permutation:
		note("Tested by permutation of %ss, %d divisions; %s, %.0f %% level. A measure without a verdict was not tested.", d.unit, f.Resamples, text.Count(f.Tested, "change"), 100*significance.Level)
	default:
		note("Tested by a t-test of %ss; %s, %.0f %% level. A measure without a verdict was not tested.", d.unit, text.Count(f.Tested, "change"), 100*significance.Level)
	}
	if d.enoughUnits() {
		if short := d.shortRuns(); short != "" {
			note("%s", short)
		}
	}
	return notes
}

const causesDifferNote = "Causes of late frames are not compared: only some traces have scheduling events of the threads, the tags sched and freq."

func (p *Pair) unsampledNote() string {
	return fmt.Sprintf("Functions are not compared: %s has no samples of a profiler, or no times of its threads.", p.Functions.Unsampled)
}

// notTested says why no change is tested; empty if there are enough units.
func (d *Diff) notTested() string {
	if d.enoughUnits() {
		return ""
	}
	unit, advice := runUnit, "Record five or more of each side."
	switch {
	case !d.enoughRuns():
	case d.unit == sessionUnit:
		unit, advice = d.unit, "At least four in all are needed."
	case d.unit != runUnit:
		unit, advice = d.unit, fmt.Sprintf("At least %d on each side are needed; --unit trace compares traces.", minUnits)
	}
	return fmt.Sprintf("Not tested: %s do not show how %ss differ. %s", d.tooFew(), unit, advice)
}

// short is how many times as long runs are advised to be from which tables say so.
const short = 2

// shortRuns says how many frames the process with the most has in a run, if runs are short; empty
// if they are not.
func (d *Diff) shortRuns() string {
	list := text.Largest(d.Pairs, func(p *Pair) int { return frames(p.Base) + frames(p.New) })
	if len(list) == 0 || list[0].advice.Longer < short {
		return ""
	}
	n := list[0].measure("frames")
	if n.Delta == nil {
		return ""
	}
	return fmt.Sprintf("Runs have %.0f and %.0f frames of %s. Record %.0f s each: longer runs find smaller changes.", *n.Base, *n.New, list[0].title(), list[0].advice.Seconds)
}

// onlyTable returns the table of processes in one trace only.
func onlyTable(list []*stats.Process) view.Table {
	t := view.Table{Label: "Processes", Cards: true, Columns: []view.Column{{Title: "Process"}, {Title: "Kind"}, {Title: "Process id", Number: true}, {Title: "Frames", Number: true}}}
	shown := text.Largest(list, frames)
	for _, p := range shown {
		t.Rows = append(t.Rows, view.Row{Cells: []view.Cell{
			{Text: text.Process(p)}, {Text: text.Kind(p.Kind)}, {Text: p.PID.String()}, {Text: fmt.Sprint(frames(p))},
		}})
	}
	if more := len(list) - len(shown); more > 0 {
		t.More = text.More(more)
	}
	return t
}
