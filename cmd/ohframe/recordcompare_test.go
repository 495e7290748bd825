//go:build unix

package main

import (
	"archive/zip"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ohframe/internal/record/meta"
	"ohframe/internal/testing/fakehdc"
	"ohframe/internal/testing/must"
)

// notes is another application, which does not run.
var notes = fakehdc.App{Bundle: "com.example.notes", Ability: "EntryAbility", PID: 20480}

// comparing is newRecord with two packages, a.hap and b.hap, of an application, and two
// programs, one.sh and fails.sh, in its folder. The first notes its environment and runs until
// it is ended; when its sleep ends, it says so.
func comparing(t *testing.T, c fakehdc.Config, args ...string) *recording {
	t.Helper()
	r := newRecord(t, c, append([]string{"--compare", "-q"}, args...)...)
	for name, version := range map[string]string{"a.hap": "1.0", "b.hap": "2.0", "foreign.hap": ""} {
		bundle := gallery.Bundle
		if version == "" {
			bundle = "com.example.foreign"
		}
		writeHap(t, filepath.Join(r.dir, name), bundle, version)
	}
	for name, script := range map[string]string{
		"one.sh":   "echo $OHFRAME_DEVICE $OHFRAME_APP $(\"$HDC\" -v) >>drives\nwhile :; do sh -c \"echo sleeps >>drives; sleep 0.3; echo slept >>drives\"; done",
		"fails.sh": "echo fails $$ >>drives; echo begins; echo no such button; exit 3",
	} {
		must.Do(t, os.WriteFile(filepath.Join(r.dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o777))
	}
	if slices.Contains(args, "one.sh") {
		r.Env = append(r.Env, drivesVariable+"="+filepath.Join(r.dir, "drives"))
	}
	return r
}

// drivesVariable is the variable with the name of a file that the programs of comparing write. With
// it no recording ends before its program has begun to sleep, or has failed.
const drivesVariable = "OHFRAME_TEST_DRIVES"

// limitVariable sets the time limit of calls of hdc.
const limitVariable = "OHFRAME_TEST_HDC_LIMIT"

// mainPatient is main on a machine that may be slow: the program of a recording has begun before the
// recording ends, and what the program has started may take a minute to end.
func mainPatient() {
	recordLimit, _ = time.ParseDuration(os.Getenv(limitVariable))
	if drives := os.Getenv(drivesVariable); drives != "" {
		recordDriveEnd = time.Minute
		seen := 0 // bytes of the file that earlier recordings have waited for
		recordAfter = func(d time.Duration) <-chan time.Time {
			end := make(chan time.Time, 1)
			go func() {
				time.Sleep(d)
				for ; ; time.Sleep(time.Millisecond) {
					text, _ := os.ReadFile(drives)
					text = text[min(seen, len(text)):]
					failing := failingProgram.FindSubmatch(text)
					ended := sleepingProgram.Match(text)
					if failing != nil {
						pid, err := strconv.Atoi(string(failing[1]))
						ended = ended || err == nil && syscall.Kill(pid, 0) != nil
					}
					if ended {
						seen += len(text)
						end <- time.Now()
						return
					}
				}
			}()
			return end
		}
	}
	main()
}

// What one.sh and fails.sh write.
var (
	sleepingProgram = regexp.MustCompile(`Ver: .*\nsleeps\n`)
	failingProgram  = regexp.MustCompile(`fails (\d+)\n`)
)

// writeHap writes a package of an application.
func writeHap(t *testing.T, name, bundle, version string) {
	t.Helper()
	f := must.Get(os.Create(name))(t)
	z := zip.NewWriter(f)
	w, err := z.Create("module.json")
	if err == nil {
		_, err = fmt.Fprintf(w, `{"app": {"bundleName": %q, "versionName": %q}}`, bundle, version)
	}
	if err == nil {
		err = z.Close()
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// folder returns the runs in a folder, as the numbers of their files: cold ones in brackets,
// invalid ones with an exclamation mark. All runs must be of one session.
func (r *recording) folder(t *testing.T, name string) string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(r.dir, name, "*"+meta.Extension))
	slices.Sort(files)
	var list []string
	for _, file := range files {
		m := must.Get(meta.Read(file))(t)
		number := strings.TrimSuffix(filepath.Base(file), meta.Extension)
		if _, err := os.Stat(filepath.Join(r.dir, name, m.Trace)); err != nil || m.Trace != number+".ftrace" || strings.TrimLeft(number, "0") != fmt.Sprint(m.Run.Number) || m.Session == "" {
			t.Errorf("%s: %+v, %v", file, m, err)
		}
		if r.session = cmp.Or(r.session, m.Session); m.Session != r.session {
			t.Errorf("%s: session %q, want %q", file, m.Session, r.session)
		}
		if m.Run.Cold {
			number = "(" + number + ")"
		}
		if m.Run.Problem != "" {
			number += "!"
		}
		list = append(list, number)
	}
	return strings.Join(list, " ")
}

// did returns what was done on the device, in order: i for an installation, s for the start
// of an application, e for its end, with the last letter of its name before; r for a recording.
func (r *recording) did() string {
	var b strings.Builder
	for line := range strings.Lines(r.file("log.jsonl")) {
		for _, m := range doings.FindAllStringSubmatch(line, 1) {
			switch m := m[1:]; {
			case m[0] != "":
				b.WriteString(" i" + m[0])
			case m[1] != "":
				b.WriteString(" e" + m[1])
			case m[2] != "":
				b.WriteString(" s" + m[2])
			default:
				b.WriteString(" r")
			}
		}
	}
	return strings.TrimSpace(b.String())
}

var doings = regexp.MustCompile(`"install","-r","/\S*/(\w)\w*\.hap"|aa force-stop 'com\.example\.(\w)|aa start -b 'com\.example\.(\w)|"hitrace",.*"--trace_begin"`)

// Packages are recorded in the order A B B A. Each switch installs one and starts its application,
// and adds a cold run. Only that application and render_service are compared. Names have two
// digits: with repeats there may be 15 runs.
func TestRecordCompare(t *testing.T) {
	t.Parallel()
	c, other := phone("6.0"), notes
	other.Running = true
	c.Devices[0].Apps = append(c.Devices[0].Apps, other)
	r := comparing(t, c, "a.hap", "b.hap", "--runs", "2", "-t", "0.1", "-o", "out", "--drive", "one.sh")
	r.start(t)
	r.ends(t, 0, `^ohframe: out/base: warning: 2 files skipped: 01\.ftrace \(run 1, cold\), 06\.ftrace \(run 6, cold\)\n`)
	if base, new := r.folder(t, "out/base"), r.folder(t, "out/new"); base != "(01) 02 (06) 07" || new != "(03) 04 05" {
		t.Errorf("base has %s, new %s", base, new)
	}
	must.Equal(t, r.did(), "ia eg sg r r ib eg sg r r r ia eg sg r r", "did")
	for name, want := range map[string]string{"out/base/07": "1.0", "out/new/05": "2.0"} {
		m, err := meta.Read(filepath.Join(r.dir, name+meta.Extension))
		if err != nil || m.App.Version != want || m.App.PIDs == nil || m.Device.Charging == nil || !*m.Device.Charging {
			t.Errorf("%s: %+v, %v, want version %s, and charging", name, m, err, want)
		}
	}
	if drives := r.drives(); strings.Count(drives, "FMR0224 com.example.gallery Ver: 3.1.0e\nsleeps\nslept\n") != 7 {
		t.Errorf("the program was not run 7 times, or a sleep was cut:\n%s", drives)
	}
	out := r.file("stdout")
	for _, want := range []string{`(?m)^  Base +out/base +2 runs`, `(?m)^  New +out/new +2 runs`, `(?m)^com\.example\.gallery · application`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("standard output does not have %s\n%s", want, out)
		}
	}
	if strings.Contains(out, "example.notes") {
		t.Errorf("another application is compared, too:\n%s", out)
	}
	if page, err := os.ReadFile(filepath.Join(r.dir, "out/diff.html")); err != nil || !strings.Contains(string(page), gallery.Bundle) {
		t.Errorf("diff.html: %v, %d bytes", err, len(page))
	}
	r.leaves(t, "")
	r.againSays(t, 1, `exists already\nhint: -o NAME chooses another name\n`, "--force", "--compare", filepath.Join(r.dir, "a.hap"), filepath.Join(r.dir, "b.hap"), "-o", filepath.Join(r.dir, "out"))
}

