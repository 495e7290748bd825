package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ohframe"
	"ohframe/analyzer"
	recording "ohframe/analyzer/sample"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/causes"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// Conversion returns the summary of a conversion of the named input. That of a dump has no lines, no markers and no
// clock offset.
func Conversion(in string, s *ohframe.Summary) *view.Document {
	t, d := s.Timeline, &view.Document{}
	isDump := s.Lines == nil
	counts := t.Counts()
	truncated := text.Count(counts.Truncated, "truncated frame") + " skipped"
	switch {
	case counts.Frames == 0 && counts.Truncated > 0:
		d.Summary = fmt.Sprintf("%s: no complete frame, %s", in, truncated)
	case counts.Frames == 0 && isDump:
		d.Summary = in + ": no frames"
	case counts.Frames == 0:
		d.Summary = in + ": " + NoFrames(t, s.Quality).What
	default:
		processes, _ := t.ProcessCounts()
		d.Summary = fmt.Sprintf("%s: %s of %s, %s, %s", in, text.Count(counts.Frames, "frame"), text.Count(len(processes), "process"),
			text.Count(counts.Linked, "link"), text.Count(counts.Presented, "present"))
		if counts.Truncated > 0 {
			d.Summary += ", " + truncated
		}
		d.Blocks = append(d.Blocks, convertedProcesses(stats.Compute(t, stats.Options{})))
	}
	if len(t.Layers) > 0 {
		d.Blocks = append(d.Blocks, view.Facts{List: []view.Fact{layersFact(t)}})
	}
	if !isDump {
		lines := fmt.Sprintf("%d exported, %s, %d not understood", s.Exported, text.Count(s.Lines.Headers, "header"), s.Lines.NotUnderstood)
		facts := append(clockFacts(t), view.Fact{Label: "Lines", Value: strconv.Itoa(s.Lines.Total), About: lines})
		if s.Samples != nil {
			facts = append(facts, samplesFact(s.Samples))
		}
		d.Blocks = append(d.Blocks, view.Facts{List: facts})
	}
	for _, detail := range s.Details {
		note := view.Note{Text: detail.Text}
		if detail.Code == trace.WarnLeftOut {
			note.Text += "; --events all exports it"
		}
		d.Blocks = append(d.Blocks, note)
	}
	return d
}

// samplesFact returns the number of samples, and how their times were related to the trace.
func samplesFact(r *recording.Recording) view.Fact {
	a := &r.Alignment
	about := "their clock was " + a.Source.String()
	if a.Source != recording.Found {
		about = "their clock is " + a.Source.String()
	}
	if a.Checked > 0 {
		about += fmt.Sprintf("; threads ran at %.1f %% of them", 100*a.HitRate())
	}
	return view.Fact{Label: "Samples", Value: strconv.Itoa(len(r.Samples)), About: about}
}

// layersFact returns the number of layers, and what became of their buffers.
func layersFact(t *analyzer.Timeline) view.Fact {
	buffers, shown, dropped, late := 0, 0, 0, 0
	for _, l := range stats.Compute(t, stats.Options{}).Layers {
		buffers, shown, dropped = buffers+l.Buffers, shown+l.Shown, dropped+l.Dropped
		if l.Late != nil {
			late += *l.Late
		}
	}
	return view.Fact{Label: "Layers", Value: strconv.Itoa(len(t.Layers)), About: fmt.Sprintf("%s: %d shown, %d dropped, %d late", text.Count(buffers, "buffer"), shown, dropped, late)}
}

// convertedProcesses has the processes in the order of reports. What is unknown has no number.
func convertedProcesses(computed *stats.Report) view.Table {
	table := view.Table{Columns: []view.Column{{Title: "Process"}}}
	for _, title := range []string{"PID", "Frames", "Late", "Empty", "Misaligned", "Linked"} {
		table.Columns = append(table.Columns, view.Column{Title: title, Number: true})
	}
	for _, p := range slices.SortedStableFunc(slices.Values(computed.Processes), causes.CompareProcesses) {
		c := &p.Frames
		if c.Complete+c.Truncated == 0 {
			continue // it only hung
		}
		pid, empty := text.Unknown, text.Unknown
		if p.PID != trace.UnknownPID {
			pid = p.PID.String()
		}
		if c.Empty != nil {
			empty = strconv.Itoa(*c.Empty)
		}
		cells := []view.Cell{{Text: text.Process(p)}}
		for _, cell := range []string{pid, strconv.Itoa(c.Complete), text.Late(p), empty, strconv.Itoa(c.Misaligned), strconv.Itoa(c.Linked)} {
			cells = append(cells, view.Cell{Text: cell})
		}
		table.Rows = append(table.Rows, view.Row{Cells: cells})
	}
	return table
}

// maxClocks is the number of parts of a file, and of changes of the clock, that the summary
// has.
const maxClocks = 4

// clockFacts returns the clock offset, and those of the parts of a file.
func clockFacts(t *analyzer.Timeline) []view.Fact {
	offset := clockFact("Clock offset", &t.Clock)
	add := func(format string, args ...any) { offset.About += "\n" + fmt.Sprintf(format, args...) }
	for _, c := range t.ClockChanges[:min(len(t.ClockChanges), maxClocks)] {
		warning := "warning: "
		if c.Corrected {
			warning = ""
		}
		add("%s%s", warning, c)
	}
	if more := len(t.ClockChanges) - maxClocks; more > 0 {
		add("and %s", text.Count(more, "more change"))
	}
	list := []view.Fact{offset}
	for i := 1; i < min(len(t.Parts), maxClocks); i++ {
		list = append(list, clockFact(fmt.Sprintf("from %s on", t.Parts[i].Span.Start), &t.Parts[i].Clock))
	}
	if more := len(t.Parts) - maxClocks; more > 0 {
		list = append(list, view.Fact{About: "and of " + text.Count(more, "further part")})
	}
	return list
}

// clockFact returns a clock offset, where it comes from, and warnings.
func clockFact(label string, c *analyzer.ClockOffset) view.Fact {
	var about []string
	add := func(format string, args ...any) { about = append(about, fmt.Sprintf(format, args...)) }
	offset := strconv.FormatFloat(float64(c.Offset)/float64(trace.Second), 'f', -1, 64) + "s" // the unit of trace times
	switch c.Source {
	case analyzer.ClockUnknown:
		offset = "unknown"
		add("assuming 0")
	case analyzer.ClockGiven:
		add("given")
	case analyzer.ClockHeader, analyzer.ClockDetails, analyzer.ClockMono:
		add("from %s", c.Source)
	default:
		add("from %s (%s, accurate to about %s)", c.Source, text.Count(c.Samples, "line"), c.Lag)
	}
	if c.Ahead > 0 {
		add("%s sent ahead of their time, by up to %s ms", text.Count(c.Ahead, "vsync"), text.Milliseconds(c.AheadBy))
	}
	if c.Step != 0 {
		add("warning: the clock of the trace has steps of %s", c.Step)
	}
	if c.Overruled != 0 {
		add("warning: the input states another, which differs by %s", c.Overruled)
	}
	if c.ContradictedByMarkers != 0 {
		add("warning: the markers show another, which differs by %s", c.ContradictedByMarkers)
	}
	if c.Contradicted != 0 {
		add("warning: the clock sync line differs by %s", c.Contradicted)
	}
	return view.Fact{Label: label, Value: offset, About: strings.Join(about, "\n")}
}
