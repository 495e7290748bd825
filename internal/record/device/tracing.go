package device

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ohframe/internal/failure"
	"ohframe/internal/record/hdc"
)

// The kinds of errors of hitrace, for errors.Is.
var (
	// ErrBusy: another recording is under way.
	ErrBusy = errors.New("busy")
	// ErrBegin: the recording did not begin.
	ErrBegin = errors.New("not begun")
	// ErrClosed: tracing was switched off during the recording.
	ErrClosed = errors.New("tracing was closed")
	// ErrWrite: the device could not write the file.
	ErrWrite = errors.New("not written")
)

// The limits of hitrace -b, per CPU.
const (
	MinBufferKB = 256
	MaxBufferKB = 307200
)

// DefaultBufferKB is the size of the buffer of each CPU. hitrace's own default is 2 MB
// on 3.2 and 4.0 and 18 MB later.
func (f *Facts) DefaultBufferKB() int {
	if f.Legacy() {
		return 16384
	}
	return 32768
}

// Tracing is one recording with hitrace --trace_begin and --trace_finish, which all
// versions have. In contrast to hitrace -t it can be ended early, and survives the
// loss of the connection.
//
// If hdc is killed or the connection is lost, hdcd ends only the first shell of a script.
// The script and its hitrace go on, unseen. So hitrace's output goes to files, since its
// pipe may be closed, and these files in Dir say what is under way:
//
//	live      the session may be open; has Owner and the watchdog's end
//	watchdog  the process id of the watchdog, which ends what is left
//	busy      a hitrace of this recording runs
//	ended     hitrace --trace_finish has ended
//	stop      the recording is discarded: when busy goes, the script ends it
type Tracing struct {
	// Dir is the recording's folder on the device.
	Dir      string
	Tags     []string
	BufferKB int
	Clock    string // "mono" or "boot"
	// Max is the time after which the watchdog ends the recording.
	Max time.Duration
	// Owner is a word for the program that records.
	Owner string
}

// NewDir returns the name of a recording's folder; nonce has 8 hexadecimal digits.
func NewDir(nonce string) string { return Folder + "/ohframe-" + nonce }

// TraceFile and DumpFile are the files on the device.
func (t *Tracing) TraceFile() string { return t.Dir + "/t.ftrace" }

func (t *Tracing) DumpFile(n int) string { return fmt.Sprintf("%s/%d.ftrace", t.Dir, n) }

// HitraceBegin is the command that begins the recording.
func (t *Tracing) HitraceBegin() string {
	return fmt.Sprintf("hitrace --trace_clock %s -b %d --trace_begin %s", t.Clock, t.BufferKB, strings.Join(t.Tags, " "))
}

// HitraceFinish is the command that ends it.
func (t *Tracing) HitraceFinish() string { return "hitrace --trace_finish -o " + t.TraceFile() }

const hitraceDrop = "hitrace --trace_finish_nodump"

// dropped is what that prints when no session is open any more. isClosed also matches what
// it prints, from 5.1 on, if the session that is open is not one of hitrace: 5.1; 6.0 and
// later.
const (
	dropped  = "end capture trace"
	isClosed = dropped + "|Trace Close failed, errorCode[(](1012|1013|1102|1103)[)]"
)

// Marks between the parts of what scripts print.
const (
	markBegun = section + "begun"
	markClock = section + "clock"
	markSize  = section + "size"
	markLeft  = section + "remains"
)

// statusNoFolder is the exit status of BeginScript if it cannot make the folder.
const statusNoFolder = 90

// in replaces DIR in a script.
func in(dir, script string) string { return strings.ReplaceAll(script, "DIR", dir) }

// scriptDrop closes the session without a trace. live goes only when that is known, or
// tracing is off: then nothing is recorded, and the next recording ends what is open.
const scriptDrop = `if [ -e DIR/live ]; then ` + hitraceDrop + ` >DIR/drop 2>&1; ` +
	`{ grep -qE '` + isClosed + `' DIR/drop || grep -qx 0 ` + tracingOn + ` 2>/dev/null; } && rm -f DIR/live; fi`