func (r *recording) drives() string {
	text, _ := os.ReadFile(filepath.Join(r.dir, "drives"))
	return string(text)
}

// Two applications: the other one is ended at a switch, each launch is recorded, and their
// processes are compared. A change of charging is reported, without the advice to record in turn.
// A condition that cannot be checked makes the exit code 3.
func TestRecordCompareApps(t *testing.T) {
	t.Parallel()
	c := phone("5.0", "CHARGING", "1 1 1 0")
	c.Devices[0].Apps = append(c.Devices[0].Apps, notes)
	r := comparing(t, c, gallery.Bundle, notes.Bundle, "--runs", "1", "--cold", "--launch", "-t", "0.1", "-o", "out", "--fail-on", "com.example.none: jank_rate>+2pp")
	r.start(t)
	r.ends(t, 3, `\nohframe: .*com\.example\.none.*\nohframe: cannot tell: 1 check, none failed, 1 cannot be checked\n$`) // without a hint on flags of diff
	must.Equal(t, r.did(), "r eg sg eg r en sn", "did")
	if base, new := r.folder(t, "out/base"), r.folder(t, "out/new"); base != "1" || new != "2" {
		t.Errorf("base has %s, new %s", base, new)
	}
	if out := r.file("stdout"); !strings.Contains(out, "com.example.gallery → com.example.notes") && !strings.Contains(out, "com.example.notes (com.example.gallery") {
		t.Errorf("the applications are not compared:\n%s", out)
	} else if !strings.Contains(out, "charging") || strings.Contains(out, "record --compare") {
		t.Errorf("about charging it says\n%s", out)
	}
}

