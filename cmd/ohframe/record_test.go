//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ohframe/internal/record/meta"
	"ohframe/internal/testing/fakehdc"
	"ohframe/internal/testing/slow"
)

// gallery is an application that runs.
var gallery = fakehdc.App{Bundle: "com.example.gallery", Ability: "EntryAbility", PID: 20170, Running: true}

// phone is a device of a system version.
func phone(system string) fakehdc.Device {
	return fakehdc.Device{Key: "FMR0224", System: system, Seconds: 0.3, Apps: []fakehdc.App{gallery}}
}

// withDevice returns ohframe with a fake hdc in PATH, and its folder.
func withDevice(t *testing.T, c fakehdc.Config, args ...string) (*running, string) {
	t.Helper()
	program, err := fakehdc.Program()
	if err != nil {
		t.Fatal(err)
	}
	world := t.TempDir()
	fakehdc.Write(t, world, c)
	t.Cleanup(func() { fakehdc.Stop(t, world) })
	r := command(t, append([]string{"ohframe"}, args...)...)
	stdout, err := os.Create(filepath.Join(world, "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdout.Close() })
	r.Stdout = stdout
	r.Env = append(r.Env, fakehdc.Folder+"="+world, "HDC=", "HOME="+world, "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
	return r, world
}

// dirt returns what a recording has left on the devices: folders, sessions, processes.
func dirt(t *testing.T, world string) (list []string) {
	t.Helper()
	folders, err := filepath.Glob(world + "/root/*/data/local/tmp/*")
	if err != nil {
		t.Fatal(err)
	}
	list = append(list, folders...)
	for key, owner := range fakehdc.Sessions(t, world) {
		list = append(list, fmt.Sprintf("session of %s: %s", key, owner))
	}
	return list
}

// becomesClean waits until the watchdog has cleaned the devices.
func becomesClean(t *testing.T, world string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); len(dirt(t, world)) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("left on the device: %q", dirt(t, world))
		}
	}
}

