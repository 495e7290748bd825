package device

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/pattern"
	"ohframe/internal/record/hdc"
)

// Sampling is what hiperf samples beside a recording.
//
// Source: the OpenHarmony repository developtools_hiperf, branches 3.2 to 7.0. hiperf's exit status
// is 0 after most errors, and what it prints is in its log only when it has ended, as its output is
// not a terminal. While it samples, it catches SIGINT, and ends with a complete file when it comes.
// Before and after, SIGINT is ignored here, so that it may be sent at any time.
type Sampling struct {
	// App is the application that is sampled; empty for all processes, which needs a system
	// image for developers.
	App string
	// Rate is in Hz, of the time that a thread runs. Stack is how hiperf unwinds: fp or dwarf.
	Rate  int
	Stack string
	// OffCPU also samples when a thread stops running.
	OffCPU bool
	// Parallel looks up the names of functions on several CPUs.
	Parallel bool
	// Waits: the application does not run yet.
	Waits bool
}

// The size at which hiperf stops: about as many samples as are read from a file.
const (
	MaxSamplesKB   = 1 << 20
	maxSamplesSize = "1G"
)

// ErrSampling: hiperf does not start.
var ErrSampling = errors.New("hiperf does not start")

// hiperfLongest is the longest time of a recording of hiperf.
const hiperfLongest = 10_000 * time.Second

// SampleStart is how long hiperf may take until it samples, SampleEnd how long until it has written
// its file: it looks up the names of functions.
const (
	SampleStart = 10 * time.Second
	SampleEnd   = time.Minute
)

// SamplesFile is hiperf's file on the device.
func (t *Tracing) SamplesFile() string { return t.Dir + "/t.perf.data" }

// parallelSymbols is the option of Sampling.Parallel. Since 2026-06.
const parallelSymbols = "--parallel-symbolic"

// Command returns the command of hiperf.
func (t *Tracing) Command(s Sampling) string {
	words := []string{
		"hiperf record --verbose --clockid monotonic -f", strconv.Itoa(s.Rate), "-s", s.Stack,
		"-d", strconv.Itoa(int(min(t.Max, hiperfLongest).Seconds())), "--data-limit", maxSamplesSize,
	}
	if s.OffCPU {
		words = append(words, "--offcpu")
	}
	if s.Parallel {
		words = append(words, parallelSymbols)
	}
	if s.App == "" {
		words = append(words, "-a --exclude-hiperf")
	} else {
		words = append(words, "--app", hdc.Quote(s.App)) // --app waits for one that does not run
	}
	return strings.Join(append(words, "-o", t.SamplesFile()), " ")
}

// Marks between the parts of what the scripts of hiperf print.
const (
	markSampling = section + "sampling"
	markHiperf   = section + "hiperf"
	markCut      = section + "cut"
)

// isHiperf is the condition that the process $p is the recording's hiperf, and not another one
// that has its number by now.
const isHiperf = `case $(cat /proc/$p/cmdline 2>/dev/null) in *DIR/t.perf.data*) true;; *) false;; esac`

// scriptKillHiperf ends hiperf without a complete file.
const scriptKillHiperf = `if p=$(cat DIR/hiperf 2>/dev/null); then ` + isHiperf + ` && kill -9 $p; rm -f DIR/hiperf; fi 2>/dev/null`

// scriptInterrupt ends sampling. hiperf then writes its file.
const scriptInterrupt = `p=$(cat DIR/hiperf 2>/dev/null) && ` + isHiperf + ` && kill -2 $p 2>/dev/null`

// SampleScript starts hiperf, and waits until it samples or, with Waits, for a second in which it
// would refuse the application. Like the watchdog, it has a session of its own.
func (t *Tracing) SampleScript(s Sampling) string {
	// hiperf creates its file, enables the events, and then catches signal 2, a bit of the
	// last digit of SigCgt. A kernel that does not say what is caught has to do with the file.
	ready, tries := `[ -e DIR/t.perf.data ] && case $(grep SigCgt /proc/$p/status 2>/dev/null) in ""|*[2367abefABEF]) true;; *) false;; esac`, int(SampleStart.Seconds()*5)
	if s.Waits {
		ready, tries = "[ $n -ge 5 ]", 6
	}
	run := scriptClose + `; trap "" 2; exec ` + t.Command(s)
	return withDir(t.Dir, `[ -e DIR/live ] || exit
`+scriptKillHiperf+`
echo >DIR/busy
rm -f DIR/t.perf.data
setsid sh -c `+hdc.Quote(run)+` </dev/null >DIR/hiperf.log 2>&1 &
p=$!
echo $p >DIR/hiperf
rm -f DIR/busy
[ -e DIR/stop ] && { `+scriptDiscard+`; }
n=0; while [ $n -lt `+strconv.Itoa(tries)+` ] && kill -0 $p 2>/dev/null; do `+ready+` && { echo '`+markSampling+`'; break; }; sleep 0.2; n=$((n+1)); done
echo '`+markHiperf+`'
tail -n 20 DIR/hiperf.log
true`)
}