// Two programs: nothing is started. Runs of one that fails are invalid, and repeated twice.
func TestRecordCompareDrives(t *testing.T) {
	t.Parallel()
	r := comparing(t, phone("4.1"), "one.sh", "fails.sh", "--app", gallery.Bundle, "--runs", "1", "-t", "0.1", "-o", "out")
	r.start(t)
	r.ends(t, 5, `(?m)^Note    run 6 is invalid: the program of --drive failed: exit status 3: no such button\nohframe: no run of new is valid$`)
	if base, new := r.folder(t, "out/base"), r.folder(t, "out/new"); base != "(1) 2" || new != "(3)! 4! 5! 6!" {
		t.Errorf("base has %s, new %s", base, new)
	}
	must.Equal(t, r.did(), "r r r r r r", "did")
	r.leaves(t, "")
	r.againSays(t, 0, `(?m)^Note    the program of --drive failed: exit status 3: no such button$`, "-t", "0.1", "--drive", filepath.Join(r.dir, "fails.sh"), "-o", filepath.Join(r.dir, "x"))
}

// A package that the device refuses ends the comparison, and no empty folder is left.
func TestRecordCompareRefused(t *testing.T) {
	t.Parallel()
	r := comparing(t, phone("6.0"), "foreign.hap", "foreign.hap", "-o", "out")
	r.start(t)
	r.ends(t, 5, `^ohframe: foreign\.hap: the device does not install it: no signature file\.\nhint: both packages need`)
	if _, err := os.Stat(filepath.Join(r.dir, "out")); !os.IsNotExist(err) {
		t.Errorf("out: %v", err)
	}
}

// Before a run the device may cool. A run that begins when it is warmer than the first one
// is invalid, and repeated. That charging ends is noted.
func TestRecordWarm(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]struct{ temperatures, says, runs string }{
		"cools": {
			"310 341 340",
			`^Waiting up to 400ms for the device to cool from 34\.1 to 34\.0 °C\nNote    the device has cooled to 34\.0 °C, after \d\.\d s\nNote    the battery is not charged from run 2 on`,
			"1 2",
		},
		"does not cool": {
			"310 350 350 310",
			`^Waiting up to 400ms .* from 35\.0 to 34\.0 °C\nNote    the battery is not .*\nNote    run 2 is invalid: the device had 35\.0 °C, 4\.0 °C more than before the first run\n$`,
			"1 2! 3",
		},
		"hot from the begin": {"430 430 420", `^Waiting up to 400ms .* from 43\.0 to 42\.0 °C\nNote    run 1 is invalid: the device was hot: 43 °C\n`, "1! 2 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := startRecord(t, phone("6.0", "TEMPERATURES", e.temperatures, "CHARGING", "1 1 3"), "-q", "-t", "0.1", "--runs", "2", "--cold", "--timeout", "0.4", "-o", "out")
			r.ends(t, 0, e.says)
			must.Equal(t, r.folder(t, "out"), e.runs, "runs")
		})
	}
}

// Ctrl-C ends the run and compares what is complete; another signal discards the run. The
// device is clean.
func TestRecordCompareInterrupted(t *testing.T) {
	t.Parallel()
	for signal, e := range map[syscall.Signal]struct {
		code            int
		base, new, says string
	}{
		syscall.SIGINT:  {0, "1", "2 3!", ""},
		syscall.SIGTERM: {143, "1", "2", `^Note    ohframe diff out/base -- out/new compares the runs until now\nohframe: terminated\n$`},
	} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			r := comparing(t, phone("5.1"), "a.hap", "b.hap", "--runs", "2", "--cold", "--format", "json", "-t", "1", "-o", "out", "--drive", "one.sh")
			r.start(t)
			eventually(t, "the third run", func() bool { return strings.Count(r.file("stdout"), `"step":"recording"`) == 3 })
			r.Process.Signal(signal)
			r.ends(t, e.code, e.says)
			if base, new := r.folder(t, "out/base"), r.folder(t, "out/new"); base != e.base || new != e.new {
				t.Errorf("base has %s, new %s", base, new)
			}
			var last struct{ Step, Base, New, Page string }
			for line := range strings.Lines(r.file("stdout")) {
				if err := json.Unmarshal([]byte(line), &last); err != nil {
					t.Errorf("%v in %s", err, line)
				}
			}
			if compared := last.Step == "compared" && last.Base == "out/base" && last.New == "out/new" && last.Page == "out/diff.html"; compared != (e.code == 0) {
				t.Errorf("the last step is %+v", last)
			}
			r.leaves(t, "")
			eventually(t, "the programs end", func() bool { return len(r.processes("sleep")) == 0 })
		})
	}
}
