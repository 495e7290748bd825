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
	"ohframe/internal/hdc"
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
type Tracing struct {
	// Dir is the recording's folder on the device.
	Dir      string
	Tags     []string
	BufferKB int
	Clock    string // "mono" or "boot"
	// Max is the time after which the watchdog ends the recording.
	Max time.Duration
}

// NewDir returns the name of a recording's folder; nonce has 8 hexadecimal digits.
func NewDir(nonce string) string { return Folder + "/ohframe-" + nonce }

// TraceFile and DumpFile are the files on the device.
func (t *Tracing) TraceFile() string { return t.Dir + "/t.ftrace" }

func (t *Tracing) DumpFile(n int) string { return fmt.Sprintf("%s/%d.ftrace", t.Dir, n) }

// live is a file that exists while a recording is under way. Without it the watchdog
// does not end a recording, so it can never end that of somebody else.
func (t *Tracing) live() string { return t.Dir + "/live" }

// watchdog is a file with the watchdog's process id. Without it the watchdog keeps the
// folder.
func (t *Tracing) watchdog() string { return t.Dir + "/watchdog" }

// HitraceBegin is the command that begins the recording.
func (t *Tracing) HitraceBegin() string {
	return fmt.Sprintf("hitrace --trace_clock %s -b %d --trace_begin %s", t.Clock, t.BufferKB, strings.Join(t.Tags, " "))
}

// HitraceFinish is the command that ends it.
func (t *Tracing) HitraceFinish() string { return "hitrace --trace_finish -o " + t.TraceFile() }

const hitraceDrop = "hitrace --trace_finish_nodump"

// Marks between the parts of what scripts print.
const (
	markBegun = section + "begun"
	markClock = section + "clock"
	markSize  = section + "size"
)

// statusNoFolder is the exit status of BeginScript if it cannot make the folder.
const statusNoFolder = 90

// BeginScript makes the folder, starts the watchdog, and begins the recording. The
// watchdog is a process of its own session, and its streams are closed: it survives
// the connection, and the call does not wait for it. If the recording does not begin,
// the file live is removed: from then on nothing ends a recording, which would be that
// of somebody else.
func (t *Tracing) BeginScript() string {
	dog := fmt.Sprintf("sleep %d; [ -e %s ] && %s; [ -e %s ] && rm -rf %s",
		int(t.Max.Seconds()), t.live(), hitraceDrop, t.watchdog(), t.Dir)
	log := t.Dir + "/begin"
	return fmt.Sprintf(`mkdir %s && chmod 700 %s && echo live >%s || exit %d
setsid sh -c %s </dev/null >/dev/null 2>&1 &
echo $! >%s
echo '%s'
%s >%s 2>&1
cat %s
grep -qE '%s' %s || rm -f %s
echo '%s'
%s
true`, t.Dir, t.Dir, t.live(), statusNoFolder, hdc.Quote(dog), t.watchdog(), markBegun, t.HitraceBegin(), log, log, begun, log, t.live(), markClock, readTracefs("trace_clock"))
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
// was lost, it ends the recording only if that has not happened yet.
func (t *Tracing) FinishScript() string {
	return fmt.Sprintf("if [ -e %s ]; then %s; rm -f %s; fi\necho '%s'\n%s",
		t.live(), t.HitraceFinish(), t.live(), markSize, size(t.TraceFile()))
}

// DumpScript writes what is in the buffer to DumpFile. The recording goes on.
func (t *Tracing) DumpScript(n int) string {
	return fmt.Sprintf("hitrace --trace_dump -o %s\necho '%s'\n%s", t.DumpFile(n), markSize, size(t.DumpFile(n)))
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

// SizeScript prints the size of the trace, for ParseEnd.
func (t *Tracing) SizeScript(file string) string {
	return fmt.Sprintf("echo '%s'\n%s", markSize, size(file))
}

// DiscardScript ends a recording that is under way without a trace.
func (t *Tracing) DiscardScript() string {
	return fmt.Sprintf("if [ -e %s ]; then rm -f %s; %s; fi", t.live(), t.live(), hitraceDrop)
}

// ownFolder is the form of a recording's folder. Nothing else is removed.
var ownFolder = regexp.MustCompile(`^/data/local/tmp/ohframe-[0-9a-f]{8}$`)

// RemoveScript ends the watchdog and removes the folder with all files; with keep the
// files stay. The watchdog and its sleep are the process group that it leads.
func RemoveScript(dir string, keep bool) string {
	if !ownFolder.MatchString(dir) {
		return "false"
	}
	remove := "rm -rf " + dir
	if keep {
		remove = fmt.Sprintf("rm -f %s/live %s/watchdog %s/begin", dir, dir, dir)
	}
	return fmt.Sprintf("p=$(cat %s/watchdog 2>/dev/null) && { kill -- -$p || kill $p; } 2>/dev/null\n%s", dir, remove)
}

// AbandonedScript prints those of the folders whose watchdog has ended.
func AbandonedScript(dirs []string) string {
	return fmt.Sprintf(`for d in %s; do p=$(cat $d/watchdog 2>/dev/null) && kill -0 $p 2>/dev/null || echo $d; done`, strings.Join(dirs, " "))
}

// ParseFolders returns the folders of recordings that a script printed.
func ParseFolders(r hdc.Result) []string { return leftFolder.FindAllString(r.Output, -1) }

// CloseScript ends the recording of somebody else without a trace.
func CloseScript() string { return hitraceDrop }

// CheckClose reports whether CloseScript ended a recording.
func CheckClose(r hdc.Result) bool { return strings.Contains(r.Output, "end capture trace") }
