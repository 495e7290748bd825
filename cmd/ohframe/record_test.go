//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ohframe/analyzer/stats"
	"ohframe/internal/exit"
	"ohframe/internal/record/meta"
	"ohframe/internal/testing/fakehdc"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// gallery is an application that runs.
var gallery = fakehdc.App{Bundle: "com.example.gallery", Ability: "EntryAbility", PID: 20170, Running: true}

// phone returns a computer with a device of a system version. set has variables of the
// device and their values.
func phone(system string, set ...string) fakehdc.Config {
	d := fakehdc.Device{Key: "FMR0224", System: system, Seconds: 0.3, Apps: []fakehdc.App{gallery}, Set: map[string]string{},
		Parameters: map[string]string{layoutTrace: layoutBefore}}
	for pair := range slices.Chunk(set, 2) {
		d.Set[pair[0]] = pair[1]
	}
	return fakehdc.Config{Devices: []fakehdc.Device{d}}
}

// layoutTrace is a parameter of ArkUI that phone has set to layoutBefore, which a shell must
// not interpret.
const layoutTrace, layoutBefore = "persist.ace.trace.layout.enabled", "it's $HOME"

// withFault adds a fault.
func withFault(c fakehdc.Config, f fakehdc.Fault) fakehdc.Config {
	c.Faults = append(c.Faults, f)
	return c
}

// recording is "ohframe record", with a fake hdc in PATH.
type recording struct {
	*running
	world   string // the folder of the fake
	session string // of its runs, see folder
}

// startRecord starts "ohframe record" with arguments.
func startRecord(t *testing.T, c fakehdc.Config, args ...string) *recording {
	t.Helper()
	r := newRecord(t, c, args...)
	r.start(t)
	return r
}

// newRecord is startRecord without the start. Arguments that set limitVariable are for the environment.
func newRecord(t *testing.T, c fakehdc.Config, args ...string) *recording {
	t.Helper()
	limit := limitVariable + "="
	args = slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		is := strings.HasPrefix(arg, limit)
		if is {
			limit = arg
		}
		return is
	})
	program := must.Get(fakehdc.Program())(t)
	world := t.TempDir()
	fakehdc.Write(t, world, c)
	t.Cleanup(func() { fakehdc.Stop(t, world) })
	r := command(t, append([]string{"ohframe", "record"}, args...)...)
	stdout := must.Get(os.Create(filepath.Join(world, "stdout")))(t)
	t.Cleanup(func() { stdout.Close() })
	r.Stdout = stdout
	r.Env = append(r.Env, fakehdc.Folder+"="+world, "HDC=", limit, "HOME="+world, "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
	return &recording{running: r, world: world}
}

// againSays runs "ohframe record" again, with the same devices.
func (r *recording) againSays(t *testing.T, code int, pattern string, args ...string) {
	t.Helper()
	other := &recording{running: command(t, append([]string{"ohframe", "record"}, args...)...), world: r.world}
	other.Env = r.Env
	other.start(t)
	other.ends(t, code, pattern)
}

// ends waits for the end, and checks the exit code and what is said.
func (r *recording) ends(t *testing.T, code int, pattern string) string {
	t.Helper()
	got, said := r.end(t), r.stderr.String()
	if got != code || !regexp.MustCompile(pattern).MatchString(said) {
		t.Errorf("exit code %d, want %d and %q\n%s", got, code, pattern, said)
	}
	return said
}

// isComplete waits for the end of a recording that works.
func (r *recording) isComplete(t *testing.T) string {
	t.Helper()
	said := r.ends(t, 0, "")
	r.checkFiles(t, "x.ftrace", "x.html", "x.meta.json", "x.pftrace")
	r.leaves(t, "")
	return said
}

// leaves checks what is left on the devices: folders of recordings, and owners of sessions.
func (r *recording) leaves(t *testing.T, want string) {
	t.Helper()
	must.Equal(t, r.left(t), want, "left on the device")
}

func (r *recording) left(t *testing.T) string {
	t.Helper()
	return strings.Join(append(r.glob(t, "data/local/tmp/*"), fakehdc.State(t, r.world, "session")...), " ")
}

// glob returns files of the devices.
func (r *recording) glob(t *testing.T, pattern string) []string {
	t.Helper()
	files := must.Get(filepath.Glob(filepath.Join(r.world, "root/*", pattern)))(t)
	return files
}

// eventually waits until something is true.
func eventually(t *testing.T, what string, isTrue func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !isTrue(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("never happens: " + what)
		}
	}
}

// file returns the content of a file of the fake, which may not exist yet.
func (r *recording) file(name string) string {
	text, _ := os.ReadFile(filepath.Join(r.world, name))
	return string(text)
}

// isCalled waits until hdc or hitrace was called n times with a text in its arguments.
func (r *recording) isCalled(t *testing.T, text string, n int) {
	t.Helper()
	eventually(t, "a call with "+text, func() bool { return strings.Count(r.file("log.jsonl"), text) >= n })
}

// begins waits until the recording, with --format json, is under way.
func (r *recording) begins(t *testing.T) {
	t.Helper()
	eventually(t, "a recording", func() bool { return strings.Contains(r.file("stdout"), `"step":"recording"`) })
}

// becomesIdle waits until nothing but traces and samples is on the devices, and nothing runs there.
func (r *recording) becomesIdle(t *testing.T) {
	t.Helper()
	eventually(t, "nothing is under way on the device", func() bool {
		log := r.file("log.jsonl")
		files := slices.DeleteFunc(r.glob(t, "data/local/tmp/ohframe-*/*"), func(name string) bool {
			return strings.HasSuffix(name, ".ftrace") || strings.HasSuffix(name, ".perf.data")
		})
		return strings.Count(log, `["hitrace"`) == strings.Count(log, `["hitrace ended"`) &&
			len(files) == 0 && len(fakehdc.State(t, r.world, "session")) == 0 && len(r.processes("")) == 0
	})
}

