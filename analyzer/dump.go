package analyzer

import (
	"fmt"
	"strings"
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
	for _, c := range t.Diagnostics.Counts {
		fmt.Fprintf(&b, "%d %s", c.Total, c.Diagnostic)
		if len(c.Lines) > 0 {
			fmt.Fprintf(&b, " %v", c.Lines)
		}
		b.WriteByte('\n')
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
	add(f.Expected != Interval{}, "expected %s", f.Expected)
	add(f.Deadline.Known() && f.Deadline != f.Expected.End, "deadline %d", f.Deadline)
	add(f.Period != 0, "period %d", f.Period)
	add(f.Coalesced != 0, "coalesced %d", f.Coalesced)
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
	for _, n := range factNames {
		add(f.Facts.Has(n.fact), "%s", n.name)
	}
	return b.String()
}

var factNames = []struct {
	fact Facts
	name string
}{
	{MainLate, "late"}, {GPULate, "gpu-late"}, {Empty, "empty"}, {Misaligned, "misaligned"}, {Truncated, "truncated"}, {Dropped, "dropped"},
}

// String prints the interval's ends in nanoseconds.
func (i Interval) String() string { return fmt.Sprintf("%d..%d", int64(i.Start), int64(i.End)) }

func vsyncID(f *Frame) int64 {
	if f == nil {
		return 0
	}
	return f.VsyncID
}

// tilde returns the mark of an estimate.
func tilde(estimated bool) string {
	if estimated {
		return "~"
	}
	return ""
}