// scriptTidy removes everything but traces.
const scriptTidy = `for f in DIR/*; do case $f in *.ftrace) [ -s $f ] || rm -f $f;; *) rm -rf $f;; esac; done; rmdir DIR 2>/dev/null`

// scriptKill ends the watchdog and its sleep, which are a process group.
const scriptKill = `p=$(cat DIR/watchdog 2>/dev/null) && { kill -- -$p || kill $p; } 2>/dev/null`

// scriptDiscard closes the session and removes everything. The watchdog goes only when
// the session is closed.
const scriptDiscard = scriptDrop + "\n[ -e DIR/live ] || { " + scriptKill + "; rm -rf DIR; }"

// scriptClose closes the inherited descriptors above 2, those that the shell can close:
// one of them may be hdcd's connection, which would not end before the watchdog. A shell
// that does not know numbers above 9 takes them as a program, so a subshell tries first.
const scriptClose = `for f in /proc/self/fd/*; do n=${f##*/}; case $n in [012]|"*") ;; *) (eval "exec $n>&-") 2>/dev/null && eval "exec $n>&-";; esac; done`

// scriptDog is the watchdog. It gives a hitrace that is still writing two minutes, and
// keeps a trace that was written and not received. It has one line, as ps lists it.
const scriptDog = scriptClose + `; sleep %d; [ -e DIR/busy ] && sleep 120; n=0; ` +
	`while [ -e DIR/live ] && [ $n -lt 30 ]; do ` + scriptDrop + `; [ -e DIR/live ] && sleep 10; n=$((n+1)); done; ` + scriptTidy

// hitraceScript runs a hitrace that changes the session, and what comes after it. If the
// recording was discarded meanwhile, it discards it: the caller has not waited.
func (t *Tracing) hitraceScript(command, log, after string) string {
	return in(t.Dir, fmt.Sprintf("echo >DIR/busy\n%s >DIR/%s 2>&1\n%s\nrm -f DIR/busy\n[ -e DIR/stop ] && { %s; }\n", command, log, after, scriptDiscard))
}

// BeginScript makes the folder, starts the watchdog, and begins the recording. The
// watchdog is a process of its own session, and its streams are closed: it survives
// the connection, and the call does not wait for it. If hitrace says that the recording
// does not begin, the file live is removed: from then on nothing ends a recording, which
// would be that of somebody else.
func (t *Tracing) BeginScript() string {
	seconds := int(t.Max.Seconds())
	return in(t.Dir, fmt.Sprintf(`mkdir DIR && chmod 700 DIR && echo %s $(($(date +%%s)+%d)) >DIR/live || exit %d
setsid sh -c %s </dev/null >/dev/null 2>&1 &
echo $! >DIR/watchdog
`, t.Owner, seconds, statusNoFolder, hdc.Quote(fmt.Sprintf(scriptDog, seconds)))) +
		t.hitraceScript(t.HitraceBegin(), "begin", "grep -qE '"+begun+"' DIR/begin || { grep -qi 'error' DIR/begin && rm -f DIR/live; }") +
		in(t.Dir, fmt.Sprintf("echo '%s'\ncat DIR/begin\necho '%s'\n%s\ntrue", markBegun, markClock, readTracefs("trace_clock")))
}

// begun matches what hitrace prints when it records: 4.1 and later; 3.2 and 4.0.
const begun = "OpenRecording done|capturing trace"

var (
	begunLine   = regexp.MustCompile(begun)
	openFailed  = regexp.MustCompile(`OpenRecording failed, errorCode\((\d+)\)`)
	openingFile = regexp.MustCompile(`opening \S+, errno: (\d+)|Failed to open file '[^']*', err=(\d+)`)
	bracketed   = regexp.MustCompile(`\[(\w+)\]`)
	anError     = regexp.MustCompile(`(?mi)error: (.+)$`)
)

// busyCodes are the codes of OpenRecording that mean that another recording is under
// way or that the tracing service is in another state: 4.1 and 5.0; 5.1; 6.0 and later.
var busyCodes = []int{1002, 1006, 1012, 1013, 1102, 1103}

// openCodes are the other codes of OpenRecording.
var openCodes = map[int]string{
	1: "not supported", 4: "no permission", 1003: "a tag is unknown", 1004: "the kernel's trace files cannot be set up",
}