// processes returns the command lines of hdc and of the devices that are running, on
// systems with /proc; with a name, only those of that program.
func (r *recording) processes(name string) (list []string) {
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range processes {
		environment, _ := os.ReadFile(filepath.Join(p, "environ")) // the process may have ended
		line, _ := os.ReadFile(filepath.Join(p, "cmdline"))
		program, _, _ := strings.Cut(string(line), "\x00")
		if (name == "" || filepath.Base(program) == name) && strings.Contains(string(environment), fakehdc.Folder+"="+r.world+"\x00") {
			list = append(list, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return list
}

// setBack checks that ArkUI's parameters have the values from before the recordings. One that
// was not set has the value that ArkUI assumes without it.
func (r *recording) setBack(t *testing.T) {
	t.Helper()
	files := must.Get(filepath.Glob(filepath.Join(r.world, "state/*/parameters/*")))(t)
	before := map[string]string{"persist.ace.debug.enabled": "0", layoutTrace: layoutBefore, "persist.ace.trace.build.enabled": "false"}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if name := filepath.Base(file); err != nil || string(text) != before[name]+"\n" {
			t.Errorf("%s: %q after the recording, want %q (%v)", name, text, before[name], err)
		}
	}
}

// failures are what can go wrong, with the exit code and the messages of each: the
// error must match what, the hint must match hint.
var failures = []struct {
	name       string
	code       int
	what, hint string
	args       []string
	set        []string // variables of the device
	fault      fakehdc.Fault
	change     func(*fakehdc.Config)
	// left: the device was lost, or has a trace. Its watchdog cleans it. kept: a trace stays there.
	left, kept bool
	// before and from are versions of the system that it can happen on; empty for all.
	before, from string
}{
	{name: "nothing"},
	{name: "hdc is something else", code: 4, what: `hdc: not the device connector`, hint: `variable HDC`, fault: fakehdc.Fault{Do: "say", Text: "hdc: a tool\n"}},
	{name: "hdc's server cannot be reached", code: 4, what: `hdc cannot reach its server`, hint: `hdc checkserver`, fault: fakehdc.Fault{On: "list", Do: "complain", Text: "Connect server failed"}},
	{name: "no device", code: 4, what: `no device is connected`, hint: `USB debugging`, change: func(c *fakehdc.Config) { c.Devices = nil }},
	{name: "several devices", code: 4, what: `2 devices are connected`, hint: `--device KEY: FMR0224, 10\.0\.0\.2:5555\n`, change: func(c *fakehdc.Config) {
		c.Devices = append(c.Devices, fakehdc.Device{Key: "10.0.0.2:5555"}, fakehdc.Device{Key: "X", State: "Offline"})
	}},
	{name: "unknown device", code: 4, what: `no device has the key "X"`, hint: `devices: FMR0224`, args: []string{"--device", "X"}},
	{name: "offline", code: 4, what: `the device is offline`, hint: `cable`, change: func(c *fakehdc.Config) { c.Devices[0].State = "Offline" }},
	{name: "unauthorized", code: 4, what: `does not trust`, hint: `Trust`, change: func(c *fakehdc.Config) { c.Devices[0].State = "Unauthorized" }},
	{name: "authorized later", fault: fakehdc.Fault{On: "list", Do: "say", Text: "FMR0224\t\tUSB\tUnauthorized\n", Times: 1}},
	{name: "authorized later, not in the list", fault: fakehdc.Fault{On: "shell", Do: "say", Text: "[Fail][E000002]:The device unauthorized.\r\n", Times: 1}},
	{name: "list empty at first", fault: fakehdc.Fault{On: "list", Do: "say", Text: "[Empty]\r\n", Times: 1}},
	{name: "log lines in the output", change: func(c *fakehdc.Config) { c.Log = "[W][2026-01-01 10:00:00.000] abc:1 something" }},
	{name: "line ends of Windows", change: func(c *fakehdc.Config) { c.CRLF = true }},
	{name: "developer mode off", code: 4, what: `developer mode is off`, hint: `Settings`, from: "4.1", set: []string{"DEVELOPER_MODE", "false"}},
	{name: "no space on the device", code: 4, what: `may need \d+ MB for the trace, 10 MB are free`, hint: `-b`, set: []string{"FREE_KB", "10240"}},
	{name: "needed tag missing", code: 4, what: `no tag "ace", which frames need`, hint: `tags of the device: ability`, set: []string{"WITHOUT", "ace"}},
	{name: "unknown tag", code: 4, what: `no tag "nosuch"`, args: []string{"--tags", "+nosuch"}},
	{name: "other tag missing", what: `; not on this device:( animation)? nweb( musl)?\n`, set: []string{"WITHOUT", "nweb"}},
	{name: "application not installed", code: 4, what: `com\.example\.none is not installed`, args: []string{"--app", "com.example.none"}},
	{name: "application not running", code: 4, what: `com\.example\.gallery is not running`, hint: `--launch`, args: []string{"--app", gallery.Bundle}, change: notRunning},
	{name: "application launched", args: []string{"--app", gallery.Bundle, "--launch"}, change: notRunning},
	{name: "no such ability", code: 5, what: `did not start: it has no such ability`, args: []string{"--app", gallery.Bundle + "/Other", "--launch"}},
	{name: "launch fails: screen locked", code: 5, what: `did not start: the screen is locked`, hint: `unlock`, args: []string{"--app", gallery.Bundle, "--launch"},
		change: func(c *fakehdc.Config) {
			c.Devices[0].Apps = []fakehdc.App{{Bundle: gallery.Bundle, Ability: "A", StartCode: 10106102}}
		}},
	{name: otherRecords, code: 5, what: `another recording is under way on the device: SP_daemon`, hint: `--force`, set: []string{"BUSY_OWNER", "SP_daemon"}},
	{name: "another tool records, --force", args: []string{"--force"}, set: []string{"BUSY_OWNER", "SP_daemon"}},
	{name: "abandoned recording", set: []string{"BUSY_OWNER", "stale"}},
	{name: "begin fails", code: 5, what: `does not begin the recording: the kernel's trace files cannot be set up \(code 1004\)`, set: []string{"FAIL_begin", "OpenRecording failed, errorCode(1004)"}},
	{name: "a boot trace runs", code: 5, what: `a boot trace is under way on the device \(code 1\)`, hint: `wait until it has ended`,
		set: []string{"FAIL_begin", "OpenRecording failed, errorCode(1)"}, change: func(c *fakehdc.Config) { c.Devices[0].Parameters["debug.hitrace.boot_trace.active"] = "1" }},
	{name: "buffer larger than Linux takes", code: 4, what: `--buffer: hitrace on the device takes at most 300M`, args: []string{"-b", "512M"}},
	{name: "organization", code: 4, what: `an organization forbids hdc`, hint: `administrator`, fault: fakehdc.Fault{On: "shell", Do: "say", Text: "[Fail][E00C001]Operation restricted by the organization.\r\n"}},
	{name: "markers are dropped", what: `Note    the device drops markers that frames need: .*--trace_level I`, change: func(c *fakehdc.Config) { c.Devices[0].Parameters["persist.hitrace.level.threshold"] = "3" }},
	{name: "clock", what: `clock mono\n`},
	{name: "clock not available", what: `Note    the device has no clock mono, it uses boot\n(.*\n)+Trace .* clock boot\n`, set: []string{"NO_MONO", "yes"}},
	{name: "clock unknown", what: `Note    the device does not say which clock it uses: .*\n(.*\n)+Trace .* clock unknown\n`, set: []string{"NO_CLOCK", "yes"}},
	{name: "device lost at the checks", code: 4, what: `the device is offline`, hint: `cable`, fault: fakehdc.Fault{On: "const.product.model", Do: "lost"}},
	{name: "device lost at the begin", code: 5, what: `the device was lost`, fault: fakehdc.Fault{On: "--trace_begin", Do: "lost"}},
	{name: "device lost while it begins", code: 5, what: `the device was lost`, fault: fakehdc.Fault{On: "--trace_begin", Do: "lost after"}, left: true},
	{name: "device lost at the launch", code: 5, what: `the device was lost`, args: []string{"--app", gallery.Bundle, "--launch"}, fault: fakehdc.Fault{On: "aa start", Do: "lost"}, left: true},
	{name: "device lost at the end", code: 5, what: `the device is offline`, fault: fakehdc.Fault{On: "--trace_finish -o", Do: "lost"}, left: true},
	{name: "device lost at the end, back", fault: fakehdc.Fault{On: "--trace_finish -o", Do: "lost", Times: 1, Back: true}},
	{name: "device lost while it ends, back", fault: fakehdc.Fault{On: "--trace_finish -o", Do: "lost after", Times: 1, Back: true}},
	{name: "device lost during the transfer", code: 6, what: `the device is offline`, fault: fakehdc.Fault{On: "file recv", Do: "lost"}, left: true, kept: true},
	{name: "device lost during the transfer, back", fault: fakehdc.Fault{On: "file recv", Do: "lost", Times: 1, Back: true}},
	{name: "device lost at the clean-up", fault: fakehdc.Fault{On: "=ohframe= remains", Do: "lost"}, left: true, kept: true},
	{name: "begin does not end", code: 5, what: `hdc shell did not end within 3s`, hint: `awake`, args: []string{limitVariable + "=3s"}, fault: fakehdc.Fault{On: "--trace_begin", Do: "hang"}},
	{name: "recording ended by another tool", code: 6, what: `the trace has no events`, hint: `another tool`, before: "5.1", fault: endedByOther},
	{name: "recording ended by another tool, said by hitrace", code: 5, what: `another tool closed the recording`, from: "5.1", fault: endedByOther},
	{name: "device cannot write: full", code: 5, what: `cannot write the trace: no space left on the device`, hint: `free some space`, set: []string{"ERRNO", "28"}},
	{name: "trace ends in mid-line", what: `Note    the trace ends in the middle of a line`, change: func(c *fakehdc.Config) { c.Devices[0].Cut = true }},
	{name: "start of the trace lost", what: `its start is lost: .* \(-b \d+M\)`, change: func(c *fakehdc.Config) { c.Devices[0].Overflow = true }},
	{name: "half of the file arrives", code: 6, what: `received \d+ of \d+ bytes`, hint: `cable`, fault: fakehdc.Fault{On: "file recv", Do: "cut"}, kept: true},
	{name: "hdc cannot open the file", code: 6, what: `Error opening file: no such file`, kept: true,
		fault: fakehdc.Fault{On: "file recv", Do: "say", Text: "[Fail]Error opening file: no such file or directory, path:/x\r\n"}},
	{name: "local disk full", code: 6, what: `no space left on this computer`, hint: `-o`, kept: true,
		fault: fakehdc.Fault{On: "file recv", Do: "say", Text: "[Fail]Transfer Stop at:0/900000(Bytes), Reason: no space left on device\r\n"}},
	{name: "unknown error of hdc", code: 4, what: `hdc: \[E009999\] Something new`, fault: fakehdc.Fault{On: "shell", Do: "say", Text: "[Fail][E009999] Something new\r\n"}},
}

func notRunning(c *fakehdc.Config) {
	c.Devices[0].Apps = []fakehdc.App{{Bundle: gallery.Bundle, Ability: gallery.Ability, PID: gallery.PID}}
}

var endedByOther = fakehdc.Fault{On: "--trace_finish -o", Do: "before", Text: "hitrace --trace_finish_nodump"}

const otherRecords = "another tool records"

// What devices of 2026 have: HongMeng's large buffers, and a hiperf that looks names up on several CPUs.
func TestRecordNewest(t *testing.T) {
	r := startRecord(t, phone("6.1", "KERNEL", "HongMeng Kernel 1.12.0", "HIPERF", "parallel"), "-t", "0.1", "-b", "1G", "-o", "x", "--perf", "--app", gallery.Bundle)
	r.ends(t, 0, `Recording 100ms, buffer 1024 MB per CPU`)
	m, err := meta.Read(filepath.Join(r.dir, "x.meta.json"))
	if err != nil || m.BufferKB != 1024*1024 || m.Perf == nil || !strings.Contains(m.Perf.Command, " --parallel-symbolic ") {
		t.Errorf("%v: %+v", err, m)
	}
	startRecord(t, phone("6.1", "KERNEL", "HongMeng Kernel 1.12.0"), "-b", "1025M").ends(t, 1, `--buffer: "1025M" is not a size from 256K to 1024M`)
}

// goesWrong records with a fault, and checks the exit code, the message and the hint. The watchdog cleans what is left
// on the device after two minutes, which take four seconds.
func goesWrong(t *testing.T, c fakehdc.Config, fault fakehdc.Fault, left bool, code int, what, hint string, args ...string) (*recording, string) {
	if fault.Do != "" {
		c.Faults = []fakehdc.Fault{fault}
	}
	if left {
		c.Devices[0].Set["SLEEP_SCALE"] = "30"
	}
	wait := "20"
	if code != 0 {
		wait, what = "0.7", "ohframe: .*"+what
	}
	if hint != "" {
		what += ".*\nhint: .*" + hint
	}
	r := startRecord(t, c, append([]string{"-t", "0.1", "-o", "x", "--timeout", wait}, args...)...)
	return r, r.ends(t, code, what)
}

// Whatever goes wrong, on every system version: there is a trace if and only if the exit
// code is 0, and the device is in the state from before the recording.
func TestRecordFailures(t *testing.T) {
	for i, f := range failures {
		for k, system := range fakehdc.Systems() {
			every := 21
			if f.code == 3 { // before anything is recorded, which is quick
				every = 14
			}
			if f.before != "" && system >= f.before || system < f.from || !slow.Enabled() && (i+k)%every != 0 {
				continue
			}
			t.Run(f.name+"/"+system, func(t *testing.T) {
				t.Parallel()
				c := phone(system, f.set...)
				if f.change != nil {
					f.change(&c)
				}
				r, said := goesWrong(t, c, f.fault, f.left, f.code, f.what, f.hint, f.args...)
				if f.code != 0 {
					r.checkFiles(t)
				} else {
					r.checkFiles(t, "x.ftrace", "x.html", "x.meta.json", "x.pftrace")
				}
				switch {
				case f.name == otherRecords: // and goes on
					r.leaves(t, "SP_daemon")
				case !f.left && !f.kept:
					r.leaves(t, "")
				case f.kept:
					r.becomesIdle(t)
					if traces := r.glob(t, "data/local/tmp/*"); len(traces) != 1 || !strings.Contains(said, "/data/local/tmp/"+filepath.Base(traces[0])) {
						t.Errorf("left on the device: %q\n%s", traces, said)
					}
				default:
					eventually(t, "the watchdog cleans the device", func() bool { return r.left(t) == "" })
				}
			})
		}
	}
}

// stepsOfRecord are the steps in which something can go wrong.
var stepsOfRecord = []struct {
	name string
	// called is in the log of the fake as soon as the step runs, call in the arguments of
	// hdc; mode is that of hitrace if the step needs it.
	called, call, mode string
}{
	{"probe", "const.product.model", "const.product.model", ""},
	{"begin", `"hitrace","--trace_clock"`, "--trace_begin", "begin"},
	{"debug parameters", "param set", "param set", ""},
	{"launch", "force-stop", "force-stop", ""},
	{"sample", `["hiperf"`, "hiperf record", ""},
	{"finish", `"hitrace","--trace_finish"`, "--trace_finish -o", "finish"},
	{"samples", "=ohframe= cut", "=ohframe= cut", ""},
	{"receive", `"recv"`, "file recv", ""},
	{"clean up", "=ohframe= remains", "=ohframe= remains", "finish_nodump"},
}

// wrongs are what can go wrong in a step. Signals come while the step runs.
var wrongs = []struct {
	name    string
	signals []syscall.Signal
	do      string // of a fakehdc.Fault
	back    bool
	hitrace string // its error
	limit   bool   // of one call of hdc
}{
	{name: "SIGINT", signals: []syscall.Signal{syscall.SIGINT}},
	{name: "SIGINT, SIGINT", signals: []syscall.Signal{syscall.SIGINT, syscall.SIGINT}},
	{name: "SIGTERM", signals: []syscall.Signal{syscall.SIGTERM}},
	{name: "SIGHUP", signals: []syscall.Signal{syscall.SIGHUP}},
	{name: "SIGKILL", signals: []syscall.Signal{syscall.SIGKILL}},
	{name: "time limit", limit: true},
	{name: "lost", do: "lost"},
	{name: "lost after", do: "lost after"},
	{name: "lost, back", do: "lost", back: true},
	{name: "lost after, back", do: "lost after", back: true},
	{name: "hitrace fails", hitrace: "TraceFinish failed, errorCode(1008)"},
	{name: "hitrace crashes", hitrace: "crash"},
}

// twice is longer than the time in which two equal signals are one.
const twice = 150 * time.Millisecond

// TestRecordSteps makes everything go wrong in every step of a recording. Whatever
// happens, the device's session is closed and its parameters are set back afterwards, the program
// of --drive has ended, and a trace that the device has written is here and complete, or still
// there and named, unless the user discards it.
func TestRecordSteps(t *testing.T) {
	drive := filepath.Join(t.TempDir(), "drive")
	must.Do(t, os.WriteFile(drive, []byte("#!/bin/sh\nwhile sleep 0.05; do :; done\n"), 0o777))
	for i, step := range stepsOfRecord {
		for k, wrong := range wrongs {
			if wrong.hitrace != "" && step.mode == "" || !slow.Enabled() && (i+k)%12 != 1 {
				continue
			}
			system := fakehdc.Systems()[(i+k)%len(fakehdc.Systems())]
			t.Run(step.name+"/"+wrong.name+"/"+system, func(t *testing.T) {
				t.Parallel()
				c, args := phone(system), []string{"-t", "0.1", "-o", "x", "--timeout", "0.7", "--format", "json", "--app", gallery.Bundle, "--launch", "--debug-ui", "--perf"}
				set, ms := c.Devices[0].Set, 300
				if wrong.name != "SIGKILL" { // after which it goes on
					args = append(args, "--drive", drive)
				}
				if wrong.limit {
					ms, args = 1500, append(args, limitVariable+"=1s")
				}
				switch {
				case wrong.do != "":
					times := 0
					if wrong.back {
						times = 1
					}
					c.Faults = []fakehdc.Fault{{On: step.call, Do: wrong.do, Back: wrong.back, Times: times}}
				case wrong.hitrace != "" && step.mode == "finish_nodump": // the first of two; the trace is not written
					set["FAIL_finish"], set["FAIL_finish_nodump"], set["TIMES_finish_nodump"] = wrong.hitrace, wrong.hitrace, "1"
				case wrong.hitrace != "":
					set["FAIL_"+step.mode] = wrong.hitrace
				case step.name == "receive":
					c.Faults = []fakehdc.Fault{{On: step.call, Do: "slow", MS: ms / 10}}
				case step.mode == "begin" || step.mode == "finish":
					set["MS_"+step.mode] = fmt.Sprint(ms)
				default:
					c.Faults = []fakehdc.Fault{{On: step.call, Do: "before", Text: fmt.Sprintf("/bin/sleep %g", float64(ms)/1000)}}
				}
				if wrong.do != "" || wrong.name == "SIGKILL" || step.mode == "finish_nodump" {
					set["SLEEP_SCALE"] = "60" // the watchdog's two minutes take two seconds
				}
				if wrong.back {
					set["SLEEP_SCALE"] = "20"
				}
				r := startRecord(t, c, args...)
				for i, signal := range wrong.signals {
					if i == 0 {
						r.isCalled(t, step.called, 1)
					} else {
						time.Sleep(twice)
					}
					r.Process.Signal(signal)
				}
				code, said := r.end(t), r.stderr.String()
				if open := fakehdc.State(t, r.world, "session"); len(open) > 0 && strings.Contains(said, "Cleaned up the device.") {
					t.Errorf("says that it has cleaned up, but tracing goes on\n%s", said)
				}
				r.becomesIdle(t)
				r.setBack(t)
				r.checkTrace(t, code, said, wrong.name == "SIGINT, SIGINT" || wrong.name == "SIGKILL")
			})
		}
	}
}

// --debug-ui sets ArkUI's parameters before the application starts, says so in every output,
// and sets them back.
func TestRecordDebugUI(t *testing.T) {
	for system, want := range map[string][]string{
		"4.0": {"persist.ace.debug.enabled=1"}, // which reads no other one
		"4.1": {"persist.ace.debug.enabled=1", layoutTrace + "=true", "persist.ace.trace.build.enabled=true"},
		"6.0": {"persist.ace.debug.enabled=1", layoutTrace + "=true", "persist.ace.trace.build.enabled=true"},
	} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			r := startRecord(t, phone(system), "-q", "-t", "0.1", "-o", "x", "--app", gallery.Bundle, "--launch", "--debug-ui")
			if said := r.isComplete(t); said != "Note    ArkUI's debug parameters are on: they slow com.example.gallery down until it is started again, and times of this recording are not comparable\n" {
				t.Errorf("says %q", said)
			}
			r.setBack(t)
			m, err := meta.Read(filepath.Join(r.dir, "x.meta.json"))
			if err != nil || !slices.Equal(m.DebugUI, want) || m.App.Bundle != gallery.Bundle {
				t.Errorf("x.meta.json has %+v, %v; want the parameters %q", m, err, want)
			}
			started := r.file("state/FMR0224/started")
			for _, parameter := range want {
				if !strings.Contains(started, strings.Replace(parameter, "=", ":", 1)+" ") {
					t.Errorf("the application started with %q, want %s", started, parameter)
				}
			}
			if strings.Count(started, "\n") != 1 || !strings.Contains(r.file("stdout"), "slowed down by ArkUI's debug parameters") {
				t.Errorf("the application started %q; the report is\n%s", started, r.file("stdout"))
			}
		})
	}
}

