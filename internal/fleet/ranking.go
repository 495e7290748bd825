package fleet

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/diag"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// causeDim is the dimension of causes: with it in Query.By, NewRanking groups by cause.
const causeDim = "cause"

// Writer is a Report or a Ranking.
type Writer interface {
	// Write writes it in one of the Formats.
	Write(w io.Writer, format string, style text.Style) error
}

// Ranking is the causes of late frames and of hangs, those that most users have first.
type Ranking struct {
	Dataset *Dataset
	// By are the dimensions of a group without the cause.
	By []string
	// Unit is what is counted as a user: a dimension, or "trace". A row without a value counts as
	// its trace.
	Unit   string
	Causes []*RankedCause // those that are shown
	Total  int            // number of all
	// Others is the lost time of causes that rows do not name, Lost that of all.
	Others, Lost trace.Duration
}

// RankedCause is a cause of one group.
type RankedCause struct {
	Key    []*string `json:"-"` // in the order of Ranking.By
	Name   string    `json:"title"`
	Users  int       `json:"units"`       // units that have lost time by it
	Of     int       `json:"units_total"` // units of the group
	Traces int       `json:"traces"`
	// Frames and Hangs are those that lost time by it. A cause has frames or hangs, not both.
	Frames int64          `json:"frames"`
	Hangs  int64          `json:"hangs"`
	Lost   trace.Duration `json:"lost_ns"`
	Share  float64        `json:"lost_share"` // of the lost time of the group
	// Examples are the worst frames or hangs, the worst first, one of a trace and process.
	Examples []Worst `json:"-"`
}

// units is a set of units by the hashes of their names. Rows of a trace follow each other, so few are
// there twice before compact.
type units []uint64

func (u *units) add(hash uint64) {
	if n := len(*u); n == 0 || (*u)[n-1] != hash {
		*u = append(*u, hash)
	}
}

func (u units) compact() units {
	slices.Sort(u)
	return slices.Compact(u)
}

// rankedGroup adds up the rows of a group.
type rankedGroup struct {
	key    []*string
	users  units
	lost   trace.Duration
	others trace.Duration
	causes map[string]*rankedSum
}

// rankedSum adds up a cause of a group.
type rankedSum struct {
	RankedCause
	users, traces units
}

func (s *rankedSum) merge(o *rankedSum) {
	s.users, s.traces = append(s.users, o.users...), append(s.traces, o.traces...)
	s.Frames, s.Hangs, s.Lost = s.Frames+o.Frames, s.Hangs+o.Hangs, s.Lost+o.Lost
	for _, w := range o.Examples {
		s.Examples = keepWorst(s.Examples, w)
	}
}

func (g *rankedGroup) merge(o *rankedGroup) {
	g.users, g.lost, g.others = append(g.users, o.users...), g.lost+o.lost, g.others+o.others
	for name, s := range o.causes {
		if g.causes[name] == nil {
			g.causes[name] = s
		} else {
			g.causes[name].merge(s)
		}
	}
}

// add adds what a row lost.
func (g *rankedGroup) add(r *Row, user uint64) {
	g.users.add(user)
	traceHash := xxh3.HashString(r.Trace)
	for _, columns := range []*causeColumns{&r.Causes, &r.Hangs} {
		for i, c := range columns.all {
			g.lost += c.Lost
			if c.Name == otherCauses {
				g.others += c.Lost
				continue
			}
			s := g.causes[c.Name]
			if s == nil {
				name := strings.Clone(c.Name)
				s = &rankedSum{RankedCause: RankedCause{Name: name}}
				g.causes[name] = s
			}
			s.users.add(user)
			s.traces.add(traceHash)
			s.Lost += c.Lost
			if columns == &r.Causes {
				s.Frames += c.Frames
			} else {
				s.Hangs += c.Frames
			}
			example := columns.at(i, r)
			example.timed = true
			s.Examples = keepWorst(s.Examples, example)
		}
	}
}

// order is that of kinds of causes: what slows everything a little is the noise of every device, which
// nobody can fix, so it comes last.
func (c *RankedCause) order() int {
	if c.Name == causetext.WaitTitle(why.Variation) {
		return 1
	}
	return 0
}

