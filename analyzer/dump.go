package analyzer

import (
	"cmp"
	"fmt"
	"strings"

	"ohframe/analyzer/trace"
)

// String describes the timeline as text, one line for each frame, for tests and for
// reading. Times are in nanoseconds. Unknown values are left out.
//
//	app 10000 com.example.a0 20000/20000 actual 1000..5000 expected 500..9000 sent 101 render 50001 late
func (t *Timeline) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "clock %d from %s\n", t.Clock.Offset, t.Clock.Source)
	for _, f := range t.Frames {
		b.WriteString(f.String())
		b.WriteByte('\n')
	}
	for _, i := range t.Interactions {
		b.WriteString(i.String())
		b.WriteByte('\n')
	}
	for _, h := range t.Hangs {
		fmt.Fprintf(&b, "hang of %d %s %s", h.Process.PID, h.Interval, cmp.Or(h.Slice, "?"))
		if h.BeginCut != NoEdge {
			fmt.Fprintf(&b, " begins before the %s", h.BeginCut)
		}
		if h.EndCut != NoEdge {
			fmt.Fprintf(&b, " ends after the %s", h.EndCut)
		}
		b.WriteByte('\n')
	}
	for _, x := range t.Blocks {
		fmt.Fprintf(&b, "block of %d %s\n", x.Process.PID, x.Interval)
	}
	for _, x := range t.Builds {
		fmt.Fprintf(&b, "build of %d %s %s reused %t\n", x.Process.PID, x.Interval, x.Component, x.Reused)
	}
	for _, x := range t.StateChanges {
		fmt.Fprintf(&b, "state of %d %s %s.%s %d\n", x.Process.PID, x.At, x.Component, x.Variable, x.Nodes)
	}
	for _, c := range t.Diagnostics.Counts {
		fmt.Fprintf(&b, "%d %s", c.Total, c.Diagnostic)
		if len(c.Lines) > 0 {
			fmt.Fprintf(&b, " %v", c.Lines)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// String describes the interaction in one line.
func (i *Interaction) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d %s of %s %s", i.Kind, i.ID, i.Scene, i.Process.PID, i.Process.Name)
	add := func(known bool, format string, args ...any) {
		if known {
			fmt.Fprintf(&b, " "+format, args...)
		}
	}
	add(i.Page != "", "on %s", i.Page)
	add(i.Input != NoInput, "%s %d", i.Input, i.InputAt)
	add(i.Begin.Known(), "begin %d", i.Begin)
	add(i.End.Known(), "end %d", i.End)
	add(i.SeenTo.Known(), "shown %s..%s%s", shown(i.FirstShown), shown(i.LastShown), tilde(i.Estimated))
	add(i.Tail.Known(), "tail %d", i.Tail)
	add(len(i.Frames) > 0, "%d %s frames", len(i.Frames), i.Counted())
	add(i.Interrupted, "interrupted")
	add(i.TimedOut, "timed out")
	if d := i.Device; d != nil {
		for _, f := range []struct {
			name  string
			value *float64
		}{{"response", d.ResponseMS}, {"completion", d.CompletionMS}, {"hitches", d.HitchRatio}, {"longest", d.MaxFrameMS}, {"fps", d.FPS}} {
			if f.value != nil {
				add(true, "device's %s %g", f.name, *f.value)
			}
		}
	}
	for _, s := range i.Stages {
		add(true, "[%s %d..%d]", s.Name, s.Begin, s.End)
	}
	for _, r := range i.Reasons.Names() {
		add(true, "%s", r)
	}
	return b.String()
}

// String describes the frame in one line.
func (f *Frame) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d %s %d/%d actual %s", f.Kind, f.VsyncID, f.Process.Name, f.Process.PID, f.TID, f.Actual)
	add := func(known bool, format string, args ...any) {
		if known {
			fmt.Fprintf(&b, " "+format, args...)
		}
	}
	add(f.Framework != Platform, "by %s", f.Framework)
	add(f.Expected != Interval{}, "expected %s", f.Expected)
	add(f.Deadline.Known() && f.Deadline != f.Expected.End, "deadline %d", f.Deadline)
	add(f.Period != 0, "period %d", f.Period)
	add(f.CPUTime != 0, "runs %d", f.CPUTime)
	for _, s := range f.DisplaySyncs {
		add(true, "sync %d %s", s.ID, s.Type)
	}
	add(f.Coalesced != 0, "coalesced %d", f.Coalesced)
	add(f.NotBegun != 0, "after %d not begun, held %s", f.NotBegun, f.Held)
	for _, s := range f.Transactions {
		add(true, "sent %d", s.Index)
		add(s.AppliedBy != nil && s.AppliedBy != f.Render, "(taken by %d)", vsyncID(s.AppliedBy))
	}
	add(f.Render != nil, "render %d", vsyncID(f.Render))
	for _, a := range f.Applications {
		add(true, "takes %d/%d", a.TID, a.VsyncID)
	}
	add(f.Draw.Known(), "draw %s", f.Draw)
	for _, g := range f.GPU {
		add(true, "gpu %s", g)
	}
	add(f.Commit.Start.Known(), "commit %s%s", f.Commit, tilde(f.CommitEstimated))
	add(f.Present.Known(), "present %d%s", f.Present, tilde(f.PresentEstimated))
	for _, s := range f.Screens {
		add(true, "on %d commit %s", s.ID, s.Commit)
		add(s.Present.Known(), "present %d%s", s.Present, tilde(s.PresentEstimated))
	}
	for _, n := range factNames {
		add(f.Facts.Has(n.fact), "%s", n.name)
	}
	return b.String()
}

var factNames = []struct {
	fact Facts
	name string
}{
	{MainLate, "late"}, {GPULate, "gpu-late"}, {Empty, "empty"}, {Misaligned, "misaligned"}, {Truncated, "truncated"}, {Dropped, "dropped"}, {FirstDraw, "first-draw"},
	{EmptyUnknown, "empty-unknown"}, {CommitSkipped, "commit-skipped"}, {DeadlineInferred, "deadline-inferred"}, {NoTransaction, "no-transaction"},
	{Unfinished, "unfinished"},
}

// String prints the interval's ends in nanoseconds.
func (i Interval) String() string { return fmt.Sprintf("%d..%d", int64(i.Start), int64(i.End)) }

func vsyncID(f *Frame) int64 {
	if f == nil {
		return 0
	}
	return f.VsyncID
}

// shown is a present time, or a question mark.
func shown(at trace.Time) string {
	if !at.Known() {
		return "?"
	}
	return fmt.Sprintf("%d", at)
}

// tilde returns the mark of an estimate.
func tilde(estimated bool) string {
	if estimated {
		return "~"
	}
	return ""
}
