package device

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ohframe/internal/diag"
	"ohframe/internal/pattern"
	"ohframe/internal/record/hdc"
	"ohframe/internal/record/meta"
)

// ErrBusy: another recording is under way.
var ErrBusy = errors.New("busy")

// The limits of hitrace -b, per CPU: MaxBufferKB is that of any device.
const (
	MinBufferKB      = 256
	MaxBufferKB      = 1024 * 1024
	maxLinuxBufferKB = 300 * 1024
)

// MaxBuffer returns the largest buffer in KB that hitrace accepts on a device, from what it says of
// its kernel and system: since 4.1, it is larger on HongMeng. If the kernel is unknown, it is
// MaxBufferKB, and hitrace decides.
func MaxBuffer(d *meta.Device) int {
	if isHongMeng := strings.Contains(d.Kernel, "HongMeng"); d.Kernel == "" || isHongMeng && !legacy(d) {
		return MaxBufferKB
	}
	return maxLinuxBufferKB
}

// DefaultBufferKB is the size of the buffer of each CPU. hitrace's own default is 2 MB
// on 3.2 and 4.0 and 18 MB later.
func (f *Facts) DefaultBufferKB() int {
	if f.Legacy() {
		return 16384
	}
	return 32768
}

// Clock is the clock that is asked for: vsyncs are in CLOCK_MONOTONIC. hitrace uses another
// one if the kernel does not have it.
const Clock = "mono"

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
//	busy      a hitrace of this recording runs, or parameters are being set
//	ended     hitrace --trace_finish has ended
//	stop      the recording is discarded: when busy goes, the script ends it
//	undo      sets parameters of the system back
//	hiperf    the process id of hiperf, if it samples beside the recording
type Tracing struct {
	// Dir is the recording's folder on the device.
	Dir      string
	Tags     []string
	BufferKB int
	// Max is the time after which the watchdog ends the recording.
	Max time.Duration
	// Owner is a word for the program that records.
	Owner string
}

// NewDir returns the name of a recording's folder; nonce has 8 hexadecimal digits.
func NewDir(nonce string) string { return Folder + "/ohframe-" + nonce }

// TraceFile is the trace on the device.
func (t *Tracing) TraceFile() string { return t.Dir + "/t.ftrace" }

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
	markBoot  = section + "boot"
	markSize  = section + "size"
	markLeft  = section + "remains"
)

// statusNoFolder is the exit status of BeginScript if it cannot make the folder.
const statusNoFolder = 90

// withDir replaces DIR in a script.
func withDir(dir, script string) string { return strings.ReplaceAll(script, "DIR", dir) }

// scriptDrop closes the session without a trace. live goes only when that is known, or
// tracing is off: then nothing is recorded, and the next recording ends what is open.
// Before, it ends hiperf and sets parameters back.
var scriptDrop = scriptKillHiperf + "; " + scriptUndo + `; if [ -e DIR/live ]; then ` + hitraceDrop + ` >DIR/drop 2>&1; ` +
	`{ grep -qE '` + isClosed + `' DIR/drop || grep -qx 0 ` + fmt.Sprintf(tracefs, "tracing_on") + ` 2>/dev/null; } && rm -f DIR/live; fi`

// scriptOpen is the condition that something is to be ended or set back.
const scriptOpen = `{ [ -e DIR/live ] || [ -e DIR/undo ] || [ -e DIR/hiperf ]; }`

// scriptTidy removes everything but traces with their samples, what KeepSamplesScript keeps, and what
// could not be set back.
const scriptTidy = `for f in DIR/*.ftrace DIR/*.perf.data; do [ -s $f ] || rm -f $f; done; [ -e DIR/t.ftrace ] || rm -f DIR/t.perf.data; ` +
	`for f in DIR/*; do case $f in *.ftrace|*.perf.data|*/undo) ;; *) rm -rf $f;; esac; done; rmdir DIR 2>/dev/null`

