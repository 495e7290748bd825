package locate

import (
	"fmt"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/text"
)

// maxOthers is the number of frames that OthersText lists.
const maxOthers = 5

// OthersText says which other frames a place names, with the commands that show them.
func (found *Found) OthersText(input, file string, t *analyzer.Timeline) string {
	var b strings.Builder
	process := func(f *analyzer.Frame) string { return text.ProcessName(f.Process.Name) }
	fmt.Fprintf(&b, "%s: %d frames match, showing that of %s; to show another:\n", input, 1+len(found.Others), process(found.Frame))
	command := NewCommands(file, t).OpenFrame
	for _, f := range found.Others[:min(maxOthers, len(found.Others))] {
		fmt.Fprintf(&b, "  %s: %s\n", process(f), text.Line(command(f)))
	}
	if n := len(found.Others) - maxOthers; n > 0 {
		fmt.Fprintf(&b, "  … and %d more\n", n)
	}
	return b.String()
}

// FrameText says which frame a time selects at which none starts.
func (found *Found) FrameText(t *analyzer.Timeline) string {
	f := found.Frame
	if f == nil {
		return "no frame at that time, none is selected"
	}
	what := "a frame"
	if f.VsyncID != 0 {
		what = fmt.Sprintf("frame %d", f.VsyncID)
	}
	since := func(at trace.Time) string { return text.Since(t.Origin(), at) }
	return fmt.Sprintf("no frame starts then, selected %s of %s, from %s to %s", what, text.ProcessName(f.Process.Name), since(f.Actual.Start), since(f.Actual.End))
}
