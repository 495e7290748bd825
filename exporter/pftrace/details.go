package pftrace

import (
	"fmt"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/source/hitrace"
)

// Details count what the output lacks or has in another form, and what is inconsistent in
// the input, by reason.
func (s *Summary) Details() []trace.Warning {
	var list diag.Warnings
	if s.Totals != nil {
		list = s.lineDetails()
	}
	if s.Samples != nil {
		list.Times(trace.WarnSkipped, s.Samples.Alignment.Outside, "sample outside the trace", nil)
	}
	list.Times(trace.WarnLeftOut, s.Sampled.LeftOut, "sample left out", nil)
	list.Times(trace.WarnOverLimit, s.Sampled.Stackless, "sample exported without its stack: too many calls", nil)
	list.Times(trace.WarnChanged, s.Renumbered, "frame without a vsync id of its own, renumbered", nil)
	for _, c := range s.Timeline.Diagnostics.Counts {
		if c.Diagnostic != analyzer.UnmatchedEnd || s.Unmatched == 0 { // else it is counted, with ends of unknown threads
			list.Times(trace.WarnInconsistent, c.Total, c.Diagnostic.String(), c.Lines)
		}
	}
	return list
}

// lineDetails returns the details of lines and events.
func (s *Summary) lineDetails() (list diag.Warnings) {
	for _, c := range s.Totals.Problems.Counts() {
		list.Times(c.Problem.Code(), c.Total, c.Problem.String(), c.Lines)
	}
	for _, j := range s.Totals.Joins {
		if j.Gap >= 0 { // there is a warning about others
			text := fmt.Sprintf("another trace begins at line %d, %s later", j.Line, j.Gap)
			list = append(list, trace.Warning{Code: trace.WarnAnotherTrace, Lines: []int{j.Line}, Text: text})
		}
	}
	if more := s.Totals.Further - len(s.Totals.Joins); more > 0 {
		list = append(list, trace.Warning{Code: trace.WarnAnotherTrace, Count: more, Text: "and " + diag.Count(more, "further trace")})
	}
	list = append(list, s.Over.Warnings()...)
	list.Times(trace.WarnSkipped, s.Totals.Problems.Logged()-len(s.Totals.SystemEvents.Lines), hitrace.LogLine.String(), nil)
	list.Times(trace.WarnSkipped, s.Totals.Outside, "line outside the window", nil)
	list.Times(trace.WarnInconsistent, s.Unmatched, "slice end without a begin, not exported", nil)
	list.Times(trace.WarnNotExported, s.Unencodable, "event that Perfetto cannot represent, not exported", nil)
	list.Times(trace.WarnChanged, s.Misplaced, "event of a CPU above 1023, exported as of CPU 1023", nil)
	list.Times(trace.WarnLeftOut, s.LeftOut, "event left out", nil)
	return list
}
