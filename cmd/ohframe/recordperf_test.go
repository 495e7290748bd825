//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ohframe"
	"ohframe/analyzer/sample"
	"ohframe/internal/record/meta"
	"ohframe/internal/testing/fakehdc"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// perfFailures are what can go wrong with samples, as failures.
var perfFailures = []struct {
	name       string
	code       int
	what, hint string
	args       []string
	set        []string
	fault      fakehdc.Fault
	all        bool // processes are sampled
	root       bool // the system image allows it
	left       bool // the device was lost: its watchdog cleans it
	kept       string
	// noFile: there are no samples in the end, but a trace.
	noFile bool
}{
	{name: "nothing", what: `Samples 1000 Hz of com\.example\.gallery, and where it waits\n(.*\n)+hiperf took [1-9]\d+ samples and wrote them`},
	{name: "needs time", set: []string{"HIPERF", "slow", "HIPERF_MS", "700"}},
	{name: "launch", args: []string{"--launch"}},
	{name: "stack", args: []string{"--perf-stack", "dwarf"}, what: `Samples 1000 Hz of`},
	{name: "no hiperf", code: 5, what: `hiperf does not start: .*hiperf.*(not found|No such file)`, hint: `the device has no hiperf`, set: []string{"HIPERF", "missing"}},
	{name: "not debuggable", code: 5, what: `hiperf does not start: --app option only support debug application`, hint: `debug build`, set: []string{"HIPERF", "refuses"}},
	{name: "not debuggable, launch", code: 5, what: `hiperf does not start: --app option only support debug application`, args: []string{"--launch"}, set: []string{"HIPERF", "refuses"}},
	{name: "no counter", code: 5, what: `hiperf does not start: hw-cpu-cycles event is not supported by the kernel`, hint: `emulators`, set: []string{"HIPERF", "no event"}},
	{name: "does not begin", code: 5, what: `hiperf does not start: it does not sample within 10s`, hint: `without --perf`, set: []string{"HIPERF", "late", "SLEEP_SCALE", "30"}},
	{name: "all processes", all: true, what: `Samples 1000 Hz of all processes\n`, root: true},
	{name: "all processes, no root", all: true, code: 5, what: `hiperf does not start: -a option needs root privilege`, hint: `--app`},
	{name: "no waits", what: `Note    where threads wait is not sampled: hiperf does not start: Cannot trace off CPU, .*\n(.*\n)*Samples 1000 Hz of com\.example\.gallery\n`, set: []string{"HIPERF", "no offcpu"}},
	{name: "dies", what: `Note    hiperf ended early: functions have no names\n(.*\n)*Note    x\.perf\.data is not used: `, set: []string{"HIPERF", "dies"}},
	{name: "does not end", what: `Note    hiperf wrote no samples within 1m\n`, set: []string{"HIPERF", "hangs", "SLEEP_SCALE", "30"}, noFile: true},
	{name: "writes nothing", what: `Note    hiperf wrote no samples: it has ended without a message\n`, set: []string{"HIPERF", "full"}, noFile: true},
	{name: "file too large", what: `Note    hiperf stopped before the end: its file has 1G\n`, set: []string{"HIPERF", "limit"}},
	{name: "another recording", what: `Note    x\.perf\.data is not used: the samples are of another recording`, set: []string{"HIPERF", "other"}},
	{name: "hitrace fails", code: 5, what: `errorCode\(1008\)`, set: []string{"FAIL_finish", "TraceFinish failed, errorCode(1008)"}},
	{name: "device full", code: 5, what: `no space left on the device`, set: []string{"ERRNO", "28"}},
	{name: "lost at the start", code: 5, what: `the device was lost`, fault: fakehdc.Fault{On: "hiperf record", Do: "lost"}, left: true},
	{name: "lost while it starts", code: 5, what: `the device was lost`, fault: fakehdc.Fault{On: "hiperf record", Do: "lost after"}, left: true},
	{name: "lost at the end", code: 5, what: `the device is offline`, fault: fakehdc.Fault{On: "=ohframe= cut", Do: "lost"}, left: true, kept: "t.ftrace t.perf.data"},
	{name: "lost at the end, back", fault: fakehdc.Fault{On: "=ohframe= cut", Do: "lost after", Times: 1, Back: true}},
	{name: "half of the samples arrives", what: `Note    the samples were not received: received \d+ of \d+ bytes\n(.*\n)*Note    the samples are on the device: /data/local/tmp/ohframe-\w+/samples\.perf\.data; `,
		fault: fakehdc.Fault{On: "x.perf.data.part", Do: "cut"}, kept: "samples.perf.data", noFile: true},
	{name: "half of the trace arrives", code: 6, what: `received \d+ of \d+ bytes`, fault: fakehdc.Fault{On: "x.ftrace.part", Do: "cut"}, kept: "t.ftrace t.perf.data"},
}