// If the device does not set a parameter, the others are set back. If it does not set one
// back, that is said, and tried again.
func TestRecordDebugUIFails(t *testing.T) {
	args := []string{"-q", "-t", "0.1", "-o", "x", "--app", gallery.Bundle, "--launch", "--debug-ui"}
	t.Run("set", func(t *testing.T) {
		t.Parallel()
		r := startRecord(t, phone("6.0", "FAIL_SET", layoutTrace+"=true"), args...)
		r.ends(t, 5, `^ohframe: the device does not set `+layoutTrace+`=true: "Set parameter `+layoutTrace+` true fail! errNum is:10!"\nhint: record without --debug-ui\n$`)
		r.checkFiles(t)
		r.leaves(t, "")
		r.setBack(t)
	})
	t.Run("set back", func(t *testing.T) {
		t.Parallel()
		c := phone("6.0", "FAIL_SET", "persist.ace.debug.enabled=0")
		r := startRecord(t, c, args...)
		const answer = `Set parameter persist\.ace\.debug\.enabled 0 fail! errNum is:10!`
		r.ends(t, 0, `\nNote    the device does not set back what was set: `+answer+`; its watchdog tries again`)
		r.againSays(t, 5, `ohframe: the device does not set back what the recording of /data/local/tmp/ohframe-\w+ set: `+answer+`\n`, "--clean")
		c.Devices[0].Set = nil
		fakehdc.Write(t, r.world, c)
		r.againSays(t, 0, `\nNote    removed /data/local/tmp/ohframe-\w+, which`, "-t", "0.1", "-o", "y")
		r.leaves(t, "")
		r.setBack(t)
	})
	t.Run("set back, by the watchdog", func(t *testing.T) {
		t.Parallel()
		// It begins after six minutes and gives up after five: three and two and a half seconds.
		c := phone("6.0", "FAIL_SET", "persist.ace.debug.enabled=0", "SLEEP_SCALE", "120")
		r := startRecord(t, c, "-q", "-t", "240", "-o", "x", "--app", gallery.Bundle, "--launch", "--debug-ui")
		r.isCalled(t, "aa start", 1)
		r.Process.Kill()
		r.end(t)
		eventually(t, "the watchdog gives up", func() bool {
			left := r.glob(t, "data/local/tmp/ohframe-*/*")
			return len(left) == 1 && filepath.Base(left[0]) == "undo"
		})
		c.Devices[0].Set = nil
		fakehdc.Write(t, r.world, c)
		r.againSays(t, 0, `\nNote    removed /data/local/tmp/ohframe-\w+, which`, "--clean")
		r.leaves(t, "")
		r.setBack(t)
	})
}

