package fleet

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/diff"
	"ohframe/internal/significance"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// Write writes the trend in one of the Formats.
func (t *Trend) Write(w io.Writer, format string, style text.Style) error {
	return write(w, t, format, style)
}

// document returns the trend for people: the changes, then the groups, those that changed first.
func (t *Trend) document() *view.Document {
	var dirs []string
	for _, d := range t.Datasets {
		dirs = append(dirs, text.Printable(d.Dir))
	}
	d := &view.Document{Kind: "Fleet trend", Title: fmt.Sprintf("%s of %s by %s", titleOf(t.table.name()), strings.Join(dirs, ", "), t.name()), Summary: t.summary()}
	for _, dataset := range t.Datasets {
		for _, warning := range dataset.Warnings() {
			d.Warnings = append(d.Warnings, text.Printable(dataset.Dir)+": "+warning)
		}
	}
	for _, warning := range t.warnings {
		d.Warnings = append(d.Warnings, text.Printable(warning))
	}
	var changes []view.Block
	var changed, others []view.Block
	for _, g := range t.Groups {
		section := view.Section{Title: groupText(g.Key), Blocks: t.group(g)}
		if notes := t.changes(g); len(notes) > 0 {
			changes, changed = append(changes, notes...), append(changed, section)
		} else {
			others = append(others, section)
		}
	}
	if len(changes) > 0 {
		d.Blocks = append(d.Blocks, view.Section{Title: "Changes", Blocks: changes})
	}
	d.Blocks = append(append(d.Blocks, changed...), others...)
	if n := len(t.Groups); n < t.Total {
		_, noun := t.table.counts()
		d.Blocks = append(d.Blocks, view.Note{Text: fmt.Sprintf("%d of %d groups, those with the most %ss; --top %d tests all, and finds less in each.", n, t.Total, noun, t.Total), Level: view.Soft})
	}
	return d
}

// summary says how many changes there are, and of what.
func (t *Trend) summary() string {
	if t.Test.Tested == 0 {
		return "Nothing was tested: " + t.whyNothing() + "."
	}
	counts, back := map[diff.Verdict]int{}, ""
	taken := 0
	for _, g := range t.Groups {
		for _, s := range g.Series {
			for _, c := range s.Changes {
				if counts[c.Verdict]++; c.Back != nil {
					taken++
					back = fmt.Sprintf(" (%d taken back)", taken)
				}
			}
		}
	}
	order := "natural order"
	if t.Order == ByTime {
		order = "the order in which they were first recorded"
	}
	return fmt.Sprintf("%s for the worse and %d for the better%s in %s over %s, tested together at the %.0f %% level. Values are means of %ss. %ss are in %s.",
		text.Count(counts[diff.Worse], "change"), counts[diff.Better], back, text.Count(t.Test.Tested, "measure"), text.Count(len(t.Builds), t.name()), 100*significance.Level,
		t.Unit, titleOf(t.name()), order)
}

// whyNothing returns why no series was tested.
func (t *Trend) whyNothing() string {
	switch {
	case len(t.Groups) == 0 && len(t.warnings) > 0: // which says that the build is unknown
		return fmt.Sprintf("no %s is known", t.name())
	case len(t.Groups) == 0:
		return "the dataset has no " + t.table.name()
	case len(t.Builds) < significance.MinUnits:
		return fmt.Sprintf("%s known, a change needs %d", text.Count(len(t.Builds), t.name()), significance.MinUnits)
	}
	_, noun := t.table.counts()
	return fmt.Sprintf("a measure needs %d %ss with %ss of %d %ss", significance.MinUnits, t.name(), t.Unit, stats.MinFrames("p95_ms"), noun)
}