// Whatever goes wrong with hiperf, it has ended afterwards and its file is not on the device, unless
// that is said. If it does not start, nothing is recorded; if it fails later, the trace is kept.
func TestRecordPerfFailures(t *testing.T) {
	for i, f := range perfFailures {
		for k, system := range fakehdc.Systems() {
			if !slow.Enabled() && (i+k)%21 != 0 {
				continue
			}
			t.Run(f.name+"/"+system, func(t *testing.T) {
				t.Parallel()
				c := phone(system, f.set...)
				if f.root {
					c.Devices[0].Parameters["const.debuggable"] = "1"
				}
				args := []string{"--perf", "--app", gallery.Bundle}
				if f.all {
					args = args[:1]
				}
				r, said := goesWrong(t, c, f.fault, f.left, f.code, f.what, f.hint, append(args, f.args...)...)
				switch {
				case f.code != 0:
					r.checkFiles(t)
				case f.noFile:
					r.checkFiles(t, "x.ftrace", "x.html", "x.meta.json", "x.pftrace")
				default:
					r.checkFiles(t, "x.ftrace", "x.html", "x.meta.json", "x.perf.data", "x.pftrace")
				}
				r.becomesIdle(t)
				var kept []string
				for _, file := range r.glob(t, "data/local/tmp/ohframe-*/*") {
					kept = append(kept, filepath.Base(file))
				}
				if got := strings.Join(kept, " "); got != f.kept {
					t.Errorf("on the device are %q, want %q\n%s", got, f.kept, said)
				}
				if f.code == 0 {
					r.describesSamples(t, f.noFile)
				}
			})
		}
	}
}

// describesSamples checks what the description of the recording says of the samples.
func (r *recording) describesSamples(t *testing.T, noFile bool) {
	t.Helper()
	m, err := meta.Read(filepath.Join(r.dir, "x.meta.json"))
	if err != nil || m.Perf == nil || !strings.HasPrefix(m.Perf.Command, "hiperf record --verbose --clockid monotonic -f ") || (m.Perf.File == "") != noFile {
		t.Errorf("%v: x.meta.json has %+v", err, m)
	}
}

// The samples fit the trace, on devices that record with either clock. Without --app all processes
// are sampled, and not where they wait.
func TestRecordPerf(t *testing.T) {
	for name, set := range map[string][]string{"mono": nil, "boot": {"NO_MONO", "yes"}} {
		for _, app := range []string{gallery.Bundle, ""} {
			t.Run(name+" "+app, func(t *testing.T) {
				t.Parallel()
				c := phone("6.0", set...)
				c.Devices[0].Parameters["const.debuggable"] = "1"
				args := []string{"-q", "-t", "0.1", "-o", "x", "--perf"}
				if app != "" {
					args = append(args, "--app", app)
				}
				r := startRecord(t, c, args...)
				r.ends(t, 0, "")
				m := must.Get(meta.Read(filepath.Join(r.dir, "x.meta.json")))(t)
				if got := strings.Contains(m.Perf.Command, " --offcpu"); got != (app != "") {
					t.Errorf("the command is %s", m.Perf.Command)
				}
				rec := readPair(t, filepath.Join(r.dir, "x"), m.Clock)
				if a := rec.Alignment; a.Source != sample.Stated || a.Checked < 20 || 100*a.Hits < 90*a.Checked || m.Perf.Samples != int64(len(rec.Samples)) {
					t.Errorf("%d samples of %d are in running intervals; %+v", a.Hits, a.Checked, m.Perf)
				}
				waits := slices.ContainsFunc(rec.Samples, func(s sample.Sample) bool {
					return rec.Profile.Events[s.Event].Name == "sched:sched_switch"
				})
				if waits != (app != "") {
					t.Errorf("samples of waits: %t", waits)
				}
			})
		}
	}
}

