package diff

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/condition"
	"ohframe/internal/significance"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
)

// costly returns a side of one run whose processes have the costs of withCosts, and whose
// application's frames are 5 ms long.
func costly(name string, storage float64) Side { return costlyFrames(name, storage, 5) }

func costlyFrames(name string, storage float64, length int) Side {
	return withCosts(gallery("gallery", "render_service", 20, 20, func(int) int { return length }).side(name), storage)
}

// withCosts gives each process 100 frames in a second that lost the given milliseconds to
// storage in a slice, and spent them there.
func withCosts(s Side, storage float64) Side {
	d := trace.Duration(storage * 1e6)
	s.Costs = map[*stats.Process]*Costs{}
	for _, p := range s.Stats.Processes {
		s.Costs[p] = &Costs{
			seconds: 1, frames: 100, lost: d + ms,
			causes: causeTimes{{wait: why.WaitIO, slice: "FlushLayoutTask"}: d, {wait: why.Run, slice: "FlushBuild"}: ms},
			times:  causeTimes{{wait: why.WaitIO, stage: why.StageLayout}: d, {wait: why.Run, stage: why.StageLayout}: 400 * ms},
		}
	}
	return s
}

// several returns a side of runs with frames of a length in milliseconds.
func several(name string, length int, storage ...float64) Side {
	var runs []Side
	for i, x := range storage {
		runs = append(runs, costlyFrames(fmt.Sprint(name, i), x, length))
	}
	return Join(name, runs)
}

func failOn(t *testing.T, s string) Options {
	t.Helper()
	return Options{FailOn: conditions(t, s), Process: func(p *analyzer.Process) bool { return p.Name == "gallery" }}
}

func TestCauseChanges(t *testing.T) {
	o := failOn(t, "lost_ms_per_s>+5,wait.io.lost_ms_per_s>+25,wait.io.ms_per_frame>+0.1,wait.gc.wait.ms_per_frame>+0")
	d := compare(t, several("base", 5, 10, 11, 12), several("new", 7, 30, 31, 32), o)
	c := d.Pairs[0].Causes
	must.Equal(t, fmt.Sprintf("%.3f %.3f %.3f", *c.Lost.Base, *c.Lost.New, *c.Lost.Delta), "12.000 32.000 20.000", "lost")
	// The work in FlushBuild did not change, and comes last.
	first := &c.Causes[0]
	if first.Title != "waiting for storage in FlushLayoutTask" || math.Abs(*first.Delta-20) > 1e-9 || first.Verdict != Worse || len(c.Causes) != 2 || *c.Causes[1].Delta != 0 {
		t.Errorf("%d causes, first %s: %v", len(c.Causes), first.Title, *first.Delta)
	}
	// 20 ms in 100 frames.
	if first := &c.Times[0]; first.cause.wait != why.WaitIO || first.Slice != "" || math.Abs(*first.Delta-0.2) > 1e-9 {
		t.Errorf("times begin with %s: %v", first.Title, *first.Delta)
	}
	var got []string
	for _, o := range d.Outcomes {
		got = append(got, o.Measure+" "+string(o.Status))
	}
	want := "lost_ms_per_s failed; wait.io.lost_ms_per_s passed; wait.io.ms_per_frame failed; wait.gc.wait.ms_per_frame passed"
	must.Equal(t, strings.Join(got, "; "), want)
	for _, format := range Formats {
		if format == "junit" {
			continue // they have conditions, and no measures or causes
		}
		if text := write(t, d, format, WriteOptions{}); !strings.Contains(text, "waiting for storage in FlushLayoutTask") {
			t.Errorf("%s lacks the cause", format)
		}
	}
	// Causes that changed little have a row together, so that rows add up.
	if table := strings.Join(strings.Fields(write(t, d, "table", WriteOptions{})), " "); !strings.Contains(table, "other causes 1.0 → 1.0 0 not tested all causes 12.0 → 32.0 +20.0") {
		t.Error(table)
	}
}

// Causes explain changes of measures: if none changed, causes are not better or worse, however
// small their p-values are. Conditions name a measure, and hold without that.
func TestCausesOfNoChange(t *testing.T) {
	o := failOn(t, "lost_ms_per_s>+5")
	for _, test := range []struct {
		length int
		want   bool
	}{{5, false}, {7, true}} {
		d := compare(t, several("base", 5, 10, 11, 12), several("new", test.length, 30, 31, 32), o)
		c := d.Pairs[0].Causes
		for _, m := range []*Measure{c.Lost.Measure, c.Causes[0].Measure, c.Times[0].Measure} {
			if (m.Verdict == Worse) != test.want || m.Verdict == NotTested || *m.P > significance.Level {
				t.Errorf("frames of %d ms: %s", test.length, describe(m))
			}
		}
		if d.Outcomes[0].Status != condition.Failed {
			t.Errorf("frames of %d ms: %s", test.length, d.Outcomes[0])
		}
	}
}