// changes returns a paragraph for each build with which a group changed, and for each with which that was
// taken back.
func (t *Trend) changes(g *TrendGroup) (list []view.Block) {
	type found struct {
		*TrendSeries
		*TrendChange
	}
	var all []found
	for _, s := range g.Series {
		for _, c := range s.Changes {
			all = append(all, found{s, c})
		}
	}
	compare := func(a, b found) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.back(), b.back())) }
	slices.SortStableFunc(all, compare)
	for len(all) > 0 {
		first := all[0]
		note := view.Note{Label: groupText(g.Key) + t.placesText(first.TrendChange)}
		for len(all) > 0 && compare(first, all[0]) == 0 {
			if all[0].Verdict == diff.Worse {
				note.Level = view.Warning
			}
			note.Text += t.changeText(all[0].TrendSeries, all[0].TrendChange) + " "
			all = all[1:]
		}
		note.Text = strings.TrimSpace(note.Text + t.reasons(first.TrendChange))
		list = append(list, note)
	}
	return list
}

// placesText says where a change is.
func (t *Trend) placesText(c *TrendChange) string {
	if c.Back == nil {
		return " with " + t.buildText(c.At)
	}
	return fmt.Sprintf(" from %s to %s, taken back in %s", t.buildText(c.At), text.Printable(t.Builds[c.Back.At-1]), text.Printable(t.Builds[c.Back.At]))
}

// changeText describes a change.
func (t *Trend) changeText(s *TrendSeries, c *TrendChange) string {
	unit, verb := s.Measure.Unit, "rose"
	if *c.Measure.Delta < 0 {
		verb = "fell"
	}
	return fmt.Sprintf("%s %s from %s to %s (%s, %.0f %% interval %s to %s, p %s)", s.Measure.Label, verb,
		text.Value(unit, c.Base), text.Value(unit, c.New), text.Change(unit, c.Measure.Delta), 100*(1-significance.Level),
		text.Change(unit, c.Measure.Low), text.Change(unit, c.Measure.High), probability(c.Shift.P)) +
		t.rangeText(&c.Place, "begun", "differs") + t.rangeText(c.Back, "been taken back", "is back") + "."
}

// rangeText says how certain a place is, which may be nil.
func (t *Trend) rangeText(p *significance.Place, begun, differs string) string {
	switch {
	case p == nil:
	case p.LastOnly:
		return fmt.Sprintf("; only the last %s %s so far", t.name(), differs)
	case p.Earliest < p.Latest:
		return fmt.Sprintf("; it may have %s with any from %s to %s", begun, text.Printable(t.Builds[p.Earliest]), text.Printable(t.Builds[p.Latest]))
	}
	return ""
}

// reasons names the commits and the causes of a change.
func (t *Trend) reasons(c *TrendChange) (words string) {
	if c.Commits != nil {
		words = fmt.Sprintf("Commits %s. ", c.Commits)
	}
	if c.BackCommits != nil {
		words += fmt.Sprintf("Taken back by %s. ", c.BackCommits)
	}
	grew := "grew"
	if c.Verdict == diff.Better {
		grew = "fell"
	}
	switch {
	case c.Lost == nil:
		return words
	case len(c.Causes) == 0:
		return words + fmt.Sprintf("No cause of late frames %s.", grew)
	}
	words += fmt.Sprintf("Causes that %s, in µs per frame, with their shares of what %s:", grew, grew)
	for i, cause := range c.Causes[:min(maxGrown, len(c.Causes))] {
		if i > 0 {
			words += ";"
		}
		words += fmt.Sprintf(" %s %s → %s (%s)", text.Printable(cause.Name), micro(cause.Before), micro(cause.After), text.Share(&cause.Share))
	}
	return words + "."
}

func (r *CommitRange) String() string {
	return text.Printable(r.Before) + ".." + text.Printable(r.After)
}

// maxGrown is the number of causes of a change that are shown.
const maxGrown = 3

func probability(p float64) string {
	s := text.Probability(p)
	if strings.HasPrefix(s, "<") {
		return s
	}
	return "= " + s
}

func micro(nanoseconds float64) string { return text.Number(nanoseconds/1e3, 1) }

