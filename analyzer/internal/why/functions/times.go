package functions

import (
	"encoding/binary"
	"iter"

	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

// Component is a way in which a thread spends time: it ran, or waited, in a stage (docs/why.md 4).
type Component struct {
	Stage why.Stage
	Wait  why.Wait
}

// Runs reports whether the thread ran, not waited.
func (c Component) Runs() bool { return c.Wait.Runs() }

// Times are the samples of a frame, and the time in which they could be taken.
type Times struct {
	components []componentTime
	counts     []count
	by         map[countID]int // of counts, nil if they are few
	taken      []Taken
	wait       uint32 // the last wait that was added
}

// componentTime is the time that a thread ran, or waited, in a component.
type componentTime struct {
	Component
	time trace.Duration
}

// count is the samples of a function in a component. The weight is the sum of their periods or, if the
// function waited, the time that it did.
type count struct {
	countID
	samples int
	weight  uint64
}

type countID struct {
	component int32 // index into Times.components
	function  ID
}

// Taken is a sample in a component.
type Taken struct {
	Component
	Index int32 // as in Table.Sample
}

// Reset makes t empty, and keeps its memory.
func (t *Times) Reset() {
	*t = Times{components: t.components[:0], counts: t.counts[:0], taken: t.taken[:0]}
}

// Ran adds time that the thread ran in a component, and its samples in that time. They are kept if all
// is set.
func (t *Times) Ran(in Component, d trace.Duration, table *Table, samples []int32, all bool) {
	component := t.addTime(in, d)
	for _, i := range samples {
		t.addSamples(countID{component, table.Function(i)}, 1, table.weight(i))
		if all {
			t.taken = append(t.taken, Taken{in, i})
		}
	}
}

// Waited adds time of a wait, which has a number, and the sample that was taken as it began, if
// known is set.
func (t *Times) Waited(in Component, d trace.Duration, number uint32, table *Table, sample int32, known, all bool) {
	component := t.addTime(in, d)
	if !known {
		t.addSamples(countID{component, 0}, 0, uint64(d))
		return
	}
	samples := 1
	if t.wait == number {
		samples = 0
	}
	t.wait = number
	t.addSamples(countID{component, table.Function(sample)}, samples, uint64(d))
	if all && samples > 0 {
		t.taken = append(t.taken, Taken{in, sample})
	}
}

// addTime adds time in a component. It returns the index of the component.
func (t *Times) addTime(in Component, d trace.Duration) int32 {
	for i := range t.components {
		if t.components[i].Component == in {
			t.components[i].time += d
			return int32(i)
		}
	}
	t.components = append(t.components, componentTime{in, d})
	return int32(len(t.components) - 1)
}

// maxScanned is the number of counts up to which one is found by looking at them all.
const maxScanned = 32

func (t *Times) addSamples(id countID, samples int, weight uint64) {
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
//	number of components
//	stage, wait, time
//	…
//	index of the component, function, samples, weight
//	…
func (t *Times) Packed(p []byte) []byte {
	p = binary.AppendUvarint(p, uint64(len(t.components)))
	for _, s := range t.components {
		p = append(p, byte(s.Stage), byte(s.Wait))
		p = binary.AppendUvarint(p, uint64(s.time))
	}
	for _, c := range t.counts {
		p = binary.AppendUvarint(p, uint64(c.component))
		p = binary.AppendUvarint(p, uint64(c.function))
		p = binary.AppendUvarint(p, uint64(c.samples))
		p = binary.AppendUvarint(p, c.weight)
	}
	return p
}

// Unpack sets t to what Packed appended.
func (t *Times) Unpack(packed []byte) {
	t.Reset()
	p := threads.Unpack(packed)
	for range p.Uint() {
		t.components = append(t.components, componentTime{Component{why.Stage(p.Byte()), why.Wait(p.Byte())}, trace.Duration(p.Uint())})
	}
	for !p.Empty() {
		t.counts = append(t.counts, count{countID{int32(p.Uint()), ID(p.Uint())}, int(p.Uint()), p.Uint()})
	}
}

// Key is a function in a component. The function is 0 for time without samples.
type Key struct {
	Component
	Function ID
}

// KeyTime is the time of frames in a function in a component, and the samples there.
type KeyTime struct {
	Key
	why.FunctionSum
}

// All returns the times in functions. The time of running in a component is divided as its samples
// are, by period. The sum is all the time.
func (t *Times) All() iter.Seq[KeyTime] {
	return func(yield func(KeyTime) bool) {
		type progress struct {
			weight, upTo uint64
			done         trace.Duration
		}
		of := make([]progress, len(t.components))
		for i := range t.counts {
			of[t.counts[i].component].weight += t.counts[i].weight
		}
		for i := range t.counts {
			c := &t.counts[i]
			s, p := &t.components[c.component], &of[c.component]
			p.upTo += c.weight // so that rounding loses nothing
			d := trace.Duration(float64(s.time)*(float64(p.upTo)/float64(p.weight))) - p.done
			p.done += d
			if !yield(KeyTime{Key{s.Component, c.function}, why.FunctionSum{Samples: c.samples, Time: d}}) {
				return
			}
		}
		for i, s := range t.components {
			if of[i].weight == 0 && !yield(KeyTime{Key{Component: s.Component}, why.FunctionSum{Time: s.time}}) {
				return
			}
		}
	}
}

// Sum is the time of several frames in functions.
type Sum struct {
	Frames     int // that were sampled
	times      map[Key]*KeyTime
	components map[Component]*componentSum
}

// componentSum is the time of several frames in a component: that with samples, and all.
type componentSum struct{ sampled, all trace.Duration }

// Add adds the times of a frame that was sampled.
func (s *Sum) Add(times iter.Seq[KeyTime]) {
	if s.times == nil {
		s.times, s.components = map[Key]*KeyTime{}, map[Component]*componentSum{}
	}
	s.Frames++
	for p := range times {
		of := s.components[p.Component]
		if of == nil {
			of = &componentSum{}
			s.components[p.Component] = of
		}
		of.all += p.Time
		if p.Samples > 0 || !p.Runs() {
			of.sampled += p.Time
		}
		if p.Samples == 0 && p.Runs() {
			continue
		}
		sum := s.times[p.Key]
		if sum == nil {
			sum = &KeyTime{Key: p.Key}
			s.times[p.Key] = sum
		}
		sum.Samples += p.Samples
		sum.Time += p.Time
	}
}

// ComponentTime returns the time of all frames in a component.
func (s *Sum) ComponentTime(of Component) trace.Duration {
	if sum := s.components[of]; sum != nil {
		return sum.all
	}
	return 0
}

// Of returns the time of all frames in a function in a component. Running without samples, in frames
// that were short, is divided as running with samples is.
func (s *Sum) Of(k Key) KeyTime {
	p := s.times[k]
	if p == nil {
		return KeyTime{Key: k}
	}
	return s.scaled(p)
}

func (s *Sum) scaled(p *KeyTime) KeyTime {
	scaled := *p
	if sum := s.components[p.Component]; sum.sampled > 0 {
		scaled.Time = trace.Duration(float64(p.Time) * (float64(sum.all) / float64(sum.sampled)))
	}
	return scaled
}

// Functions returns the times in all functions, in no order. Function 0 stands for no function.
func (s *Sum) Functions() iter.Seq[KeyTime] {
	return func(yield func(KeyTime) bool) {
		for _, p := range s.times {
			if p.Function != 0 && !yield(s.scaled(p)) {
				return
			}
		}
	}
}