// Causes with scheduling events do not compare with causes without.
func TestCausesOfDifferentTags(t *testing.T) {
	base, new := costly("base", 10), costly("new", 30)
	for _, k := range new.Costs {
		k.scheduled = true
	}
	d := compare(t, base, new, failOn(t, "wait.io.lost_ms_per_s>+5"))
	if d.Pairs[0].Causes != nil || d.Outcomes[0].Reason != "only some traces have scheduling events of the threads" {
		t.Errorf("%+v: %s", d.Pairs[0].Causes, d.Outcomes[0])
	}
	for _, format := range []string{"table", "html"} {
		must.Contain(t, write(t, d, format, WriteOptions{}), "Causes of late frames are not compared: only some traces have", "%s", format)
	}
	if d = compare(t, new, new, Options{}); d.Pairs[0].Causes == nil {
		t.Error("causes of equal tags are not compared")
	}
}

// A measure that only one side has is a difference.
func TestKnownOnOneSide(t *testing.T) {
	base, new := before(), before()
	report := *new.Stats
	app := *report.Processes[0]
	app.JankRate = nil
	report.Processes = append([]*stats.Process{&app}, report.Processes[1:]...)
	new.Stats = &report
	table := write(t, compare(t, base, new, Options{}), "table", WriteOptions{})
	must.Contain(t, table, "Not compared, because only one side has them: Jank rate\n")
}

// The same frames lose the same time per second, however long the recording idles between them.
func TestCostsWithoutIdleTime(t *testing.T) {
	var first float64
	for _, idle := range []trace.Duration{0, 18 * trace.Second} {
		config := simulate.Default()
		config.Duration, config.Chances.RenderSkip = 2*trace.Second+idle, 1
		config.Injections = []simulate.Injection{{Cause: "more_work", Vsync: 24, Length: 30 * trace.Millisecond}}
		config.Apps[0].Pauses = []simulate.Pause{{At: trace.Second, Length: idle}}
		var text bytes.Buffer
		must.Get(simulate.Write(&text, config))(t)
		result := must.Get(analysis.Run(t.Context(), &text, hitrace.Options{}, analysis.FrameOptions{}, analysis.Options{Causes: true}))(t)
		report := stats.Compute(result.Timeline, stats.Options{})
		for p, k := range NewCosts(report, result.Timeline, result.Causes, nil) {
			if p.Kind != stats.Application {
				continue
			}
			if first == 0 {
				first = k.perSecond(k.lost)
			}
			if got := k.perSecond(k.lost); got == 0 || math.Abs(got/first-1) > .02 {
				t.Errorf("%v idle: %.2f ms/s lost, want %.2f", idle, got, first)
			}
		}
	}
}

// The times of a trace add up to the mean span of its frames, and the causes to what was
// lost.
func TestCosts(t *testing.T) {
	var text bytes.Buffer
	must.Get((simulate.Scene{Kernel: simulate.KernelLinux, Cause: simulate.CauseStorageD, Seed: 1}).Generate(&text))(t)
	result := must.Get(analysis.Run(t.Context(), &text, hitrace.Options{}, analysis.FrameOptions{}, analysis.Options{Causes: true}))(t)
	timeline, causes := result.Timeline, result.Causes
	report := stats.Compute(timeline, stats.Options{Compare: true})
	costs := NewCosts(report, timeline, causes, nil)
	frames := stats.NewFrames(timeline)
	for _, p := range report.Processes {
		k, span, lost := costs[p], trace.Duration(0), trace.Duration(0)
		for _, f := range frames.Of(p) {
			e := causes.Of(f)
			span += e.End.Sub(e.Start)
			lost += e.Lost
		}
		sum := func(list causeTimes) (d trace.Duration) {
			for _, time := range list {
				d += time
			}
			return d
		}
		if sum(k.times) != span || sum(k.causes) != lost || k.lost != lost || k.frames != p.Frames.Complete {
			t.Errorf("%s: times %v of %v, causes %v of %v", p.Name, sum(k.times), span, sum(k.causes), lost)
		}
		if p.Kind == stats.Application && k.causes[cause{wait: why.WaitIO, slice: "FlushLayoutTask"}]*2 < lost {
			t.Errorf("storage cost %v of %v", k.causes, lost)
		}
	}
	// Scheduling events of other threads do not say what the threads of the frames did.
	unknown := report.Processes[0]
	for _, f := range frames.Of(unknown) {
		e := causes.Of(f)
		e.Unknown = e.End.Sub(e.Start)
	}
	for p, k := range NewCosts(report, timeline, causes, nil) {
		if k.scheduled != (p != unknown) {
			t.Errorf("%s: scheduled %v", p.Name, k.scheduled)
		}
	}
}
