package diff

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/significance"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// TrendFormats are the formats of Trend.Write.
var TrendFormats = []string{"table", "json", "csv", "html"}

// Write writes the trend in one of the TrendFormats.
func (t *Trend) Write(w io.Writer, format string, o WriteOptions) error {
	t.Skipped = view.SkippedInputs(o.Skipped)
	switch format {
	case "json":
		return text.WriteJSON(w, t)
	case "csv":
		return t.writeCSV(w)
	}
	return view.Write(w, t.document(o), format, o.Style)
}

// event is what changes of measures of a group have in common: their places are the same, as far as these are known.
type event struct {
	group   *TrendGroup
	changes []*trendChange // in the order of the measures
}

// events returns the changes: those for the worse that last first, then those that were taken back.
func (t *Trend) events() (list []*event) {
	for _, g := range t.Groups {
		first := len(list)
		for _, s := range g.Series {
			for _, c := range s.Changes {
				i := slices.IndexFunc(list[first:], func(e *event) bool { return e.has(c) })
				if i < 0 {
					list = append(list, &event{group: g})
					i = len(list) - 1 - first
				}
				list[first+i].changes = append(list[first+i].changes, c)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *event) int {
		if order := cmp.Compare(a.verdict().rank(), b.verdict().rank()); order != 0 {
			return order
		}
		back := func(e *event) int {
			if e.changes[0].TakenBack != nil {
				return 1
			}
			return 0
		}
		return cmp.Compare(back(a), back(b))
	})
	return list
}

// has reports whether a change may have the places of the first one.
func (e *event) has(c *trendChange) bool {
	first := e.changes[0]
	if !first.meets(&c.TrendPlace) || (first.TakenBack == nil) != (c.TakenBack == nil) {
		return false
	}
	return c.TakenBack == nil || first.TakenBack.meets(c.TakenBack)
}

// meets reports whether two places may be one.
func (p *TrendPlace) meets(o *TrendPlace) bool {
	return p.place.Earliest <= o.place.Latest && o.place.Earliest <= p.place.Latest
}

func (e *event) verdict() Verdict {
	var list []*Measure
	for _, c := range e.changes {
		list = append(list, c.Measure)
	}
	return worst(list)
}

// title says what changed and where: "gallery is worse from build 1.12 to 1.19, taken back in 1.20".
func (t *Trend) title(e *event) string {
	c := e.changes[0]
	words := fmt.Sprintf("%s is %s", t.groupText(e.group), e.verdict().word())
	if c.TakenBack != nil {
		return words + fmt.Sprintf(" from %s to %s, taken back in %s", t.buildText(c.At), text.Printable(t.Builds[c.TakenBack.place.At-1]), text.Printable(c.TakenBack.At))
	}
	if words += " from " + t.buildText(c.At) + " on"; c.LastOnly {
		words += fmt.Sprintf(", the last %s", t.name())
	}
	return words
}

// groupText names a group.
func (t *Trend) groupText(g *TrendGroup) string {
	name := cmp.Or((&Group{groupKey: g.groupKey, kind: t.kind}).fullTitle(), "(unnamed)")
	if len(g.Key) > 0 {
		name += " · " + view.GroupText(g.Key)
	}
	return name
}

// name is what a build is called.
func (t *Trend) name() string {
	return strings.ReplaceAll(strings.TrimPrefix(t.Over, "recorded_"), "_", " ")
}

func (t *Trend) buildText(build string) string { return t.name() + " " + text.Printable(build) }

// document returns the trend for people: the changes, then the groups, those that changed first.
func (t *Trend) document(o WriteOptions) *view.Document {
	events := t.events()
	d := &view.Document{Kind: "Trend", Title: fmt.Sprintf("%s by %s", capital(t.Of), t.name()), Answer: text.Answer{Summary: t.summary(events)}}
	d.Warnings = view.Skipped(o.Skipped)
	for _, warning := range t.Warnings {
		d.Warnings = append(d.Warnings, text.Printable(warning))
	}
	var changed []*TrendGroup
	for _, e := range events {
		d.Blocks = append(d.Blocks, view.Section{Title: t.title(e), Blocks: t.event(e)})
		if !slices.Contains(changed, e.group) {
			changed = append(changed, e.group)
		}
	}
	for _, g := range append(changed, slices.DeleteFunc(slices.Clone(t.Groups), func(g *TrendGroup) bool { return slices.Contains(changed, g) })...) {
		d.Blocks = append(d.Blocks, view.Section{Title: t.groupText(g), Blocks: t.group(g)})
	}
	d.Blocks = append(d.Blocks, view.Note{Text: t.method(), Level: view.Soft})
	return d
}

// summary says the first change, and how many others there are.
func (t *Trend) summary(events []*event) string {
	switch {
	case t.Tested == 0 && len(t.Builds) < significance.MinUnits:
		return fmt.Sprintf("Nothing was tested: %s known, a change needs %d.", text.Count(len(t.Builds), t.name()), significance.MinUnits)
	case t.Tested == 0:
		return fmt.Sprintf("Nothing was tested: a change needs %d %ss with enough %s.", significance.MinUnits, t.name(), strings.ToLower(t.kind.sizes))
	case len(events) == 0:
		return fmt.Sprintf("No change in %s over %s.", text.Count(t.Tested, "measure"), text.Count(len(t.Builds), t.name()))
	}
	c := events[0].changes[0]
	words := fmt.Sprintf("%s: %s %s", t.title(events[0]), text.Label(c.definition), c.values()+text.UnitAfter(c.definition.Unit))
	if more := len(events[0].changes) - 1; more > 0 {
		words += " and " + text.Count(more, "more measure")
	}
	if len(c.Causes) > 0 {
		words += ", by " + text.Printable(*c.Causes[0].Cause)
	}
	if n := len(events) - 1; n > 0 {
		words += fmt.Sprintf(". %s below", text.Count(n, "more change"))
	}
	return words + "."
}

// method says how changes were tested.
func (t *Trend) method() string {
	words := fmt.Sprintf("%s of %s over %s of %s, tested together at the %.0f %% level. Values are means of %ss. %ss are in ",
		text.Count(t.Tested, "measure"), text.Count(len(t.Groups), "group"), text.Count(len(t.Builds), t.name()), text.Count(t.Runs, "trace"), 100*t.Level, t.Unit, view.KeyTitle(t.name()))
	if t.Order == byTime {
		words += "the order in which they were first recorded."
	} else {
		words += "natural order."
	}
	if n := len(t.Groups); n < t.Total {
		words += fmt.Sprintf(" %d of %d groups, those with the most %s; --all tests all, and finds less in each.", n, t.Total, strings.ToLower(t.kind.sizes))
	}
	return words
}

// event returns the causes of a change, and its measures.
func (t *Trend) event(e *event) (blocks []view.Block) {
	first := e.changes[0]
	var words []string
	if first.Commits != nil {
		words = append(words, fmt.Sprintf("Commits %s", first.Commits))
	}
	if first.TakenBack != nil && first.TakenBack.Commits != nil {
		words = append(words, fmt.Sprintf("taken back by %s", first.TakenBack.Commits))
	}
	if first.Lost != nil {
		grew := "grew"
		if first.Verdict == Better {
			grew = "fell"
		}
		causes := fmt.Sprintf("no cause of late frames %s", grew)
		for i, cause := range first.Causes[:min(maxGrown, len(first.Causes))] {
			if i > 0 && *cause.Share < leastGrown {
				break
			}
			if causes += ", "; i == 0 {
				causes = ""
			}
			causes += fmt.Sprintf("%s %s (%s → %s ms/s, %s of what %s)", text.Printable(*cause.Cause), grew, text.Number(cause.Base, 1), text.Number(cause.New, 1), text.Share(cause.Share), grew)
		}
		words = append(words, causes)
	}
	if len(words) > 0 {
		s := strings.Join(words, "; ") + "."
		blocks = append(blocks, view.Note{Text: strings.ToUpper(s[:1]) + s[1:]})
	}
	var measures []*Measure
	for _, c := range e.changes {
		measures = append(measures, c.Measure)
	}
	table := measureTable(t.title(e), measures)
	table.RemoveColumns(3, 4) // the change in percent
	table.Columns = append(table.Columns, view.Column{Title: "Begun with", Min: placeWidth})
	if first.TakenBack != nil {
		table.Columns = append(table.Columns, view.Column{Title: "Taken back with", Min: placeWidth})
	}
	for i, c := range e.changes {
		row := &table.Rows[i]
		if row.Cells = append(row.Cells, view.Cell{Text: c.TrendPlace.String()}); c.TakenBack != nil {
			row.Cells = append(row.Cells, view.Cell{Text: c.TakenBack.String()})
		}
	}
	return append(blocks, table)
}

// maxGrown is the number of causes of a change that are shown, leastGrown the share from which more than one are.
const maxGrown, leastGrown = 3, 0.01

// placeWidth is that of a place with its range, such as "1.12 (1.12–1.13)", which is not broken.
const placeWidth = 16

// String returns the build, and those that it may be as well.
func (p *TrendPlace) String() string {
	if p.Earliest == p.Latest {
		return text.Printable(p.At)
	}
	return fmt.Sprintf("%s (%s–%s)", text.Printable(p.At), text.Printable(p.Earliest), text.Printable(p.Latest))
}

func (c *TrendCommits) String() string {
	return text.Printable(c.Before) + ".." + text.Printable(c.After)
}

// shown returns the measures of a group that tables have: the first one and those that changed.
func (t *Trend) shown(g *TrendGroup) (list []*TrendSeries) {
	for i, s := range g.Series {
		known := slices.ContainsFunc(s.Points, func(p trendPoint) bool { return p.Value != nil })
		if known && (i == 0 || len(s.Changes) > 0) {
			list = append(list, s)
		}
	}
	return list
}

// group returns the charts and the values of a group.
func (t *Trend) group(g *TrendGroup) []view.Block {
	shown := t.shown(g)
	table := view.Table{Label: t.groupText(g), Columns: []view.Column{{Title: view.KeyTitle(t.name())}, {Title: capital(t.Unit) + "s", Number: true}}}
	var charts view.Page
	for i, s := range shown {
		table.Columns = append(table.Columns, view.Column{Title: s.measure.Label, Number: true, Drop: i})
		chart := t.chart(s)
		if i == 0 {
			chart.About = fmt.Sprintf("The band is the %.0f %% interval of each %s.", 100*(1-t.Level), t.name())
		}
		charts = append(charts, chart)
	}
	for i, build := range t.Builds {
		if g.builds[i] == nil {
			continue
		}
		row := view.Row{Cells: []view.Cell{{Text: text.Printable(build)}, {Text: fmt.Sprint(min(len(g.builds[i]), trendUnits))}}}
		if all := len(g.builds[i]); all > trendUnits {
			row.Cells[1].About = fmt.Sprintf("of %d", all)
		}
		for _, s := range shown {
			p := &s.Points[s.points[i]]
			cell := view.Cell{Text: text.Value(s.Unit, p.Value)}
			if !p.Tested {
				cell.Level = view.Soft
			}
			for _, c := range s.Changes {
				up := *c.Delta > 0
				if c.place.At != i {
					if up = !up; c.TakenBack == nil || c.TakenBack.place.At != i {
						continue
					}
				} else {
					cell.Level = c.Verdict.level()
				}
				row.Strong = true
				if cell.Text += " ↓"; up {
					cell.Text = strings.TrimSuffix(cell.Text, "↓") + "↑"
				}
			}
			row.Cells = append(row.Cells, cell)
		}
		table.Rows = append(table.Rows, row)
	}
	blocks := []view.Block{charts, table}
	if note := t.untested(g); note != "" {
		blocks = append(blocks, view.Note{Text: note, Level: view.Soft})
	}
	return blocks
}

// untested says what was not tested, and how large a change would have been found.
func (t *Trend) untested(g *TrendGroup) string {
	var words, found, few []string
	needed := 0
	for _, s := range g.Series {
		switch {
		case !s.Tested && slices.ContainsFunc(s.Points, func(p trendPoint) bool { return p.Value != nil }):
			few, needed = append(few, s.measure.Label), max(needed, s.needed)
		case s.Detectable != nil && len(s.Changes) == 0:
			if change := text.Change(s.Unit, s.Detectable); strings.HasPrefix(change, "+") { // others are too small to be told from none
				found = append(found, s.measure.Label+" "+change)
			}
		}
	}
	if len(found) > 0 {
		words = append(words, "Smallest lasting changes from the middle on that 80 of 100 such histories show: "+strings.Join(found, "; ")+".")
	}
	if len(few) > 0 {
		words = append(words, fmt.Sprintf("Not tested, as fewer than %d %ss have %s with enough %s: %s.", significance.MinUnits, t.name(), text.Count(needed, t.Unit), strings.ToLower(t.kind.sizes), strings.Join(few, "; ")))
	}
	return strings.Join(words, " ")
}

// chart returns a series with its intervals and changes.
func (t *Trend) chart(s *TrendSeries) view.Chart {
	factor, unit := 1.0, strings.TrimSpace(text.UnitAfter(s.Unit))
	if s.Unit == stats.Share {
		factor, unit = 100, "%"
	}
	values, interval := series{Name: s.measure.Label, Colour: "accent", Dots: true}, band{Colour: "accent", Straight: true}
	c := chart{Y: chartAxis{Unit: unit}}
	for i, build := range t.Builds {
		c.X.Names = append(c.X.Names, text.Printable(build))
		if s.points[i] < 0 || s.Points[s.points[i]].Value == nil {
			continue
		}
		p := &s.Points[s.points[i]]
		values.X, values.Y = append(values.X, float64(i)), append(values.Y, factor**p.Value)
		title := text.Value(s.Unit, p.Value) + text.UnitAfter(s.Unit) + " of " + text.Count(p.Units, t.Unit)
		if p.Low != nil {
			title += ", " + text.Value(s.Unit, p.Low) + " … " + text.Value(s.Unit, p.High)
			interval.X, interval.Low, interval.High = append(interval.X, float64(i)), append(interval.Low, factor**p.Low), append(interval.High, factor**p.High)
		}
		values.Titles = append(values.Titles, title)
	}
	for _, change := range s.Changes {
		c.Marks = append(c.Marks, mark{float64(change.place.At), fmt.Sprintf("%s %s", change.Verdict, text.Change(s.Unit, change.Delta))})
		if change.TakenBack != nil {
			c.Marks = append(c.Marks, mark{float64(change.TakenBack.place.At), "taken back"})
		}
	}
	if c.Series = []series{values}; len(interval.X) > 0 {
		c.Bands = []band{interval}
	}
	return view.Chart{Kind: "lines", Data: c}
}

// writeCSV writes a line for each value. That of a build has the change that begins with it.
func (t *Trend) writeCSV(w io.Writer) error {
	names := append([]string{t.Over, "kind", "name", "process", "page"}, t.By...)
	names = append(names, "measure", "units", "value", "low", "high", "tested", "verdict", "base", "new", "delta", "delta_low", "delta_high", "p_value")
	for _, of := range []string{"", "taken_back_"} {
		for _, name := range []string{"at", "earliest", "latest", "commit_before", "commit_after"} {
			names = append(names, of+name)
		}
	}
	return view.WriteCSV(w, names, func(yield func([]any) bool) {
		for _, g := range t.Groups {
			for _, s := range g.Series {
				for i, at := range s.points {
					if at < 0 {
						continue
					}
					row := []any{t.Builds[i], g.Kind, string(g.Name), string(g.Process), string(g.Page)}
					for _, value := range g.Key {
						row = append(row, value)
					}
					p := &s.Points[at]
					row = append(row, s.Name, p.Units, p.Value, p.Low, p.High, p.Tested)
					for _, c := range s.Changes {
						if c.place.At == i {
							row = append(row, string(c.Verdict), c.Base, c.New, c.Delta, c.Low, c.High, c.P)
							row = append(append(row, c.TrendPlace.cells()...), c.TakenBack.cells()...)
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
func (p *TrendPlace) cells() []any {
	if p == nil {
		return nil
	}
	cells := []any{p.At, p.Earliest, p.Latest, nil, nil}
	if p.Commits != nil {
		cells[3], cells[4] = p.Commits.Before, p.Commits.After
	}
	return cells
}
