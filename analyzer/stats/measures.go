package stats

import "ohframe/analyzer/trace"

// measure is a number of a process that can be compared.
type measure struct {
	path   string
	better Better
	of     func(*Process) *float64 // nil where not known
}

// measures are all numbers of a process, in the order of its JSON. Left out are the
// histogram, the jank types and the worst frames, which are lists, and points in time.
var measures = func() []measure {
	list := []measure{
		{"observed.seconds", Neither, field(func(p *Process) *Span { return p.Observed }, func(s *Span) float64 { return s.Seconds })},
		{"frames.complete", Neither, counted(func(p *Process) int { return p.Frames.Complete })},
		{"frames.with_deadline", Neither, counted(func(p *Process) int { return p.Frames.WithDeadline })},
		{"frames.late", Neither, counted(func(p *Process) int { return p.Frames.Late })},
		{"frames.late_main", Neither, counted(func(p *Process) int { return p.Frames.LateMain })},
		{"frames.late_gpu", Neither, counted(func(p *Process) int { return p.Frames.LateGPU })},
		{"frames.empty", Neither, counted(func(p *Process) int { return p.Frames.Empty })},
		{"frames.misaligned", Neither, counted(func(p *Process) int { return p.Frames.Misaligned })},
		{"frames.dropped", Neither, counted(func(p *Process) int { return p.Frames.Dropped })},
		{"frames.linked", Neither, counted(func(p *Process) int { return p.Frames.Linked })},
		{"frames.presented", Neither, counted(func(p *Process) int { return p.Frames.Presented })},
		{"frames.truncated", Neither, counted(func(p *Process) int { return p.Frames.Truncated })},
		{"jank_rate", Lower, func(p *Process) *float64 { return p.JankRate }},
		{"empty_rate", Lower, func(p *Process) *float64 { return p.EmptyRate }},
		{"fps.rate_hz", Higher, field(func(p *Process) *FPS { return p.FPS }, func(f *FPS) float64 { return f.Rate })},
	}
	hitches := func(name string, better Better, of func(*Hitches) float64) {
		list = append(list, measure{"hitches." + name, better, field(func(p *Process) *Hitches { return p.Hitches }, of)})
	}
	hitches("idle_ns", Neither, func(h *Hitches) float64 { return float64(h.Idle) })
	hitches("hitches", Neither, func(h *Hitches) float64 { return float64(h.Hitches) })
	hitches("hitch_ns", Neither, func(h *Hitches) float64 { return float64(h.Hitch) })
	hitches("lost_frames", Neither, func(h *Hitches) float64 { return float64(h.LostFrames) })
	hitches("hitch_ms_per_s", Lower, func(h *Hitches) float64 { return h.Ratio })
	hitches("longest_ns", Lower, func(h *Hitches) float64 {
		if h.Longest == nil {
			return 0
		}
		return float64(*h.Longest)
	})
	list = append(list, []measure{
		{"whole_frames.judged", Neither, counted(func(p *Process) int { return p.WholeFrames.Judged })},
		{"whole_frames.late", Neither, counted(func(p *Process) int { return p.WholeFrames.Late })},
		{"whole_frames.late_rate", Lower, func(p *Process) *float64 { return p.WholeFrames.LateRate }},
	}...)
	for i, name := range blameNames {
		list = append(list, measure{"whole_frames.blame." + name, Neither, counted(func(p *Process) int { return *p.WholeFrames.Blame.counts()[i] })})
	}
	verdict := func(name string, of func(*Verdicts) int) {
		list = append(list, measure{"surfaceflinger." + name, Neither, field(
			func(p *Process) *Verdicts { return p.SurfaceFlinger },
			func(v *Verdicts) float64 { return float64(of(v)) })})
	}
	verdict("missed_application", func(v *Verdicts) int { return v.MissedApplication })
	verdict("missed_surfaceflinger", func(v *Verdicts) int { return v.MissedSurfaceFlinger })
	verdict("missed_dropped", func(v *Verdicts) int { return v.MissedDropped })
	verdict("missed", func(v *Verdicts) int { return v.Missed })
	list = append(list, []measure{
		{"longest_streak.frames", Lower, streakFrames},
		{"stutter.slight", Neither, counted(func(p *Process) int { return p.Stutter.Slight })},
		{"stutter.medium", Neither, counted(func(p *Process) int { return p.Stutter.Medium })},
		{"stutter.severe", Neither, counted(func(p *Process) int { return p.Stutter.Severe })},
		{"stutter.unknown", Neither, counted(func(p *Process) int { return p.Stutter.Unknown })},
	}...)
	durations := func(name string, of func(*Durations) trace.Duration) {
		list = append(list, measure{"durations." + name, Lower, field(
			func(p *Process) *Durations { return p.Durations },
			func(d *Durations) float64 { return float64(of(d)) })})
	}
	durations("p50_ns", func(d *Durations) trace.Duration { return d.P50 })
	durations("p90_ns", func(d *Durations) trace.Duration { return d.P90 })
	durations("p95_ns", func(d *Durations) trace.Duration { return d.P95 })
	durations("p99_ns", func(d *Durations) trace.Duration { return d.P99 })
	durations("max_ns", func(d *Durations) trace.Duration { return d.Max })
	inPeriods := func(name string, of func(*DurationsInPeriods) float64) {
		list = append(list, measure{"durations_in_periods." + name, Lower, field(
			func(p *Process) *DurationsInPeriods { return p.DurationsInPeriods }, of)})
	}
	inPeriods("p50_periods", func(d *DurationsInPeriods) float64 { return d.P50 })
	inPeriods("p90_periods", func(d *DurationsInPeriods) float64 { return d.P90 })
	inPeriods("p95_periods", func(d *DurationsInPeriods) float64 { return d.P95 })
	inPeriods("p99_periods", func(d *DurationsInPeriods) float64 { return d.P99 })
	inPeriods("max_periods", func(d *DurationsInPeriods) float64 { return d.Max })
	for stage := range stagesCount {
		timed := func(name string, of func(*StageTimes) *trace.Duration) {
			list = append(list, measure{"stages." + stage.String() + "." + name, Lower, func(p *Process) *float64 {
				t := p.stage(stage)
				if t == nil || of(t) == nil {
					return nil
				}
				return number(float64(*of(t)))
			}})
		}
		timed("p50_ns", func(t *StageTimes) *trace.Duration { return t.P50 })
		timed("p90_ns", func(t *StageTimes) *trace.Duration { return t.P90 })
		timed("max_ns", func(t *StageTimes) *trace.Duration { return t.Max })
		list = append(list, measure{"stages." + stage.String() + ".longest_of_late", Neither, field(
			func(p *Process) *StageTimes { return p.stage(stage) },
			func(t *StageTimes) float64 { return float64(t.LongestOfLate) })})
	}
	return list
}()