// Parameters are set back as soon as the recording has ended, before the transfer.
func TestRecordDebugUIEarly(t *testing.T) {
	c := withFault(phone("5.0"), fakehdc.Fault{On: "file recv", Do: "slow", MS: 100})
	r := startRecord(t, c, "-t", "0.1", "-o", "x", "--app", gallery.Bundle, "--launch", "--debug-ui")
	r.isCalled(t, `"recv"`, 1)
	r.setBack(t)
	r.Process.Kill()
	r.end(t)
}

// After a restart of the device, which ends the watchdog, the next recording sets parameters
// back that the one before has set. Its trace stays.
func TestRecordDebugUIAfterRestart(t *testing.T) {
	r := newRecord(t, phone("6.0"), "-t", "0.1", "-o", "x")
	folder := r.leave(t, "0.ftrace")
	leaveUndo(t, folder)
	must.Do(t, os.Remove(filepath.Join(folder, "live")))
	r.start(t)
	r.ends(t, 0, `\nNote    a trace of an earlier recording is on the device: `+leftFolder+`/0\.ftrace`)
	r.undone(t)
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
}

// --launch counts the length of a recording from the start of the application, after its end.
func TestRecordLaunch(t *testing.T) {
	c := phone("6.0")
	c.Devices[0].Seconds = 0
	c.Faults = []fakehdc.Fault{{On: "force-stop", Do: "before", Text: "/bin/sleep 1"}}
	r := startRecord(t, c, "-t", "1", "-o", "x", "--app", gallery.Bundle, "--launch")
	if said := r.isComplete(t); !strings.Contains(said, "\nLaunch  cold: first frame shown 3") {
		t.Errorf("says %s", said) // 300 ms and some
	}
	m, err := meta.Read(filepath.Join(r.dir, "x.meta.json"))
	if err != nil || m.Ended.Sub(m.Begun) < 2*time.Second || m.App.Bundle != gallery.Bundle {
		t.Errorf("x.meta.json has %+v, %v", m, err)
	}
	report := command(t, "ohframe", "report", "--format", "json", filepath.Join(r.dir, "x.ftrace"))
	text, err := report.Output()
	var document struct {
		Inputs []struct{ Interactions []*stats.Interaction }
	}
	if err := errors.Join(err, json.Unmarshal(text, &document)); err != nil || len(document.Inputs) != 1 || len(document.Inputs[0].Interactions) != 1 {
		t.Fatalf("%v: the report has not one interaction\n%s", err, text)
	}
	l := document.Inputs[0].Interactions[0]
	if l.Kind != "launch" || l.Scene != "cold" || l.Process != gallery.Bundle || l.FirstShown == nil || l.Truncated {
		t.Errorf("the launch is %+v", l)
	}
	if log := r.file("log.jsonl"); strings.Index(log, `"hitrace","--trace_clock"`) > strings.Index(log, "force-stop") {
		t.Error("the application was started before the recording")
	}
}