// failures are what can go wrong, with the exit code and the messages of each: the
// error must match What, the hint must match Hint.
var failures = []struct {
	name       string
	code       int
	what, hint string
	args       []string
	set        func(*fakehdc.Config, *fakehdc.Device)
	// dirty: the device was lost. Its watchdog cleans it. kept: a trace stays there.
	dirty, kept bool
	// only are the systems that it can happen on; nil for all.
	only []string
}{
	{name: "nothing", code: 0},
	{name: "hdc is something else", code: 3, what: `hdc: not the device connector`, hint: `--hdc PATH`,
		set: func(c *fakehdc.Config, _ *fakehdc.Device) { c.Version = "none" }},
	{name: "hdc's server cannot be reached", code: 3, what: `^hdc cannot reach its server`, hint: `hdc checkserver`,
		set: func(c *fakehdc.Config, _ *fakehdc.Device) { c.NoServer, c.WaitMS = true, 50 }},
	{name: "no device", code: 3, what: `^no device is connected`, hint: `USB debugging`,
		set: func(c *fakehdc.Config, d *fakehdc.Device) { d.Key = "" }},
	{name: "several devices", code: 3, what: `^2 devices are connected`, hint: `--device KEY: FMR0224, 10\.0\.0\.2:5555`,
		set: func(c *fakehdc.Config, _ *fakehdc.Device) {
			c.Devices = append(c.Devices, fakehdc.Device{Key: "10.0.0.2:5555", System: "5.0"})
		}},
	{name: "unknown device", code: 3, what: `^no device has the key "X"`, hint: `devices: FMR0224`, args: []string{"--device", "X"}},
	{name: "offline", code: 3, what: `^the device is offline`, hint: `cable`,
		set: func(_ *fakehdc.Config, d *fakehdc.Device) { d.State = "Offline" }},
	{name: "unauthorized", code: 3, what: `does not trust`, hint: `Trust`,
		set: func(_ *fakehdc.Config, d *fakehdc.Device) { d.State = "Unauthorized" }},
	{name: "authorized later", code: 0,
		set: func(_ *fakehdc.Config, d *fakehdc.Device) { d.State, d.Authorizes = "Unauthorized", 1 }},
	{name: "list empty at first", code: 0, set: func(c *fakehdc.Config, _ *fakehdc.Device) { c.Empty = 1 }},
	{name: "log lines in the output", code: 0, set: func(c *fakehdc.Config, _ *fakehdc.Device) { c.Log = "[W][2026-01-01 10:00:00.000] abc:1 something" }},
	{name: "line ends of Windows", code: 0, set: func(c *fakehdc.Config, _ *fakehdc.Device) { c.CRLF = true }},
	{name: "developer mode off", code: 3, what: `^developer mode is off`, hint: `Settings`, only: []string{"4.1", "5.0", "5.1", "6.0", "6.1"},
		set: func(_ *fakehdc.Config, d *fakehdc.Device) { d.NoDeveloperMode = true }},
	{name: "no space on the device", code: 3, what: `may need \d+ MB for the trace, 10 MB are free`, hint: `-b`,
		set: func(_ *fakehdc.Config, d *fakehdc.Device) { d.FreeKB = 10 * 1024 }},
	{name: "needed tag missing", code: 3, what: `no tag "ace", which frames need`, hint: `tags of the device: ability`,
		set: func(_ *fakehdc.Config, d *fakehdc.Device) { d.Without = []string{"ace"} }},
	{name: "unknown tag", code: 3, what: `no tag "nosuch"`, args: []string{"--tags", "+nosuch"}},
	{name: "other tag missing", code: 0, set: func(_ *fakehdc.Config, d *fakehdc.Device) { d.Without = []string{"nweb"} }},
	{name: "application not installed", code: 3, what: `^com\.example\.none is not installed`, args: []string{"--app", "com.example.none"}},
	{name: "application not running", code: 3, what: `^com\.example\.gallery is not running`, hint: `--launch`, args: []string{"--app", "com.example.gallery"},
		set: func(_ *fakehdc.Config, d *fakehdc.Device) { d.Apps[0].Running = false }},
	{name: "application launched", code: 0, args: []string{"--app", "com.example.gallery", "--launch"},
		set: func(_ *fakehdc.Config, d *fakehdc.Device) { d.Apps[0].Running = false }},
	{name: "launch fails: screen locked", code: 4, what: `did not start: the screen is locked`, hint: `unlock`, args: []string{"--app", "com.example.gallery", "--launch"},
		set: func(_ *fakehdc.Config, d *fakehdc.Device) { d.Apps[0].StartCode = 10106102 }},
	{name: otherRecords, code: 4, what: `^another recording is under way on the device: SP_daemon`, hint: `--force`,
		set: func(_ *fakehdc.Config, d *fakehdc.Device) { d.Busy = "SP_daemon" }},
	{name: "another tool records, --force", code: 0, args: []string{"--force"}, set: func(_ *fakehdc.Config, d *fakehdc.Device) { d.Busy = "SP_daemon" }},
	{name: "abandoned recording", code: 0, set: func(_ *fakehdc.Config, d *fakehdc.Device) { d.Busy = "stale" }},
	{name: "begin fails", code: 4, what: `does not begin the recording: the kernel's trace files cannot be set up \(code 1004\)`,
		set: hitraceFails("begin", "OpenRecording failed, errorCode(1004)")},
	{name: "clock not available", code: 0, set: func(_ *fakehdc.Config, d *fakehdc.Device) { d.NoMono = true }},
	{name: "device lost at the checks", code: 3, what: `^the device was lost`, hint: `cable`, set: fault("const.product.model", "lost", 0)},
	{name: "device lost at the begin", code: 4, what: `^the device was lost`, set: fault("--trace_begin", "lost", 0)},
	{name: "device lost while it begins", code: 4, what: `^the device was lost`, set: fault("--trace_begin", "lost after", 0), dirty: true},
	{name: "device lost at the end", code: 4, what: `^the device is offline|^the device was lost`, set: fault("--trace_finish -o", "lost", 0), dirty: true},
	{name: "device lost at the end, back", code: 0, set: fault("--trace_finish -o", "lost", 1)},
	{name: "device lost while it ends, back", code: 0, set: fault("--trace_finish -o", "lost after", 1)},
	{name: "device lost during the transfer", code: 5, what: `^the device is offline|^the device was lost`, set: fault("file recv", "lost", 0), dirty: true, kept: true},
	{name: "device lost during the transfer, back", code: 0, set: fault("file recv", "lost", 1)},
	{name: "device lost at the launch", code: 4, what: `^the device was lost`, args: []string{"--app", "com.example.gallery", "--launch"}, set: fault("aa start", "lost", 0), dirty: true},
	{name: "device lost at the clean-up", code: 0, set: fault("=ohframe= remains", "lost", 0), dirty: true, kept: true},
	{name: "begin does not end", code: 4, what: `^hdc shell did not end within 3s`, hint: `--hdc-limit`, args: []string{"--hdc-limit", "3"}, set: fault("--trace_begin", "hang", 0)},
	{name: "recording ended by another tool", code: 5, what: `^the trace has no events`, hint: `another tool`, only: []string{"3.2", "4.0", "4.1", "5.0"}, set: endByOther},
	{name: "recording ended by another tool, said by hitrace", code: 4, what: `another tool closed the recording`, only: []string{"5.1", "6.0", "6.1"}, set: endByOther},
	{name: "device cannot write: full", code: 4, what: `cannot write the trace: no space left on the device`, hint: `free some space`,
		set: func(_ *fakehdc.Config, d *fakehdc.Device) { d.Errno = 28 }},
	{name: "trace ends in mid-line", code: 0, set: func(_ *fakehdc.Config, d *fakehdc.Device) { d.Cut = true }},
	{name: "start of the trace lost", code: 0, set: func(_ *fakehdc.Config, d *fakehdc.Device) { d.Overflow = true }},
	{name: "transfer is slow", code: 0, set: func(c *fakehdc.Config, _ *fakehdc.Device) {
		c.Faults = []fakehdc.Fault{{On: "file recv", Do: "slow", MS: 20}}
	}},
	{name: "half of the file arrives", code: 5, what: `^received \d+ of \d+ bytes`, hint: `cable`, set: fault("file recv", "cut", 0), kept: true},
	{name: "hdc cannot open the file", code: 5, what: `Error opening file: no such file`, kept: true, set: func(c *fakehdc.Config, _ *fakehdc.Device) {
		c.Faults = []fakehdc.Fault{{On: "file recv", Do: "say", Text: "[Fail]Error opening file: no such file or directory, path:/x\r\n"}}
	}},
	{name: "local disk full", code: 5, what: `^no space left on this computer`, hint: `-o`, kept: true, set: func(c *fakehdc.Config, _ *fakehdc.Device) {
		c.Faults = []fakehdc.Fault{{On: "file recv", Do: "say", Text: "[Fail]Transfer Stop at:0/900000(Bytes), Reason: no space left on device\r\n"}}
	}},
	{name: "unknown error of hdc", code: 3, what: `^hdc: \[E009999\] Something new`, set: func(c *fakehdc.Config, _ *fakehdc.Device) {
		c.Faults = []fakehdc.Fault{{On: "shell", Do: "say", Text: "[Fail][E009999] Something new\r\n"}}
	}},
}

