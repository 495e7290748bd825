package reconstruct

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// minTask is the minimum length of a slice outside of frames that is known to keep a main thread
// from one, and maxTasks how many of them are kept between two frames: the longest.
const (
	minTask  = trace.Millisecond
	maxTasks = 8
)

// addTask keeps a slice of a main thread outside of frames until its next frame.
func (t *thread) addTask(task analyzer.Interval) {
	if task.Duration() < minTask || !task.Known() {
		return
	}
	if len(t.tasks) < maxTasks {
		t.tasks = append(t.tasks, task)
		return
	}
	shortest := 0
	for i := range t.tasks {
		if t.tasks[i].Duration() < t.tasks[shortest].Duration() {
			shortest = i
		}
	}
	if t.tasks[shortest].Duration() < task.Duration() {
		t.tasks = append(slices.Delete(t.tasks, shortest, shortest+1), task)
	}
}

// takeTasks gives a frame what its main thread did before it, if vsyncs passed meanwhile.
func (b *builder) takeTasks(t *thread, d *draft) {
	last := t.vsynced
	if last != nil && last.now != 0 && 2*(d.now-last.now) > 3*(d.expectedEnd-d.now) && d.expectedEnd > d.now {
		d.tasks = slices.Clone(t.tasks)
		d.doubtful = b.running.unknown.Known() && b.running.unknown >= last.frame.Actual.Start
	}
	t.tasks, t.vsynced = t.tasks[:0], d
}

// tick is a vsync on which a main thread of an application made frames: of several windows, several.
type tick struct {
	*draft // the first of them
	last   *draft
	drawn  bool // one of them has something to draw
	period trace.Duration
	// since is how many refresh periods passed since the tick before, 0 if that is unknown.
	since int
}

// Frames that never began (docs/frames.md 3.12): their vsyncs are missing in a run of frames one vsync
// apart, and the thread was busy with something else.
const (
	runBefore, runAfter = 2, 2 // steps of one vsync before and after
	runLooked           = 4    // steps that are looked at on each side
)

// setNotBegun finds the vsyncs on which main threads of applications began no frame because they were
// busy with something else. complete is the part of the trace that lacks no lines.
func (b *builder) setNotBegun(t *analyzer.Timeline, complete analyzer.Interval) {
	ticks := map[*thread][]tick{}
	var threads []*thread
	for _, d := range b.drafts {
		f := d.frame
		if f.Kind != analyzer.ApplicationFrame || f.Framework != analyzer.Platform || !d.hasVsync || d.bare || !d.thread.isMain() || d.now == 0 {
			continue
		}
		list := ticks[d.thread]
		if list == nil {
			threads = append(threads, d.thread)
		}
		drawn := f.Judgement().Empty == analyzer.No && !f.Facts.Has(analyzer.Truncated)
		if n := len(list); n > 0 && list[n-1].now == d.now {
			list[n-1].last, list[n-1].drawn = d, list[n-1].drawn || drawn
			continue
		}
		x := tick{draft: d, last: d, drawn: drawn, period: f.Period}
		if n := len(list); n > 0 {
			x.since = list[n-1].steps(&x)
		}
		ticks[d.thread] = append(list, x)
	}
	for _, thread := range threads {
		list := ticks[thread]
		for i := range list {
			if list[i].since > 1 && isRun(list, i, complete) {
				list[i].setNotBegun(&list[i-1], t.Interactions)
			}
		}
	}
}

// steps returns how many refresh periods lie between two ticks; 0 if that is unknown or no whole number, or
// if the refresh period changed.
func (x *tick) steps(next *tick) int {
	step := trace.Duration(next.now - x.now)
	p := next.period
	if p < trace.Millisecond || (x.period-p).Abs()*50 > p || x.piece != next.piece || x.frame.Process != next.frame.Process || step <= 0 || step > trace.Second {
		return 0
	}
	n := (step + p/2) / p
	if (step-n*p).Abs()*10 > p {
		return 0
	}
	return int(n)
}

// isRun reports whether most ticks around the step to tick i are one vsync apart. Their ids say that
// the distributor counted vsyncs within the step that the application did not get: without
// a request, it counts one and may stop then. If the display had none, because its rate changed, it counts none.
func isRun(list []tick, i int, complete analyzer.Interval) bool {
	a, x := &list[i-1], &list[i]
	if i <= runBefore || list[i-1-runBefore].frame.Actual.Start < complete.Start || x.doubtful || !a.drawn || !x.drawn || a.frame.VsyncID == 0 {
		return false
	}
	each := int64(0) // ids of a step of one vsync
	side := func(from, by, least int) bool {
		ones, all := 0, 0
		for n := from; n > 0 && n < len(list) && all < runLooked && list[n].since > 0; n += by {
			if all++; list[n].since > 1 {
				continue
			}
			ids := list[n].frame.VsyncID - list[n-1].frame.VsyncID
			if each = cmp.Or(each, ids); ids != each {
				return false
			}
			ones++
		}
		return ones >= least && 2*ones > all
	}
	if !side(i-1, -1, runBefore) || !side(i+1, 1, runAfter) {
		return false
	}
	ids := x.frame.VsyncID - a.frame.VsyncID
	return each > 0 && ids > each && ids <= each*int64(x.since)
}

// setNotBegun sets on how many vsyncs before the tick no frame began because of the tasks. The thread was
// busy on each vsync since the tick before: at first maybe still with that. If it was on that of the tick, too,
// it did not ask for that late. It is unknown if a scene begins or ends meanwhile, and a hang is counted as that.
func (x *tick) setNotBegun(before *tick, interactions []*analyzer.Interaction) {
	end := before.last.frame.Actual.End
	tasks := append(x.tasks, analyzer.Interval{Start: end, End: before.last.receiveEnd}) // the rest of the slice of the frame
	held, missed := analyzer.Interval{}, 0
	for n := 1; n < x.since; n++ {
		at := before.frame.Vsync.Add(trace.Duration(n) * x.period)
		if at < end && missed == 0 {
			continue
		}
		i := slices.IndexFunc(tasks, func(task analyzer.Interval) bool { return task.Start < at && at < task.End })
		if i < 0 || tasks[i].Duration() >= analyzer.MinHang {
			return
		}
		if missed++; missed == 1 {
			held.Start = tasks[i].Start
		}
		held.End = tasks[i].End
	}
	f := x.frame
	ahead := func(f *analyzer.Frame) bool { return f.Actual.Start < f.Vsync }
	if missed == 0 || f.Facts.Has(analyzer.Truncated) || held.End > f.Vsync || ahead(f) || ahead(before.frame) {
		return
	}
	for _, s := range interactions {
		within := func(at trace.Time) bool { return before.frame.Actual.Start < at && at <= f.Actual.Start }
		if s.Process == f.Process && !s.Launch() && (within(s.Begin) || within(s.End)) {
			return
		}
	}
	f.NotBegun, f.Held = missed, held
}
