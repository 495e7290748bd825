package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"ohframe/analyzer"
	"ohframe/exporter"
)

// printSummary says in a few lines what a conversion found.
func printSummary(w io.Writer, in, out string, s *exporter.Summary) {
	t := s.Timeline
	counts := t.Counts()
	fmt.Fprintf(w, "%s: %d frames of %d processes, %d links, %d presents", in, counts.Frames, countProcesses(t), counts.Linked, counts.Presented)
	if counts.Truncated > 0 {
		fmt.Fprintf(w, ", %d truncated frames left out", counts.Truncated)
	}
	fmt.Fprintln(w)
	if counts.Frames == 0 {
		printNoFrames(w, in, t)
	} else {
		printProcesses(w, t)
	}
	fmt.Fprintf(w, "clock offset: %s\n", describeClock(&t.Clock))
	fmt.Fprintf(w, "lines: %d, of them %d headers and %d not understood\n", s.Lines, s.Problems.Ignored(), s.Problems.Lost())
	for _, c := range s.Problems.Counts() {
		fmt.Fprintf(w, "  %d × %s%s\n", c.Total, c.Problem, describeLines(c.Lines, c.Total))
	}
	for _, n := range []struct {
		count int
		what  string
	}{
		{s.Unexported.KernelEvents, "kernel event, left out"},
		{s.Renumbered, "frame without a vsync id of its own, renumbered"},
	} {
		if n.count > 0 {
			fmt.Fprintf(w, "  %d × %s\n", n.count, n.what)
		}
	}
	for _, c := range t.Diagnostics.Counts() {
		fmt.Fprintf(w, "  %d × %s%s\n", c.Total, c.Diagnostic, describeLines(c.Lines, c.Total))
	}
	if out != standard {
		fmt.Fprintf(w, "wrote %s\n", out)
	}
}

func countProcesses(t *analyzer.Timeline) int {
	list, _ := t.ProcessCounts()
	return len(list)
}

func printProcesses(w io.Writer, t *analyzer.Timeline) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "  process\tpid\tframes\tlate\tempty\tmisaligned\tlinked\t")
	list, counts := t.ProcessCounts()
	for _, p := range list {
		c := counts[p]
		fmt.Fprintf(tw, "  %s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", p.Name, p.PID, c.Frames, c.Late, c.Empty, c.Misaligned, c.Linked)
	}
	tw.Flush()
}

// printNoFrames says why there are no frames.
func printNoFrames(w io.Writer, in string, t *analyzer.Timeline) {
	fmt.Fprintf(w, "%s: no frames", in)
	if missing := t.Diagnostics.MissingMarkers(); len(missing) > 0 {
		fmt.Fprintf(w, ": no marker %s", strings.Join(missing, ", "))
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "hint: frames need the tags graphic and ace: hdc shell hitrace -t 5 graphic ace sched")
}

func describeClock(c *analyzer.ClockOffset) string {
	switch c.Source {
	case analyzer.ClockUnknown:
		return "0, " + c.Source.String()
	case analyzer.ClockGiven:
		return fmt.Sprintf("%s, given", c.Offset)
	}
	text := fmt.Sprintf("%s from %s (%d lines, good to about %s)", c.Offset, c.Source, c.Samples, c.Lag)
	if c.Contradicted != 0 {
		text += fmt.Sprintf("; warning: hitrace's own clock line is %s away", c.Contradicted)
	}
	return text
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
