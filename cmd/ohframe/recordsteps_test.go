//go:build unix

package main

import (
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

	"ohframe/internal/testing/fakehdc"
	"ohframe/internal/testing/slow"
)

// stepsOfRecord are the steps in which something can go wrong.
var stepsOfRecord = []struct {
	name string
	// called is in the log of the fake as soon as the step runs.
	called string
	// call is in the arguments of hdc, mode is that of hitrace if the step needs it.
	call, mode string
	// slow makes the step take ms longer.
	slow func(ms int) func(*fakehdc.Config, *fakehdc.Device)
}{
	{"probe", "const.product.model", "const.product.model", "", beforeCall("const.product.model")},
	{"begin", `"hitrace","--trace_clock"`, "--trace_begin", "begin", slowHitrace("begin")},
	{"launch", "force-stop", "force-stop", "", beforeCall("force-stop")},
	{"finish", `"hitrace","--trace_finish"`, "--trace_finish -o", "finish", slowHitrace("finish")},
	{"receive", `"recv"`, "file recv", "", func(ms int) func(*fakehdc.Config, *fakehdc.Device) {
		return func(c *fakehdc.Config, _ *fakehdc.Device) {
			c.Faults = []fakehdc.Fault{{On: "file recv", Do: "slow", MS: ms / 10}}
		}
	}},
	{"clean up", "=ohframe= remains", "=ohframe= remains", "finish_nodump", beforeCall("=ohframe= remains")},
}

func beforeCall(on string) func(int) func(*fakehdc.Config, *fakehdc.Device) {
	return func(ms int) func(*fakehdc.Config, *fakehdc.Device) {
		return func(c *fakehdc.Config, d *fakehdc.Device) {
			c.Faults = []fakehdc.Fault{{On: on, Do: "before", Text: fmt.Sprintf("/bin/sleep %g", float64(ms)/1000)}}
		}
	}
}

func slowHitrace(mode string) func(int) func(*fakehdc.Config, *fakehdc.Device) {
	return func(ms int) func(*fakehdc.Config, *fakehdc.Device) {
		return func(_ *fakehdc.Config, d *fakehdc.Device) { d.Hitrace = map[string]fakehdc.Answer{mode: {MS: ms}} }
	}
}

// wrongs are what can go wrong in a step. Signals come while the step runs.
var wrongs = []struct {
	name    string
	signals []syscall.Signal
	do      string // of a fakehdc.Fault
	back    int
	hitrace string // its error
	limit   string // of one call of hdc
}{
	{name: "SIGINT", signals: []syscall.Signal{syscall.SIGINT}},
	{name: "SIGINT, SIGINT", signals: []syscall.Signal{syscall.SIGINT, syscall.SIGINT}},
	{name: "SIGTERM", signals: []syscall.Signal{syscall.SIGTERM}},
	{name: "SIGHUP", signals: []syscall.Signal{syscall.SIGHUP}},
	{name: "SIGKILL", signals: []syscall.Signal{syscall.SIGKILL}},
	{name: "time limit", limit: "1"},
	{name: "lost", do: "lost"},
	{name: "lost after", do: "lost after"},
	{name: "lost, back", do: "lost", back: 1},
	{name: "lost after, back", do: "lost after", back: 1},
	{name: "hitrace fails", hitrace: "TraceFinish failed, errorCode(1008)"},
	{name: "hitrace crashes", hitrace: " "},
}

