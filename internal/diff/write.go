package diff

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ohframe/internal/ci"
	"ohframe/internal/text"
)

// WriteOptions are the options of Write.
type WriteOptions struct {
	// Style is that of the table.
	Style text.Style
	// Verbose makes the table list all measures.
	Verbose bool
	// AllowMissing and Strict are for formats of package ci.
	AllowMissing, Strict bool
	// Skipped are the inputs that were skipped.
	Skipped []ci.Input
}

// Formats are the formats of Write.
var Formats = append([]string{"table", "json", "html"}, ci.Formats...)

// Write writes the comparison in one of the Formats. It returns an error if the
// format is unknown or writing to w fails.
func Write(w io.Writer, d *Diff, format string, o WriteOptions) error {
	switch format {
	case "table":
		return writeTable(w, d, o)
	case "json":
		return writeJSON(w, d, o)
	case "html":
		return writeHTML(w, d, o)
	}
	if slices.Contains(ci.Formats, format) {
		return d.result(o).Write(w, format)
	}
	return fmt.Errorf("format %q: not one of %s", format, strings.Join(Formats, ", "))
}

// result returns the comparison for continuous integration, with the measures that
// changed significantly.
func (d *Diff) result(o WriteOptions) *ci.Result {
	r := &ci.Result{
		Title:        text.Printable(d.Base.Name) + " → " + text.Printable(d.New.Name),
		Inputs:       []ci.Input{{Name: text.Printable(d.Base.Name), Quality: d.Base.Quality}, {Name: text.Printable(d.New.Name), Quality: d.New.Quality}},
		AllowMissing: o.AllowMissing, Strict: o.Strict,
		Columns: []string{"Process", "Measure", "Base →", "New →", "Change →", "Interval →", "Verdict"},
	}
	r.Inputs = append(r.Inputs, o.Skipped...)
	for _, outcome := range d.Outcomes {
		r.Checks = append(r.Checks, outcome.Check)
	}
	worse, better, tested := 0, 0, 0
	add := func(p *Pair, name string, m *Measure) {
		switch m.Judgement {
		case Worsened:
			worse++
		case Improved:
			better++
		case Unclear:
			tested++
			return
		default:
			return
		}
		r.Rows = append(r.Rows, []string{
			p.title(), name, text.Value(m.Unit, m.Base), text.Value(m.Unit, m.New), text.Change(m.Unit, m.Delta),
			text.Change(m.Unit, m.Low) + " to " + text.Change(m.Unit, m.High), string(m.Judgement),
		})
	}
	for _, p := range d.Pairs {
		for i := range p.changes {
			add(p, p.changes[i].Name, &p.changes[i])
		}
		if p.Causes != nil {
			for i := range p.Causes.Causes {
				c := &p.Causes.Causes[i]
				add(p, text.Printable(c.Title()), &c.Measure)
			}
		}
	}
	switch {
	case worse+better > 0:
		r.Verdict = fmt.Sprintf("%s worse, %s better", text.Count(worse, "measure"), text.Count(better, "measure"))
	case tested > 0:
		r.Verdict = "no significant change"
	default:
		r.Verdict = "nothing was tested"
	}
	if n := d.untested(); n > 0 && worse+better+tested > 0 {
		r.Verdict += fmt.Sprintf("; %s not tested: too few frames", text.Count(n, "process"))
	}
	return r
}
