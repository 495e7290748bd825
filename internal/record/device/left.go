package device

import (
	"cmp"
	"fmt"
	"strings"

	"ohframe/internal/pattern"
	"ohframe/internal/record/hdc"
)

// ownFolder is the form of a recording's folder. Nothing else is removed.
const ownFolder = Folder + `/ohframe-[0-9a-f]{8}`

var (
	isOwnFolder = pattern.New(`^` + ownFolder + `$`)
	leftTrace   = pattern.New(`(?m)^` + ownFolder + `/\w+\.(?:ftrace|perf\.data)$`)
	leftRunning = pattern.New(`(?m)/(live|busy|undo|hiperf)$`)
	leftState   = pattern.New(`(?m)^` + section + `(` + ownFolder + `) (alive|dead) (undo)? (\w*) (-?\d*)$`)
)

// Kind returns a word for a file that ParseClose or ParseLeft names: a trace, or samples of hiperf.
func Kind(path, trace, samples string) string {
	if strings.HasSuffix(path, ".ftrace") {
		return trace
	}
	return samples
}

// KeepSamplesScript comes before a CloseScript that keeps the samples, and not the trace.
func KeepSamplesScript(dir string) string {
	return withDir(dir, "mv DIR/t.perf.data DIR/samples.perf.data && rm -f DIR/t.ftrace\n")
}

// CloseScript ends a recording that may be under way, and removes its folder; with keep,
// traces stay, and their samples. A hitrace of the recording that does not end soon is left to the script
// that runs it and to the watchdog.
func CloseScript(dir string, keep bool) string {
	if !isOwnFolder().MatchString(dir) {
		return "false"
	}
	stop, end := "[ -d DIR ] && echo >DIR/stop\n", scriptDiscard
	if keep {
		stop, end = "", scriptDrop+"\n"+scriptOpen+" || { "+scriptKill+"; "+scriptTidy+"; }"
	}
	return withDir(dir, stop+"n=0; while [ -e DIR/busy ] && [ $n -lt 50 ]; do sleep 0.2; n=$((n+1)); done\n"+
		"[ -e DIR/busy ] || { "+end+"\n}\n[ -e DIR/live ] && cat DIR/drop 2>/dev/null\n[ -e DIR/undo ] && cat DIR/undone 2>/dev/null\necho '"+markLeft+"'\nls -d DIR/live DIR/busy DIR/undo DIR/hiperf DIR/*.ftrace DIR/*.perf.data 2>/dev/null\ntrue")
}

// ParseClose returns the traces and samples that CloseScript has left, and whether the session is
// closed, parameters are set back, and nothing of the recording runs.
func ParseClose(r hdc.Result) (traces []string, closed bool) {
	_, left, ok := strings.Cut(r.Output, markLeft+"\n")
	return leftTrace().FindAllString(left, -1), ok && !leftRunning().MatchString(left)
}

// CloseAnswer returns what hitrace said to a CloseScript that did not close the session.
func CloseAnswer(r hdc.Result) string {
	return cmp.Or(found(anError, r.Output), "it has not ended")
}

// NotSetBack returns what the device said to a CloseScript that did not set a parameter
// back; empty if it did.
func NotSetBack(r hdc.Result) string { return found(notSet, r.Output) }

// RemoveScript removes the folder of a recording and its watchdog, whatever runs.
func RemoveScript(dir string) string {
	if !isOwnFolder().MatchString(dir) {
		return "false"
	}
	return withDir(dir, scriptKillHiperf+"; "+scriptUndo+"; "+scriptKill+"; rm -rf DIR")
}

// Left is what a recording has left on the device, or one that is under way.
type Left struct {
	Dir string
	// Alive: its watchdog runs. Live: its session may be open. Undo: it has parameters to set back.
	Alive, Live, Undo bool
	// Owner is that of a live recording, Seconds is when its watchdog ends it.
	Owner   string
	Seconds int
	// Traces are those that it has written, and their samples.
	Traces []string
}

// NotSetBack reports whether the recording has ended, but not set back what it set.
func (l *Left) NotSetBack() bool { return l.Undo && !l.Live }

// LeftScript describes folders of recordings, for ParseLeft.
func LeftScript(dirs []string) string {
	return fmt.Sprintf(`for d in %s; do
o=; e=; u=; [ -e $d/undo ] && u=undo; read o e <$d/live && e=$((e-$(date +%%s)))
p=$(cat $d/watchdog) && kill -0 $p && a=alive || a=dead
echo "%s$d $a $u $o $e"
ls -d $d/*.ftrace $d/*.perf.data
done 2>/dev/null`, strings.Join(dirs, " "), section)
}

// ParseLeft parses what LeftScript printed.
func ParseLeft(r hdc.Result) (list []Left) {
	for line := range strings.Lines(r.Output) {
		line = strings.TrimRight(line, "\n")
		if m := leftState().FindStringSubmatch(line); m != nil {
			list = append(list, Left{Dir: m[1], Alive: m[2] == "alive", Undo: m[3] != "", Live: m[4] != "", Owner: m[4], Seconds: atoi(m[5])})
		} else if n := len(list); n > 0 && leftTrace().MatchString(line) {
			list[n-1].Traces = append(list[n-1].Traces, line)
		}
	}
	return list
}

// DropScript ends the recording of somebody else without a trace.
func DropScript() string { return hitraceDrop }

// CheckDrop reports whether DropScript ended a recording.
func CheckDrop(r hdc.Result) bool { return strings.Contains(r.Output, dropped) }
