package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"ohframe/analyzer"
	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/trace"
	"ohframe/exporter"
	"ohframe/internal/text"
)

// printSummary prints what a conversion found. A dump has no trace lines and no
// markers, and its times need no clock offset: its summary leaves them out.
func printSummary(w io.Writer, in, out string, s *exporter.Summary) {
	in, out = text.Printable(in), text.Printable(out)
	t := s.Timeline
	isDump := s.Totals == nil
	counts := t.Counts()
	switch {
	case counts.Frames == 0 && counts.Truncated > 0:
		fmt.Fprintf(w, "%s: no whole frame, %s left out\n", in, text.Count(counts.Truncated, "truncated frame"))
	case counts.Frames == 0 && isDump:
		fmt.Fprintf(w, "%s: no frames\n", in)
	case counts.Frames == 0:
		printNoFrames(w, in, t)
	default:
		processes, _ := t.ProcessCounts()
		fmt.Fprintf(w, "%s: %s of %s, %s, %s", in, text.Count(counts.Frames, "frame"), text.Count(len(processes), "process"),
			text.Count(counts.Linked, "link"), text.Count(counts.Presented, "present"))
		if counts.Truncated > 0 {
			fmt.Fprintf(w, ", %s left out", text.Count(counts.Truncated, "truncated frame"))
		}
		fmt.Fprintln(w)
		printProcesses(w, t)
	}
	if !isDump {
		fmt.Fprintf(w, "clock offset: %s\n", describeClock(&t.Clock))
		printParts(w, t.Parts)
		printLines(w, s)
	}
	if s.Renumbered > 0 {
		fmt.Fprintf(w, "  %d × frame without a vsync id of its own, renumbered\n", s.Renumbered)
	}
	for _, c := range t.Diagnostics.Counts() {
		if c.Diagnostic == analyzer.UnmatchedEnd && s.Unmatched > 0 {
			continue // told above, with those of no thread
		}
		fmt.Fprintf(w, "  %d × %s%s\n", c.Total, c.Diagnostic, describeLines(c.Lines, c.Total))
	}
	if out != standard {
		fmt.Fprintf(w, "wrote %s\n", out)
	}
}

// printLines says what became of each line.
func printLines(w io.Writer, s *exporter.Summary) {
	problems := &s.Totals.Problems
	fmt.Fprintf(w, "lines: %d, of them %d exported, %d headers, %d not understood\n",
		s.Totals.Lines, s.Exported, problems.Ignored(), problems.Lost())
	for _, c := range problems.Counts() {
		fmt.Fprintf(w, "  %d × %s%s\n", c.Total, c.Problem, describeLines(c.Lines, c.Total))
	}
	for _, j := range s.Totals.Joins {
		if j.Gap >= 0 { // the others are warned of
			fmt.Fprintf(w, "  another trace begins at line %d, %s later\n", j.Line, j.Gap)
		}
	}
	if more := s.Totals.Further - len(s.Totals.Joins); more > 0 {
		fmt.Fprintf(w, "  and %s\n", text.Count(more, "more trace"))
	}
	for _, over := range s.Over.Warnings() {
		fmt.Fprintf(w, "  %s\n", over)
	}
	for _, n := range []struct {
		count int
		what  string
	}{
		{problems.Logged(), hitrace.LogLine.String()},
		{s.Totals.Outside, "line outside the window"},
		{s.Unmatched, "end of a slice whose begin is not there, not exported"},
		{s.Unencodable, "event that Perfetto has no form for, not exported"},
		{s.Misplaced, "event of a processor above 1023, shown as of that"},
		{s.LeftOut, "event left out by --frames-only"},
	} {
		if n.count > 0 {
			fmt.Fprintf(w, "  %d × %s\n", n.count, n.what)
		}
	}
}

// maxParts is how many of the traces that follow one another are told by their clocks.
const maxParts = 4

// printParts tells the clocks of the traces that follow the first one.
func printParts(w io.Writer, parts []analyzer.Part) {
	for i := 1; i < min(len(parts), maxParts); i++ {
		fmt.Fprintf(w, "  of the trace from %s on: %s\n", parts[i].Span.Start, describeClock(&parts[i].Clock))
	}
	if more := len(parts) - maxParts; more > 0 {
		fmt.Fprintf(w, "  and of %s\n", text.Count(more, "more trace"))
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

// printNoFrames says why there are no frames.
func printNoFrames(w io.Writer, in string, t *analyzer.Timeline) {
	fmt.Fprintf(w, "%s: no frames", text.Printable(in))
	if missing := t.Diagnostics.MissingMarkers(); len(missing) > 0 {
		fmt.Fprintf(w, ": no marker %s", strings.Join(missing, ", "))
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "hint: frames need the tags graphic and ace: hdc shell \"hitrace -t 5 graphic ace app sched -o /data/local/tmp/trace.ftrace\"")
}

func describeClock(c *analyzer.ClockOffset) string {
	var shown string
	switch c.Source {
	case analyzer.ClockUnknown:
		shown = "0, " + c.Source.String()
	case analyzer.ClockGiven:
		shown = seconds(c.Offset) + ", given"
	default:
		shown = fmt.Sprintf("%s from %s (%s, good to about %s)", seconds(c.Offset), c.Source, text.Count(c.Samples, "line"), c.Lag)
	}
	if c.Contradicted != 0 {
		shown += fmt.Sprintf("; warning: hitrace's own clock line is %s away", c.Contradicted)
	}
	return shown
}

// seconds prints a duration in seconds, as the times of a trace are.
func seconds(d trace.Duration) string {
	return strconv.FormatFloat(float64(d)/float64(trace.Second), 'f', -1, 64) + "s"
}

// describeLines names the first lines of a count.
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