// CheckBegin checks what BeginScript printed and returns the clock that the kernel
// uses; empty if unknown. hitrace's exit status proves nothing.
func CheckBegin(r hdc.Result) (clock string, err error) {
	if r.Status == statusNoFolder {
		return "", failure.New(ErrWrite, "is there space, and may hdc's shell write to "+Folder+"?", "the device cannot make a folder in %s: %s", Folder, strings.TrimSpace(r.Output))
	}
	_, output, _ := strings.Cut(r.Output, markBegun+"\n")
	output, clocks, _ := strings.Cut(output, markClock+"\n")
	if m := openFailed.FindStringSubmatch(output); m != nil {
		code := atoi(m[1])
		if slices.Contains(busyCodes, code) {
			return "", failure.New(ErrBusy, "", "another recording is under way on the device (code %d)", code)
		}
		what := openCodes[code]
		if what == "" {
			what = "unknown reason"
		}
		return "", failure.New(ErrBegin, "", "the device does not begin the recording: %s (code %d)", what, code)
	}
	if begunLine.MatchString(output) {
		if m := bracketed.FindStringSubmatch(clocks); m != nil {
			clock = m[1]
		}
		return clock, nil
	}
	if m := anError.FindStringSubmatch(output); m != nil {
		return "", failure.New(ErrBegin, "", "the device does not begin the recording: %s", m[1])
	}
	return "", failure.New(ErrBegin, "", "the device does not begin the recording: %q", strings.TrimSpace(output))
}

// FinishScript ends the recording and writes the trace. Run again after the connection
// was lost, it waits for the first call's hitrace, if that has begun.
func (t *Tracing) FinishScript() string {
	return in(t.Dir, "if mkdir DIR/ending 2>/dev/null; then\n") +
		t.hitraceScript(t.HitraceFinish(), "finish", "[ -s "+t.TraceFile()+" ] && rm -f DIR/live; echo >DIR/ended") +
		in(t.Dir, fmt.Sprintf("fi\nn=0; while [ -d DIR/ending ] && [ ! -e DIR/ended ] && [ $n -lt 600 ]; do sleep 0.2; n=$((n+1)); done\ncat DIR/finish\necho '%s'\n%s", markSize, size(t.TraceFile())))
}

// DumpScript writes what is in the buffer to DumpFile. The recording goes on.
func (t *Tracing) DumpScript(n int) string {
	return t.hitraceScript("hitrace --trace_dump -o "+t.DumpFile(n), "dump", "") +
		in(t.Dir, fmt.Sprintf("cat DIR/dump\necho '%s'\n%s", markSize, size(t.DumpFile(n))))
}

// size prints the size of a file in bytes, or nothing if it does not exist.
func size(file string) string { return "stat -c %s " + file + " 2>/dev/null" }

// ParseEnd returns the size of the file that FinishScript or DumpScript has written,
// in bytes.
func ParseEnd(r hdc.Result) (int64, error) {
	output, text, _ := strings.Cut(r.Output, markSize+"\n")
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if m := openingFile.FindStringSubmatch(output); m != nil {
		errno := atoi(m[1] + m[2])
		reasons := map[int]string{2: "its folder is missing", 13: "permission denied", 28: "no space left on the device"}
		what := reasons[errno]
		if what == "" {
			what = fmt.Sprintf("errno %d", errno)
		}
		hint := ""
		if errno == 28 {
			hint = "free some space on the device, or record less with -b, -t or --tags"
		}
		return 0, failure.New(ErrWrite, hint, "the device cannot write the trace: %s", what)
	}
	switch {
	case err == nil && n > 0:
		return n, nil
	case strings.Contains(output, "tracing on is closed"):
		return 0, failure.New(ErrClosed, "close other tools that record, and record again", "another tool closed the recording on the device")
	case err == nil:
		return 0, failure.New(ErrWrite, "", "the trace on the device is empty")
	}
	if m := anError.FindStringSubmatch(output); m != nil {
		return 0, failure.New(ErrWrite, "", "the device did not write the trace: %s", m[1])
	}
	return 0, failure.New(ErrWrite, "", "the device did not write the trace")
}

