package diff

import (
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/testing/must"
	"ohframe/internal/text"
)

// onAndroid returns the gallery as Android records it: its buffer is ready 3 ms after the work of the UI
// thread, and the frame of SurfaceFlinger ends when it is shown.
func onAndroid(name string, every int) *scene {
	s := gallery(name, analyzer.SurfaceFlinger, 40, every, func(i int) int { return 4 + i%10 })
	for _, f := range s.Frames {
		timeline := &analyzer.FrameTimeline{Token: f.VsyncID, Verdict: analyzer.Verdict{Jank: analyzer.JankNone, Present: analyzer.PresentOnTime}}
		f.Android = &analyzer.Android{Timeline: timeline}
		if f.Kind == analyzer.RenderFrame {
			f.Actual.End = f.Present
			continue
		}
		f.Actual.End = f.Actual.End.Add(3 * ms)
		if f.Actual.End > f.Deadline {
			f.Facts, timeline.Jank, timeline.Verdict.Present = analyzer.MainLate, analyzer.JankAppDeadlineMissed, analyzer.PresentLate
		}
	}
	return s
}

func onOpenHarmony(every int) *scene {
	return gallery("example.gallery", "render_service", 40, every, func(i int) int { return 4 + i%10 })
}

// Android and OpenHarmony judge frames by their own rules: what these decide is shown of each side, and not
// compared. When frames were shown is compared by the same rules.
func TestRulesDiffer(t *testing.T) {
	limits := must.Get(condition.Parse("jank_rate>+0pp,p95_ms>+0,fps<-0%,hitch_ratio>+0", condition.OfChanges))(t)
	for _, ours := range []bool{false, true} {
		base, new := onAndroid("com.android.gallery3d", 20).side("android.pftrace"), onOpenHarmony(20).side("ohos.ftrace")
		o := Options{Map: []Mapping{{"com.android.gallery3d", "example.gallery"}}, FailOn: limits}
		if ours {
			base, new, o.Map[0] = new, base, Mapping{"example.gallery", "com.android.gallery3d"}
		}
		d := compare(t, repeated(2, base), repeated(2, new), o)
		must.Equal(t, len(d.Pairs), 2, "pairs")
		for _, p := range d.Pairs {
			if !p.RulesDiffer {
				t.Errorf("%s: the rules do not differ", p.title())
			}
			for _, m := range p.measures() {
				path, _, _ := strings.Cut(m.Field, ".")
				own := slices.Contains([]string{"jank_rate", "lost_ns", "whole_frames", "longest_streak", "stutter", "durations", "durations_in_periods", "overruns"}, path) ||
					slices.Contains([]string{"late_frames", "judged_frames", "ui_work_p50_ms", "render_main_p50_ms"}, m.Name)
				same := slices.Contains([]string{"fps", "hitches", "latencies", "observed"}, path) || m.Name == "frames"
				if m.Base == nil || m.New == nil {
					continue
				}
				if own && (m.Delta != nil || m.Relative != nil) || same && m.Delta == nil {
					t.Errorf("%s, %s: %v → %v, change %v", p.title(), m.Name, *m.Base, *m.New, m.Delta)
				}
			}
			// The display shows the same pictures at the same times.
			for _, name := range []string{"fps", "hitch_ratio", "vsync_to_present_p50_ms"} {
				if m := p.measure(name); m.Delta == nil || *m.Delta != 0 {
					t.Errorf("%s: %s changed by %v", p.title(), name, m.Delta)
				}
			}
		}
		for _, o := range d.Outcomes {
			own := o.Measure == "jank_rate" || o.Measure == "p95_ms"
			if own != (o.Status == condition.Unknown) || own && o.Reason != "not comparable, each side has rules of its own" {
				t.Errorf("%s: %s %s", o.Condition, o.Status, o.Reason)
			}
		}
		// 30 % of the frames of OpenHarmony take more than their 10 ms: those of 11, 12 and 13 ms. With 3 ms for
		// drawing, Android's of 8 ms and more are late, 60 %.
		page := write(t, d, "table", WriteOptions{Style: text.Style{Width: 100}})
		want := map[bool][]string{false: {"60.0 %", "30.0 %"}, true: {"30.0 %", "60.0 %"}}[ours]
		if got := row(page, "Jank rate"); !slices.Equal(got, want) {
			t.Errorf("jank rates %q, want %q, in\n%s", got, want, page)
		}
		if n := strings.Count(strings.Join(strings.Fields(page), " "), "Android has its own"); n != 1 {
			t.Errorf("the rules are explained %d times in\n%s", n, page)
		}
		for _, p := range d.Pairs {
			if p.charts() != nil {
				t.Errorf("%s: charts compare durations", p.title())
			}
		}
	}
	d := compare(t, onAndroid("gallery", 20).side("a"), onAndroid("gallery", 25).side("b"), Options{})
	for _, p := range d.Pairs {
		if p.RulesDiffer || p.measure("jank_rate").Delta == nil || p.charts() == nil {
			t.Errorf("%s on Android: jank is not compared", p.title())
		}
	}
}

