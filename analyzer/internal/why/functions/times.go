package functions

import (
	"encoding/binary"
	"iter"

	"ohframe/analyzer/internal/why/record"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

// Stage is a way in which a thread spends time that has functions: it ran, or waited.
type Stage struct {
	Stage why.Stage
	Wait  why.Wait
}

// Runs reports whether the thread ran, not waited.
func (s Stage) Runs() bool { return s.Wait.Runs() }

// Times are the samples of a frame, and the time in which they could be taken.
type Times struct {
	stages []stageTime
	counts []count
	by     map[countID]int // of counts, nil if they are few
	taken  []Taken
	wait   uint32 // the last wait that was added
}

// stageTime is the time that a thread ran, or waited, in a stage.
type stageTime struct {
	Stage
	time trace.Duration
}

// count is the samples of a function in a stage. The weight is the sum of their periods or, if the
// function waited, the time that it did.
type count struct {
	countID
	samples int
	weight  uint64
}

type countID struct {
	stage    int32 // index into Times.stages
	function ID
}

// Taken is a sample in a stage.
type Taken struct {
	Stage
	Index int32 // as in Table.Sample
}

// Reset makes t empty, and keeps its memory.
func (t *Times) Reset() {
	*t = Times{stages: t.stages[:0], counts: t.counts[:0], taken: t.taken[:0]}
}

// Ran adds time that the thread ran in a stage, and its samples in that time. They are kept if all
// is set.
func (t *Times) Ran(s Stage, d trace.Duration, table *Table, samples []int32, all bool) {
	stage := t.pass(s, d)
	for _, i := range samples {
		t.add(countID{stage, table.Function(i)}, 1, table.weight(i))
		if all {
			t.taken = append(t.taken, Taken{s, i})
		}
	}
}

// Waited adds time of a wait, which has a number, and the sample that was taken as it began, if
// known is set.
func (t *Times) Waited(s Stage, d trace.Duration, number uint32, table *Table, sample int32, known, all bool) {
	stage := t.pass(s, d)
	if !known {
		t.add(countID{stage, 0}, 0, uint64(d))
		return
	}
	samples := 1
	if t.wait == number {
		samples = 0
	}
	t.wait = number
	t.add(countID{stage, table.Function(sample)}, samples, uint64(d))
	if all && samples > 0 {
		t.taken = append(t.taken, Taken{s, sample})
	}
}

// pass adds time in a stage. It returns the index of the stage.
func (t *Times) pass(s Stage, d trace.Duration) int32 {
	for i := range t.stages {
		if t.stages[i].Stage == s {
			t.stages[i].time += d
			return int32(i)
		}
	}
	t.stages = append(t.stages, stageTime{s, d})
	return int32(len(t.stages) - 1)
}

// maxScanned is the number of counts up to which one is found by looking at them all.
const maxScanned = 32

func (t *Times) add(id countID, samples int, weight uint64) {
	c := &t.counts[t.find(id)]
	c.samples += samples
	c.weight += weight
}

// find returns the index of a count. It adds the count if t lacks it.
func (t *Times) find(id countID) int {
	if t.by != nil {
		if i, ok := t.by[id]; ok {
			return i
		}
	} else {
		for i := range t.counts {
			if t.counts[i].countID == id {
				return i
			}
		}
		if len(t.counts) == maxScanned {
			t.by = make(map[countID]int, 2*maxScanned)
			for i := range t.counts {
				t.by[t.counts[i].countID] = i
			}
		}
	}
	if t.by != nil {
		t.by[id] = len(t.counts)
	}
	t.counts = append(t.counts, count{countID: id})
	return len(t.counts) - 1
}

// Taken returns the samples that were kept.
func (t *Times) Taken() []Taken { return t.taken }

// Packed appends the times, without the samples, in few bytes:
//
//	number of stages
//	stage, wait, time
//	…
//	index of the stage, function, samples, weight
//	…
func (t *Times) Packed(p []byte) []byte {
	p = binary.AppendUvarint(p, uint64(len(t.stages)))
	for _, s := range t.stages {
		p = append(p, byte(s.Stage.Stage), byte(s.Wait))
		p = binary.AppendUvarint(p, uint64(s.time))
	}
	for _, c := range t.counts {
		p = binary.AppendUvarint(p, uint64(c.stage))
		p = binary.AppendUvarint(p, uint64(c.function))
		p = binary.AppendUvarint(p, uint64(c.samples))
		p = binary.AppendUvarint(p, c.weight)
	}
	return p
}

// Unpack sets t to what Packed appended.
func (t *Times) Unpack(packed []byte) {
	t.Reset()
	p := record.Unpack(packed)
	for range p.Uint() {
		t.stages = append(t.stages, stageTime{Stage{why.Stage(p.Byte()), why.Wait(p.Byte())}, trace.Duration(p.Uint())})
	}
	for !p.Empty() {
		t.counts = append(t.counts, count{countID{int32(p.Uint()), ID(p.Uint())}, int(p.Uint()), p.Uint()})
	}
}

// Part is the time of frames in a function in a stage. The function is 0, and samples too, for
// time without samples.
type Part struct {
	Stage
	Function ID
	Samples  int
	Time     trace.Duration
}

// Parts returns the times in functions. The time of running in a stage is divided as its samples
// are, by period. The sum is all the time.
func (t *Times) Parts() iter.Seq[Part] {
	return func(yield func(Part) bool) {
		type progress struct {
			weight, upTo uint64
			done         trace.Duration
		}
		of := make([]progress, len(t.stages))
		for i := range t.counts {
			of[t.counts[i].stage].weight += t.counts[i].weight
		}
		for i := range t.counts {
			c := &t.counts[i]
			s, p := &t.stages[c.stage], &of[c.stage]
			p.upTo += c.weight // so that rounding loses nothing
			d := trace.Duration(float64(s.time)*(float64(p.upTo)/float64(p.weight))) - p.done
			p.done += d
			if !yield(Part{s.Stage, c.function, c.samples, d}) {
				return
			}
		}
		for i, s := range t.stages {
			if of[i].weight == 0 && !yield(Part{Stage: s.Stage, Time: s.time}) {
				return
			}
		}
	}
}

// Sum is the time of several frames in functions.
type Sum struct {
	Frames int // that were sampled
	parts  map[key]*Part
	stages map[Stage]*stageSum
}

type key struct {
	Stage
	function ID
}

// stageSum is the time of several frames in a stage: that with samples, and all.
type stageSum struct{ sampled, all trace.Duration }

// Add adds the parts of a frame that was sampled.
func (s *Sum) Add(parts iter.Seq[Part]) {
	if s.parts == nil {
		s.parts, s.stages = map[key]*Part{}, map[Stage]*stageSum{}
	}
	s.Frames++
	for p := range parts {
		of := s.stages[p.Stage]
		if of == nil {
			of = &stageSum{}
			s.stages[p.Stage] = of
		}
		of.all += p.Time
		if p.Samples > 0 || !p.Runs() {
			of.sampled += p.Time
		}
		if p.Samples == 0 && p.Runs() {
			continue
		}
		k := key{p.Stage, p.Function}
		sum := s.parts[k]
		if sum == nil {
			sum = &Part{Stage: p.Stage, Function: p.Function}
			s.parts[k] = sum
		}
		sum.Samples += p.Samples
		sum.Time += p.Time
	}
}

// StageTime returns the time of all frames in a stage.
func (s *Sum) StageTime(of Stage) trace.Duration {
	if sum := s.stages[of]; sum != nil {
		return sum.all
	}
	return 0
}

// Of returns the time of all frames in a function in a stage. Running without samples, in frames
// that were short, is divided as running with samples is.
func (s *Sum) Of(of Stage, function ID) Part {
	p := s.parts[key{of, function}]
	if p == nil {
		return Part{Stage: of, Function: function}
	}
	return s.scaled(p)
}

func (s *Sum) scaled(p *Part) Part {
	scaled := *p
	if sum := s.stages[p.Stage]; sum.sampled > 0 {
		scaled.Time = trace.Duration(float64(p.Time) * (float64(sum.all) / float64(sum.sampled)))
	}
	return scaled
}

// All returns the times in all functions, in no order.
func (s *Sum) All() iter.Seq[Part] {
	return func(yield func(Part) bool) {
		for _, p := range s.parts {
			if p.Function != 0 && !yield(s.scaled(p)) {
				return
			}
		}
	}
}