// readPair reads a trace and its samples.
func readPair(t *testing.T, name, clock string) *sample.Recording {
	t.Helper()
	trace := must.Get(os.Open(name + ".ftrace"))(t)
	defer trace.Close()
	samples := must.Get(os.Open(name + meta.Samples))(t)
	defer samples.Close()
	read, err := ohframe.Read(context.Background(), trace, ohframe.Options{Samples: ohframe.Samples{Input: samples}, Causes: true})
	if err != nil {
		t.Fatalf("%s: %v", clock, err)
	}
	return read.Samples
}

// A launch is sampled by a hiperf that waits for it. Sampling ends when tracing does: what hiperf does
// afterwards, which may need long, is not in the trace.
func TestRecordPerfOrder(t *testing.T) {
	r := startRecord(t, phone("6.0", "MS_finish", "500", "HIPERF", "slow", "HIPERF_MS", "500"), "-q", "-t", "0.1", "-o", "x", "--perf", "--app", gallery.Bundle, "--launch")
	r.ends(t, 0, "")
	var order []string
	for _, call := range regexp.MustCompile(`"--trace_begin"|\["hiperf", |aa start -b|\["hiperf (interrupted|ended)"\]|"recv"|\["hitrace ended"\]`).FindAllString(r.file("log.jsonl"), -1) {
		order = append(order, strings.Trim(call, `[", ]`))
	}
	must.EqualSlices(t, order, []string{"hitrace ended", "--trace_begin", "hitrace ended", "hiperf", "aa start -b", "hiperf interrupted", "hitrace ended", "hiperf ended", "recv", "recv"}, "order")
}

// Every run has samples of its own, which diff reads.
func TestRecordPerfRuns(t *testing.T) {
	r := startRecord(t, phone("6.0"), "-q", "-t", "0.1", "--runs", "2", "--cold", "-o", "x", "--perf", "--app", gallery.Bundle)
	r.ends(t, 0, "^$")
	got := names(t, filepath.Join(r.dir, "x"))
	must.EqualSlices(t, got, []string{"1.ftrace", "1.meta.json", "1.perf.data", "2.ftrace", "2.meta.json", "2.perf.data"}, "files")
}

// A run without samples does not count.
func TestRecordPerfInvalidRun(t *testing.T) {
	r := startRecord(t, phone("6.0", "HIPERF", "full"), "-q", "-t", "0.1", "--runs", "1", "-o", "x", "--perf", "--app", gallery.Bundle)
	r.ends(t, 5, `run 3 is invalid: hiperf wrote no samples(.*\n)+ohframe: no run is valid\n`)
	r.leaves(t, "")
}

// Samples of an earlier recording do not stay beside another trace.
func TestRecordPerfStale(t *testing.T) {
	r := newRecord(t, phone("6.0"), "-q", "-t", "0.1", "-o", "x", "--force")
	stale := filepath.Join(r.dir, "x.perf.data")
	must.Do(t, os.WriteFile(stale, []byte("old"), 0o666))
	r.againSays(t, 1, `x\.perf\.data: exists already`, "-t", "0.1", "-o", strings.TrimSuffix(stale, ".perf.data"))
	r.start(t)
	r.isComplete(t)
}
