package judge

import (
	"cmp"
	"slices"

	"ohframe/analyzer/internal/why/account"
	"ohframe/analyzer/internal/why/functions"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

// busyPart is a part of what a thread was busy with before a late frame: what it did in slices of one name
// in a task.
type busyPart struct {
	causePart
	*account.Account
	wait why.Wait
	task string // the outermost slice
}

// tasks divides a delay by earlier work among all that the thread did in its tasks, also before the frame
// should have started: without any part of it, the frame would have begun earlier by its time, at most by the delay. It
// returns nil if that is nothing but running in the outermost slice itself.
func (j *judge) tasks(x *judged) (list []why.Share) {
	var all []busyPart
	for _, t := range x.Tasks(x.Stage) {
		all = append(all, j.busyParts(t)...)
	}
	var sum trace.Duration
	for i := range all {
		sum += all[i].value
	}
	slices.SortStableFunc(all, func(a, b busyPart) int { return cmp.Compare(b.value, a.value) })
	n := len(all)
	for n > 0 && (all[n-1].value < noiseFloor || all[n-1].value*smallest < sum) {
		n--
	}
	if sum < x.value || n == 0 || n == 1 && all[0].isTask() {
		return nil
	}
	if rest := all[n:]; len(rest) > 0 {
		small := trace.Duration(0)
		for i := range rest {
			small += rest[i].value
		}
		if small*smallest >= sum || sum-small < x.share { // several that matter together, or have some of the share
			others := busyPart{wait: rest[0].wait, task: rest[0].task}
			others.value = small
			all = append(all[:n:n], others)
		} else {
			all = all[:n]
		}
	}
	weights := make([]trace.Duration, len(all))
	for i := range all {
		weights[i] = all[i].value
	}
	over := x.value - x.usual
	for i, share := range why.Divide(x.share, weights) {
		p := &all[i]
		p.share = share
		p.excess = min(p.value, over)
		list = append(list, j.taskShare(x, p))
	}
	return list
}

// isTask reports whether the part is all that the thread did in the outermost slice itself.
func (p *busyPart) isTask() bool {
	return p.name == p.task && (p.wait == why.Run || p.wait == why.WaitUnknown)
}

// busyParts returns the parts of a task, by wait, slice and the kind of threads that were waited for.
func (j *judge) busyParts(t *account.Task) (list []busyPart) {
	task, _, _ := j.book.Slice(&account.Cell{ID: account.ID{Key: t.Key}})
	type id struct {
		wait why.Wait
		name string
	}
	at := map[id]int{}
	for c := range t.Cells() {
		name, in, reason := j.book.Slice(&c)
		n, ok := at[id{c.Wait, name}]
		if !ok {
			n = len(list)
			at[id{c.Wait, name}] = n
			list = append(list, busyPart{causePart: causePart{name: name, gcReason: reason, Place: in}, Account: t.Account, wait: c.Wait, task: task})
		}
		p := &list[n]
		p.value += c.Time
		p.calls += int(c.Calls)
		p.keys = append(p.keys, c.Key)
	}
	for i := range list[:len(list):len(list)] {
		p := &list[i]
		waits := j.book.Waits(t.Account, account.Match{Component: functions.Component{Stage: why.StageStart, Wait: p.wait}, Keys: p.keys})
		n := 0
		for n < len(waits) && waits[n].Culprit != nil && waits[n].Time*leading >= p.value {
			n++
		}
		if n < 2 || p.wait.Explains() {
			p.causePart.setWaits(waits[:min(len(waits), 1)])
			continue
		}
		for k := 1; k < n; k++ {
			other := *p
			other.value = waits[k].Time
			other.causePart.setWaits(waits[k : k+1])
			p.value -= other.value
			list = append(list, other)
		}
		p.causePart.setWaits(waits[:1])
	}
	return list
}

// taskShare returns a part of what the thread was busy with as a share.
func (j *judge) taskShare(x *judged, p *busyPart) why.Share {
	s := why.Share{
		Stage: x.Stage, Wait: why.EarlierWork, Slice: p.task, Value: p.value, Share: p.share, Gain: x.gain(&p.causePart),
		Task: &why.TaskPart{Wait: p.wait, Slice: p.name, Calls: p.calls, Delay: x.value, Usual: x.usual},
	}
	p.setWaited(&s)
	inner := s
	switch p.wait {
	case why.Run, why.GCRun, why.WaitUnknown:
	default:
		inner.Wait = p.wait
	}
	s.Advice = j.advice(x.Account, &inner, p.Place)
	return s
}