// A launch whose first frame comes after the recording is reported as such.
func TestRecordLaunchCut(t *testing.T) {
	c := phone("6.0")
	c.Devices[0].Seconds = 0
	c.Devices[0].Apps[0].LaunchMS = 1_000_000
	r := startRecord(t, c, "-t", "0.3", "-o", "x", "--app", gallery.Bundle, "--launch")
	if said := r.isComplete(t); !strings.Contains(said, "\nLaunch  cold: its first frame is not in the trace; record longer (-t)\n") {
		t.Errorf("says %s", said)
	}
}

// checkTrace checks that a trace that the device has written is not lost.
func (r *recording) checkTrace(t *testing.T, code int, said string, mayBeGone bool) {
	t.Helper()
	kept := r.glob(t, "data/local/tmp/ohframe-*/*.ftrace")
	local, err := os.ReadFile(filepath.Join(r.dir, "x.ftrace"))
	switch {
	case err == nil && strings.HasSuffix(string(local), "\n"):
		return
	case err == nil:
		t.Errorf("x.ftrace is not complete\n%s", said)
	case code == 0:
		t.Errorf("exit code 0 without a trace\n%s", said)
	case len(fakehdc.State(t, r.world, "traces")) == 0 || len(kept) == 0 && mayBeGone:
		return
	case len(kept) != 1:
		t.Errorf("a trace was written, on the device are %q\n%s", kept, said)
	default:
		_, path, _ := strings.Cut(kept[0], "/FMR0224/")
		text, err := os.ReadFile(kept[0])
		if err != nil || !strings.HasSuffix(string(text), "\n") || !strings.Contains(said, filepath.Dir("/"+path)) && !mayBeGone {
			t.Errorf("%s: %v, %d bytes\n%s", path, err, len(text), said)
		}
	}
}

