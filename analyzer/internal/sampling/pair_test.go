package sampling_test

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/sampling"
	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// A pair is a trace and a recording of the same threads, with the true times of the samples.
type pair struct {
	running  *sampling.Running
	events   []hitrace.Event // two for each interval
	timeline *analyzer.Timeline
	rec      *sample.Recording
	truth    []trace.Time // of each sample, by Sample.Stack
	period   trace.Duration
	offset   trace.Duration // at the middle of the recording
	samples  int
}

// workload decides when a thread runs.
type workload uint8

const (
	frames   workload = iota // in most periods of the display, for varying times
	periodic                 // in each period of the display, for nearly the same time
	worker                   // at random
	spinning                 // nearly always
	workloads
)

// scene is what a pair is made from.
type scene struct {
	seed      uint64
	threads   []workload
	recorded  int            // threads that have samples
	length    trace.Duration // of the trace
	from, to  trace.Duration // of the recording, after the start of the trace
	frequency float64        // samples per second of running time
	cycles    bool           // the sampling period is in cycles, of a changing CPU frequency
	states    bool           // the file states the frequency
	offCPU    bool           // samples at switches
	noise     float64        // share of samples at any time
	drift     float64        // ns per second
	otherBoot bool           // the samples are of another run of the same threads
	again     trace.Duration // the samples are of a repetition of the same work, whose times differ by about this
	clock     sample.ClockID
	wrong     trace.Duration // by how much the stated clock is wrong
	ragged    bool           // processors have events from different times on
	noCPU     bool           // samples do not have the processor
	hertz     float64
}

// runs returns when a thread runs.
func runs(r *rand.Rand, w workload, hertz float64, length trace.Duration) []sampling.Interval {
	var list []sampling.Interval
	second := float64(trace.Second)
	add := func(start, end float64) {
		s, e := trace.Time(start), trace.Time(end)
		if n := len(list); n > 0 && s <= list[n-1].End+2000 {
			s = list[n-1].End + 2000
		}
		if s < e && e < trace.Time(length) {
			list = append(list, sampling.Interval{Start: s, End: e})
		}
	}
	phase := r.Float64() / hertz * second
	mean := (0.1 + 0.35*r.Float64()) / hertz * second
	active := true
	at := 0.0
	for n := 0; at < float64(length); n++ {
		switch w {
		case frames, periodic:
			at = phase + float64(n)/hertz*second
			if w == periodic {
				start := at + 20e3*r.NormFloat64()
				add(start, start+mean+50e3*r.NormFloat64())
				continue
			}
			if r.Float64() < 0.02 {
				active = !active || r.Float64() < 0.5
			}
			if active {
				start := at + 100e3 + 300e3*r.ExpFloat64()
				middle := start + mean*(0.3+r.ExpFloat64()*0.5)
				add(start, middle)
				if r.Float64() < 0.5 { // waits in between
					start = middle + 1e6*r.ExpFloat64()
					add(start, start+1e6*r.ExpFloat64()+100e3)
				}
			}
		case worker:
			at += 15e6*r.ExpFloat64() + 50e3
			run := 2e6*r.ExpFloat64() + 30e3
			add(at, at+run)
			at += run
		case spinning:
			run := 80e6*r.ExpFloat64() + 5e6
			add(at, at+run)
			at += run + 200e3*r.ExpFloat64() + 10e3
		}
	}
	return list
}

// repeated returns when a thread runs that does the same work again.
func repeated(r *rand.Rand, list []sampling.Interval, by trace.Duration) []sampling.Interval {
	list = slices.Clone(list)
	last := trace.Time(0)
	for i := range list {
		v := &list[i]
		v.Start = max(v.Start+trace.Time(float64(by)*r.NormFloat64()), last+2000)
		v.End = max(v.End+trace.Time(float64(by)*r.NormFloat64()), v.Start+2000)
		last = v.End
	}
	return list
}

const firstTID = 1000