// shown returns the measures of a group that tables have: the first one and those that changed, or those
// that the user wants.
func (t *Trend) shown(g *TrendGroup) (list []*TrendSeries) {
	for i, s := range g.Series {
		wanted := len(t.Measures) < len(compared[t.table])
		if known := slices.ContainsFunc(s.Points, func(p TrendPoint) bool { return p.Value != nil }); known && (wanted || i == 0 || len(s.Changes) > 0) {
			list = append(list, s)
		}
	}
	return list
}

// group returns the blocks of a group.
func (t *Trend) group(g *TrendGroup) (blocks []view.Block) {
	shown := t.shown(g)
	table := view.Table{Label: groupText(g.Key), Columns: []view.Column{{Title: titleOf(t.name())}, {Title: titleOf(t.Unit) + "s", Number: true}}}
	for i, s := range shown {
		about := fmt.Sprintf("%.0f %% intervals", 100*(1-significance.Level))
		table.Columns = append(table.Columns, view.Column{Title: s.Measure.Label, Number: true, About: about, Drop: i})
	}
	table.Columns = append(table.Columns, view.Column{Title: "Change"})
	for i, build := range t.Builds {
		if g.rows[i] == nil {
			continue
		}
		row := view.Row{Cells: []view.Cell{{Text: text.Printable(build)}, {Text: fmt.Sprint(len(g.rows[i].units))}}}
		if all := g.rows[i].all; all > len(g.rows[i].units) {
			row.Cells[1].About = fmt.Sprintf("of %d", all)
		}
		var found []string // verdicts
		change := view.Cell{}
		for _, s := range shown {
			p := s.Points[i]
			cell := view.Cell{Text: text.Value(s.Measure.Unit, p.Value), About: intervalText(s.Measure.Unit, p)}
			if !p.Tested {
				cell.Level = view.Soft
			}
			for _, c := range s.Changes {
				what, up := "", *c.Measure.Delta > 0
				switch {
				case c.At == i:
					what = string(c.Verdict)
					cell.Level, change.Level = c.Verdict.Level(), c.Verdict.Level()
				case c.Back != nil && c.Back.At == i:
					what, up = takenBack, !up
				default:
					continue
				}
				cell.Text += " " + arrow(up)
				if !slices.Contains(found, what) {
					found = append(found, what)
				}
			}
			row.Cells = append(row.Cells, cell)
		}
		change.Text = strings.Join(found, ", ")
		row.Cells, row.Strong = append(row.Cells, change), len(found) > 0
		table.Rows = append(table.Rows, row)
	}
	var charts view.Page
	for _, s := range shown {
		if chart, ok := t.chart(s); ok {
			charts = append(charts, chart)
		}
	}
	blocks = append(blocks, charts, table)
	if note := t.untested(g); note != "" {
		blocks = append(blocks, view.Note{Text: note, Level: view.Soft})
	}
	return blocks
}

const takenBack = "taken back"

// arrow marks a change without colours.
func arrow(up bool) string {
	if up {
		return "↑"
	}
	return "↓"
}

// intervalText returns the interval of a point; empty if it is unknown.
func intervalText(unit stats.Unit, p TrendPoint) string {
	if p.Low == nil {
		return ""
	}
	return strings.TrimSuffix(text.Value(unit, p.Low), " %") + "–" + text.Value(unit, p.High)
}

// untested says what was not tested, and how large a change would have been found.
func (t *Trend) untested(g *TrendGroup) string {
	var words, detectable []string
	few := map[int][]string{} // labels by the number of units needed
	for _, s := range g.Series {
		switch {
		case !s.Tested && slices.ContainsFunc(s.Points, func(p TrendPoint) bool { return p.Value != nil }):
			few[s.Needed] = append(few[s.Needed], s.Measure.Label)
		case s.Tested && len(s.Changes) == 0:
			if change := text.Change(s.Measure.Unit, &s.Detectable); strings.HasPrefix(change, "+") { // it may be rounded to 0
				detectable = append(detectable, s.Measure.Label+" "+change)
			}
		}
	}
	if len(detectable) > 0 {
		words = append(words, "Lasting changes in the middle that would have been found in 80 of 100 histories: "+strings.Join(detectable, ", ")+".")
	}
	for needed := range minUnits + 1 {
		if list := few[needed]; len(list) > 0 {
			words = append(words, fmt.Sprintf("Not tested, as fewer than %d %ss have %s with enough frames: %s.", significance.MinUnits, t.name(), text.Count(needed, t.Unit), strings.Join(list, ", ")))
		}
	}
	return strings.Join(words, " ")
}

