package diff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
)

// finding is a line about a pair: a significant change, or why no change is significant.
type finding struct {
	Name      string
	Text      string
	Judgement Judgement // empty if nothing was tested
}

// findings returns the significant changes of a pair, the worse first, or one line that says
// that no change is significant.
func (p *Pair) findings() []finding {
	var worse, better []finding
	var untested []string
	tested := 0
	for i := range p.changes {
		m := &p.changes[i]
		tested++
		f := finding{m.definition.Label, m.finding(), m.Judgement}
		switch m.Judgement {
		case Worsened:
			worse = append(worse, f)
		case Improved:
			better = append(better, f)
		}
	}
	for _, name := range p.tested() {
		if m := p.measure(name); m.P == nil {
			untested = append(untested, m.definition.Label)
		}
	}
	list := append(worse, better...)
	if len(list) == 0 && tested > 0 {
		list = append(list, finding{"Changes", "~ no significant change", Unclear})
	}
	if len(untested) > 0 {
		list = append(list, finding{"Not tested", strings.Join(untested, "; ") + ": unknown, or too few frames", ""})
	}
	return list
}

// tested returns the names of the measures that are tested if there are enough frames.
func (p *Pair) tested() []string {
	if p.RefreshDiffers {
		return stats.TestedAcrossRates[:]
	}
	return stats.Tested[:]
}

// verdict returns the significant changes in a few words: "worse: Jank rate, Duration P95".
func (p *Pair) verdict() (string, Judgement) {
	names := map[Judgement][]string{}
	for i := range p.changes {
		m := &p.changes[i]
		name, _, _ := strings.Cut(m.definition.Label, ", ") // without the unit
		names[m.Judgement] = append(names[m.Judgement], name)
	}
	worse, better := strings.Join(names[Worsened], ", "), strings.Join(names[Improved], ", ")
	switch {
	case worse != "" && better != "":
		return "worse: " + worse + "; better: " + better, Worsened
	case worse != "":
		return "worse: " + worse, Worsened
	case better != "":
		return "better: " + better, Improved
	case len(names[Unclear]) > 0:
		return "~", Unclear
	}
	return "not tested", ""
}

// untested counts the pairs in the tables without a tested measure.
func (d *Diff) untested() (n int) {
	for _, p := range d.shown() {
		if _, judgement := p.verdict(); judgement == "" {
			n++
		}
	}
	return n
}

func (m *Measure) finding() string {
	return fmt.Sprintf("%s, %s → %s: %s (%.0f %% interval %s to %s, %s)", m.Judgement, text.Value(m.Unit, m.Base), text.Value(m.Unit, m.New),
		text.Change(m.Unit, m.Delta), 100*(1-stats.Level), text.Change(m.Unit, m.Low), text.Change(m.Unit, m.High), probability(*m.P))
}

// methodText describes the test and the values, in lines that fit the table.
func (d *Diff) methodText() []string {
	c := d.Test
	var values []string
	if d.Base.Runs != nil || d.New.Runs != nil {
		values = append(values, "Values are means of runs, those of percentiles too.")
	}
	if slices.ContainsFunc(d.Pairs, func(p *Pair) bool { return p.causesDiffer }) {
		values = append(values, "Causes of late frames are not compared: only some traces have scheduling events of the threads, the tags sched and freq.")
	}
	if c.Family == 0 {
		return append(values, "Nothing was tested: too few frames.")
	}
	how := map[stats.Method]string{
		stats.RunPermutation:   fmt.Sprintf("permutation of runs, %d divisions", c.Resamples),
		stats.TTest:            "t-test of the runs",
		stats.BlockPermutation: fmt.Sprintf("permutation of blocks of time, %d divisions", c.Resamples),
	}[c.Method]
	lines := append(values, fmt.Sprintf("~ no significant change: %s; %s, %.0f %% level.", how, text.Count(c.Family, "change"), 100*stats.Level),
		"A measure without a verdict was not tested.")
	if c.Method == stats.BlockPermutation {
		lines = append(lines, "Fewer than three runs do not show how runs differ. Record five or more of each side.")
	}
	return lines
}

// probability formats a p-value.
func probability(p float64) string {
	if p < 0.0001 {
		return "p < 0.0001"
	}
	return "p = " + strconv.FormatFloat(p, 'g', 2, 64)
}
