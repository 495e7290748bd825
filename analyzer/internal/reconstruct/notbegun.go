package reconstruct

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/place"
)

// minTask is the minimum length of a slice outside of frames that is known to keep a main thread
// from one. Of those half as long or longer, the maxTasks longest ones between two frames are kept.
const (
	minTask  = trace.Millisecond
	maxTasks = 8
)

// task is a slice of a main thread outside of frames.
type task struct {
	analyzer.Interval
	name  uint64 // a hash of its name without arguments
	input bool   // it handles an input
}

var taskSeed = maphash.MakeSeed()

// addTask keeps the outermost slice of a main thread until its next frame.
func (t *thread) addTask(end trace.Time) {
	of := task{Interval: analyzer.Interval{Start: t.top, End: end}}
	if !of.Known() {
		return
	}
	if len(t.tasks) == maxTasks {
		shortest := 0
		for i := range t.tasks {
			if t.tasks[i].Duration() < t.tasks[shortest].Duration() {
				shortest = i
			}
		}
		if t.tasks[shortest].Duration() >= of.Duration() {
			return
		}
		t.tasks = slices.Delete(t.tasks, shortest, shortest+1)
	}
	var buffer [maxName]byte
	of.name = maphash.Bytes(taskSeed, place.AppendKey(buffer[:0], t.topName))
	of.input = place.Lookup(t.topName).Stage == why.StageInput || bytes.HasPrefix(t.topName, []byte("client dispatch touchId:"))
	t.tasks = append(t.tasks, of)
}

// takeTasks gives a frame what its main thread did before it.
func (b *builder) takeTasks(t *thread, d *draft) {
	if last := t.vsynced; last != nil {
		if len(t.tasks) > 0 {
			d.tasks = slices.Clone(t.tasks)
		}
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
				setNotBegunBefore(list, i, t.Interactions)
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

// asksEvenly reports whether a task before tick i is one of those that ask for the frames: around it, most steps have one
// of its name, and they begin evenly, as those of a timer, or of inputs, whose rate is below the display's. Tasks that
// come after frames begin later after a longer step. Of a timer at the display's rate, a longer step has two.
func asksEvenly(list []tick, i int, held *task) bool {
	var starts []trace.Time
	here := 0 // before the tick
	side := func(from, to int) (steps, with int) {
		for n := max(from, 1); n <= min(to, len(list)-1) && (n == i || list[n].since > 0); n++ {
			before := len(starts)
			for _, task := range list[n].tasks {
				if task.name == held.name {
					starts = append(starts, task.Start)
				}
			}
			if steps++; len(starts) > before {
				with++
			}
			if n == i {
				here = len(starts) - before
			}
		}
		return steps, with
	}
	steps, with := side(i-runLooked, i-1)
	later, withLater := side(i, i+runLooked)
	n := len(starts)
	if with < runBefore || withLater < runAfter || 4*(with+withLater) < 3*(steps+later) {
		return false
	}
	each := starts[n-1].Sub(starts[0]) / trace.Duration(n-1)
	least, most := trace.Duration(0), trace.Duration(0)
	for k, start := range starts {
		off := start.Sub(starts[0]) - trace.Duration(k)*each
		least, most = min(least, off), max(most, off)
	}
	return 2*(most-least) <= list[i].period && (here == 1 || 100*each > 101*list[i].period)
}

// setNotBegunBefore sets on how many vsyncs before tick i no frame began because of the tasks. The thread was
// busy on each vsync since the tick before: at first maybe still with that. If it was on that of the tick, too,
// it did not ask for that late. It is unknown if a scene begins or ends meanwhile, or if an input was handled, which may
// ask for something new, and a hang is counted as that.
func setNotBegunBefore(list []tick, i int, interactions []*analyzer.Interaction) {
	before, x := &list[i-1], &list[i]
	end := before.last.frame.Actual.End
	tasks := append(x.tasks, task{Interval: analyzer.Interval{Start: end, End: before.last.receiveEnd}}) // the rest of the slice of the frame
	held, missed := analyzer.Interval{}, 0
	for n := 1; n < x.since; n++ {
		at := before.frame.Vsync.Add(trace.Duration(n) * x.period)
		if at < end && missed == 0 {
			continue
		}
		k := slices.IndexFunc(tasks, func(task task) bool { return task.Start < at && at < task.End })
		if k < 0 || tasks[k].input || tasks[k].Duration() < minTask || tasks[k].Duration() >= analyzer.MinHang || tasks[k].name != 0 && asksEvenly(list, i, &tasks[k]) {
			return
		}
		if missed++; missed == 1 {
			held.Start = tasks[k].Start
		}
		held.End = tasks[k].End
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