func hitraceFails(mode, text string) func(*fakehdc.Config, *fakehdc.Device) {
	return func(_ *fakehdc.Config, d *fakehdc.Device) { d.Hitrace = map[string]fakehdc.Answer{mode: {Fail: text}} }
}

func endByOther(c *fakehdc.Config, _ *fakehdc.Device) {
	c.Faults = []fakehdc.Fault{{On: "--trace_finish -o", Do: "before", Text: "hitrace --trace_finish_nodump"}}
}

const otherRecords = "another tool records"

// fault is a fault of the fake that happens once, or always if the device does not
// come back.
func fault(on, do string, back int) func(*fakehdc.Config, *fakehdc.Device) {
	return func(c *fakehdc.Config, _ *fakehdc.Device) {
		f := fakehdc.Fault{On: on, Do: do, Back: back}
		if back > 0 {
			f.Times = 1
		}
		c.Faults = []fakehdc.Fault{f}
	}
}

// TestRecordFailures records on every system version with everything that can go
// wrong. There is a trace if and only if the exit code is 0, and the device is left as
// it was.
func TestRecordFailures(t *testing.T) {
	// Most of the time is spent waiting, so more run at once than there are processors.
	var running sync.WaitGroup
	workers := make(chan bool, 8)
	for i, f := range failures {
		for k, system := range fakehdc.Systems() {
			if f.only != nil && !slices.Contains(f.only, system) || !slow.Enabled() && (i+k)%14 != 0 {
				continue
			}
			workers <- true
			running.Go(func() {
				t.Run(f.name+"/"+system, func(t *testing.T) { recordWithFailure(t, i, system) })
				<-workers
			})
		}
	}
	running.Wait()
}