// TestRecordSteps makes everything go wrong in every step of a recording. Whatever
// happens, the device's session is closed afterwards, and a trace that the device has
// written is here and complete, or still there and named, unless the user discards it.
func TestRecordSteps(t *testing.T) {
	for i, step := range stepsOfRecord {
		for k, wrong := range wrongs {
			if wrong.hitrace != "" && step.mode == "" || !slow.Enabled() && (i+k)%3 != 0 {
				continue
			}
			system := fakehdc.Systems()[(i+k)%len(fakehdc.Systems())]
			t.Run(step.name+"/"+wrong.name+"/"+system, func(t *testing.T) {
				t.Parallel()
				c := fakehdc.Config{Devices: []fakehdc.Device{phone(system)}}
				d := &c.Devices[0]
				args := []string{"record", "-t", "0.1", "-o", "x", "--wait", "0.7", "--json", "--app", gallery.Bundle, "--launch"}
				switch {
				case wrong.signals != nil:
					step.slow(300)(&c, d)
				case wrong.limit != "":
					step.slow(1500)(&c, d)
					args = append(args, "--hdc-limit", wrong.limit)
				case wrong.hitrace != "":
					d.Hitrace = map[string]fakehdc.Answer{step.mode: {Fail: wrong.hitrace}}
					if step.mode == "finish_nodump" { // the first of two; the trace is not written
						d.Hitrace = map[string]fakehdc.Answer{step.mode: {Fail: wrong.hitrace, Times: 1}, "finish": {Fail: wrong.hitrace}}
					}
				default:
					fault(step.call, wrong.do, wrong.back)(&c, d)
				}
				switch {
				case wrong.do != "" && wrong.back == 0, wrong.name == "SIGKILL", step.mode == "finish_nodump":
					d.SleepScale = 60 // the watchdog's two minutes take two seconds
				case wrong.do != "":
					d.SleepScale = 20
				}
				r, world := withDevice(t, c, args...)
				r.start(t)
				for i, signal := range wrong.signals {
					if i == 0 {
						isCalled(t, world, step.called, 1)
					} else {
						time.Sleep(once)
					}
					r.Process.Signal(signal)
				}
				code, said := r.end(t), r.stderr.String()
				if open := fakehdc.Sessions(t, world); len(open) > 0 && strings.Contains(said, "Cleaned up the device.") {
					t.Errorf("says that it has cleaned up, but tracing goes on\n%s", said)
				}
				becomesIdle(t, world, said)
				checkTrace(t, r, world, code, said, wrong.name == "SIGINT, SIGINT" || wrong.name == "SIGKILL")
			})
		}
	}
}

// becomesIdle waits until nothing but traces is on the devices, and nothing runs there.
func becomesIdle(t *testing.T, world, said string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		log := logOf(t, world)
		ended := strings.Count(log, `["hitrace"`) == strings.Count(log, `["hitrace ended"`)
		open, files, processes := fakehdc.Sessions(t, world), busyOn(t, world), processesOf(t, world, "")
		if ended && len(open) == 0 && len(files) == 0 && len(processes) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("still tracing: %v, %q, %q\n%s", open, files, processes, said)
		}
	}
}

// busyOn returns the files on the devices but traces: none if nothing waits or runs.
func busyOn(t *testing.T, world string) (list []string) {
	t.Helper()
	files, err := filepath.Glob(world + "/root/*/data/local/tmp/ohframe-*/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file, ".ftrace") {
			list = append(list, file)
		}
	}
	return list
}

// checkTrace checks that a trace that the device has written is not lost.
func checkTrace(t *testing.T, r *running, world string, code int, said string, mayBeGone bool) {
	t.Helper()
	kept, err := filepath.Glob(world + "/root/*/data/local/tmp/ohframe-*/*.ftrace")
	if err != nil {
		t.Fatal(err)
	}
	local, err := os.ReadFile(filepath.Join(r.dir, "x.ftrace"))
	switch {
	case err == nil && strings.HasSuffix(string(local), "\n"):
		return
	case err == nil:
		t.Errorf("x.ftrace is not complete\n%s", said)
	case code == 0:
		t.Errorf("exit code 0 without a trace\n%s", said)
	case fakehdc.Traces(t, world, "FMR0224") == 0 || len(kept) == 0 && mayBeGone:
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

// If the conversion is interrupted or fails, the message says that the trace is complete.
func TestRecordConversionFails(t *testing.T) {
	for name, code := range map[string]int{"interrupted": 130, "disk full": 5} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, world := withDevice(t, fakehdc.Config{Devices: []fakehdc.Device{phone("6.0")}}, "record", "-t", "0.1", "-o", "x", "--force", "-q")
			out := filepath.Join(r.dir, "x.pftrace")
			if name == "disk full" {
				if err := os.Symlink("/dev/full", out); err != nil {
					t.Fatal(err)
				}
				if _, err := os.Stat("/dev/full"); err != nil {
					t.Skip("no /dev/full")
				}
				r.start(t)
			} else {
				pipe := takeOutput(t, r, out, true)
				r.start(t)
				if _, err := io.ReadFull(pipe, make([]byte, 1)); err != nil { // the trace does not fit into the pipe
					t.Fatal(err)
				}
				r.Process.Signal(syscall.SIGINT)
			}
			if got := r.end(t); got != code {
				t.Errorf("exit code %d, want %d", got, code)
			}
			if said := r.stderr.String(); !strings.HasPrefix(said, "Note    x.ftrace was received completely\n") {
				t.Errorf("says %q", said)
			}
			if left := dirt(t, world); len(left) > 0 {
				t.Errorf("left on the device: %q", left)
			}
		})
	}
}