// NewRanking returns the ranking of a dataset by cause and the other dimensions of a query.
func NewRanking(ctx context.Context, d *Dataset, q Query) (*Ranking, error) {
	r := &Ranking{Dataset: d, Unit: cmp.Or(unitDim(d), "trace")}
	r.By = slices.DeleteFunc(slices.Clone(q.By), func(dim string) bool { return dim == causeDim })
	q.By = r.By
	k, err := newKeyer(d, q)
	if err != nil {
		return nil, err
	}
	if k.table == ofLayers {
		return nil, &diag.Error{What: "causes are of frames and hangs, not of layers", Hint: "--by cause,process"}
	}
	unit := func(*Row) *string { return nil }
	if dim := unitDim(d); dim != "" {
		if unit, err = k.column(d, dim); err != nil {
			return nil, err
		}
	}
	groups, mutex := map[string]*rankedGroup{}, sync.Mutex{}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	err = d.scan(ctx, wanted{table: k.table, dims: k.dims, details: true, examples: true}, func() (func(*Row), func()) {
		part, count := map[string]*rankedGroup{}, 0
		var id []byte
		row := func(row *Row) {
			if !k.match(row.Process, row.PID) {
				return
			}
			id = k.append(id[:0], row)
			g := part[string(id)]
			if g == nil {
				g = &rankedGroup{key: k.values(row), causes: map[string]*rankedSum{}}
				part[string(id)] = g
			}
			user := unit(row)
			if user == nil {
				user = &row.Trace
			}
			before := len(g.causes)
			g.add(row, xxh3.HashString(*user))
			if count += len(g.causes) - before; count > maxGroups {
				cancel(errTooManyGroups)
			}
		}
		return row, func() {
			mutex.Lock()
			defer mutex.Unlock()
			total := 0
			for id, g := range part {
				if groups[id] == nil {
					groups[id] = g
				} else {
					groups[id].merge(g)
				}
			}
			for _, g := range groups {
				total += len(g.causes)
			}
			clear(part)
			if count = 0; total > maxGroups {
				cancel(errTooManyGroups)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if len(groups) == 0 && q.Process != "" {
		return nil, noProcess(q.Process)
	}
	for _, g := range groups {
		of := len(g.users.compact())
		r.Lost, r.Others = r.Lost+g.lost, r.Others+g.others
		for _, s := range g.causes {
			c := &s.RankedCause
			c.Key, c.Of, c.Users, c.Traces = g.key, of, len(s.users.compact()), len(s.traces.compact())
			c.Share = float64(c.Lost) / float64(max(1, g.lost))
			r.Causes = append(r.Causes, c)
		}
	}
	slices.SortFunc(r.Causes, func(a, b *RankedCause) int {
		return cmp.Or(cmp.Compare(a.order(), b.order()), cmp.Compare(b.Users, a.Users), cmp.Compare(b.Lost, a.Lost), compareKeys(a.Key, b.Key), cmp.Compare(a.Name, b.Name))
	})
	r.Total = len(r.Causes)
	if q.Top > 0 {
		r.Causes = r.Causes[:min(q.Top, r.Total)]
	}
	return r, nil
}

// Write writes the ranking in one of the Formats.
func (r *Ranking) Write(w io.Writer, format string, style text.Style) error {
	return write(w, r, format, style)
}

// unitsTitle is the title of the column of units: "Users".
func (r *Ranking) unitsTitle() string { return titleOf(r.Unit) + "s" }

// document returns the ranking for people.
func (r *Ranking) document() *view.Document {
	d := &view.Document{Kind: "Causes of a fleet", Title: "Causes in " + text.Printable(r.Dataset.Dir), Summary: r.summary(), Warnings: r.Dataset.Warnings()}
	d.Blocks = append(d.Blocks, view.Facts{Cards: true, List: r.Dataset.facts()})
	if r.Total == 0 {
		return d
	}
	about := fmt.Sprintf("Ranked by %ss that lost time; shares are of the %ss with frames or hangs, and of the lost time", r.Unit, r.Unit)
	if len(r.By) > 0 {
		about += ", of their group"
	}
	about += ". A late frame loses what it overran its deadline by, a hang its whole length."
	if r.Others > 0 {
		about += fmt.Sprintf(" %s of the lost time has other causes: traces name their %d largest.", text.Percent(r.Others, r.Lost), maxCauses)
	}
	d.Blocks = append(d.Blocks, view.Section{Title: "Causes", Blocks: []view.Block{r.table(), view.Note{Text: about, Level: view.Soft}}})
	d.Blocks = append(d.Blocks, view.Section{
		Title: "Examples", About: fmt.Sprintf("the worst frames and hangs; %d of a cause at most", maxWorst),
		Blocks: []view.Block{view.Terminal{r.examples(1, false)}, view.Page{r.examples(maxWorst, true)}},
	})
	return d
}

func (r *Ranking) summary() string {
	if r.Total == 0 {
		return "No late frames and no hangs."
	}
	c := r.Causes[0]
	group := ""
	if len(r.By) > 0 {
		group = " of " + groupText(c.Key)
	}
	return fmt.Sprintf("%d of %s%s lost time by the first cause: %s, %s of the lost time.", c.Users, text.Count(c.Of, r.Unit), group, text.Printable(c.Name), text.Share(&c.Share))
}

func (r *Ranking) table() view.Table {
	t := view.Table{Label: "Causes", Sortable: true, Columns: append(keyColumns(r.By), view.Column{Title: "Cause", Min: 20})}
	number := func(title, meaning string, drop int) {
		t.Columns = append(t.Columns, view.Column{Title: title, Meaning: meaning, Number: true, Drop: drop})
	}
	number(r.unitsTitle(), "that lost time by the cause", 0)
	number("Share", "of the "+r.Unit+"s with frames or hangs", 1)
	if r.Unit != "trace" {
		number("Traces", "", 3)
	}
	number("Frames", "late frames", 2)
	number("Hangs", "", 2)
	number("Lost s", "lost time in seconds", 0)
	number("Lost", "share of the lost time", 1)
	for _, c := range r.Causes {
		row := view.Row{Cells: append(keyCells(c.Key), view.Cell{Text: text.Printable(c.Name)})}
		share := float64(c.Users) / float64(c.Of)
		cells := []string{fmt.Sprint(c.Users), text.Share(&share)}
		if r.Unit != "trace" {
			cells = append(cells, fmt.Sprint(c.Traces))
		}
		for _, s := range append(cells, fmt.Sprint(c.Frames), fmt.Sprint(c.Hangs), text.Number(float64(c.Lost)/1e9, 2), text.Share(&c.Share)) {
			row.Cells = append(row.Cells, view.Cell{Text: s})
		}
		t.Rows = append(t.Rows, row)
	}
	if n := len(r.Causes); n < r.Total {
		t.More = fmt.Sprintf("%d of %d causes, those of the most %ss; --top %d shows all", n, r.Total, r.Unit, r.Total)
	}
	return t
}

// examples returns a table of the worst frames and hangs of the first causes.
func (r *Ranking) examples(most int, explain bool) view.Table {
	t := view.Table{Label: "Examples", Columns: append(keyColumns(r.By), view.Column{Title: "Cause", Min: 20}, view.Column{Title: "Late ms", Meaning: "by which a frame overran its deadline, or the length of a hang", Number: true}, view.Column{Title: "Show it"})}
	if explain {
		t.Columns = append(t.Columns, view.Column{Title: "Explain it"})
	}
	for _, c := range r.Causes[:min(mostShown, len(r.Causes))] {
		for _, w := range c.Examples[:min(most, len(c.Examples))] {
			row := view.Row{Cells: append(keyCells(c.Key), view.Cell{Text: text.Printable(c.Name)}, view.Cell{Text: text.Milliseconds(w.Overrun)}, view.Cell{Text: text.Line(w.openCommand()), Command: true})}
			if explain {
				row.Cells = append(row.Cells, view.Cell{Text: text.Line(w.explain()), Command: true})
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// explain returns the command that explains a frame, or reports the trace of a hang.
func (w Worst) explain() string {
	if w.VsyncID == 0 {
		return "ohframe report -- " + text.Quoted(w.Trace)
	}
	return w.whyCommand()
}

// The document in JSON.
type (
	rankingDocument struct {
		Dataset datasetDocument       `json:"dataset"`
		By      []string              `json:"by"`
		Unit    string                `json:"unit"`
		Lost    trace.Duration        `json:"lost_ns"`
		Others  trace.Duration        `json:"other_causes_lost_ns"`
		Total   int                   `json:"causes_total"`
		Causes  []rankedCauseDocument `json:"causes"`
	}
	rankedCauseDocument struct {
		Key map[string]*string `json:"key"`
		*RankedCause
		Examples []worstDocument `json:"examples"`
	}
)

func (r *Ranking) writeJSON(w io.Writer) error {
	d := rankingDocument{r.Dataset.json(), append([]string{}, r.By...), r.Unit, r.Lost, r.Others, r.Total, []rankedCauseDocument{}}
	for _, c := range r.Causes {
		doc := rankedCauseDocument{keyDocument(r.By, c.Key), c, []worstDocument{}}
		if doc.Key == nil {
			doc.Key = map[string]*string{}
		}
		for _, example := range c.Examples {
			doc.Examples = append(doc.Examples, worstDocument{example, example.openCommand(), example.explain()})
		}
		d.Causes = append(d.Causes, doc)
	}
	return text.WriteJSON(w, d)
}

// writeCSV writes a line for each cause.
func (r *Ranking) writeCSV(w io.Writer) error {
	names := append(slices.Clone(r.By), causeDim, r.Unit+"s", r.Unit+"s_total")
	if r.Unit != "trace" {
		names = append(names, "traces")
	}
	names = append(names, "frames", "hangs", "lost_ns", "lost_share", "example", "open")
	return view.WriteCSV(w, names, func(yield func([]any) bool) {
		for _, c := range r.Causes {
			row := append(anys(c.Key), c.Name, c.Users, c.Of)
			if r.Unit != "trace" {
				row = append(row, c.Traces)
			}
			row = append(row, c.Frames, c.Hangs, int64(c.Lost), c.Share)
			if !yield(append(row, c.Examples[0].Trace, c.Examples[0].openCommand())) {
				return
			}
		}
	})
}
