package hitrace

import "ohframe/analyzer/trace"

// Problem is the reason why a line or a marker was not parsed, or not completely. Zero
// means no problem.
type Problem uint8

// The problems of lines.
const (
	NoProblem     Problem = iota
	Ignorable             // blank lines, "#" headers, "TRACE:": no event, no loss
	LogLine               // a line of hilog or HiSysEvent between those of the trace: no event, no loss
	NotALine              // no CPU column: the output of something else
	BadThread             // no thread id before the CPU column
	BadTime               // the time is missing or not a number
	NoEvent               // no event name after the time
	LineTooLong           // longer than the reader's limit
	NoPhase               // a marker whose phase letter is missing or unknown
	BadMarkerPID          // a marker without the process id that its phase needs
	BadCookie             // an S, F, G or H marker without its cookie
	BadValue              // a counter without a whole number
	StrayTime             // more than ten minutes away from the lines around it
	NoMarkerName          // a marker without the name that its phase needs
	ClockRestart          // of another trace, at a time among those that were read
	TraceOver             // of one trace more than the limit
	TimeTooLarge          // the time is after trace.MaxTime
	problemsCount         // number of problems
)

var problemTexts = [problemsCount]string{
	NoProblem:    "no problem",
	Ignorable:    "header or blank line",
	LogLine:      "hilog line",
	NotALine:     "not a trace line",
	BadThread:    "thread id not understood",
	BadTime:      "time not understood",
	NoEvent:      "no event after the time",
	LineTooLong:  "line beyond the limit (limit: line)",
	NoPhase:      "marker without a known phase",
	BadMarkerPID: "marker without a process id",
	BadCookie:    "asynchronous marker without a cookie",
	BadValue:     "counter without a whole number",
	StrayTime:    "time far from its neighbours'",
	NoMarkerName: "marker without a name",
	ClockRestart: "line of another trace, at a time among those of the traces before it, not read",
	TraceOver:    "line of a trace beyond the limit (limit: traces), not read",
	TimeTooLarge: "time after " + trace.Time(trace.MaxTime).String() + " s, the last that is read",
}

// String describes the problem in a few words.
func (p Problem) String() string { return problemTexts[p] }

// Code returns the kind of a warning about the problem.
func (p Problem) Code() trace.WarningCode {
	switch p {
	case LineTooLong, TraceOver:
		return trace.WarnOverLimit
	case ClockRestart:
		return trace.WarnAnotherTrace
	case LogLine:
		return trace.WarnSkipped
	}
	return trace.WarnNotUnderstood
}

// Count counts a problem. Lines are the numbers of the first lines with it, counted from
// 1.
type Count struct {
	Problem Problem
	Total   int
	Lines   []int
}

// Problems counts lines that were not parsed, by reason.
type Problems struct {
	counts [problemsCount]Count
}

// RestoreProblems returns the problems of a trace that was read before, from what the
// methods Counts, Ignored and Logged returned.
func RestoreProblems(counts []Count, ignored, logged int) Problems {
	var ps Problems
	for _, c := range counts {
		if c.Problem < problemsCount {
			ps.counts[c.Problem] = c
		}
	}
	ps.counts[Ignorable].Total, ps.counts[LogLine].Total = ignored, logged
	return ps
}

// add counts one occurrence of p on the given line. It stores the line's number if there
// are fewer than examples.
func (ps *Problems) add(p Problem, line, examples int) {
	c := &ps.counts[p]
	c.Total++
	if len(c.Lines) < examples {
		c.Lines = append(c.Lines, line)
	}
}

// Counts returns the problems that occurred, in a fixed order, without the
// lines that are merely headers.
func (ps *Problems) Counts() []Count {
	var list []Count
	for p := NotALine; p < problemsCount; p++ {
		if c := ps.counts[p]; c.Total > 0 {
			c.Problem = p
			list = append(list, c)
		}
	}
	return list
}

// Total returns how often a problem occurred.
func (ps *Problems) Total(p Problem) int { return ps.counts[p].Total }

// Ignored returns the number of lines that carry no event by design: headers
// and blank lines.
func (ps *Problems) Ignored() int { return ps.counts[Ignorable].Total }

// Logged returns the number of lines of hilog and HiSysEvent.
func (ps *Problems) Logged() int { return ps.counts[LogLine].Total }

// Lost returns the number of lines that were not understood.
func (ps *Problems) Lost() int {
	total := 0
	for p := NotALine; p < problemsCount; p++ {
		total += ps.counts[p].Total
	}
	return total
}
