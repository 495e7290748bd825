//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ohframe/internal/hdc/fake"
	"ohframe/internal/slow"
)

// stepsOfRecord are the steps in which something can go wrong.
var stepsOfRecord = []struct {
	name string
	// called is in the log of the fake as soon as the step runs.
	called string
	// call is in the arguments of hdc, mode is that of hitrace if the step needs it.
	call, mode string
	// slow makes the step take ms longer.
	slow func(ms int) func(*fake.Config, *fake.Device)
}{
	{"probe", "const.product.model", "const.product.model", "", beforeCall("const.product.model")},
	{"begin", `"hitrace","--trace_clock"`, "--trace_begin", "begin", slowHitrace("begin")},
	{"launch", "force-stop", "force-stop", "", beforeCall("force-stop")},
	{"finish", `"hitrace","--trace_finish"`, "--trace_finish -o", "finish", slowHitrace("finish")},
	{"receive", `"recv"`, "file recv", "", func(ms int) func(*fake.Config, *fake.Device) {
		return func(c *fake.Config, _ *fake.Device) {
			c.Faults = []fake.Fault{{On: "file recv", Do: "slow", MS: ms / 10}}
		}
	}},
	{"clean up", "=ohframe= remains", "=ohframe= remains", "finish_nodump", beforeCall("=ohframe= remains")},
}

func beforeCall(on string) func(int) func(*fake.Config, *fake.Device) {
	return func(ms int) func(*fake.Config, *fake.Device) {
		return func(c *fake.Config, d *fake.Device) {
			c.Faults = []fake.Fault{{On: on, Do: "before", Text: fmt.Sprintf("/bin/sleep %g", float64(ms)/1000)}}
		}
	}
}

func slowHitrace(mode string) func(int) func(*fake.Config, *fake.Device) {
	return func(ms int) func(*fake.Config, *fake.Device) {
		return func(_ *fake.Config, d *fake.Device) { d.Hitrace = map[string]fake.Answer{mode: {MS: ms}} }
	}
}

// wrongs are what can go wrong in a step. Signals come while the step runs.
var wrongs = []struct {
	name    string
	signals []syscall.Signal
	do      string // of a fake.Fault
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
			system := fake.Systems()[(i+k)%len(fake.Systems())]
			t.Run(step.name+"/"+wrong.name+"/"+system, func(t *testing.T) {
				t.Parallel()
				c := fake.Config{Devices: []fake.Device{phone(system)}}
				d := &c.Devices[0]
				args := []string{"record", "-t", "0.1", "-o", "x", "--wait", "0.7", "--json", "--app", gallery.Bundle, "--launch"}
				switch {
				case wrong.signals != nil:
					step.slow(300)(&c, d)
				case wrong.limit != "":
					step.slow(1500)(&c, d)
					args = append(args, "--hdc-limit", wrong.limit)
				case wrong.hitrace != "":
					d.Hitrace = map[string]fake.Answer{step.mode: {Fail: wrong.hitrace}}
					if step.mode == "finish_nodump" { // the first of two; the trace is not written
						d.Hitrace = map[string]fake.Answer{step.mode: {Fail: wrong.hitrace, Times: 1}, "finish": {Fail: wrong.hitrace}}
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
				if open := fake.Sessions(t, world); len(open) > 0 && strings.Contains(said, "Cleaned up the device.") {
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
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		log := logOf(t, world)
		ended := strings.Count(log, `["hitrace"`) == strings.Count(log, `["hitrace ended"`)
		if ended && len(fake.Sessions(t, world)) == 0 && len(busyOn(t, world)) == 0 && len(callsOf(t, world)) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("still tracing: %v, %q\n%s", fake.Sessions(t, world), busyOn(t, world), said)
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
	case fake.Traces(t, world, "FMR0224") == 0 || len(kept) == 0 && mayBeGone:
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