// recordWithFailure records with one of the failures.
func recordWithFailure(t *testing.T, index int, system string) {
	f := failures[index]
	c := fakehdc.Config{Devices: []fakehdc.Device{phone(system)}}
	c.Devices[0].Apps = slices.Clone(c.Devices[0].Apps)
	if f.set != nil {
		f.set(&c, &c.Devices[0])
	}
	if f.dirty {
		c.Devices[0].SleepScale = 30 // the watchdog's two minutes take four seconds
	}
	if c.Devices[0].Key == "" {
		c.Devices = nil
	}
	r, world := withDevice(t, c, append([]string{"record", "-t", "0.1", "-o", "x", "--wait", "0.7"}, f.args...)...)
	r.start(t)
	code := r.end(t)
	said := r.stderr.String()
	if code != f.code {
		t.Errorf("exit code %d, want %d\n%s", code, f.code, said)
	}
	if code == 0 {
		r.checkFiles(t, "x.ftrace", "x.html", "x.meta.json", "x.pftrace")
	} else {
		r.checkFiles(t)
		what, hint := errorOf(said)
		if !regexp.MustCompile(f.what).MatchString(what) {
			t.Errorf("says %q, want %q\n%s", what, f.what, said)
		}
		if !regexp.MustCompile(f.hint).MatchString(hint) {
			t.Errorf("hint %q, want %q", hint, f.hint)
		}
	}
	left := dirt(t, world)
	switch {
	case f.name == otherRecords: // and goes on
		if want := []string{"session of FMR0224: SP_daemon"}; !slices.Equal(left, want) {
			t.Errorf("left on the device: %q, want %q", left, want)
		}
	case len(left) > 0 != (f.dirty || f.kept):
		t.Errorf("left on the device: %q\n%s", left, said)
	case f.kept:
		becomesIdle(t, world, said)
		if left := dirt(t, world); len(left) != 1 || !strings.Contains(said, "/data/local/tmp/"+filepath.Base(left[0])) {
			t.Errorf("left on the device: %q\n%s", left, said)
		}
	case f.dirty:
		becomesClean(t, world)
	}
}

// errorOf returns the error and the hint of what ohframe printed.
func errorOf(said string) (what, hint string) {
	for line := range strings.Lines(said) {
		if rest, ok := strings.CutPrefix(line, "ohframe: "); ok {
			what = strings.TrimSpace(rest)
		}
		if rest, ok := strings.CutPrefix(line, "hint: "); ok {
			hint = strings.TrimSpace(rest)
		}
	}
	return what, hint
}

// checkDocument compares the part of a document between <!-- NAME --> and
// <!-- NAME end --> with text. With OHFRAME_UPDATE_DOCS it writes the part.
func checkDocument(t *testing.T, path, name, text string) {
	t.Helper()
	document, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- "+name+" end -->"
	before, rest, ok1 := strings.Cut(string(document), begin)
	part, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no part %s", path, name)
	}
	if os.Getenv("OHFRAME_UPDATE_DOCS") != "" {
		if err := os.WriteFile(path, []byte(before+begin+text+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if part != text {
		t.Errorf("%s, part %s: got\n%s\nthe document has\n%s", path, name, text, part)
	}
}

// The first Ctrl-C ends a recording and keeps it.
func TestRecordInterrupt(t *testing.T) {
	r, world := withDevice(t, fakehdc.Config{Devices: []fakehdc.Device{phone("6.0")}}, "record", "-o", "x", "--json")
	r.start(t)
	recordingBegins(t, world)
	r.Process.Signal(syscall.SIGINT)
	if code := r.end(t); code != 0 {
		t.Errorf("exit code %d\n%s", code, r.stderr.String())
	}
	r.checkFiles(t, "x.ftrace", "x.html", "x.meta.json", "x.pftrace")
	if left := dirt(t, world); len(left) > 0 {
		t.Errorf("left on the device: %q", left)
	}
}

// recordingBegins waits until ohframe, with --json, has said that it records.
func recordingBegins(t *testing.T, world string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		text, err := os.ReadFile(filepath.Join(world, "stdout"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), `"step":"recording"`) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("no recording begins")
		}
	}
}