// The first Ctrl-C ends a recording and keeps it. The second, and other signals, discard it.
func TestRecordSignals(t *testing.T) {
	for _, e := range []struct {
		signals []syscall.Signal
		code    int
		says    string
	}{
		{[]syscall.Signal{syscall.SIGINT}, 0, ""},
		{[]syscall.Signal{syscall.SIGINT, syscall.SIGINT}, 130, "ohframe: interrupted\n"},
		{[]syscall.Signal{syscall.SIGTERM}, 143, "ohframe: terminated\n"},
		{[]syscall.Signal{syscall.SIGHUP}, 129, "ohframe: hung up\n"},
	} {
		t.Run(fmt.Sprint(e.signals), func(t *testing.T) {
			t.Parallel()
			r := startRecord(t, withFault(phone("5.0"), fakehdc.Fault{On: "file recv", Do: "slow", MS: 50}), "-q", "-o", "x", "--format", "json")
			r.begins(t)
			for i, signal := range e.signals {
				if i > 0 {
					r.isCalled(t, `"recv"`, 1)
					time.Sleep(twice)
				}
				r.Process.Signal(signal)
			}
			if e.code == 0 {
				r.isComplete(t)
				return
			}
			r.check(t, e.code, e.says)
			r.leaves(t, "")
		})
	}
}

