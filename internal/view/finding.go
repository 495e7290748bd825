package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/text"
)

// severity is how bad a finding is.
type severity int

const (
	fatal     severity = iota // the command fails
	unchecked                 // the command fails, because something could not be checked
	warning                   // what should be seen, and is allowed
	notice
)

// finding is what a summary lists: a condition that failed, cannot be checked or is undecided, in all runs and
// processes together, inputs that were skipped or cannot be trusted, a warning, or Gate.Error. There are few even for
// many runs: GitHub shows ten errors of a step.
type finding struct {
	severity
	title, text string // without a title it is about the whole document
	// file and line say where a condition is from; empty and 0 for a flag, and without one.
	file string
	line int
}

// findings returns the findings, the most severe first.
func (g *Gate) findings() []finding {
	type key struct {
		condition, file string
		line            int
	}
	byCondition := map[key][]*condition.Check{}
	var order []key
	for i := range g.Checks {
		c := &g.Checks[i]
		k := key{c.Condition, c.File, c.Line}
		if byCondition[k] == nil {
			order = append(order, k)
		}
		byCondition[k] = append(byCondition[k], c)
	}
	var list []finding
	if g.Error != "" {
		list = append(list, finding{severity: fatal, text: g.Error})
	}
	for _, k := range order {
		if f, ok := g.ofCondition(byCondition[k]); ok {
			list = append(list, f)
		}
	}
	list = append(list, g.ofInputs()...)
	for _, s := range g.Warnings {
		list = append(list, finding{severity: warning, text: s})
	}
	slices.SortStableFunc(list, func(a, b finding) int { return cmp.Compare(a.severity, b.severity) })
	return list
}

// ofCondition returns the finding of a condition, if it failed, cannot be checked or is undecided
// somewhere.
func (g *Gate) ofCondition(checks []*condition.Check) (f finding, ok bool) {
	var results [passed + 1][]*condition.Check
	for _, c := range checks {
		results[resultOf(c)] = append(results[resultOf(c)], c)
	}
	list := slices.Concat(results[:passed]...)
	if len(list) == 0 {
		return f, false
	}
	first := checks[0]
	f = finding{severity: g.severity(resultOf(list[0])), title: first.Condition, file: first.File, line: first.Line}
	if len(checks) == 1 || len(list) == 1 && first.Input == "" {
		f.title, f.text = list[0].Title(), list[0].Text
		return f, true
	}
	oneProcess := !slices.ContainsFunc(checks, func(c *condition.Check) bool { return c.Process != first.Process })
	if oneProcess && first.Process != "" {
		f.title = first.Process + ": " + first.Condition
	}
	describe := func(c *condition.Check) string {
		c = &condition.Check{Input: c.Input, Process: c.Process, Condition: c.Text}
		if oneProcess {
			c.Process = ""
		}
		return c.Title()
	}
	var parts []string
	for r, words := range [...]struct{ what, which string }{
		failed: {"failed", ", worst in "}, unknown: {"cannot be checked", ", first in "}, undecided: {"undecided", ", largest in "},
	} {
		if list := results[r]; len(list) > 0 {
			worst := slices.MaxFunc(list, func(a, b *condition.Check) int { return cmp.Compare(a.Excess, b.Excess) })
			if result(r) == unknown {
				worst = list[0]
			}
			if len(list) == 1 {
				words.which = ": "
			}
			parts = append(parts, words.what+" in "+among(list, checks, oneProcess)+words.which+describe(worst))
		}
	}
	f.text = strings.Join(parts, "; ")
	return f, true
}

// severity returns how bad the worst result of a condition is.
func (g *Gate) severity(r result) severity {
	switch {
	case r == failed:
		return fatal
	case r == undecided:
		return notice
	case g.AllowMissing:
		return warning
	}
	return unchecked
}

// maxProcesses is the number of processes that a finding names.
const maxProcesses = 3

// among says which of all checks of a condition some are: "3 of 6 runs of com.example.gallery".
func among(some, all []*condition.Check, oneProcess bool) string {
	ofRuns := some[0].Input != ""
	if oneProcess && ofRuns {
		return fmt.Sprintf("%d of %s", len(some), text.Count(len(all), "run"))
	}
	count := func(list []*condition.Check, process string) (n int) {
		for _, c := range list {
			if c.Process == process {
				n++
			}
		}
		return n
	}
	var processes, parts []string
	for _, c := range some {
		if !slices.Contains(processes, c.Process) {
			processes = append(processes, c.Process)
		}
	}
	for _, name := range processes[:min(len(processes), maxProcesses)] {
		if ofRuns {
			name = strings.TrimSuffix(fmt.Sprintf("%d of %s of %s", count(some, name), text.Count(count(all, name), "run"), name), " of ")
		}
		parts = append(parts, name)
	}
	if more := len(processes) - len(parts); more > 0 {
		parts = append(parts, text.Count(more, "more process"))
	}
	s := strings.Join(parts, ", ")
	if !ofRuns {
		s = fmt.Sprintf("%d of %s (%s)", len(some), text.Count(len(all), "check"), s)
	}
	return s
}

// ofInputs returns the findings about inputs: one for all that were skipped, and one for each
// verdict on data that is not good.
func (g *Gate) ofInputs() (list []finding) {
	var skipped []Input
	byVerdict := map[stats.Verdict][]*Input{}
	for i := range g.Inputs {
		switch in := &g.Inputs[i]; {
		case in.Skipped != "":
			skipped = append(skipped, *in)
		case in.Quality != nil:
			byVerdict[in.Quality.Verdict] = append(byVerdict[in.Quality.Verdict], in)
		}
	}
	if len(skipped) > 0 {
		f := finding{severity: warning, title: skipped[0].Name, text: "skipped: " + skipped[0].Skipped}
		if g.failsSkipped() {
			f.severity = unchecked
		}
		if len(skipped) > 1 {
			f.title, f.text = text.Count(len(skipped), "input")+" skipped", strings.Join(describeSkipped(skipped), "; ")
		}
		list = append(list, f)
	}
	for _, v := range []struct {
		verdict stats.Verdict
		severity
	}{{stats.Unreliable, warning}, {stats.Limited, notice}} {
		inputs := byVerdict[v.verdict]
		if len(inputs) == 0 {
			continue
		}
		f := finding{severity: v.severity, title: "data quality of " + inputs[0].Name, text: inputs[0].Quality.String()}
		if v.verdict == stats.Unreliable && g.Strict {
			f.severity = fatal
		}
		if len(inputs) > 1 {
			f.title = "data quality of " + text.Count(len(inputs), "input")
			f.text += ", in " + inputs[0].Name
		}
		list = append(list, f)
	}
	return list
}