// scriptKill ends the watchdog and its sleep, which are a process group.
const scriptKill = `p=$(cat DIR/watchdog 2>/dev/null) && { kill -- -$p || kill $p; } 2>/dev/null`

// scriptDiscard closes the session and removes everything. The watchdog goes only when
// the session is closed and parameters are set back.
var scriptDiscard = scriptDrop + "\nrm -f DIR/*.ftrace DIR/*.perf.data\n" + scriptOpen + " || { " + scriptKill + "; rm -rf DIR; }"

// scriptClose closes the inherited descriptors above 2, those that the shell can close:
// one of them may be hdcd's connection, which would not end before the watchdog. A shell
// that does not know numbers above 9 takes them as a program, so a subshell tries first.
const scriptClose = `for f in /proc/self/fd/*; do n=${f##*/}; case $n in [012]|"*") ;; *) (eval "exec $n>&-") 2>/dev/null && eval "exec $n>&-";; esac; done`

// scriptDog is the watchdog. It gives a hitrace that is still writing two minutes, and
// keeps a trace that was written and not received. It has one line, as ps lists it.
var scriptDog = scriptClose + `; sleep %d; [ -e DIR/busy ] && sleep 120; n=0; ` +
	`while ` + scriptOpen + ` && [ $n -lt 30 ]; do ` + scriptDrop + `; ` + scriptOpen + ` && sleep 10; n=$((n+1)); done; ` + scriptTidy

// scriptChange runs a command that changes the session or parameters, and what comes after
// it. If the recording was discarded meanwhile, it discards it: the caller has not waited.
func scriptChange(command, log, after string) string {
	return fmt.Sprintf("echo >DIR/busy\n%s >DIR/%s 2>&1\n%s\nrm -f DIR/busy\n[ -e DIR/stop ] && { %s; }\n", command, log, after, scriptDiscard)
}

// BeginScript makes the folder, starts the watchdog, and begins the recording. The
// watchdog is a process of its own session, and its streams are closed: it survives
// the connection, and the call does not wait for it. If hitrace says that the recording
// does not begin, the file live is removed: from then on nothing ends a recording, which
// would be that of somebody else.
func (t *Tracing) BeginScript() string {
	seconds := int(t.Max.Seconds())
	hitrace := fmt.Sprintf("hitrace --trace_clock %s -b %d --trace_begin %s", Clock, t.BufferKB, strings.Join(t.Tags, " "))
	return withDir(t.Dir, fmt.Sprintf(`mkdir DIR && chmod 700 DIR && echo %s $(($(date +%%s)+%d)) >DIR/live || exit %d
setsid sh -c %s </dev/null >/dev/null 2>&1 &
echo $! >DIR/watchdog
`, t.Owner, seconds, statusNoFolder, hdc.Quote(fmt.Sprintf(scriptDog, seconds)))+
		scriptChange(hitrace, "begin", "grep -qE '"+begun+"' DIR/begin || { grep -qi 'error' DIR/begin && rm -f DIR/live; }")+
		fmt.Sprintf("echo '%s'\ncat DIR/begin\necho '%s'\n%s\necho '%s'\ngrep -q errorCode DIR/begin && param get %s\ntrue",
			markBegun, markClock, readTracefs("trace_clock"), markBoot, bootTrace))
}

// bootTrace is the parameter that is 1 while a boot trace runs: then OpenRecording fails for all but
// root, with code 16 of hitrace, of which hiview makes 1 so far. Since 2026-04.
const bootTrace = "debug.hitrace.boot_trace.active"

// begun matches what hitrace prints when it records: 4.1 and later; 3.2 and 4.0.
const begun = "OpenRecording done|capturing trace"

var (
	begunLine   = pattern.New(begun)
	openFailed  = pattern.New(`OpenRecording failed, errorCode\((\d+)\)`)
	openingFile = pattern.New(`(?:opening \S+, errno: |Failed to open file '[^']*', err=)(\d+)`)
	bracketed   = pattern.New(`\[(\w+)\]`)
	anError     = pattern.New(`(?mi)error: (.+)$`)
)