// Ctrl-C of a terminal reaches all processes of the group, but not hdc: a transfer that
// is under way is not cut.
func TestRecordInterruptGroup(t *testing.T) {
	r := newRecord(t, withFault(phone("6.0"), fakehdc.Fault{On: "file recv", Do: "slow", MS: 100}), "-t", "0.1", "-o", "x")
	r.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	r.start(t)
	appears(t, r.dir, "x.ftrace.part")
	must.Do(t, syscall.Kill(-r.Process.Pid, syscall.SIGINT))
	if said := r.isComplete(t); strings.Contains(said, "lost") {
		t.Errorf("says %s", said)
	}
}

// Ctrl-C ends the program while it waits for a device.
func TestRecordInterruptWaiting(t *testing.T) {
	c := phone("6.0")
	c.Devices[0].State = "Unauthorized"
	r := startRecord(t, c, "-q", "-o", "x")
	r.isCalled(t, `"list"`, 3) // the message comes before it lists them again
	r.Process.Signal(syscall.SIGINT)
	r.check(t, 130, "Waiting for the device: the device does not trust this computer; unlock the device and tap Trust in its dialog\nohframe: interrupted\n")
}

// The third Ctrl-C ends the program at once, even if hdc does not answer, and hdc too.
func TestRecordLeave(t *testing.T) {
	c := phone("5.0")
	c.Faults = []fakehdc.Fault{{On: "--trace_finish -o", Do: "hang"}, {On: "=ohframe= remains", Do: "hang"}}
	r := startRecord(t, c, "-o", "x", "--format", "json")
	r.begins(t)
	for _, f := range c.Faults {
		r.Process.Signal(syscall.SIGINT)
		r.isCalled(t, f.On, 1)
		time.Sleep(twice)
	}
	if len(r.processes("hdc")) == 0 {
		t.Error("no hdc is running")
	}
	r.Process.Signal(syscall.SIGINT)
	r.ends(t, 130, `The device ends the recording itself, 7m after its begin at the latest\.\n$`)
	eventually(t, "hdc ends", func() bool { return len(r.processes("hdc")) == 0 })
	r.checkFiles(t)
}

// If the program is killed, the watchdog on the device ends the recording and removes
// everything.
func TestRecordKilled(t *testing.T) {
	for i, system := range fakehdc.Systems() {
		if i%3 != 0 && !slow.Enabled() {
			continue
		}
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			r := startRecord(t, phone(system, "SLEEP_SCALE", "120"), "-t", "60", "-o", "x", "--format", "json") // 180 s by the device's clock
			r.begins(t)
			r.Process.Kill()
			r.end(t)
			eventually(t, "the watchdog cleans the device", func() bool { return r.left(t) == "" })
			r.checkFiles(t)
		})
	}
}

// With --format json standard output has one object for each step.
func TestRecordJSON(t *testing.T) {
	r := startRecord(t, phone("6.0"), "-q", "-t", "0.1", "-o", "x", "--format", "json")
	must.Equal(t, r.isComplete(t), "", "says")
	var names []string
	for line := range strings.Lines(r.file("stdout")) {
		var step struct {
			Step string
			Late *int
			Rate *float64 `json:"jank_rate"`
		}
		if err := json.Unmarshal([]byte(line), &step); err != nil || step.Step == "frames" && (step.Late == nil || step.Rate == nil) {
			t.Errorf("%v in %s", err, line)
		}
		names = append(names, step.Step)
	}
	if want := "hdc device tags recording finished received cleaned trace frames"; strings.Join(names, " ") != want {
		t.Errorf("steps %q, want %q", names, want)
	}
}

// measured are the times in what record prints, which differ each time.
var measured = []struct {
	pattern *regexp.Regexp
	text    string
}{
	{regexp.MustCompile(`after \d+\.\d s\. The device read the buffer in \d+\.\d s`), "after 2.0 s. The device read the buffer in 0.1 s"},
	{regexp.MustCompile(`(Received .*) in \d+\.\d s`), "$1 in 0.1 s"},
	{regexp.MustCompile(`  /\S*/hdc`), "  /usr/local/bin/hdc"},
}

// docs/record.md shows the steps of a recording with the fake.
func TestRecordDocument(t *testing.T) {
	c := phone("6.0", "WITHOUT", "nweb")
	c.Devices[0].Seconds = 2
	r := startRecord(t, c, "-t", "2", "--app", gallery.Bundle, "-o", "x")
	said := r.isComplete(t)
	for _, m := range measured {
		said = m.pattern.ReplaceAllString(said, m.text)
	}
	document, err := os.ReadFile("../../docs/record.md")
	if want := "```\n$ ohframe record -t 2 --app com.example.gallery -o x\n" + said; err != nil || !strings.Contains(string(document), want) {
		t.Errorf("%v: docs/record.md does not have\n%s", err, want)
	}
}