// ownFolder is the form of a recording's folder. Nothing else is removed.
var ownFolder = regexp.MustCompile(`^/data/local/tmp/ohframe-[0-9a-f]{8}$`)

// CloseScript ends a recording that may be under way, and removes its folder; with keep,
// traces stay. A hitrace of the recording that does not end soon is left to the script
// that runs it and to the watchdog.
func CloseScript(dir string, keep bool) string {
	if !ownFolder.MatchString(dir) {
		return "false"
	}
	stop, end := "[ -d DIR ] && echo >DIR/stop\n", scriptDiscard
	if keep {
		stop, end = "", scriptDrop+"\n[ -e DIR/live ] || { "+scriptKill+"; "+scriptTidy+"; }"
	}
	return in(dir, stop+"n=0; while [ -e DIR/busy ] && [ $n -lt 50 ]; do sleep 0.2; n=$((n+1)); done\n"+
		"[ -e DIR/busy ] || { "+end+"\n}\n[ -e DIR/live ] && cat DIR/drop 2>/dev/null\necho '"+markLeft+"'\nls -d DIR/live DIR/busy DIR/*.ftrace 2>/dev/null\ntrue")
}

// CloseAnswer returns what hitrace said to a CloseScript that did not close the session.
func CloseAnswer(r hdc.Result) string {
	if m := anError.FindStringSubmatch(r.Output); m != nil {
		return m[1]
	}
	return "it has not ended"
}

// RemoveScript removes the folder of a recording and its watchdog, whatever runs.
func RemoveScript(dir string) string {
	if !ownFolder.MatchString(dir) {
		return "false"
	}
	return in(dir, scriptKill+"; rm -rf DIR")
}

// ParseClose returns the traces that CloseScript has left, and whether the session is
// closed and nothing of the recording runs.
func ParseClose(r hdc.Result) (traces []string, closed bool) {
	_, left, ok := strings.Cut(r.Output, markLeft+"\n")
	return leftTrace.FindAllString(left, -1), ok && !leftRunning.MatchString(left)
}

var (
	leftTrace   = regexp.MustCompile(`(?m)^/data/local/tmp/ohframe-[0-9a-f]{8}/\w+\.ftrace$`)
	leftRunning = regexp.MustCompile(`(?m)/(live|busy)$`)
	leftState   = regexp.MustCompile(`(?m)^` + section + `(/data/local/tmp/ohframe-[0-9a-f]{8}) (alive|dead) (\w*) (-?\d*)$`)
)

// Left is what a recording has left on the device, or one that is under way.
type Left struct {
	Dir string
	// Alive: its watchdog runs. Live: its session may be open.
	Alive, Live bool
	// Owner is that of a live recording, Seconds is when its watchdog ends it.
	Owner   string
	Seconds int
	// Traces are those that it has written.
	Traces []string
}

// LeftScript describes folders of recordings, for ParseLeft.
func LeftScript(dirs []string) string {
	return fmt.Sprintf(`for d in %s; do
o=; e=; read o e <$d/live && e=$((e-$(date +%%s)))
p=$(cat $d/watchdog) && kill -0 $p && a=alive || a=dead
echo "%s$d $a $o $e"
ls -d $d/*.ftrace
done 2>/dev/null`, strings.Join(dirs, " "), section)
}

// ParseLeft parses what LeftScript printed.
func ParseLeft(r hdc.Result) (list []Left) {
	for line := range strings.Lines(r.Output) {
		line = strings.TrimRight(line, "\n")
		if m := leftState.FindStringSubmatch(line); m != nil {
			list = append(list, Left{Dir: m[1], Alive: m[2] == "alive", Live: m[3] != "", Owner: m[3], Seconds: atoi(m[4])})
		} else if n := len(list); n > 0 && leftTrace.MatchString(line) {
			list[n-1].Traces = append(list[n-1].Traces, line)
		}
	}
	return list
}

// DropScript ends the recording of somebody else without a trace.
func DropScript() string { return hitraceDrop }

// CheckDrop reports whether DropScript ended a recording.
func CheckDrop(r hdc.Result) bool { return strings.Contains(r.Output, dropped) }
