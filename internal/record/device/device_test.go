package device

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ohframe/internal/diag"
	"ohframe/internal/record/hdc"
	"ohframe/internal/record/meta"
	"ohframe/internal/testing/must"
)

// probe is an answer to ProbeScript: the sections with these contents.
func probe(sections map[string]string) string {
	var b strings.Builder
	for name, text := range sections {
		b.WriteString("\n" + section + name + "\n" + text)
	}
	return b.String()
}

func TestParseProbe(t *testing.T) {
	got := ParseProbe(probe(map[string]string{
		"model":     "ALN-AL00 \n",
		"system":    "OpenHarmony-5.0.0.71 \n",
		"software":  "Get parameter \"const.product.software.version\" fail! errNum is:106!\n",
		"api":       "12 \n",
		"developer": "true \n",
		"level":     "1 \n",
		"kernel":    "HongMeng Kernel 1.9.2\n",
		"cpus":      "12\n",
		"df":        "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/block/dm-5 1000 400 600 40% /data\n",
		"tags":      "2025/06/01 10:00:00 hitrace enter, running_state is SHOW_LIST_CATEGORY\ntagName:   description:\n         ability - Ability Manager\n             ace - ACE development framework\n",
		"on":        "1\n",
		"ps":        "shell 4321 1 0 09:30:00 ? 00:00:00 SP_daemon -N 20\nroot 9 1 0 09:30 ? 00:00:00 sh -c hitrace -t 5\n",
		"left":      "/data/local/tmp/ohframe-0123abcd\nls: /data/local/tmp/ohframe-x: No such file\n",
		"screen":    "screen[0]: id=0, powerstatus=POWER_STATUS_OFF, backlight=0\n  supportedMode[0]: 1260x2720, refreshrate=120\n  activeMode: 1260x2720, refreshrate=90\n",
		"battery":   "capacity: 83\nchargingStatus: 1 \ntemperature: 315\n",
		"hiperf":    "   --parallel-symbolic\n",
		"pid":       "4711 4712\n",
		"bundle":    "    \"versionName\": \"1.2.3\",\n  \"mainAbility\": \"\",\n \"mainElementName\": \"EntryAbility\"\n \"versionName\": \"9\"\n",
	}))
	want := &Facts{
		Device: meta.Device{Model: "ALN-AL00", System: "OpenHarmony-5.0.0.71", API: 12, Kernel: "HongMeng Kernel 1.9.2", CPUs: 12, RefreshHz: 90, Battery: 83, Temperature: 31.5, Charging: new(true)},
		App:    meta.App{PIDs: []int{4711, 4712}, Version: "1.2.3"}, Installed: true, Ability: "EntryAbility",
		Tags: []string{"ability", "ace"}, DeveloperMode: "true", Level: "1", ParallelSymbols: true, FreeKB: 600, ScreenOff: true,
		TracingOn: true, Tracers: []string{"SP_daemon -N 20"}, Left: []string{"/data/local/tmp/ohframe-0123abcd"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	// A property that the device does not print is unknown.
	if got, want := ParseProbe(""), (&Facts{FreeKB: -1}); !reflect.DeepEqual(got, want) || got.Legacy() {
		t.Errorf("got %+v", got)
	}
}

// HongMeng's hitrace takes larger buffers since 4.1. Of an unknown kernel, hitrace decides.
func TestMaxBuffer(t *testing.T) {
	for _, x := range []struct {
		kernel string
		api    int
		want   int
	}{
		{"Linux 5.10.97-oh", 20, 300 * 1024}, {"HongMeng Kernel 1.9.2", 20, 1024 * 1024}, {"Linux HongMeng 1.10.0", 12, 1024 * 1024},
		{"HongMeng Kernel 1.9.2", 0, 1024 * 1024}, {"HongMeng Kernel 1.0", 10, 300 * 1024}, {"", 20, 1024 * 1024},
	} {
		must.Equal(t, MaxBuffer(&meta.Device{Kernel: x.kernel, API: x.api}), x.want, "%q of API %d takes KB", x.kernel, x.api)
	}
}

func TestChoose(t *testing.T) {
	all := &Facts{Tags: append(slices.Clone(defaultTags), "irq")}
	without := func(tag string) *Facts {
		return &Facts{Tags: slices.DeleteFunc(slices.Clone(all.Tags), func(s string) bool { return s == tag })}
	}
	for _, x := range []struct {
		facts   *Facts
		spec    string
		use     string
		missing string
		err     string
	}{
		{all, "", strings.Join(defaultTags, " "), "", ""},
		// The markers of flings, clicks and launches have these tags.
		{all, "-sched,-freq,-idle,-binder,-ohos,-window,-animation,-ark,-nweb,-sync", "graphic ace app ability multimodalinput musl", "", ""},
		{without("animation"), "", strings.Join(without("animation").Tags[:15], " "), "animation", ""},
		{without("ace"), "", "", "", `no tag "ace", which frames need`},
		{all, "graphic,ace", "graphic ace", "", ""},
		{all, "+irq", strings.Join(defaultTags, " ") + " irq", "", ""},
		{all, "-nweb,-ark,+irq,+ace", "graphic ace app sched freq idle binder ohos ability window animation multimodalinput sync musl irq", "", ""},
		{all, "+disk", "", "", `no tag "disk"`},
		{all, "graphic,disk", "", "", `no tag "disk"`},
		{all, "+irq,nweb", "", "", "neither a list"},
		{all, "irq,+nweb", "", "", "neither a list"},
		{all, "a;reboot", "", "", "neither a list"},
		{all, "graphic,,ace", "", "", "neither a list"},
	} {
		use, missing, err := x.facts.Choose(x.spec)
		if x.err != "" {
			if err == nil || !strings.Contains(err.Error(), x.err) {
				t.Errorf("%q: got %v, want %s", x.spec, err, x.err)
			}
			continue
		}
		if err != nil || strings.Join(use, " ") != x.use || strings.Join(missing, " ") != x.missing {
			t.Errorf("%q: got %q, %q, %v", x.spec, use, missing, err)
		}
	}
}

// now is the begin of lines of hitrace from 4.1 on.
const now = "2025/06/01 10:00:00 "

func TestCheckBegin(t *testing.T) {
	for hitrace, want := range map[string]struct{ clock, err string }{
		now + "hitrace enter, running_state is RECORDING_LONG_BEGIN\n" + now + "OpenRecording done.\n": {"mono", ""},
		"capturing trace...\n":                                  {"mono", ""},              // 3.2
		now + "error: OpenRecording failed, errorCode(1002)\n":  {"", "another recording"}, // 5.0
		now + "error: OpenRecording failed, errorCode(1013)\n":  {"", "another recording"}, // 5.1
		now + "error: OpenRecording failed, errorCode(1102)\n":  {"", "another recording"}, // 6.0
		now + "error: OpenRecording failed, errorCode(4)\n":     {"", "no permission (code 4)"},
		now + "error: OpenRecording failed, errorCode(77)\n":    {"", "unknown reason (code 77)"},
		"Error: \"x\" is not support category on this device\n": {"", "is not support category"},
		"": {"", `recording: ""`},
	} {
		clock, err := CheckBegin(hdc.Result{Output: markBegun + "\n" + hitrace + markClock + "\nlocal [mono] boot\n"})
		if clock != want.clock || (err == nil) != (want.err == "") || err != nil && !strings.Contains(err.Error(), want.err) || errors.Is(err, ErrBusy) != (want.err == "another recording") {
			t.Errorf("%s: got %q, %v, want %q", hitrace, clock, err, want)
		}
	}
	// While a boot trace runs, hiview makes code 1 of hitrace's 16.
	for output, want := range map[string]string{
		"errorCode(1)\n" + markClock + "\nboot\n" + markBoot + "\n1 \n":                                     "a boot trace is under way on the device (code 1)",
		"errorCode(16)\n" + markClock + "\nboot\n" + markBoot + "\n1 \n":                                    "a boot trace is under way on the device (code 16)",
		"errorCode(16)\n" + markClock + "\nboot\n" + markBoot + "\nsh: param: not found\n":                  "a boot trace is under way on the device (code 16)",
		"errorCode(1)\n" + markClock + "\nboot\n" + markBoot + "\n0 \n":                                     "not supported (code 1)",
		"errorCode(1)\n" + markClock + "\nboot\n" + markBoot + "\nGet parameter \"x\" fail! errNum is:1!\n": "not supported (code 1)",
	} {
		_, err := CheckBegin(hdc.Result{Output: markBegun + "\n" + now + "error: OpenRecording failed, " + output})
		var f *diag.Error
		if !errors.As(err, &f) || !strings.HasSuffix(f.What, want) || strings.Contains(want, "boot") != strings.Contains(f.Hint, "wait until it has ended") {
			t.Errorf("%q: %#v, want %s", output, err, want)
		}
	}
	if _, err := CheckBegin(hdc.Result{Output: "mkdir: Permission denied\n", Status: statusNoFolder}); err == nil || !strings.Contains(err.Error(), "cannot make a folder") {
		t.Errorf("no folder: %v", err)
	}
}

func TestParseEnd(t *testing.T) {
	for output, want := range map[string]string{
		now + "trace read done, output: /t\n" + markSize + "\n1234\n": "",
		markSize + "\n1234\n": "", // finished before the connection was lost
		now + "error: opening /t, errno: 28\n" + now + "trace read done, output: /t\n" + markSize + "\n": "no space",
		"Failed to open file '/t', err=13\n" + markSize + "\n":                                           "permission",
		"Warning: tracing on is closed, no trace can be read.\n" + markSize + "\n":                       "another tool",
		markSize + "\n0\n": "empty",
		now + "error: TraceFinish failed, errorCode(7)\n" + markSize + "\n": "TraceFinish failed",
		"": "did not write",
	} {
		size, err := ParseEnd(hdc.Result{Output: output})
		if (err == nil) != (want == "") || err == nil && size != 1234 || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %d, %v", output, size, err)
		}
	}
}

// What hiperf prints says whether it samples, and what it has written. The lines are from its sources.
func TestHiperf(t *testing.T) {
	for log, want := range map[string]string{
		"": "it does not sample within 10s",
		"-a option needs root privilege for system wide profiling.\n":                                                                                                                      "-a option needs root",
		"hw-cpu-cycles event is not supported by the kernel on cpu 0. reason: 13:Permission denied\nsubcommand 'record' failed\n":                                                          "13:Permission denied",
		"please set /proc/sys/kernel/perf_event_mlock_kb to 516 manually if perf limit is wanted.\nset parameter hiviewdfx.hiperf.perf_event_mlock_kb fail.\nsubcommand 'record' failed\n": "mlock_kb fail.",
		"sh: hiperf: inaccessible or not found\n": "not found",
	} {
		if err := CheckSample(hdc.Result{Output: markHiperf + "\n" + log}); err == nil || !strings.HasSuffix(err.Error(), want) && !strings.Contains(err.Error(), ": "+want) || !errors.Is(err, ErrSampling) {
			t.Errorf("%q: got %v, want %s", log, err, want)
		}
		if err := CheckSample(hdc.Result{Output: markSampling + "\n" + markHiperf + "\n" + log}); err != nil {
			t.Errorf("%q: got %v while it samples", log, err)
		}
	}
	const complete = "\n Ctrl + C detected.\n[ hiperf record: Captured 1.000 MB perf data. ]\n[ Sample records: 4312, Non sample records: 99 ]\n[ Sample lost: 12, Non sample lost: 1 ]\n"
	for printed, want := range map[string]Samples{
		markHiperf + "\n" + complete + markSize + "\n1234\n":                                                   {1234, 4312, 12, ""},
		markHiperf + "\n" + complete + markSize + "\n":                                                         {0, 4312, 12, "file is missing"},
		markHiperf + "\n" + strings.Replace(complete, "4312", "0", 1) + markSize + "\n1234\n":                  {1234, 0, 12, "took no samples"},
		markHiperf + "\nrecord size 9 is large than limit 8. stop sampling.\n" + complete + markSize + "\n9\n": {9, 4312, 12, "file has 1G"},
		markHiperf + "\ntracked processes have exited (total 9 ms)\n" + complete + markSize + "\n9\n":          {9, 4312, 12, "application has ended"},
		markHiperf + "\nTimeout exit (total 10000000 ms)\n" + complete + markSize + "\n9\n":                    {9, 4312, 12, "for at most 2h46m40s"},
		markHiperf + "\n" + markSize + "\n1234\n":                                                              {1234, 0, 0, "ended early"},
		markHiperf + "\n" + markSize + "\n":                                                                    {0, 0, 0, "no samples"},
		markCut + "\n" + markHiperf + "\n" + markSize + "\n1234\n":                                             {1234, 0, 0, "functions have no names"},
		"": {0, 0, 0, "no samples"},
	} {
		got := ParseSamples(hdc.Result{Output: printed})
		if problem := got.Problem; (problem == "") != (want.Problem == "") || !strings.Contains(problem, want.Problem) {
			t.Errorf("%q: got %q, want %q", printed, problem, want.Problem)
		}
		if got.Problem = want.Problem; got != want {
			t.Errorf("%q: got %+v, want %+v", printed, got, want)
		}
	}
}

// Nothing but a folder of a recording is removed.
func TestCloseScript(t *testing.T) {
	for _, dir := range []string{"", "/", "/data/local/tmp", "/data/local/tmp/ohframe-", "/data/local/tmp/ohframe-0123456g", "/data/local/tmp/ohframe-01234567/..", "/data/local/tmp/ohframe-01234567 /"} {
		must.Equal(t, CloseScript(dir, false), "false", "%q", dir)
	}
	if got := CloseScript(NewDir("0123abcd"), false); !strings.Contains(got, "rm -rf /data/local/tmp/ohframe-0123abcd;") {
		t.Errorf("got %q", got)
	}
	if got := CloseScript(NewDir("0123abcd"), true); strings.Contains(got, "rm -rf /data") {
		t.Errorf("got %q", got)
	}
}

// The scripts stay far below the length that hdc passes on.
func TestScriptLengths(t *testing.T) {
	if strings.Contains(scriptDog, "\n") { // the probe takes lines of ps for tracers, unless they are of sh
		t.Error("the watchdog has several lines")
	}
	tracing := &Tracing{Dir: NewDir("0123abcd"), Tags: slices.Repeat([]string{"multimodalinput"}, 80), BufferKB: 32768, Max: time.Hour}
	for _, script := range []string{ProbeScript(strings.Repeat("a.b", 40)), tracing.BeginScript(), tracing.FinishScript(), tracing.SetScript((&Facts{}).ParseDebugUI(hdc.Result{})), CloseScript(tracing.Dir, true), tracing.SampleScript(Sampling{App: strings.Repeat("a.b", 40), Rate: 100_000, Stack: "dwarf", OffCPU: true}), tracing.EndSamplesScript()} {
		if len(script) > 8000 {
			t.Errorf("%d bytes: %.60s…", len(script), script)
		}
	}
}

// No answer of a device makes a parser panic, and errors have words.
func FuzzAnswers(f *testing.F) {
	f.Add("2025/06/01 10:00:00 error: OpenRecording failed, errorCode(1002)\n")
	f.Add(probe(map[string]string{"df": "a b c\n", "api": "x", "pid": "99999999999999999999"}))
	f.Fuzz(func(t *testing.T, output string) {
		facts := ParseProbe(output)
		for _, dir := range facts.Left {
			if CloseScript(dir, false) == "false" {
				t.Errorf("%q is not a folder of a recording", dir)
			}
		}
		r := hdc.Result{Output: output}
		_, begin := CheckBegin(r)
		_, end := ParseEnd(r)
		if s := ParseSamples(r); s.Count == 0 && s.Problem == "" {
			t.Errorf("%q: no samples without a reason", output)
		}
		for _, err := range []error{begin, end, CheckStart(r), CheckSample(r)} {
			if e := (*diag.Error)(nil); err != nil && (!errors.As(err, &e) || e.What == "") {
				t.Errorf("%q: %v", output, err)
			}
		}
		ParseClose(r)
		for _, l := range ParseLeft(r) {
			if CloseScript(l.Dir, false) == "false" {
				t.Errorf("%q is not a folder of a recording", l.Dir)
			}
		}
	})
}

// ArkUI's parameters are set in the spelling that each system reads, and set back to the
// values from before, as data.
func TestDebugUI(t *testing.T) {
	printed := hdc.Result{Output: probe(map[string]string{
		"persist.ace.debug.enabled":        "Get parameter \"persist.ace.debug.enabled\" fail! errNum is:106!\n",
		"persist.ace.trace.layout.enabled": "it's $x \n",
	})}
	for api, want := range map[int]string{
		9: "[persist.ace.debug.enabled=1]", 10: "[persist.ace.debug.enabled=1]",
		11: "[persist.ace.debug.enabled=1 persist.ace.trace.layout.enabled=true persist.ace.trace.build.enabled=true]",
		0:  "[persist.ace.debug.enabled=1 persist.ace.trace.layout.enabled=true persist.ace.trace.build.enabled=true]",
	} {
		list := (&Facts{Device: meta.Device{API: api}}).ParseDebugUI(printed)
		must.Equal(t, fmt.Sprint(list), want, "API %d", api)
		before := []string{"0", "it's $x", "false"}
		for i, p := range list {
			must.Equal(t, p.Before, before[i], "API %d: %s", api, p.Name)
		}
		set := ""
		for i, p := range list {
			if err := CheckSet(hdc.Result{Output: set}, list); err == nil {
				t.Errorf("API %d: %d of %d parameters are enough", api, i, len(list))
			}
			set += fmt.Sprintf("Set parameter %s %s success\n", p.Name, p.Value)
		}
		must.NoError(t, CheckSet(hdc.Result{Output: set}, list), "API %d", api)
	}
}