// chart returns a series with its intervals and changes; false with fewer than two points.
func (t *Trend) chart(s *TrendSeries) (view.Chart, bool) {
	factor, unit := 1.0, strings.TrimSpace(text.UnitAfter(s.Measure.Unit))
	if s.Measure.Unit == stats.Share {
		factor, unit = 100, "%"
	}
	values := &line{Name: s.Measure.Label, Dots: true}
	interval := band{Colour: "accent", Straight: true}
	var marks []mark
	names := make([]string, len(t.Builds))
	for i, p := range s.Points {
		names[i] = text.Printable(t.Builds[i])
		if p.Value == nil {
			continue
		}
		values.X, values.Y = append(values.X, i), append(values.Y, factor**p.Value)
		title := text.Value(s.Measure.Unit, p.Value) + text.UnitAfter(s.Measure.Unit) + " of " + text.Count(p.Units, t.Unit)
		if p.Low != nil {
			title += ", " + intervalText(s.Measure.Unit, p)
			interval.X, interval.Low, interval.High = append(interval.X, i), append(interval.Low, factor**p.Low), append(interval.High, factor**p.High)
		}
		values.Titles = append(values.Titles, title)
	}
	for _, c := range s.Changes {
		marks = append(marks, mark{c.At, fmt.Sprintf("%s %s", c.Verdict, text.Change(s.Measure.Unit, c.Measure.Delta))})
		if c.Back != nil {
			marks = append(marks, mark{c.Back.At, takenBack})
		}
	}
	var bands []band
	if len(interval.X) > 0 {
		bands = append(bands, interval)
	}
	chart := linesChart(names, unit, []*line{values}, bands, marks)
	chart.About = fmt.Sprintf("The band is the %.0f %% interval of each %s.", 100*(1-significance.Level), t.name())
	return chart, len(values.X) > 1
}

// The documents in JSON.
type (
	trendDocument struct {
		Datasets []datasetDocument    `json:"datasets"`
		Over     string               `json:"over"`
		Order    Order                `json:"order"`
		By       []string             `json:"by"`
		Of       string               `json:"of"`
		Unit     string               `json:"unit"`
		Level    float64              `json:"level"`
		Power    float64              `json:"power"`
		Method   significance.Method  `json:"method"`
		Tested   int                  `json:"tested"`
		Warnings []string             `json:"warnings"`
		Builds   []string             `json:"values"`
		Total    int                  `json:"groups_total"`
		Groups   []trendGroupDocument `json:"groups"`
	}
	trendGroupDocument struct {
		Key      map[string]*string    `json:"key"`
		Measures []trendSeriesDocument `json:"measures"`
	}
	trendSeriesDocument struct {
		Name       string                `json:"measure"`
		Unit       stats.Unit            `json:"unit"`
		Tested     bool                  `json:"tested"`
		Detectable *float64              `json:"detectable"`
		Points     []trendPointDocument  `json:"points"`
		Changes    []trendChangeDocument `json:"changes"`
	}
	trendPointDocument struct {
		Build string `json:"at"`
		TrendPoint
	}
	trendChangeDocument struct {
		*trendPlaceDocument
		TakenBack *trendPlaceDocument `json:"taken_back"`
		*diff.Measure
		Lost   *LostChange   `json:"lost"`
		Causes []CauseChange `json:"causes"`
	}
	trendPlaceDocument struct {
		At       string       `json:"at"`
		Earliest string       `json:"earliest"`
		Latest   string       `json:"latest"`
		LastOnly bool         `json:"last_only"`
		Commits  *CommitRange `json:"commits"`
	}
)

