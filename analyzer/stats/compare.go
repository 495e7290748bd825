package stats

import (
	"maps"
	"math"
	"math/rand/v2"
	"strings"
)

// Estimate is a measure of a process in one run, for comparisons with other runs.
type Estimate struct {
	// Measure is its name in Tested or TestedAcrossRates.
	Measure string
	Value   float64
	// Variance is that of resampling blocks of time within the run (Carlstein, 1986). It does not
	// have what differs from run to run.
	Variance float64
}

// replicates are enough for a variance.
const replicates = 200

// Estimates returns the measures of Tested or, with acrossRates, of TestedAcrossRates. It returns
// nil if the process has too few frames for all of them. The process must be from Compute with
// Options.Compare. Random numbers depend on its frames only.
func (p *Process) Estimates(acrossRates bool) []Estimate {
	switch {
	case p == nil || p.compared == nil:
		return nil
	case acrossRates:
		return p.compared.acrossRates
	}
	return p.compared.estimates
}

// Enough reports whether a process of one run has as many frames, or gaps between them, as a test of a measure of
// Tested or TestedAcrossRates needs: its Least.
func (p *Process) Enough(m *Measure) bool {
	n := p.Frames.Complete - p.Frames.Dropped
	switch part, _, _ := strings.Cut(m.Path, "."); {
	case part == "jank_rate":
		n = p.Frames.Judged
	case part == "fps" && (p.FPS == nil || m.AcrossRates && p.FPS.OfRefresh == nil), part == "hitches" && p.Hitches == nil,
		part == "durations_in_periods" && p.DurationsInPeriods == nil:
		n = 0
	case part == "fps":
		n = p.FPS.following
	case part == "hitches":
		n = p.Hitches.following
	case part == "durations_in_periods":
		n = p.DurationsInPeriods.Frames
	}
	return n >= m.Least
}

// compared is what comparisons need of a process. It has no frames, as there may be thousands of runs.
type compared struct {
	estimates, acrossRates []Estimate
	shown                  map[int]int // the frames that were shown, by the display's refresh rate in whole hertz
	lengths, periods       []float64   // of Options.Lengths, in order
}

func newEstimates(s *sample, acrossRates bool) []Estimate {
	if max(len(s.frames), len(s.gaps), len(s.presents)) < minFrames {
		return nil
	}
	b := newBlocks(s, acrossRates)
	weights := make([]int32, b.count)
	for i := range weights {
		weights[i] = 1
	}
	var value [statistics]float64
	b.values(weights, &value)
	random := rand.New(rand.NewPCG(s.hash, 0))
	var variance [statistics]float64
	for range replicates {
		clear(weights)
		for range weights {
			weights[random.IntN(len(weights))]++
		}
		v := value
		b.values(weights, &v)
		for i := range v {
			variance[i] += (v[i] - value[i]) * (v[i] - value[i]) / replicates
		}
	}
	least := b.oneLate()
	names := Tested
	if acrossRates {
		names = TestedAcrossRates
	}
	list := make([]Estimate, statistics)
	for i := range list {
		v := variance[i] * float64(b.count) / float64(b.count-1) // resampling makes it too small by that
		// Without late frames, resampling finds none: the run could as well have had one.
		list[i] = Estimate{Measure: names[i], Value: value[i], Variance: max(v, least[i]*least[i])}
	}
	return list
}

// maxRefreshDifference is the share of frames above which refresh rates differ.
const maxRefreshDifference = 0.1

// RefreshDiffers reports whether more than a tenth of the frames would have to be shown at
// another refresh rate of the display for two processes, each with a list for each run, to use
// all rates equally often. Then their durations and frame rates are comparable only relative to
// the refresh rate. An application that asks for fewer vsyncs of the same display is slower, so
// its own refresh periods count only if those of the display are unknown.
func RefreshDiffers(base, new []*Process) bool {
	a, b := displays(base), displays(new)
	if len(a) == 0 || len(b) == 0 {
		a, b = shares(base), shares(new)
	}
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	all := maps.Clone(a)
	maps.Copy(all, b)
	difference := 0.0
	for hertz := range all {
		difference += math.Abs(a[hertz]-b[hertz]) / 2 // half the sum is the share that would have to change
	}
	return difference > maxRefreshDifference
}

// displays returns the share of frames that were shown at each refresh rate of the display.
func displays(runs []*Process) map[int]float64 {
	total := 0
	m := map[int]float64{}
	for _, p := range runs {
		if p == nil || p.compared == nil {
			continue
		}
		for hertz, n := range p.compared.shown {
			total += n
			m[hertz] += float64(n)
		}
	}
	for hertz := range m {
		m[hertz] /= float64(total)
	}
	return m
}

// shares returns the share of frames at each of their own refresh rates, in whole hertz.
func shares(runs []*Process) map[int]float64 {
	total := 0
	m := map[int]float64{}
	for _, p := range runs {
		if p == nil {
			continue
		}
		for _, r := range p.Refresh {
			total += r.Frames
			m[wholeHertz(r.Period)] += float64(r.Frames)
		}
	}
	for hertz := range m {
		m[hertz] /= float64(total)
	}
	return m
}
