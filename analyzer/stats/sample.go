package stats

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"math"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// sample is what the tested measures of a process in one run are computed from.
type sample struct {
	// from and to are the first and the last start of a frame of the run, of any process.
	from, to trace.Time
	frames   []sampled // in the order of their lengths
	gaps     []gap
	presents []present
	hash     uint64 // seeds the resampling
}

// sampled is a frame.
type sampled struct {
	at      trace.Time
	length  trace.Duration // unknownLength for a dropped frame
	periods microperiods   // length in periods; unknownLength if unknown
	judged  bool
	late    bool
}

const unknownLength = -1

// blocks is a sample by blocks of time. A resample draws blocks, not frames, because late frames
// cluster.
type blocks struct {
	list  []block // those that have something, in order
	count int     // of all blocks
	// lengths are those of all frames, in ms or in periods, in order.
	lengths []timed
	periods bool
}

// block has the sums of the frames that start, and of the gaps that end, in a block. They
// are floats because resampling adds a block many times, which must not overflow.
type block struct {
	number           int32
	judged, late     float64
	gaps             float64
	active           float64 // ns
	refreshes        float64 // millionths
	presents         float64
	presented, hitch float64 // the time of the gaps between presents, and of hitches; ns
}

// timed is the length of a frame and the block of its start.
type timed struct {
	length float64
	block  int32
}

// statistic is a measure that is tested.
type statistic int

const (
	jankRate statistic = iota
	frameRate
	hitchesPerTime
	p50
	p90
	p95
	p99
	statistics
)

// percents are the percentiles from p50 on.
var percents = [...]int{50, 90, 95, 99}

// Tested are the names of the measures that comparisons test, in the order of the statistics. If refresh
// rates differ, they test TestedAcrossRates instead: the same relative to the refresh rate.
var (
	Tested            = Measures.where(func(m *Measure) bool { return m.Tested })
	TestedAcrossRates = Measures.where(func(m *Measure) bool { return m.Tested && !m.PerRefresh || m.AcrossRates })
)

// MinFrames returns the number of frames, or of gaps between frames, that a measure of
// Tested needs on each side and in each run.
func MinFrames(measure string) int {
	if m := Measures.Named(measure); m != nil {
		return m.Least
	}
	return minFrames
}

// minFrames and minP99 are the least numbers of frames of percentiles with one frame beyond them: the
// 95th needs 20 frames, the 99th 100.
const (
	minFrames = 20
	minP99    = 100
)

// leastOf returns the least number of values of a percentile.
func leastOf(percent int) int {
	switch percent {
	case 95:
		return minFrames
	case 99:
		return minP99
	}
	return 1
}

// The length of blocks grows with the cube root of the run's, the rate at which the error
// of a variance from blocks is smallest (Hall, Horowitz and Jing, 1995): 0.54 s for 10 s.
// Blocks must be longer than a cluster of late frames. There are at least ten in a run,
// because fewer say little about how blocks vary.
const (
	blockOfSecond = 250 * trace.Millisecond
	minBlocks     = 10
	maxBlocks     = 1000
)

// setCompared measures the processes for comparisons.
func (r *Report) setCompared(lengths bool) {
	var from, to trace.Time
	for _, p := range r.Processes {
		for _, f := range p.records.frames {
			if from == 0 && to == 0 {
				from, to = f.Actual.Start, f.Actual.Start
			}
			from, to = min(from, f.Actual.Start), max(to, f.Actual.Start)
		}
	}
	for _, p := range r.Processes {
		if len(p.records.frames) == 0 {
			continue
		}
		s := newSample(&p.records)
		s.from, s.to = from, to
		p.compared = &compared{estimates: newEstimates(s, false), acrossRates: newEstimates(s, true), shown: map[int]int{}}
		for i := range p.records.shown {
			if period := p.records.shown[i].period; period > 0 {
				p.compared.shown[wholeHertz(period)]++
			}
		}
		if lengths {
			p.compared.lengths, p.compared.periods = s.lengths(false), s.lengths(true)
		}
	}
}

// newSample returns the sample of a process whose records fps and hitches have measured.
func newSample(r *records) *sample {
	s := &sample{gaps: r.gaps, presents: r.presents}
	for _, f := range r.frames {
		x := sampled{at: f.Actual.Start, length: f.Actual.Duration(), periods: unknownLength, judged: f.Judged(), late: f.Judged() && f.Late()}
		if f.Facts.Has(analyzer.Dropped) {
			x.length = unknownLength
		} else if period := periodOf(f); period > 0 {
			x.periods = inPeriods(x.length, period)
		}
		s.frames = append(s.frames, x)
	}
	slices.SortFunc(s.frames, func(a, b sampled) int { return cmp.Or(cmp.Compare(a.length, b.length), cmp.Compare(a.at, b.at)) })
	s.hash = s.sum()
	return s
}

// Lengths returns the lengths of the frames of the process, in order: in milliseconds, or
// in refresh periods, of the frames whose period is known. Dropped frames have none. It
// returns nil if Options.Lengths was not set.
func (p *Process) Lengths(periods bool) []float64 {
	switch {
	case p.compared == nil:
		return nil
	case periods:
		return p.compared.periods
	}
	return p.compared.lengths
}

