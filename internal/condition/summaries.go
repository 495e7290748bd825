package condition

import (
	"slices"

	"ohframe/analyzer/stats"
)

// NotOfSummaries is why a condition on frames cannot be checked for a process that has only summaries.
const NotOfSummaries = "summaries do not have the measure"

// summariesOf returns the summaries of the processes without frames, those of one process added up, in the
// order of the report.
func summariesOf(r *stats.Report, drawing []*stats.Process) (list []*stats.Summary) {
	of, names := map[string][]*stats.Summary{}, []string{}
	for i := range r.Summaries {
		s := &r.Summaries[i]
		if slices.ContainsFunc(drawing, func(p *stats.Process) bool { return p.Name == s.Process }) {
			continue
		}
		if of[s.Process] == nil {
			names = append(names, s.Process)
		}
		of[s.Process] = append(of[s.Process], s)
	}
	for _, name := range names {
		list = append(list, stats.JoinSummaries(of[name]))
	}
	return list
}

// checkSummary checks the value of a summary.
func (c *Condition) checkSummary(s *stats.Summary) (*float64, Status, string) {
	m := stats.SummaryMeasures.Named(c.Measure)
	switch {
	case m == nil:
		return c.judge(nil, NotOfSummaries)
	case s.Filtered:
		return c.judge(nil, "the summary is filtered")
	case s.Frames == 0:
		return c.judge(nil, "no frames")
	}
	return c.judge(m.Value(s), "the dump does not state it")
}
