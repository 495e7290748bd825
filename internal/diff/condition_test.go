package diff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/testing/must"
)

func conditions(t *testing.T, s string) condition.Conditions {
	t.Helper()
	list := must.Get(condition.Parse(s, condition.OfChanges))(t)
	return list
}

// A condition fails if the change is significant and beyond the limit; in its strict form if it is
// significantly beyond the limit. It is unknown if nothing is known of it or a process is gone.
func TestConditionsSignificant(t *testing.T) {
	shuffled := func(longer int) func(int) int { return func(i int) int { return 1 + longer + i*7%20 } }
	base := gallery("gallery", "render_service", 60, 20, shuffled(0))
	base.frame(analyzer.ApplicationFrame, base.process(300, "gone"), 1000, 5)
	new := gallery("gallery", "render_service", 60, 20, shuffled(8))
	list := conditions(t, "p50_ms>+1,p50_ms>+8,p50_ms>+7.9,p50_ms<-1,p50_ms>+10%,p50_ms>>+1,p50_ms>>+7.9,p50_ms>-1,max_ms>+1,p99_ms>+1,hitch_ratio>+1")
	d := compare(t, repeated(3, base.side("")), repeated(3, new.side("")), Options{FailOn: list})
	want := []string{
		"failed ", "passed ", "failed ", "passed ", "failed ", "failed ", "passed ", "failed ",
		"failed ", "unknown too few frames: each run needs 100",
		"passed ",
	}
	for i, o := range d.Outcomes[:len(want)] {
		if got := string(o.Status) + " " + o.Reason; got != want[i] {
			t.Errorf("%s: %s, want %s: %s", o.Condition, got, want[i], o.Text)
		}
	}
	last := d.Outcomes[len(d.Outcomes)-1]
	if got, want := last.String(), "gone: hitch_ratio>+1: the process is not in the new trace"; got != want || last.Status != condition.Unknown {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Frames without deadlines are not judged: how many are late is unknown, and not that they are too few.
func TestUnjudged(t *testing.T) {
	build := func(known bool) Side {
		s := gallery("gallery", "render_service", 40, 20, func(int) int { return 5 })
		for _, f := range s.Frames {
			if !known {
				f.Deadline, f.Expected = 0, analyzer.Interval{}
			}
		}
		return repeated(3, s.side(""))
	}
	d := compare(t, build(true), build(false), Options{FailOn: conditions(t, "gallery: jank_rate>+2pp")})
	must.Equal(t, d.Outcomes[0].Text, "unknown in the new trace")
	must.Equal(t, d.Pairs[0].overviewCell("late_frames").Text, "0 → –")
}

// A condition that names no process is not on one with too few frames in all runs, unless it is on no
// other.
func TestConditionsOfBackground(t *testing.T) {
	side := func(shown, hidden int) Side {
		s := gallery("gallery", "render_service", shown, 20, func(int) int { return 5 })
		notes := s.process(300, "notes")
		for i := range hidden {
			s.frame(analyzer.ApplicationFrame, notes, 1000+20*i, 5)
		}
		return repeated(2, s.side(""))
	}
	for _, test := range []struct {
		base, new  Side
		conditions string
		want       []string
	}{
		{side(40, 5), side(40, 7), "jank_rate>+2pp", []string{"gallery passed", "render_service passed"}},
		{side(40, 5), side(40, 7), "notes: jank_rate>+2pp", []string{"notes unknown"}},
		{side(40, 5), side(40, 40), "jank_rate>+2pp", []string{"gallery passed", "notes unknown", "render_service passed"}},
		{side(5, 5), side(5, 5), "jank_rate>+2pp", []string{"gallery unknown", "notes unknown", "render_service unknown"}},
	} {
		var got []string
		for _, o := range compare(t, test.base, test.new, Options{FailOn: conditions(t, test.conditions)}).Outcomes {
			got = append(got, o.Process+" "+string(o.Status))
		}
		must.EqualSlices(t, got, test.want, "%s", test.conditions)
	}
}

// Conditions of diff apply to the processes that they name, and cannot be checked for a
// process that is missing, in the new trace or in both.
func TestChangesOfProcesses(t *testing.T) {
	d := must.Get(Compare(before(), before(), Options{FailOn: conditions(t, "gallery: jank_rate>+2pp, camera: fps<-1%")}))(t)
	var got []string
	for _, o := range d.Outcomes {
		got = append(got, fmt.Sprintf("%s %s", o, o.Status))
	}
	if len(got) != 2 || !strings.HasPrefix(got[0], "gallery: jank_rate>+2pp: ") || got[1] != "camera: fps<-1%: no process with frames matches; the trace has gallery, render_service unknown" {
		t.Errorf("outcomes %q", got)
	}
}

// A condition that names a process which is only in new cannot be checked, and neither can one on hangs of an
// application that hung without frames there.
func TestConditionsOnlyInNew(t *testing.T) {
	after := before()
	report := *after.Stats
	report.Processes = append(slices.Clone(report.Processes), &stats.Process{Kind: stats.Application, PID: 900, Name: "mail", Hangs: &stats.Hangs{Hangs: 1}})
	after.Stats = &report
	for text, want := range map[string]bool{"mail: longest_hang_ms>+100": true, "longest_hang_ms>+100": true, "gallery: longest_hang_ms>+100": false, "fps<-1%": false} {
		d := must.Get(Compare(before(), after, Options{FailOn: conditions(t, text)}))(t)
		got := slices.ContainsFunc(d.Outcomes, func(o conditionOutcome) bool {
			return o.Process == "mail" && o.Status == condition.Unknown && o.Reason == "the process is not in the base trace"
		})
		if got != want {
			t.Errorf("%s: %v", text, d.Checks())
		}
	}
}

// A condition whose process or kind of groups is not compared cannot be checked: without an outcome it would pass.
func TestConditionsWithoutOutcome(t *testing.T) {
	hung := before()
	report := *hung.Stats
	report.Processes = append(slices.Clone(report.Processes), &stats.Process{Kind: stats.Application, PID: 900, Name: "mail", Hangs: &stats.Hangs{Hangs: 1}})
	hung.Stats = &report
	for _, text := range []string{"mail: longest_hang_ms>+100", "layer.fps<-5%"} {
		o := Options{FailOn: conditions(t, text)}
		d := compare(t, hung, before(), o)
		d.Layers, d.Outcomes = d.Own, nil
		d.checkConditions(o)
		if got := (&condition.Gate{Checks: d.Checks()}).Status(); got != condition.Unknown {
			t.Errorf("%s: %q: %v", text, got, d.Checks())
		}
	}
}

// A condition on jank is not on a process whose frames are never judged, unless it is on no other.
func TestNeverJudged(t *testing.T) {
	scene := gallery("gallery", "render_service", 20, 20, func(int) int { return 9 })
	compositor := scene.process(300, "surfaceflinger")
	for i := range 20 {
		f := scene.frame(analyzer.ApplicationFrame, compositor, 1000+20*i, 5)
		f.Framework, f.Deadline, f.Facts = analyzer.Compositor, 0, 0
	}
	for text, want := range map[string]int{"jank_rate>+2pp": 2, "surface*: jank_rate>+2pp": 1, "surface*: late_frames>+1": 1} {
		d := compare(t, scene.side(""), scene.side(""), Options{FailOn: conditions(t, text)})
		if len(d.Outcomes) != want {
			t.Errorf("%s: %v", text, d.Checks())
		}
		if o := d.Outcomes[0]; (strings.HasPrefix(o.Reason, "no frame of the selected processes")) != (text == "surface*: jank_rate>+2pp") {
			t.Errorf("%s: %s", text, o)
		}
	}
}
