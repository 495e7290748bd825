package quality

import (
	"fmt"
	"slices"
	"time"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/text"
)

// The thresholds of docs/trouble.md for what is missing in a text trace.
const (
	entriesLimited                  = 0.001 // of the events that headers state
	unreadLimited, unreadUnreliable = 0.001, 0.5
	gapsUnreliable                  = 0.01 // of the time of the trace
	commitsLimited                  = 0.05
	commitsUnreliable               = 0.2
	sendersLimited                  = 0.1
	minSeconds                      = 1 // in which each CPU has a line
)

// judgeCoverage adds the reasons that come from lines that are missing in a text trace.
func (q *judge) judgeCoverage(t *input) {
	lines, covered := t.Lines, &t.Coverage
	present := lines.Events + lines.Outside + lines.Problems.Lost()
	if n := lines.Entries - present; n >= minBad && float64(n) > entriesLimited*float64(lines.Entries) {
		q.add(stats.Limited, "incomplete", "the file has %d of the %d events that its header states", present, lines.Entries)
	}
	if n := lines.Problems.Total(hitrace.ClockRestart) + lines.Problems.Total(hitrace.TraceOver); n > 0 {
		q.addShare(n, present, unreadLimited, unreadUnreliable, "unread",
			fmt.Sprintf("%d of %s not read (%s), of traces at the same time as others in the file", n, text.Count(present, "line"), percent(n, present)))
	}
	length := trace.Duration(0)
	for _, p := range t.Parts {
		length += p.Span.Duration()
	}
	q.addMissing("gaps", &covered.Gaps, length, "lines are missing in "+text.Count(covered.Gaps.Count, "gap"))
	q.addMissing("silent_cpu", &covered.Silent, length, fmt.Sprintf("lines of CPU %d are missing, on which threads were woken", covered.SilentCPU))
	if c := &covered.Stopped; c.Count > 0 && covered.Silent.Count == 0 && covered.Switches {
		q.add(stats.Limited, "stopped_cpu", "CPU %d has no line from %s s on, although others go on as before", covered.StoppedCPU, c.At)
	}
	if n := lines.CPUs - covered.CPUs; n > 0 && covered.Switches && length >= minSeconds*trace.Second {
		q.add(stats.Good, "idle_cpus", "%d of %s without a line", n, text.Count(lines.CPUs, "CPU"))
	}
	q.judgeEvents(covered, t.Diagnostics.Recorded.Own())
}

// addMissing adds a reason if lines are missing in intervals.
func (q *judge) addMissing(code string, m *analyzer.Missing, length trace.Duration, what string) {
	if m.Count == 0 {
		return
	}
	verdict := stats.Limited
	if float64(m.Total) > gapsUnreliable*float64(length) {
		verdict = stats.Unreliable
	}
	q.add(verdict, code, "%s, %s in all, from %s s on", what, rounded(m.Total), m.At)
}

// rounded returns a duration with three significant digits.
func rounded(d trace.Duration) trace.Duration {
	unit := trace.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return trace.Duration(time.Duration(d).Round(time.Duration(unit)))
}

// judgeEvents adds what causes of late frames need. Measures of frames do not need it.
func (q *judge) judgeEvents(covered *analyzer.Coverage, own bool) {
	switch {
	case q.Frames() == 0, own:
	case !covered.Switches:
		q.add(stats.Good, "no_sched", "no scheduling events, causes are less exact")
	case !covered.Frequencies:
		q.add(stats.Good, "no_freq", "no frequencies of CPUs")
	}
}

// judgeLinks adds the reasons that come from markers of frames that are missing.
func (q *judge) judgeLinks(t *input) {
	d := &t.Diagnostics
	committed, applied := 0, 0
	for f := range t.Complete() {
		if f.Commit.Start.Known() {
			committed++
		}
		for _, s := range f.Transactions {
			if s.AppliedBy != nil {
				applied++
			}
		}
	}
	if n := d.Total(analyzer.CommitUnknown); n >= minBad {
		q.addShare(n, n+committed, commitsLimited, commitsUnreliable, "missing_render_frames",
			fmt.Sprintf("%d of %s of render frames that are missing", n, text.Count(n+committed, "commit")))
	}
	if n := d.Total(analyzer.AppliedUnknown); n >= minBad && q.WithTransaction > 0 && float64(n) > sendersLimited*float64(n+applied) {
		q.add(stats.Limited, "missing_senders", "%d of %s of application frames that are missing", n, text.Count(n+applied, "applied transaction"))
	}
	if q.platformFrames() >= minBad && q.platformJudged == 0 && slices.Contains(d.MissingMarkers, analyzer.OnVsyncEventMarker) {
		q.add(stats.Limited, "no_ace", "no marker OnVsyncEvent, jank of applications is unknown")
	}
}