func (c *scene) pair() *pair {
	r := rand.New(rand.NewPCG(c.seed, 1))
	start := trace.Time(trace.Second) * trace.Time(100+r.IntN(1_000_000))
	// The threads run from before the recording and the trace until after them.
	before := max(-c.from, 0) + 10*trace.Millisecond
	length := before + max(c.length, c.to) + 10*trace.Millisecond
	begin := start.Add(-before)
	p := &pair{period: trace.Duration(1e9 / c.frequency), running: sampling.NewRunning(trace.Limits{})}
	var traced, sampled [][]sampling.Interval
	shape := r.Uint64()
	for i, w := range c.threads {
		of := func(stream uint64) []sampling.Interval {
			list := runs(rand.New(rand.NewPCG(shape, stream*1000+uint64(i))), w, c.hertz, length)
			for k := range list {
				list[k].Start, list[k].End = list[k].Start+begin, list[k].End+begin
			}
			return list
		}
		traced = append(traced, of(1))
		sampled = append(sampled, traced[i])
		switch {
		case c.otherBoot:
			sampled[i] = of(2)
		case c.again > 0:
			sampled[i] = repeated(r, traced[i], c.again)
		}
	}
	end := start.Add(c.length)
	p.timeline = &analyzer.Timeline{Span: analyzer.Interval{Start: start, End: end}}
	first := map[trace.CPU]trace.Time{}
	for cpu := range trace.CPU(2 * len(c.threads)) {
		if first[cpu] = start; c.ragged {
			first[cpu] += trace.Time(r.Int64N(int64(c.length / 4)))
		}
	}
	cpuOf := func(thread, n int) trace.CPU { return trace.CPU(2*thread + n*2654435761>>7&1) }
	for i, list := range traced {
		tid := trace.TID(firstTID + i)
		for n, v := range list {
			cpu := cpuOf(i, n)
			event := func(at trace.Time, on trace.TID, s hitrace.Switch) {
				if at >= first[cpu] && at < end {
					e := hitrace.Event{Kind: hitrace.SwitchEvent, Fields: &s}
					e.Time, e.CPU, e.TID = at, cpu, on
					p.events = append(p.events, e)
				}
			}
			event(v.Start, 0, hitrace.Switch{NextTID: tid})
			event(v.End, tid, hitrace.Switch{PrevTID: tid})
		}
	}
	slices.SortStableFunc(p.events, func(a, b hitrace.Event) int { return cmp.Compare(a.Time, b.Time) })
	p.running.Sink().Track(0, &hitrace.Batch{Events: p.events})

	profile := &sample.Profile{Clock: sample.Clock{ID: c.clock}, Events: []sample.Event{{Name: "hw-cpu-cycles"}, {Name: "sched:sched_switch", Period: 1}}}
	if c.states {
		profile.Events[0].Frequency = uint64(c.frequency)
	}
	p.rec = &sample.Recording{Profile: profile}
	from, to := start.Add(c.from), start.Add(c.to)
	clock := trace.Duration(r.Int64N(int64(200000*trace.Second))) - trace.Duration(start) + 1
	middle := from + (to-from)/2
	p.offset = -clock
	switch {
	case c.clock == sample.ClockMonotonic:
		p.timeline.Clock = analyzer.ClockOffset{Offset: 3 * trace.Second, Source: analyzer.ClockDoComposition}
		clock = -3*trace.Second + c.wrong
	case c.clock == sample.ClockBoot:
		p.timeline.Clock = analyzer.ClockOffset{Offset: 3 * trace.Second, Source: analyzer.ClockDoComposition}
		clock = c.wrong
	}
	p.timeline.Parts = []analyzer.Part{{Span: p.timeline.Span, Clock: p.timeline.Clock}}
	add := func(at trace.Time, thread int, cpu trace.CPU, event int32) {
		if at < from || at > to {
			return
		}
		moved := at.Add(clock - trace.Duration(c.drift*float64(at-middle)/1e9))
		s := sample.Sample{Time: moved, PID: firstTID, TID: int32(firstTID + thread), CPU: int32(cpu), Event: event, Stack: int32(len(p.truth)), Period: 1}
		if c.noCPU {
			s.CPU = sample.Unknown
		}
		p.truth, p.rec.Samples = append(p.truth, at), append(p.rec.Samples, s)
	}
	for _, i := range r.Perm(len(c.threads))[:c.recorded] {
		left, speed := r.Float64()/c.frequency*1e9, 1.0
		for n, v := range sampled[i] {
			cpu := cpuOf(i, n)
			if c.cycles && r.Float64() < 0.1 {
				speed = 0.3 + 0.7*r.Float64()
			}
			at := float64(v.Start)
			for at+left/speed <= float64(v.End) {
				at += left / speed
				left = 1e9 / c.frequency
				when, whose := trace.Time(at)+trace.Time(r.IntN(20e3)), i
				if r.Float64() < c.noise {
					when = from + trace.Time(r.Int64N(int64(to-from)))
				}
				add(when, whose, cpu, 0)
			}
			left -= (float64(v.End) - at) * speed
			if c.offCPU {
				add(v.End+trace.Time(r.IntN(10e3))-5e3, i, cpu, 1)
			}
		}
	}
	slices.SortStableFunc(p.rec.Samples, func(a, b sample.Sample) int { return cmp.Compare(a.Time, b.Time) })
	p.samples = len(p.rec.Samples)
	return p
}