// The second Ctrl-C discards the recording, as do other signals.
func TestRecordDiscard(t *testing.T) {
	slow := []fakehdc.Fault{{On: "file recv", Do: "slow", MS: 500}}
	for _, e := range []struct {
		signals []syscall.Signal
		code    int
		says    string
	}{
		{[]syscall.Signal{syscall.SIGINT, syscall.SIGINT}, 130, "ohframe: interrupted\n"},
		{[]syscall.Signal{syscall.SIGTERM}, 143, "ohframe: terminated\n"},
		{[]syscall.Signal{syscall.SIGHUP}, 129, "ohframe: hung up\n"},
	} {
		t.Run(fmt.Sprint(e.signals), func(t *testing.T) {
			t.Parallel()
			r, world := withDevice(t, fakehdc.Config{Devices: []fakehdc.Device{phone("5.0")}, Faults: slow}, "record", "-q", "-o", "x", "--json")
			r.start(t)
			recordingBegins(t, world)
			for i, signal := range e.signals {
				if i > 0 {
					isCalled(t, world, `"recv"`, 1)
					time.Sleep(once)
				}
				r.Process.Signal(signal)
			}
			if code := r.end(t); code != e.code {
				t.Errorf("exit code %d, want %d", code, e.code)
			}
			if got := r.stderr.String(); got != e.says {
				t.Errorf("says %q, want %q", got, e.says)
			}
			r.checkFiles(t)
			if left := dirt(t, world); len(left) > 0 {
				t.Errorf("left on the device: %q", left)
			}
		})
	}
}

// Ctrl-C of a terminal reaches all processes of the group, but not hdc: a transfer that
// is under way is not cut.
func TestRecordInterruptGroup(t *testing.T) {
	c := fakehdc.Config{Devices: []fakehdc.Device{phone("6.0")}, Faults: []fakehdc.Fault{{On: "file recv", Do: "slow", MS: 100}}}
	r, world := withDevice(t, c, "record", "-t", "0.1", "-o", "x")
	r.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	r.start(t)
	appears(t, r.dir, "x.ftrace.part")
	if err := syscall.Kill(-r.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	code := r.end(t)
	if said := r.stderr.String(); code != 0 || strings.Contains(said, "lost") {
		t.Errorf("exit code %d\n%s", code, said)
	}
	r.checkFiles(t, "x.ftrace", "x.html", "x.meta.json", "x.pftrace")
	if left := dirt(t, world); len(left) > 0 {
		t.Errorf("left on the device: %q", left)
	}
}

// Ctrl-C ends the program while it waits for a device.
func TestRecordInterruptWaiting(t *testing.T) {
	d := phone("6.0")
	d.State = "Unauthorized"
	r, world := withDevice(t, fakehdc.Config{Devices: []fakehdc.Device{d}}, "record", "-q", "-o", "x")
	r.start(t)
	isCalled(t, world, `"list"`, 3) // the message comes before it lists them again
	r.Process.Signal(syscall.SIGINT)
	if code := r.end(t); code != 130 {
		t.Errorf("exit code %d", code)
	}
	if want := "Waiting for the device: the device does not trust this computer; unlock the device and tap Trust in its dialog\nohframe: interrupted\n"; r.stderr.String() != want {
		t.Errorf("says %q, want %q", r.stderr.String(), want)
	}
	r.checkFiles(t)
}

// isCalled waits until hdc was called n times with a text in its arguments.
func isCalled(t *testing.T, world, text string, n int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); strings.Count(logOf(t, world), text) < n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("hdc is not called %d times with %s", n, text)
		}
	}
}

// logOf returns the calls of hdc.
func logOf(t *testing.T, world string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(world, "log.jsonl"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

// The third Ctrl-C ends the program at once, even if hdc does not answer, and hdc too.
func TestRecordLeave(t *testing.T) {
	hang := []fakehdc.Fault{{On: "--trace_finish -o", Do: "hang", MS: 60_000}, {On: "=ohframe= remains", Do: "hang", MS: 60_000}}
	r, world := withDevice(t, fakehdc.Config{Devices: []fakehdc.Device{phone("5.0")}, Faults: hang}, "record", "-o", "x", "--json")
	r.start(t)
	recordingBegins(t, world)
	for _, f := range hang {
		r.Process.Signal(syscall.SIGINT)
		isCalled(t, world, f.On, 1)
		time.Sleep(once)
	}
	if len(processesOf(t, world, "hdc")) == 0 {
		t.Error("no hdc is running")
	}
	r.Process.Signal(syscall.SIGINT)
	if code := r.end(t); code != 130 {
		t.Errorf("exit code %d", code)
	}
	if got := r.stderr.String(); !strings.HasSuffix(got, "The device ends the recording itself, 7m after its begin at the latest.\n") {
		t.Errorf("says %q", got)
	}
	for deadline := time.Now().Add(time.Minute); len(processesOf(t, world, "hdc")) > 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("still running: %q", processesOf(t, world, "hdc"))
		}
	}
	r.checkFiles(t)
}

