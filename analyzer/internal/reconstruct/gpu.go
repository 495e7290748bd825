package reconstruct

import (
	"slices"
	"sort"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// gpuWork collects the "Frame queued" slices, which belong to a process, not to
// a thread.
type gpuWork struct {
	open map[gpuKey]openGPU
	done []gpuSlice
}

type gpuKey struct {
	pid    trace.PID
	cookie int64
}

type openGPU struct {
	start trace.Time
	line  int
}

type gpuSlice struct {
	pid trace.PID
	analyzer.Interval
	line int
}

func (b *builder) beginGPU(pid trace.PID, e *hitrace.Event) {
	key := gpuKey{pid, e.Marker.Value}
	if lost, ok := b.gpu.open[key]; ok {
		b.diagnostics.add(analyzer.GPUUnfinished, lost.line)
	} else if !b.mayKeep(&b.kept.gpu, e) {
		return
	}
	b.gpu.open[key] = openGPU{e.Time, e.Number}
}

func (b *builder) endGPU(pid trace.PID, e *hitrace.Event) {
	key := gpuKey{pid, e.Marker.Value}
	begun, ok := b.gpu.open[key]
	delete(b.gpu.open, key)
	if !ok || e.Time < begun.start { // or one of the lines is out of place
		b.diagnostics.add(analyzer.GPUUnfinished, e.Number)
		return
	}
	b.gpu.done = append(b.gpu.done, gpuSlice{pid, analyzer.Interval{Start: begun.start, End: e.Time}, begun.line})
}

// assign assigns each piece of work to the render frame in which it began. It needs the
// render frames' intervals, which place sets.
func (g *gpuWork) assign(frames framesByProcess, d *diagnostics) {
	unfinished := make([]int, 0, len(g.open))
	for _, o := range g.open {
		unfinished = append(unfinished, o.line)
	}
	slices.Sort(unfinished)
	for _, line := range unfinished {
		d.add(analyzer.GPUUnfinished, line)
	}
	slices.SortStableFunc(g.done, func(a, b gpuSlice) int { return int(a.Start - b.Start) })
	for _, work := range g.done {
		f := lastStarted(frames[work.pid], work.Start)
		if f == nil || work.Start > f.Actual.End {
			d.add(analyzer.GPUOutside, work.line)
			continue
		}
		f.GPU = append(f.GPU, work.Interval)
	}
}

// framesByProcess are render frames in order of start.
type framesByProcess map[trace.PID][]*analyzer.Frame

// lastStarted returns the last of the frames, in order of start, that had started at the given time; nil if none had.
func lastStarted(frames []*analyzer.Frame, at trace.Time) *analyzer.Frame {
	if i := sort.Search(len(frames), func(i int) bool { return frames[i].Actual.Start > at }); i > 0 {
		return frames[i-1]
	}
	return nil
}