// place returns a place in JSON; nil for none.
func (t *Trend) place(p *significance.Place, commits *CommitRange) *trendPlaceDocument {
	if p == nil {
		return nil
	}
	return &trendPlaceDocument{t.Builds[p.At], t.Builds[p.Earliest], t.Builds[p.Latest], p.LastOnly, commits}
}

func (t *Trend) writeJSON(w io.Writer) error {
	d := trendDocument{
		Over: t.Over, Order: t.Order, By: t.By, Of: t.table.name(), Unit: t.Unit, Level: significance.Level, Power: significance.Power, Method: t.Test.Method, Tested: t.Test.Tested,
		Warnings: append([]string{}, t.warnings...), Builds: append([]string{}, t.Builds...), Total: t.Total, Groups: []trendGroupDocument{},
	}
	for _, dataset := range t.Datasets {
		d.Datasets = append(d.Datasets, dataset.json())
	}
	for _, g := range t.Groups {
		group := trendGroupDocument{Key: keyDocument(t.By, g.Key)}
		for _, s := range g.Series {
			series := trendSeriesDocument{Name: s.Measure.Name, Unit: s.Measure.Unit, Tested: s.Tested, Points: []trendPointDocument{}, Changes: []trendChangeDocument{}}
			if s.Tested && !math.IsNaN(s.Detectable) {
				series.Detectable = &s.Detectable
			}
			for i, p := range s.Points {
				if g.rows[i] != nil {
					series.Points = append(series.Points, trendPointDocument{t.Builds[i], p})
				}
			}
			for _, c := range s.Changes {
				series.Changes = append(series.Changes, trendChangeDocument{t.place(&c.Place, c.Commits), t.place(c.Back, c.BackCommits), c.Measure, c.Lost, append([]CauseChange{}, c.Causes...)})
			}
			group.Measures = append(group.Measures, series)
		}
		d.Groups = append(d.Groups, group)
	}
	return text.WriteJSON(w, d)
}

// writeCSV writes a line for each value. That of a build has the change that begins with it.
func (t *Trend) writeCSV(w io.Writer) error {
	names := append([]string{t.Over}, t.By...)
	names = append(names, "measure", "units", "value", "low", "high", "tested", "verdict", "base", "new", "delta", "delta_low", "delta_high", "p_value")
	for _, of := range []string{"", "taken_back_"} {
		for _, name := range []string{"at", "earliest", "latest", "commit_before", "commit_after"} {
			names = append(names, of+name)
		}
	}
	return view.WriteCSV(w, names, func(yield func([]any) bool) {
		for _, g := range t.Groups {
			for _, s := range g.Series {
				for i, p := range s.Points {
					if g.rows[i] == nil {
						continue
					}
					row := append(append([]any{t.Builds[i]}, anys(g.Key)...), s.Measure.Name, p.Units, p.Value, p.Low, p.High, p.Tested)
					for _, c := range s.Changes {
						if c.At == i {
							row = append(row, c.Verdict, c.Base, c.New, c.Measure.Delta, c.Measure.Low, c.Measure.High, c.Shift.P)
							row = append(append(row, t.place(&c.Place, c.Commits).cells()...), t.place(c.Back, c.BackCommits).cells()...)
						}
					}
					if !yield(append(row, make([]any, len(names)-len(row))...)) {
						return
					}
				}
			}
		}
	})
}

// cells returns a place as columns, none for nil.
func (p *trendPlaceDocument) cells() []any {
	if p == nil {
		return nil
	}
	cells := []any{p.At, p.Earliest, p.Latest, nil, nil}
	if p.Commits != nil {
		cells[3], cells[4] = p.Commits.Before, p.Commits.After
	}
	return cells
}
