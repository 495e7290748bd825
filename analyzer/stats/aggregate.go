package stats

import (
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Aggregate says how a measure of several processes, layers or interactions is made of what they
// have together: it is a ratio of sums, a percentile of times or the longest time.
type Aggregate struct {
	// Parts and Wholes are the names of the sums of a ratio, each in its unit. Without Wholes the measure is
	// the sum of Parts, unknown if that is zero.
	Parts, Wholes       []string
	PartUnit, WholeUnit float64
	// Times is the name of times. Thousandth is their percentile by nearest rank, unknown for fewer
	// than Least; the measure is the longest of them if it is zero.
	Times             string
	Thousandth, Least int64
	// Peak is the name of a maximum in PartUnit: of the longest time, for example.
	Peak string
}

// Tally has what processes, layers or interactions have together.
type Tally interface {
	// Sum and Peak return a number by the name of a Sum.
	Sum(name string) int64
	// Times returns times by name; nil if they are not kept.
	Times(name string) Times
}

// Times are the times of frames, buffers or interactions, in nanoseconds.
type Times interface {
	Total() int64
	// Percentile returns a percentile by nearest rank; nil for fewer than least times, or without any.
	Percentile(thousandth, least int64) *int64
	// Exact reports whether percentiles are not estimates.
	Exact() bool
}

// Value returns the measure of a tally in its Unit; nil if it is unknown.
func (a *Aggregate) Value(t Tally) *float64 {
	if a.Times == "" {
		part, whole := float64(total(t, a.Parts))/a.PartUnit, 1.0
		if len(a.Wholes) > 0 {
			whole = float64(total(t, a.Wholes)) / a.WholeUnit
		} else if part == 0 {
			return nil
		}
		if whole == 0 {
			return nil
		}
		return number(part / whole)
	}
	times := t.Times(a.Times)
	switch {
	case times == nil || times.Total() == 0:
		return nil
	case a.Peak != "":
		return number(float64(t.Sum(a.Peak)) / a.PartUnit)
	}
	x := times.Percentile(a.Thousandth, a.Least)
	if x == nil {
		return nil
	}
	return number(float64(*x) / 1e6)
}

// Estimated reports whether the measure of a tally is an estimate.
func (a *Aggregate) Estimated(t Tally) bool {
	if a.Times == "" || a.Peak != "" {
		return false
	}
	times := t.Times(a.Times)
	return times != nil && !times.Exact()
}

// one is the Tally of one process or layer, without times.
type one struct {
	subject any
	sums    []Sum
}

func (o one) Times(string) Times { return nil }
func (o one) Sum(name string) int64 {
	return o.sums[slices.IndexFunc(o.sums, func(s Sum) bool { return s.Name == name })].Of(o.subject)
}

// setRatios sets the measures of a *Process or a *Layer that are ratios of its sums.
func setRatios(subject any, list MeasureList, sums []Sum) {
	for i := range list {
		if m := &list[i]; m.Aggregate != nil && m.Aggregate.Times == "" {
			m.put(subject, m.Aggregate.Value(one{subject, sums}))
		}
	}
}

func total(t Tally, names []string) (n int64) {
	for _, name := range names {
		n += t.Sum(name)
	}
	return n
}

// Distributions are the names of times whose distributions several processes or layers have together:
// those of frames, then those of buffers. Of overruns, those of late frames are in one, and the
// times that other frames were ahead of their deadlines in another.
var Distributions = slices.Concat([]string{"duration", "overrun"}, stageNames[:], []string{"ahead", "vsync_to_present", "queue", "request", "gpu"})

// The indices in Distributions.
const (
	durationIndex = iota
	overrunIndex
	stageIndex
	aheadIndex = iota + Stages - 1
	presentIndex
	queueIndex
	requestIndex
	gpuIndex
)

// FrameTimes calls add for each known time of a frame, with its index in Distributions.
func FrameTimes(f *analyzer.Frame, add func(index int, d trace.Duration)) {
	if d, known := DurationOf(f); known {
		add(durationIndex, d)
	}
	if j := f.Judgement(); j.OverrunKnown && j.Late == analyzer.Yes {
		add(overrunIndex, j.Overrun)
	} else if j.OverrunKnown {
		add(aheadIndex, -j.Overrun)
	}
	for i, d := range stagesOf(f) {
		if d != unknownStage {
			add(stageIndex+i, d)
		}
	}
	if d, known := VsyncToPresentOf(f); known {
		add(presentIndex, d)
	}
}

// BufferTimes is FrameTimes for a buffer.
func BufferTimes(b *analyzer.Buffer, add func(index int, d trace.Duration)) {
	if b.Queued.Known() && b.Acquired.Known() {
		add(queueIndex, b.InQueue())
	}
	if b.Requested.Known() {
		add(requestIndex, b.Requested.Duration())
	}
	if b.Queued.Known() && b.Ready.Known() {
		add(gpuIndex, b.GPUWait())
	}
}