// A recording whose ohframe was killed is that of nobody: the next one names --clean, and
// --clean ends it at once. One that is under way needs --force.
func TestRecordCleanOwn(t *testing.T) {
	first, world := withDevice(t, fakehdc.Config{Devices: []fakehdc.Device{phone("6.0")}}, "record", "-o", "x", "--json")
	first.start(t)
	recordingBegins(t, world)
	again := func(code int, message string, args ...string) {
		t.Helper()
		r := command(t, append([]string{"ohframe", "record"}, args...)...)
		r.Env = first.Env
		r.start(t)
		got, said := r.end(t), r.stderr.String()
		if got != code || !regexp.MustCompile(message).MatchString(said) {
			t.Errorf("%q: exit code %d, want %d\n%s", args, got, code, said)
		}
	}
	again(4, `a recording of another ohframe, for at most \d+m\d+s is under way on the device\nhint: --force ends it`, "--clean")
	first.Process.Kill()
	first.end(t)
	again(4, `another recording is under way on the device: an ohframe that has ended, for at most \d+m\d+s\nhint: ohframe record --clean ends it`, "-t", "0.1")
	again(0, `Note    removed /data/local/tmp/ohframe-\w+, which`, "--clean")
	if left := dirt(t, world); len(left) > 0 {
		t.Errorf("left on the device: %q", left)
	}
}

