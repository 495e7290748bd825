package locate

import (
	"fmt"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/text"
)

// Commands makes the commands about a file: those that show a part of it in Perfetto's UI, and
// those that explain it. Further flags are complete.
type Commands struct {
	file  string
	flags []string
	timed func(*analyzer.Frame) bool
}

// NewCommands returns the Commands about a file and its timeline, with flags for all of them.
func NewCommands(file string, t *analyzer.Timeline, flags ...string) *Commands {
	return &Commands{file, flags, Timed(t)}
}

// OpenFrame returns the command that shows a frame.
func (c *Commands) OpenFrame(f *analyzer.Frame) string {
	return NewOpener(processOf(f.Process), c.file, c.flags...).Frame(f.VsyncID, f.Actual.Start, c.timed(f))
}

// WhyFrame returns the command that explains a frame; empty if it has no vsync id.
func (c *Commands) WhyFrame(f *analyzer.Frame, flags ...string) string {
	if f.VsyncID == 0 {
		return ""
	}
	return c.why(append(flags, "--process "+processOf(f.Process), fmt.Sprintf("--frame %d", f.VsyncID)))
}

// WhyProcess returns the command that explains the frames of a process.
func (c *Commands) WhyProcess(name string, pid trace.PID, flags ...string) string {
	return c.why(append(flags, "--process "+Process(name, pid)))
}

// WhyHang returns the command that explains a hang: the part of the trace from its begin to its end.
func (c *Commands) WhyHang(h *analyzer.Hang, flags ...string) string {
	return c.why(append(flags, "--process "+processOf(h.Process), "--from "+h.Start.String(), "--to "+h.End.Add(1).String()))
}

// OpenInteraction returns the command that shows an interaction.
func (c *Commands) OpenInteraction(id int) string { return OpenInteraction(id, c.file, c.flags...) }

// WhyInteraction returns the command that explains an interaction.
func (c *Commands) WhyInteraction(id int, flags ...string) string {
	return WhyInteraction(id, c.file, append(flags, c.flags...)...)
}

// WhyLayer returns the command that explains the late buffers of a layer.
func (c *Commands) WhyLayer(id int, flags ...string) string {
	return c.why(append(flags, fmt.Sprintf("--layer %d", id)))
}

func (c *Commands) why(flags []string) string {
	words := append([]string{"ohframe why"}, append(flags, c.flags...)...)
	return strings.Join(append(words, "--", text.Quoted(c.file)), " ")
}

func processOf(p *analyzer.Process) string {
	pid := p.PID
	if p.NoPID {
		pid = trace.UnknownPID
	}
	return Process(p.Name, pid)
}
