package main

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/text"
)

// printSummary prints a summary of a conversion. That of a dump has no lines, no
// markers and no clock offset.
func printSummary(w io.Writer, in, out string, s *ohframe.Summary) {
	in, out = text.Printable(in), text.Printable(out)
	t := s.Timeline
	isDump := s.Lines == nil
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
		fmt.Fprintf(w, "lines: %d, of them %d exported, %s, %d not understood\n",
			s.Lines.Total, s.Exported, text.Count(s.Lines.Headers, "header"), s.Lines.NotUnderstood)
	}
	for _, d := range s.Details {
		more := ""
		if d.Code == trace.WarnLeftOut {
			more = "; --events all exports it"
		}
		fmt.Fprintf(w, "  %s%s\n", withFlags(d.Text), more)
	}
	if out != standard {
		fmt.Fprintf(w, "wrote %s\n", out)
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
func printNoFrames(w io.Writer, in string, s *ohframe.Summary) {
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