// row returns the values after the label of the first row that has it.
func row(page, label string) (values []string) {
	for line := range strings.Lines(page) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), label+"  "); ok {
			for s := range strings.SplitSeq(rest, "  ") {
				if s = strings.TrimSpace(s); s != "" {
					values = append(values, s)
				}
			}
			return values
		}
	}
	return nil
}

// Refresh rates that differ are said once if they are those of all processes.
func TestRefreshSaidOnce(t *testing.T) {
	slow := onOpenHarmony(20)
	for _, f := range slow.Frames {
		f.Period = 20 * ms
	}
	for _, base := range []*scene{onOpenHarmony(20), onAndroid("example.gallery", 20)} {
		d := compare(t, base.side("a"), slow.side("b"), Options{})
		page := write(t, d, "table", WriteOptions{Style: text.Style{Width: 200}})
		if n := strings.Count(page, "100.0 Hz → 50.0 Hz"); n != 1 {
			t.Errorf("the rates are said %d times in\n%s", n, page)
		}
		must.Equal(t, d.Pairs[0].measure("fps_of_refresh").Delta != nil, true, "FPS / refresh rate is compared")
		must.Equal(t, strings.Contains(page, "  FPS / refresh  "), true, "the table has it: %s", page)
	}
}

// Applications of which none is in both traces are proposed to be compared: those with the most frames.
func TestProposal(t *testing.T) {
	framed := func(kind stats.Kind, name string, frames int) *stats.Process {
		p := process(kind, 1, name)
		p.Frames.Complete = frames
		return p
	}
	later := framed(stats.Application, "late", 3)
	later.PID = 2
	app, rs := func(name string, n int) *stats.Process { return framed(stats.Application, name, n) }, framed(stats.RenderService, "render_service", 9)
	for _, test := range []struct {
		name      string
		base, new []*stats.Process
		want      Mapping
	}{
		{"the largest", []*stats.Process{app("a", 3), app("b", 7), rs}, []*stats.Process{app("c", 5), app("d", 4), rs}, Mapping{"b", "c"}},
		{"several", []*stats.Process{app("a", 3), later}, []*stats.Process{app("c", 5), rs}, Mapping{"late", "c"}},
		{"one is in both", []*stats.Process{app("a", 3), app("b", 7)}, []*stats.Process{app("b", 5), app("d", 4)}, Mapping{}},
		{"none in base", []*stats.Process{rs}, []*stats.Process{app("b", 5), rs}, Mapping{}},
		{"no frames", []*stats.Process{app("a", 0), rs}, []*stats.Process{app("b", 5), rs}, Mapping{}},
		{"of a container", []*stats.Process{app("a", 3), rs}, []*stats.Process{app("b", 6), app("surfaceflinger", 8), rs}, Mapping{"a", "b"}},
		{"no name", []*stats.Process{app("", 2), rs}, []*stats.Process{app("b", 5), rs}, Mapping{"1", "b"}},
	} {
		d := &Diff{Base: processes(test.base...), New: processes(test.new...)}
		must.Do(t, d.match(Options{}))
		if got, ok := d.proposal(); got != test.want || ok != (test.want != Mapping{}) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// Lost time is unknown where no frame is judged, as in a text trace of Android, which has no deadlines.
func TestLostUnknown(t *testing.T) {
	base, new := costly("android.ftrace", 0), costly("ohos.ftrace", 10)
	for _, c := range base.Costs {
		c.unjudged = true
	}
	d := compare(t, base, new, failOn(t, "lost_ms_per_s>+5"))
	for _, p := range d.Pairs {
		if lost := p.Causes.Lost; lost.Base != nil || lost.Delta != nil || len(p.Causes.Causes) > 0 || len(p.Causes.Times) == 0 {
			t.Errorf("%s: lost %v, %d causes", p.title(), lost.Values, len(p.Causes.Causes))
		}
	}
	must.Equal(t, d.Outcomes[0].Reason, "unknown in the base trace")
	for _, format := range Formats {
		write(t, d, format, WriteOptions{})
	}
}