// CheckSample checks what SampleScript printed.
func CheckSample(r hdc.Result) error {
	before, log, _ := strings.Cut(r.Output, markHiperf+"\n")
	if strings.Contains(before, markSampling) {
		return nil
	}
	what := hiperfMessage(log)
	for _, h := range hiperfHints {
		if h.pattern().MatchString(what) {
			return diag.New(ErrSampling, h.hint, "hiperf does not start: %s", what)
		}
	}
	return diag.New(ErrSampling, "record without --perf", "hiperf does not start: %s", cmp.Or(what, fmt.Sprintf("it does not sample within %s", trace.Duration(SampleStart))))
}

// hiperfHints are what can be done about what hiperf prints, in the order in which they are tried.
var hiperfHints = []struct {
	pattern func() *regexp.Regexp
	hint    string
}{
	{pattern.New(`not supported by the kernel|event not support`), "the device may not count CPU cycles, as emulators do not: record without --perf"},
	{pattern.New(`needs root privilege`), "name a debuggable application with --app: only system images for developers let all processes be sampled"},
	{pattern.New(`only support|not debuggable`), "install a debug build of the application: this system image does not let others be sampled"},
	{pattern.New(`not found|No such file`), "the device has no hiperf: record without --perf"},
	{pattern.New(`not running`), "start the application, or use --launch"},
}

// hiperfNoise are lines of hiperf that do not say why it failed.
var hiperfNoise = pattern.New(`^(subcommand '.*' failed|Profiling duration .*|Start Profiling.*|Adjust sampling frequency .*|please set .*|Ctrl \+ C detected\.|User interrupt exit .*|Timeout exit .*|Process and Saving data\.\.\.|some one called StopTracking|)$`)

// hiperfMessage returns the last line of hiperf's log that may say why it failed.
func hiperfMessage(log string) (message string) {
	for line := range strings.Lines(log) {
		if line = strings.TrimSpace(line); !hiperfNoise().MatchString(line) {
			message = line
		}
	}
	return message
}

// EndSamplesScript ends sampling, and waits until hiperf has written its file: it looks five times a
// second for five seconds, and then once a second. A hiperf that does not end is killed: its file has
// no names of functions then.
func (t *Tracing) EndSamplesScript() string {
	return withDir(t.Dir, fmt.Sprintf(`if p=$(cat DIR/hiperf 2>/dev/null); then
n=0; while %[1]s && [ $n -lt %[2]d ]; do kill -2 $p 2>/dev/null; t=0.2; [ $n -lt 25 ] || t=1; sleep $t; n=$((n+1)); done
%[1]s && { kill -9 $p; echo >DIR/cut; sleep 0.2; }
rm -f DIR/hiperf
fi
[ -e DIR/cut ] && echo '%[3]s'
echo '%[4]s'
tail -n 20 DIR/hiperf.log
echo '%[5]s'
stat -c %%s DIR/t.perf.data 2>/dev/null
true`, isHiperf, 20+int(SampleEnd.Seconds()), markCut, markHiperf, markSize))
}

// Samples are what hiperf says of its recording.
type Samples struct {
	// Size is that of the file in bytes, Count the number of samples in it, Lost that of
	// samples which the kernel had no space for.
	Size, Count, Lost int64
	// Problem is why the file is incomplete or missing; empty if it is complete.
	Problem string
}

var (
	sampleCount = pattern.New(`\[ Sample records: (\d+)`)
	sampleLost  = pattern.New(`\[ Sample lost: (\d+)`)
	sampleLimit = pattern.New(`(?m)^record size \d+ is large than limit|^tracked processes have exited|^Timeout exit`)
)

// ParseSamples parses what EndSamplesScript printed.
func ParseSamples(r hdc.Result) (s Samples) {
	before, log, _ := strings.Cut(r.Output, markHiperf+"\n")
	log, size, _ := strings.Cut(log, markSize+"\n")
	count := found(sampleCount, log)
	number := func(text string) int64 { n, _ := strconv.ParseInt(strings.TrimSpace(text), 10, 64); return n }
	s.Size, s.Count, s.Lost = number(size), number(count), number(found(sampleLost, log))
	message := hiperfMessage(log)
	switch {
	case strings.Contains(before, markCut) && s.Size == 0:
		s.Problem = fmt.Sprintf("hiperf wrote no samples within %s", trace.Duration(SampleEnd))
	case strings.Contains(before, markCut):
		s.Problem = fmt.Sprintf("hiperf did not complete its file within %s: functions have no names", trace.Duration(SampleEnd))
	case count == "" && s.Size == 0:
		s.Problem = "hiperf wrote no samples: " + cmp.Or(message, "it has ended without a message")
	case count == "":
		s.Problem = "hiperf ended early: " + cmp.Or(message, "functions have no names")
	case s.Size == 0:
		s.Problem = "hiperf's file is missing"
	case s.Count == 0:
		s.Problem = "hiperf took no samples: no thread of the application ran"
	default:
		switch early := sampleLimit().FindString(log); {
		case strings.HasPrefix(early, "record"):
			s.Problem = "hiperf stopped before the end: its file has " + maxSamplesSize
		case strings.HasPrefix(early, "Timeout"):
			s.Problem = fmt.Sprintf("hiperf stopped before the end: it samples for at most %s", hiperfLongest)
		case early != "":
			s.Problem = "hiperf stopped before the end: the application has ended"
		}
	}
	return s
}
