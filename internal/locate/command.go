package locate

import (
	"fmt"
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
	command := o[0]
	if vsync != 0 {
		command += fmt.Sprintf(" --frame %d", vsync)
	}
	if timed || vsync == 0 {
		command += " --at " + start.String()
	}
	return command + o[1]
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
