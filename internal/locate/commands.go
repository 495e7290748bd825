package locate

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/text"
)

// Opener makes the commands that show frames of a process in Perfetto's UI. A command is its
// texts with flags between, which Frame returns.
type Opener [2]string

// NewOpener returns the Opener of a process, as Process returns it, and a file. The further
// flags are complete.
func NewOpener(process, file string, flags ...string) Opener {
	return Opener{"ohframe open --process " + process, strings.Join(append([]string{""}, append(flags, "--", text.Quoted(file))...), " ")}
}

// Frame returns the command for a frame. timed says whether its vsync id names other frames
// of the process, too. The script of pages does the same: openCommand in frame.js of package
// view.
func (o Opener) Frame(vsync int64, start trace.Time, timed bool) string {
	frame := start.String()
	if vsync != 0 && !timed {
		frame = fmt.Sprint(vsync)
	}
	return o[0] + " --frame " + frame + o[1]
}

// Process returns the value of --process for a process, as a word of a shell command: its id,
// or its name if that is unknown.
func Process(name string, pid trace.PID) string {
	if pid != trace.UnknownPID {
		return pid.String()
	}
	var pattern strings.Builder
	for _, r := range name {
		switch {
		case !unicode.IsPrint(r): // arguments cannot have some of them
			pattern.WriteByte('?')
		case strings.ContainsRune(`*?[\`, r):
			pattern.WriteByte('\\')
			fallthrough
		default:
			pattern.WriteRune(r)
		}
	}
	return text.Quoted(pattern.String())
}

// Record returns the command that records an application again, with further flags, which are
// complete. process is the name of one of its processes. The command names the application only if
// its full name is known: without, it records all the same. Kernels keep the last bytes of longer
// names, which do not begin with a domain.
func Record(process string, flags ...string) string {
	words := append([]string{"ohframe record -t 10"}, flags...)
	bundle, _, _ := strings.Cut(process, ":")
	cut := len(process) == analyzer.KernelName && !strings.HasPrefix(process, "com.")
	if !cut && strings.Contains(bundle, ".") && !strings.HasPrefix(bundle, "-") && text.Quoted(bundle) == bundle {
		words = append(words, "--app "+bundle)
	}
	return strings.Join(words, " ")
}

// Timed returns a function that reports whether the vsync id of a frame of a timeline, which
// may be nil, is not enough to name it: other threads, and other traces in the same file, have
// the same ones.
func Timed(t *analyzer.Timeline) func(*analyzer.Frame) bool {
	type key struct {
		pid   trace.PID // of two processes with one id, the vsyncs of both
		vsync int64
	}
	frames := map[key]int{}
	if t != nil {
		for f := range t.Complete() {
			frames[key{f.Process.PID, f.VsyncID}]++
		}
	}
	return func(f *analyzer.Frame) bool {
		// A name may be a part of others.
		return f.Process.NoPID || frames[key{f.Process.PID, f.VsyncID}] > 1
	}
}

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
func (c *Commands) OpenInteraction(id int) string {
	return c.command("ohframe open", []string{fmt.Sprintf("--interaction %d", id)})
}

// WhyInteraction returns the command that explains an interaction.
func (c *Commands) WhyInteraction(id int, flags ...string) string {
	return c.why(append([]string{fmt.Sprintf("--interaction %d", id)}, flags...))
}

// WhyAnyInteraction returns the command that explains interaction N of the file in the current folder: for
// pages, whose readers have the file elsewhere.
func (c *Commands) WhyAnyInteraction() string { return c.any("ohframe why --interaction N") }

// OpenAnyInteraction returns the command that shows interaction N of the file in the current folder.
func (c *Commands) OpenAnyInteraction() string { return c.any("ohframe open --interaction N") }

// WhyAnyLayer returns the command that explains the late buffers of layer NAME of the file in the current folder.
func (c *Commands) WhyAnyLayer() string { return c.any("ohframe why --layer NAME") }

func (c *Commands) any(command string) string {
	file := text.Base(c.file)
	if strings.HasPrefix(file, "-") {
		file = "./" + file
	}
	return strings.Join(slices.Concat([]string{command}, c.flags, []string{text.Quoted(file)}), " ")
}

// WhyLayer returns the command that explains the late buffers of a layer.
func (c *Commands) WhyLayer(id int, flags ...string) string {
	return c.why(append(flags, fmt.Sprintf("--layer %d", id)))
}

func (c *Commands) why(flags []string) string { return c.command("ohframe why", flags) }

func (c *Commands) command(name string, flags []string) string {
	words := slices.Concat([]string{name}, flags, c.flags)
	return strings.Join(append(words, "--", text.Quoted(c.file)), " ")
}

func processOf(p *analyzer.Process) string {
	pid := p.PID
	if p.NoPID {
		pid = trace.UnknownPID
	}
	return Process(p.Name, pid)
}
