package judge

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/why/account"
	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

// hang is a hang under examination.
type hang struct {
	analyzer.Hang
	*thread
}

// newHangs returns the longest hangs that something is known about, and adds what
// their threads are to be examined for.
func newHangs(r *threads.Record, t *analyzer.Timeline, stretches map[trace.TID][]*account.Account) (hangs []hang) {
	list := slices.SortedStableFunc(slices.Values(t.Hangs), func(a, b analyzer.Hang) int { return cmp.Compare(b.Duration(), a.Duration()) })
	for _, h := range list[:min(len(list), why.MaxHangs)] {
		tid := trace.TID(h.Process.PID)
		if from, ok := r.LoggedFrom(tid, h.Start, h.End); !ok || from != h.Start && h.BeginCut != analyzer.TraceEdge {
			continue
		}
		x := hang{h, &thread{pid: h.Process.PID, tid: tid, Account: account.Stretch(h.Process, h.Start, h.End).Trace()}}
		stretches[tid] = append(stretches[tid], x.Account)
		hangs = append(hangs, x)
	}
	return hangs
}

// explainHangs says what hangs were spent on.
func (j *judge) explainHangs(hangs []hang) {
	for _, h := range hangs {
		w := j.workOf(h.thread)
		if w == nil {
			continue
		}
		pieces := j.book.Pieces(h.Account)
		for i := range pieces {
			pieces[i].Stage = why.NoStage
		}
		answer := &why.Explanation{Start: h.Start, End: h.End, Pieces: pieces, Steps: []why.Step{{Name: why.StepHang, Start: h.Start, Time: h.Duration(), Work: []why.Work{*w}}}}
		for _, s := range j.book.Path(h.Account, why.MaxHangPath) {
			s.Arguments = j.argumentsOf(h.Account, &s)
			answer.Path = append(answer.Path, s)
		}
		if j.causes.Hangs == nil {
			j.causes.Hangs = map[analyzer.Hang]*why.Explanation{}
		}
		j.causes.Hangs[h.Hang] = answer
	}
}