// processesOf returns the command lines of hdc and of the devices that are running, on
// systems with /proc; with a name, only those of that program.
func processesOf(t *testing.T, world, name string) (list []string) {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range processes {
		environment, _ := os.ReadFile(filepath.Join(p, "environ")) // the process may have ended
		line, _ := os.ReadFile(filepath.Join(p, "cmdline"))
		program, _, _ := strings.Cut(string(line), "\x00")
		if (name == "" || filepath.Base(program) == name) && strings.Contains(string(environment), fakehdc.Folder+"="+world+"\x00") {
			list = append(list, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return list
}

// If the program is killed, the watchdog on the device ends the recording and removes
// everything.
func TestRecordKilled(t *testing.T) {
	for _, system := range fakehdc.Systems() {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			d := phone(system)
			d.SleepScale = 120
			r, world := withDevice(t, fakehdc.Config{Devices: []fakehdc.Device{d}}, "record", "-t", "60", "-o", "x", "--json") // 180 s by the device's clock
			r.start(t)
			recordingBegins(t, world)
			r.Process.Kill()
			r.end(t)
			becomesClean(t, world)
			r.checkFiles(t)
		})
	}
}

// The description has the clock that the kernel uses, not the one asked for: with
// "mono" nothing estimates the offset any more.
func TestRecordClock(t *testing.T) {
	for want, set := range map[string]func(*fakehdc.Device){
		"mono": func(*fakehdc.Device) {},
		"boot": func(d *fakehdc.Device) { d.NoMono = true },
		"":     func(d *fakehdc.Device) { d.NoClock = true },
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			d := phone("5.1")
			set(&d)
			r, _ := withDevice(t, fakehdc.Config{Devices: []fakehdc.Device{d}}, "record", "-t", "0.1", "-o", "x")
			r.start(t)
			if code := r.end(t); code != 0 {
				t.Fatalf("exit code %d\n%s", code, r.stderr.String())
			}
			m, err := meta.Read(filepath.Join(r.dir, "x.meta.json"))
			if err != nil || m.Clock != want {
				t.Errorf("got %+v, %v", m, err)
			}
			if noted := strings.Contains(r.stderr.String(), "\nNote    the device "); noted != (want != "mono") {
				t.Errorf("says\n%s", r.stderr.String())
			}
		})
	}
}

// With --json standard output has one object for each step.
func TestRecordJSON(t *testing.T) {
	r, _ := withDevice(t, fakehdc.Config{Devices: []fakehdc.Device{phone("6.0")}}, "record", "-q", "-t", "0.1", "-o", "x", "--json")
	var stdout strings.Builder
	r.Stdout = &stdout
	r.start(t)
	if code := r.end(t); code != 0 {
		t.Fatal(r.stderr.String())
	}
	var names []string
	for line := range strings.Lines(stdout.String()) {
		var step struct {
			Step      string
			Late      *int
			Jank_rate *float64
		}
		if err := json.Unmarshal([]byte(line), &step); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		names = append(names, step.Step)
		if step.Step == "frames" && (step.Late == nil || step.Jank_rate == nil) {
			t.Errorf("no jank rate in %s", line)
		}
	}
	want := []string{"hdc", "device", "tags", "recording", "finished", "received", "cleaned", "trace", "frames"}
	if !slices.Equal(names, want) {
		t.Errorf("steps %q, want %q", names, want)
	}
	if got := r.stderr.String(); got != "" {
		t.Errorf("says %q", got)
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

// docs/record.md shows a whole run, with the fakehdc.
func TestRecordDocument(t *testing.T) {
	d := phone("6.0")
	d.Seconds, d.Without = 2, []string{"nweb"}
	r, _ := withDevice(t, fakehdc.Config{Devices: []fakehdc.Device{d}}, "record", "-t", "2", "--app", "com.example.gallery", "-o", "scroll")
	r.Stdout = r.Stderr
	r.start(t)
	code := r.end(t)
	said := r.stderr.String()
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, said)
	}
	for _, m := range measured {
		said = m.pattern.ReplaceAllString(said, m.text)
	}
	checkDocument(t, "../../docs/record.md", "run", "```\n$ ohframe record -t 2 --app com.example.gallery -o scroll\n"+strings.TrimRight(said, "\n")+"\n```\n")
}