// busyCodes are the codes of OpenRecording that mean that another recording is under
// way or that the tracing service is in another state: 4.1 and 5.0; 5.1; 6.0 and later.
var busyCodes = []string{"1002", "1006", "1012", "1013", "1102", "1103"}

// openCodes are the other codes of OpenRecording.
var openCodes = map[string]string{
	"1": "not supported", "4": "no permission", "1003": "a tag is unknown", "1004": "the kernel's trace files cannot be set up",
}

// CheckBegin checks what BeginScript printed and returns the clock that the kernel
// uses; empty if unknown. hitrace's exit status proves nothing.
func CheckBegin(r hdc.Result) (clock string, err error) {
	if r.Status == statusNoFolder {
		return "", diag.New(nil, "is there space, and may hdc's shell write to "+Folder+"?", "the device cannot make a folder in %s: %s", Folder, strings.TrimSpace(r.Output))
	}
	_, output, _ := strings.Cut(r.Output, markBegun+"\n")
	output, clocks, _ := strings.Cut(output, markClock+"\n")
	clocks, boot, _ := strings.Cut(clocks, markBoot+"\n")
	code := found(openFailed, output)
	switch {
	case code != "" && parameter(boot) == "1", code == "16":
		return "", diag.New(nil, "wait until it has ended, by default 30 s after the start", "a boot trace is under way on the device (code %s)", code)
	case slices.Contains(busyCodes, code):
		return "", diag.New(ErrBusy, "", "another recording is under way on the device (code %s)", code)
	case code != "":
		return "", diag.New(nil, "", "the device does not begin the recording: %s (code %s)", cmp.Or(openCodes[code], "unknown reason"), code)
	case begunLine().MatchString(output):
		return found(bracketed, clocks), nil
	}
	return "", diag.New(nil, "", "the device does not begin the recording: %s", cmp.Or(found(anError, output), strconv.Quote(strings.TrimSpace(output))))
}

// FinishScript ends the recording and writes the trace. It also ends sampling, but does not wait
// for hiperf, while whose end the trace would go on. Run again after the connection
// was lost, it waits for the first call's hitrace, if that has begun.
func (t *Tracing) FinishScript() string {
	return withDir(t.Dir, "if mkdir DIR/ending 2>/dev/null; then\n"+scriptInterrupt+"\n"+
		scriptChange("hitrace --trace_finish -o "+t.TraceFile(), "finish", "[ -s "+t.TraceFile()+" ] && rm -f DIR/live; "+scriptUndo+"; echo >DIR/ended")+
		"fi\nn=0; while [ -d DIR/ending ] && [ ! -e DIR/ended ] && [ $n -lt 600 ]; do sleep 0.2; n=$((n+1)); done\n"+
		"cat DIR/finish\necho '"+markSize+"'\nstat -c %s "+t.TraceFile()+" 2>/dev/null")
}

// ParseEnd returns the size of the file that FinishScript has written, in bytes.
func ParseEnd(r hdc.Result) (int64, error) {
	output, text, _ := strings.Cut(r.Output, markSize+"\n")
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	errno := found(openingFile, output)
	switch {
	case errno == "28":
		return 0, diag.New(nil, "free some space on the device, or record less with -b, -t or --tags", "the device cannot write the trace: no space left on the device")
	case errno == "13":
		return 0, diag.New(nil, "", "the device cannot write the trace: permission denied")
	case errno != "":
		return 0, diag.New(nil, "", "the device cannot write the trace: errno %s", errno)
	case err == nil && n > 0:
		return n, nil
	case strings.Contains(output, "tracing on is closed"):
		return 0, diag.New(nil, "close other tools that record, and record again", "another tool closed the recording on the device")
	case err == nil:
		return 0, diag.New(nil, "", "the trace on the device is empty")
	}
	what := "the device did not write the trace"
	if reason := found(anError, output); reason != "" {
		what += ": " + reason
	}
	return 0, diag.New(nil, "", "%s", what)
}