func (s *sample) lengths(periods bool) (list []float64) {
	for i := range s.frames {
		if x, ok := s.frames[i].lengthIn(periods); ok {
			list = append(list, x)
		}
	}
	slices.Sort(list) // the sample is in the order of milliseconds
	return list
}

// lengthIn returns the length of a frame lengthIn milliseconds or lengthIn periods, and whether it is known.
func (f *sampled) lengthIn(periods bool) (length float64, ok bool) {
	if periods {
		return f.periods.periods(), f.periods != unknownLength
	}
	return f.length.Milliseconds(), f.length != unknownLength
}

// sum returns a hash of the sample.
func (s *sample) sum() uint64 {
	h := fnv.New64a()
	write := func(list ...int64) {
		for _, n := range list {
			h.Write(binary.LittleEndian.AppendUint64(nil, uint64(n)))
		}
	}
	for _, f := range s.frames {
		late := int64(0)
		if f.late {
			late = 1
		}
		write(int64(f.at), int64(f.length), int64(f.periods), late)
	}
	for _, g := range s.gaps {
		write(int64(g.active))
	}
	for _, p := range s.presents {
		write(int64(p.hitch))
	}
	return h.Sum64()
}

// span returns the time in which the run has frames, in ns, at least 1.
func (s *sample) span() float64 { return math.Max(1, float64(s.to.Since(s.from))) }

// count returns the number of blocks of the sample.
func (s *sample) count() int {
	length := float64(blockOfSecond) * math.Cbrt(s.span()/float64(trace.Second))
	return int(min(maxBlocks, max(minBlocks, math.Floor(s.span()/length))))
}

// newBlocks divides a sample into blocks.
func newBlocks(s *sample, periods bool) *blocks {
	b := &blocks{count: s.count(), periods: periods}
	places := make([]int, b.count) // in b.list, plus 1
	at := func(t trace.Time) *block {
		i := float64(t.Since(s.from)) / s.span() * float64(b.count)
		n := min(b.count-1, int(max(0, min(i, maxBlocks)))) // a frame's present may be outside
		if places[n] == 0 {
			b.list = append(b.list, block{number: int32(n)})
			places[n] = len(b.list)
		}
		return &b.list[places[n]-1]
	}
	for _, f := range s.frames {
		i := at(f.at)
		if f.judged {
			i.judged++
		}
		if f.late {
			i.late++
		}
		if x, ok := f.lengthIn(periods); ok {
			b.lengths = append(b.lengths, timed{x, i.number})
		}
	}
	for _, g := range s.gaps {
		x := at(g.at)
		x.gaps++
		x.active += float64(g.active)
		x.refreshes += float64(g.refreshes)
	}
	for _, p := range s.presents {
		x := at(p.at)
		x.presents++
		x.presented += float64(p.time)
		x.hitch += float64(p.hitch)
	}
	slices.SortFunc(b.list, func(x, y block) int { return cmp.Compare(x.number, y.number) })
	slices.SortFunc(b.lengths, func(x, y timed) int { return cmp.Or(cmp.Compare(x.length, y.length), cmp.Compare(x.block, y.block)) })
	return b
}

// oneLate returns what one late frame adds to each statistic: to that of hitches, one gap between
// presents. Other statistics have 0.
func (b *blocks) oneLate() (x [statistics]float64) {
	var all block
	for i := range b.list {
		all.add(&b.list[i], 1)
	}
	if all.judged > 0 {
		x[jankRate] = 1 / all.judged
	}
	if all.presents > 0 && all.presented > 0 {
		x[hitchesPerTime] = float64(trace.Second/trace.Millisecond) / all.presents
	}
	return x
}

func (b *block) add(o *block, n float64) {
	b.judged += n * o.judged
	b.late += n * o.late
	b.gaps += n * o.gaps
	b.active += n * o.active
	b.refreshes += n * o.refreshes
	b.presents += n * o.presents
	b.presented += n * o.presented
	b.hitch += n * o.hitch
}

// values computes the statistics of a resample in which each block counts as often as
// weights says. A statistic without frames keeps its value.
func (b *blocks) values(weights []int32, v *[statistics]float64) {
	var all block
	for i := range b.list {
		if n := weights[b.list[i].number]; n != 0 {
			all.add(&b.list[i], float64(n))
		}
	}
	if all.judged > 0 {
		v[jankRate] = all.late / all.judged
	}
	switch {
	case b.periods && all.refreshes > 0:
		v[frameRate] = all.gaps / (all.refreshes / 1e6)
	case !b.periods && all.active > 0:
		v[frameRate] = all.gaps / (all.active / float64(trace.Second))
	}
	if all.presented > 0 {
		v[hitchesPerTime] = (all.hitch / float64(trace.Millisecond)) / (all.presented / float64(trace.Second))
	}
	n := 0
	for i := range b.lengths {
		n += int(weights[b.lengths[i].block])
	}
	if n == 0 {
		return
	}
	seen, next := 0, 0
	rank := (percents[0]*n + 99) / 100
	for i := range b.lengths {
		seen += int(weights[b.lengths[i].block])
		for seen >= rank {
			v[p50+statistic(next)] = b.lengths[i].length
			if next++; next == len(percents) {
				return
			}
			rank = (percents[next]*n + 99) / 100
		}
	}
}