// streakFrames is zero where no frame was late, and not known where it is not
// known of any frame whether it was.
func streakFrames(p *Process) *float64 {
	switch {
	case p.Frames.WithDeadline == 0:
		return nil
	case p.LongestStreak == nil:
		return number(0)
	}
	return number(float64(p.LongestStreak.Frames))
}

// stage returns nil if the process's frames do not go through the stage.
func (p *Process) stage(stage Stage) *StageTimes {
	for i := range p.Stages {
		if p.Stages[i].Stage == stage {
			return &p.Stages[i]
		}
	}
	return nil
}

func counted(of func(*Process) int) func(*Process) *float64 {
	return func(p *Process) *float64 { return number(float64(of(p))) }
}

// field returns a number of a part of a process that may be missing.
func field[T any](part func(*Process) *T, of func(*T) float64) func(*Process) *float64 {
	return func(p *Process) *float64 {
		t := part(p)
		if t == nil {
			return nil
		}
		return number(of(t))
	}
}

func number(x float64) *float64 { return &x }

// change returns what became of the measure. A process may be nil.
func (m *measure) change(base, new *Process) Change {
	c := Change{Measure: m.path, Better: m.better}
	if base != nil {
		c.Base = m.of(base)
	}
	if new != nil {
		c.New = m.of(new)
	}
	if c.Base == nil || c.New == nil {
		return c
	}
	c.Delta = number(*c.New - *c.Base)
	if *c.Base != 0 {
		c.Relative = number(*c.Delta / *c.Base)
	}
	return c
}
