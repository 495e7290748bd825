package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/exporter"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/text"
)

// printSummary prints a summary of a conversion. That of a dump has no lines, no
// markers and no clock offset.
func printSummary(w io.Writer, in, out string, s *exporter.Summary) {
	in, out = text.Printable(in), text.Printable(out)
	t := s.Timeline
	isDump := s.Totals == nil
	counts := t.Counts()
	switch {
	case counts.Frames == 0 && counts.Truncated > 0:
		fmt.Fprintf(w, "%s: no complete frame, %s skipped\n", in, text.Count(counts.Truncated, "truncated frame"))
	case counts.Frames == 0 && isDump:
		fmt.Fprintf(w, "%s: no frames\n", in)
	case counts.Frames == 0:
		printNoFrames(w, in, s)
	default:
		processes, _ := t.ProcessCounts()
		fmt.Fprintf(w, "%s: %s of %s, %s, %s", in, text.Count(counts.Frames, "frame"), text.Count(len(processes), "process"),
			text.Count(counts.Linked, "link"), text.Count(counts.Presented, "present"))
		if counts.Truncated > 0 {
			fmt.Fprintf(w, ", %s skipped", text.Count(counts.Truncated, "truncated frame"))
		}
		fmt.Fprintln(w)
		printProcesses(w, t)
	}
	if !isDump {
		fmt.Fprintf(w, "clock offset: %s\n", describeClock(&t.Clock))
		printParts(w, t.Parts)
		printClockChanges(w, t.ClockChanges)
		printLines(w, s)
	}
	if s.Renumbered > 0 {
		fmt.Fprintf(w, "  %d × frame without a vsync id of its own, renumbered\n", s.Renumbered)
	}
	for _, c := range t.Diagnostics.Counts {
		if c.Diagnostic == analyzer.UnmatchedEnd && s.Unmatched > 0 {
			continue // printLines has printed it, with ends of unknown threads
		}
		fmt.Fprintf(w, "  %d × %s%s\n", c.Total, withFlags(c.Diagnostic.String()), describeLines(c.Lines, c.Total))
	}
	if out != standard {
		fmt.Fprintf(w, "wrote %s\n", out)
	}
}

// printLines prints how many lines were exported, and why others were not.
func printLines(w io.Writer, s *exporter.Summary) {
	problems := &s.Totals.Problems
	fmt.Fprintf(w, "lines: %d, of them %d exported, %s, %d not understood\n",
		s.Totals.Lines, s.Exported, text.Count(problems.Ignored(), "header"), problems.Lost())
	for _, c := range problems.Counts() {
		fmt.Fprintf(w, "  %d × %s%s\n", c.Total, withFlags(c.Problem.String()), describeLines(c.Lines, c.Total))
	}
	for _, j := range s.Totals.Joins {
		if j.Gap >= 0 { // there is a warning about others
			fmt.Fprintf(w, "  another trace begins at line %d, %s later\n", j.Line, j.Gap)
		}
	}
	if more := s.Totals.Further - len(s.Totals.Joins); more > 0 {
		fmt.Fprintf(w, "  and %s\n", text.Count(more, "further trace"))
	}
	for _, over := range s.Over.Warnings() {
		fmt.Fprintf(w, "  %s\n", withFlags(over))
	}
	for _, n := range []struct {
		count int
		what  string
	}{
		{problems.Logged(), hitrace.LogLine.String()},
		{s.Totals.Outside, "line outside the window"},
		{s.Unmatched, "slice end without a begin, not exported"},
		{s.Unencodable, "event that Perfetto cannot represent, not exported"},
		{s.Misplaced, "event of a CPU above 1023, exported as of CPU 1023"},
		{s.LeftOut, "event left out; --events all exports it"},
	} {
		if n.count > 0 {
			fmt.Fprintf(w, "  %d × %s\n", n.count, n.what)
		}
	}
}

// maxParts is the number of parts of a file whose clocks the summary prints.
const maxParts = 4

// printParts prints the clock offsets of the parts after the first one.
func printParts(w io.Writer, parts []analyzer.Part) {
	for i := 1; i < min(len(parts), maxParts); i++ {
		fmt.Fprintf(w, "  of the part that starts at %s: %s\n", parts[i].Span.Start, describeClock(&parts[i].Clock))
	}
	if more := len(parts) - maxParts; more > 0 {
		fmt.Fprintf(w, "  and of %s\n", text.Count(more, "further part"))
	}
}

// maxChanges is the number of changes of the clock that the summary prints.
const maxChanges = 4

func printClockChanges(w io.Writer, changes []analyzer.ClockChange) {
	for _, c := range changes[:min(len(changes), maxChanges)] {
		warning := "warning: "
		if c.Corrected {
			warning = ""
		}
		fmt.Fprintf(w, "  %s%s\n", warning, c)
	}
	if more := len(changes) - maxChanges; more > 0 {
		fmt.Fprintf(w, "  and %s\n", text.Count(more, "more change"))
	}
}

func printProcesses(w io.Writer, t *analyzer.Timeline) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "  process\tpid\tframes\tlate\tempty\tmisaligned\tlinked\t")
	list, counts := t.ProcessCounts()
	for _, p := range list {
		c := counts[p]
		fmt.Fprintf(tw, "  %s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", text.Printable(p.Name), p.PID, c.Frames, c.Late, c.Empty, c.Misaligned, c.Linked)
	}
	tw.Flush()
}

// printNoFrames prints which markers are missing and how to record them.
func printNoFrames(w io.Writer, in string, s *exporter.Summary) {
	f := noFrames(s.Timeline, s.Quality)
	fmt.Fprintf(w, "%s: %s\nhint: %s\n", text.Printable(in), f.what, f.hint)
}

func describeClock(c *analyzer.ClockOffset) string {
	var description string
	switch c.Source {
	case analyzer.ClockUnknown:
		description = "unknown, assuming 0"
	case analyzer.ClockGiven:
		description = seconds(c.Offset) + ", given"
	case analyzer.ClockHeader, analyzer.ClockDetails, analyzer.ClockMono:
		description = fmt.Sprintf("%s from %s", seconds(c.Offset), c.Source)
	default:
		description = fmt.Sprintf("%s from %s (%s, accurate to about %s)", seconds(c.Offset), c.Source, text.Count(c.Samples, "line"), c.Lag)
	}
	if c.Overruled != 0 {
		description += fmt.Sprintf("; warning: the input states another, which differs by %s", c.Overruled)
	}
	if c.ContradictedByMarkers != 0 {
		description += fmt.Sprintf("; warning: the markers show another, which differs by %s", c.ContradictedByMarkers)
	}
	if c.Contradicted != 0 {
		description += fmt.Sprintf("; warning: the clock sync line differs by %s", c.Contradicted)
	}
	return description
}

// seconds formats a duration in seconds, the unit of trace times.
func seconds(d trace.Duration) string {
	return strconv.FormatFloat(float64(d)/float64(trace.Second), 'f', -1, 64) + "s"
}

// describeLines lists the first lines of a count.
func describeLines(lines []int, total int) string {
	if len(lines) == 0 {
		return ""
	}
	texts := make([]string, len(lines))
	for i, n := range lines {
		texts[i] = fmt.Sprint(n)
	}
	more := ""
	if total > len(lines) {
		more = ", …"
	}
	return fmt.Sprintf(" (line %s%s)", strings.Join(texts, ", "), more)
}