// leave makes the folder of a recording whose watchdog runs no more, as after a restart of
// the device.
func leave(t *testing.T, world string, files ...string) (folder string) {
	t.Helper()
	folder = filepath.Join(world, "root/FMR0224/data/local/tmp/ohframe-01234567")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, "live", "watchdog") {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("x_1 0\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// A folder that an earlier recording has left is removed if its session is not open.
func TestRecordLeftFolder(t *testing.T) {
	for name, set := range map[string]func(*fakehdc.Device){
		"the device's own session, 5.1": func(d *fakehdc.Device) { d.System, d.Busy = "5.1", "hiview" },
		"the device's own session, 6.1": func(d *fakehdc.Device) { d.System, d.Busy = "6.1", "hiview" },
		"tracing is off": func(d *fakehdc.Device) {
			d.Hitrace = map[string]fakehdc.Answer{"finish_nodump": {Fail: "Trace Close failed, errorCode(1003)", Times: 1}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := phone("6.0")
			set(&d)
			r, world := withDevice(t, fakehdc.Config{Devices: []fakehdc.Device{d}}, "record", "-t", "0.1", "-o", "x")
			folder := leave(t, world)
			r.start(t)
			code, said := r.end(t), r.stderr.String()
			if _, err := os.Stat(folder); code != 0 || !os.IsNotExist(err) || !strings.Contains(said, "\nNote    removed /data/local/tmp/ohframe-01234567, which") {
				t.Errorf("exit code %d, %v\n%s", code, err, said)
			}
		})
	}
}

// record --clean --force removes a folder whose recording hitrace does not end.
func TestRecordCleanForce(t *testing.T) {
	for _, files := range [][]string{nil, {"busy"}, {"0.ftrace"}} {
		t.Run(fmt.Sprint(files), func(t *testing.T) {
			t.Parallel()
			d := phone("6.0")
			d.Busy, d.SleepScale = "stale", 30
			d.Hitrace = map[string]fakehdc.Answer{"finish_nodump": {Fail: "Trace Close failed, errorCode(1003)"}}
			first, world := withDevice(t, fakehdc.Config{Devices: []fakehdc.Device{d}}, "record", "-t", "0.1", "-o", "x")
			folder := leave(t, world, files...)
			answer := `Trace Close failed, errorCode\(1003\)`
			if slices.Contains(files, "busy") {
				answer = "it has not ended"
			}
			message := `hitrace on the device does not end the recording of /data/local/tmp/ohframe-01234567: ` + answer + `\n`
			hint := `hint: try again later, or remove it with ohframe record --clean --force\n`
			for _, x := range []struct {
				args []string
				code int
				says string
			}{
				{[]string{"-t", "0.1", "-o", "x"}, 4, "ohframe: " + message + hint},
				{[]string{"--clean"}, 4, "ohframe: " + message + hint},
				{[]string{"--clean", "--force"}, 0, "Note    " + message + `Note    removed /data/local/tmp/ohframe-01234567, which`},
			} {
				r := command(t, append([]string{"ohframe", "record"}, x.args...)...)
				r.Env = first.Env
				r.start(t)
				if code, said := r.end(t), r.stderr.String(); code != x.code || !regexp.MustCompile(x.says).MatchString(said) {
					t.Errorf("%q: exit code %d, want %d\n%s", x.args, code, x.code, said)
				}
			}
			if _, err := os.Stat(folder); !os.IsNotExist(err) {
				t.Errorf("%s: %v", folder, err)
			}
		})
	}
}

// Only --clean removes a trace that an earlier recording has left, whether its session may
// be open or not.
func TestRecordLeftTrace(t *testing.T) {
	first, world := withDevice(t, fakehdc.Config{Devices: []fakehdc.Device{phone("6.0")}}, "record")
	folder := leave(t, world, "0.ftrace")
	for _, x := range []struct {
		args []string
		says string
		left int
	}{
		{[]string{"-t", "0.1", "-o", "x"}, "\nNote    a trace of an earlier recording is on the device: /data/local/tmp/ohframe-01234567/0.ftrace; ", 1},
		{[]string{"-t", "0.1", "-o", "y", "--force"}, "\nNote    a trace of an earlier recording is on the device: /data/local/tmp/ohframe-01234567/0.ftrace; ", 1},
		{[]string{"--clean"}, "\nNote    removed /data/local/tmp/ohframe-01234567, which", 0},
	} {
		r := command(t, append([]string{"ohframe", "record"}, x.args...)...)
		r.Env = first.Env
		r.start(t)
		code, said := r.end(t), r.stderr.String()
		if left, err := filepath.Glob(folder + "/*"); err != nil || code != 0 || !strings.Contains(said, x.says) || len(left) != x.left {
			t.Errorf("%q: exit code %d, left %q\n%s", x.args, code, left, said)
		}
	}
}

// A device that needs long to end a recording can be reached.
func TestRecordSlowDiscard(t *testing.T) {
	d := phone("5.1")
	d.SleepScale = 60
	d.Hitrace = map[string]fakehdc.Answer{"finish_nodump": {MS: 1500, Times: 1}}
	r, world := withDevice(t, fakehdc.Config{Devices: []fakehdc.Device{d}}, "record", "-o", "x", "--json", "--hdc-limit", "1")
	r.start(t)
	recordingBegins(t, world)
	r.Process.Signal(syscall.SIGTERM)
	r.end(t)
	said := r.stderr.String()
	if !strings.Contains(said, "\nNote    hdc shell did not end within 1s; its watchdog ends the recording, 7m0s after its begin at the latest\n") {
		t.Errorf("says %s", said)
	}
	becomesIdle(t, world, said)
}