// If the conversion is interrupted or fails, the message says that the trace is complete.
func TestRecordConversionFails(t *testing.T) {
	for code, message := range map[int]string{130: "interrupted", exit.Receiving: "x.pftrace: no space left on device"} {
		t.Run(message, func(t *testing.T) {
			t.Parallel()
			r := newRecord(t, phone("6.0"), "-t", "0.1", "-o", "x", "--force", "-q")
			out := filepath.Join(r.dir, "x.pftrace")
			if code == exit.Receiving {
				if _, err := os.Stat("/dev/full"); err != nil {
					t.Skip("no /dev/full")
				}
				must.Do(t, os.Symlink("/dev/full", out))
				r.start(t)
			} else {
				pipe := takeOutput(t, r.running, out, true)
				r.start(t)
				if _, err := io.ReadFull(pipe, make([]byte, 1)); err != nil { // the pipe holds less than the trace
					t.Fatal(err)
				}
				r.Process.Signal(syscall.SIGINT)
			}
			r.ends(t, code, `^Note    x\.ftrace was received completely\nohframe: `+message+`\n$`)
			r.leaves(t, "")
		})
	}
}

// A recording whose ohframe was killed is that of nobody: the next one names --clean, and
// --clean ends it at once. One that is under way needs --force.
func TestRecordCleanOwn(t *testing.T) {
	r := startRecord(t, phone("6.0"), "-o", "x", "--format", "json")
	r.begins(t)
	r.againSays(t, 5, `a recording of another ohframe, for at most \d+m(\d+s)? is under way on the device\nhint: --force ends it`, "--clean")
	r.Process.Kill()
	r.end(t)
	r.againSays(t, 5, `another recording is under way on the device: an ohframe that has ended, for at most \d+m(\d+s)?\nhint: ohframe record --clean ends it`, "-t", "0.1")
	r.againSays(t, 0, `Note    removed /data/local/tmp/ohframe-\w+, which`, "--clean")
	r.leaves(t, "")
}

// leave makes the folder of a recording whose watchdog runs no more, as after a restart of
// the device.
func (r *recording) leave(t *testing.T, files ...string) (folder string) {
	t.Helper()
	folder = filepath.Join(r.world, "root/FMR0224/data/local/tmp/ohframe-01234567")
	err := os.MkdirAll(folder, 0o700)
	for _, name := range append(files, "live", "watchdog") {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), []byte("x_1 0\n"), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// leaveUndo adds a parameter that is to be set back, undone checks that it was.
func leaveUndo(t *testing.T, folder string) {
	t.Helper()
	must.Do(t, os.WriteFile(filepath.Join(folder, "undo"), []byte("param set persist.ace.debug.enabled '0'\n"), 0o600))
}

func (r *recording) undone(t *testing.T) {
	t.Helper()
	must.Equal(t, r.file("state/FMR0224/parameters/persist.ace.debug.enabled"), "0\n", "the parameter")
}

const leftFolder = `/data/local/tmp/ohframe-01234567`

// A folder that an earlier recording has left is removed if its session is not open.
func TestRecordLeftFolder(t *testing.T) {
	for name, c := range map[string]fakehdc.Config{
		"the device's own session, 5.1": phone("5.1", "BUSY_OWNER", "hiview"),
		"the device's own session, 6.1": phone("6.1", "BUSY_OWNER", "hiview"),
		"tracing is off":                phone("6.0", "FAIL_finish_nodump", "Trace Close failed, errorCode(1003)", "TIMES_finish_nodump", "1"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRecord(t, c, "-t", "0.1", "-o", "x")
			folder := r.leave(t)
			r.start(t)
			r.ends(t, 0, `\nNote    removed `+leftFolder+`, which`)
			if _, err := os.Stat(folder); !os.IsNotExist(err) {
				t.Errorf("%s: %v", folder, err)
			}
		})
	}
}

// record --clean --force removes a folder whose recording hitrace does not end.
func TestRecordCleanForce(t *testing.T) {
	for file, answer := range map[string]string{"0.ftrace": `Trace Close failed, errorCode\(1003\)`, "busy": "it has not ended"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			r := newRecord(t, phone("6.0", "BUSY_OWNER", "stale", "SLEEP_SCALE", "30", "FAIL_finish_nodump", "Trace Close failed, errorCode(1003)"))
			folder := r.leave(t, file)
			leaveUndo(t, folder)
			message := `hitrace on the device does not end the recording of ` + leftFolder + `: ` + answer + `\n`
			hint := `hint: try again later, or remove it with ohframe record --clean --force\n`
			r.againSays(t, 5, "ohframe: "+message+hint, "-t", "0.1", "-o", "x")
			r.againSays(t, 5, "ohframe: "+message+hint, "--clean")
			r.againSays(t, 0, "Note    "+message+`Note    removed `+leftFolder+`, which`, "--clean", "--force")
			r.undone(t)
			if _, err := os.Stat(folder); !os.IsNotExist(err) {
				t.Errorf("%s: %v", folder, err)
			}
		})
	}
}

// Only --clean removes a trace that an earlier recording has left, whether its session may
// be open or not.
func TestRecordLeftTrace(t *testing.T) {
	r := newRecord(t, phone("6.0"))
	folder := r.leave(t, "0.ftrace")
	const note = `\nNote    a trace of an earlier recording is on the device: ` + leftFolder + `/0\.ftrace; "hdc -t FMR0224 file recv `
	r.againSays(t, 0, note, "-t", "0.1", "-o", "x")
	r.againSays(t, 0, note, "-t", "0.1", "-o", "y", "--force")
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
	r.againSays(t, 0, `\nNote    removed `+leftFolder+`, which`, "--clean")
	r.leaves(t, "")
}