// sleep makes the device sleep for some time. The clock of the trace goes on, that of the samples does not.
// The trace states the jump if it is known.
func (p *pair) sleep(at trace.Time, length trace.Duration, known bool) {
	span := &p.timeline.Span
	span.End = span.End.Add(length)
	if p.timeline.Parts[0].Span = *span; known {
		p.timeline.Parts = slices.Repeat(p.timeline.Parts, 2)
		p.timeline.Parts[0].Span.End, p.timeline.Parts[1].Span.Start = at, at.Add(length)
		p.timeline.Parts[1].Clock.Offset += length
	}
	// The kernel stops all threads before.
	n, _ := slices.BinarySearchFunc(p.events, at, func(e hitrace.Event, t trace.Time) int { return cmp.Compare(e.Time, t) })
	on := map[trace.CPU]trace.TID{}
	for i := range p.events[:n] {
		on[p.events[i].CPU] = p.events[i].Fields.(*hitrace.Switch).NextTID
	}
	for i := range p.events[n:] {
		e := &p.events[n+i]
		e.Time = e.Time.Add(length)
	}
	var stopped []hitrace.Event
	for _, cpu := range slices.Sorted(maps.Keys(on)) {
		if on[cpu] == 0 {
			continue
		}
		stop := hitrace.Event{Kind: hitrace.SwitchEvent, Fields: &hitrace.Switch{PrevTID: on[cpu]}}
		stop.Time, stop.CPU, stop.TID = at-1, cpu, on[cpu]
		resume := hitrace.Event{Kind: hitrace.SwitchEvent, Fields: &hitrace.Switch{NextTID: on[cpu]}}
		resume.Time, resume.CPU = at.Add(length), cpu
		stopped = append(stopped, stop, resume)
	}
	p.events = slices.Insert(p.events, n, stopped...)
	slices.SortStableFunc(p.events, func(a, b hitrace.Event) int { return cmp.Compare(a.Time, b.Time) })
	for i, t := range p.truth {
		if t >= at {
			p.truth[i] = t.Add(length)
		}
	}
	p.running = sampling.NewRunning(trace.Limits{})
	p.running.Sink().Track(0, &hitrace.Batch{Events: p.events})
}

// align aligns the samples and returns the largest error of those that are in the trace.
func (p *pair) align(given *trace.Duration) (worst trace.Duration, err error) {
	if err := sampling.Align(p.rec, p.running, p.timeline, given); err != nil {
		return 0, err
	}
	for _, s := range p.rec.Samples {
		worst = max(worst, s.Time.Sub(p.truth[s.Stack]).Abs())
	}
	return worst, nil
}

// warned reports whether a warning has a text.
func (p *pair) warned(text string) bool {
	return slices.ContainsFunc(p.rec.Warnings, func(w trace.Warning) bool { return strings.Contains(w.Text, text) })
}
